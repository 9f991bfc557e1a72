"""How well a quilt is packed, and where a patch lies best.

Everything works on the *empty* cells of a quilt as its two words (see `patchwork_env.games.patchwork.state`): a
shifted word tells of all cells at once who their neighbours are. What is counted::

    pairs      two empty cells side by side              # # #
    squares    2x2 of empty cells                        . . #     3 pairs, 0 squares, 1 lone cell (last row),
    lone       empty cells without an empty neighbour    . . #     ... counted over the whole quilt
    dead ends  empty cells with exactly one
    narrow     empty cells in no 2x2 of empty cells

Many pairs and squares mean a short border, so patches that lie tightly. Cells minus pairs plus squares is Euler's
number, regions less islands, so the same counts tell whether the empty cells fall apart.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import placed_words, possible_starts
from patchwork_env.games.patchwork.state import low_rows
from patchwork_env.kernels import count_bits, kernel, lowest_bit

# Positions of the counts in a row of weights.
PAIRS, SQUARES, LONE, DEAD_ENDS, NARROW = range(5)
QUILT_FEATURES = 5


@functools.lru_cache(maxsize=64)
def border_words(edition: Edition) -> NDArray[np.int64]:
    """Low and high word of all cells but those of the last column: where a right-hand neighbour can be."""
    low = low_rows(edition) * edition.columns
    cells = [cell for cell in range(edition.cells) if cell % edition.columns != edition.columns - 1]
    words = np.array(
        [sum(1 << cell for cell in cells if cell < low), sum(1 << cell - low for cell in cells if cell >= low)],
        np.int64,
    )
    words.flags.writeable = False
    return words


@kernel
def quilt_counts(table, borders, low, high):
    """The five counts of a quilt with these empty cells, in the order of their positions."""
    columns = table["columns"]
    full_low = table["full"][0]
    full_high = table["full"][1]
    seam = table["low_cells"] - columns  # the last row of the low word lies above the first of the high word
    # one bit for every pair, at its left or upper cell
    across_low = low & (low >> 1) & borders[0]
    across_high = high & (high >> 1) & borders[1]
    down_low = low & ((low >> columns) | ((high << seam) & full_low))
    down_high = high & (high >> columns)
    # the same pairs seen from their right or lower cell
    left_low = across_low << 1
    left_high = across_high << 1
    up_low = (down_low << columns) & full_low
    up_high = ((down_high << columns) | (down_low >> seam)) & full_high
    square_low = across_low & ((across_low >> columns) | ((across_high << seam) & full_low))
    square_high = across_high & (across_high >> columns)
    wide_low = square_low | (square_low << 1)
    wide_high = square_high | (square_high << 1)
    wide_high |= ((wide_high << columns) | (wide_low >> seam)) & full_high
    wide_low |= (wide_low << columns) & full_low
    lone = count_bits(low & ~(across_low | left_low | down_low | up_low)) + count_bits(
        high & ~(across_high | left_high | down_high | up_high)
    )
    dead_ends = count_bits(
        (across_low ^ left_low ^ down_low ^ up_low) & ~(across_low & left_low) & ~(down_low & up_low)
    ) + count_bits(
        (across_high ^ left_high ^ down_high ^ up_high) & ~(across_high & left_high) & ~(down_high & up_high)
    )
    return (
        count_bits(across_low) + count_bits(across_high) + count_bits(down_low) + count_bits(down_high),
        count_bits(square_low) + count_bits(square_high),
        lone,
        dead_ends,
        count_bits(low & ~wide_low) + count_bits(high & ~wide_high),
    )


@kernel
def quilt_value(table, borders, weights, low, high):
    """The weighted sum of the counts of a quilt with these empty cells."""
    pairs, squares, lone, dead_ends, narrow = quilt_counts(table, borders, low, high)
    return (
        weights[PAIRS] * pairs
        + weights[SQUARES] * squares
        + weights[LONE] * lone
        + weights[DEAD_ENDS] * dead_ends
        + weights[NARROW] * narrow
    )


@kernel
def count_quilt(table, borders, low, high, counts):
    """Write the counts of a quilt with these empty cells."""
    pairs, squares, lone, dead_ends, narrow = quilt_counts(table, borders, low, high)
    counts[PAIRS] = pairs
    counts[SQUARES] = squares
    counts[LONE] = lone
    counts[DEAD_ENDS] = dead_ends
    counts[NARROW] = narrow


@kernel
def completes_square(table, low, high):
    """Whether a quilt with these empty cells holds a square that earns the bonus tile."""
    for k in range(table["window_count"]):
        if (low & table["windows"][k, 0]) == 0 and (high & table["windows"][k, 1]) == 0:
            return True
    return False


@kernel
def keep_best(places, values, count, place, value):
    """Insert a place into a list sorted by falling value, which keeps as many as it has room for; its new length."""
    width = places.shape[0]
    if count == width:
        if value <= values[width - 1]:
            return count
        count -= 1
    k = count
    while k > 0 and values[k - 1] < value:
        values[k] = values[k - 1]
        places[k] = places[k - 1]
        k -= 1
    values[k] = value
    places[k] = place
    return count + 1


@kernel
def rank_placements(table, borders, weights, bonus, patch, low, high, places, values):
    """Write the best ways to lay a patch on the empty cells, best first; how many were found.

    A place is ``orientation * cells + cell``. ``bonus`` is what completing the bonus square would add.
    """
    shift = table["upper_cells"]
    upper = (low >> shift) | (high << (table["low_cells"] - shift))
    count = 0
    for turn in range(table["orientation_count"][patch]):
        starts_low, starts_high = possible_starts(table, patch, turn, low, upper)
        shape = table["shape"][patch, turn]
        cell = np.int64(0)
        while starts_low != 0 or starts_high != 0:
            if starts_low != 0:
                cell = np.int64(lowest_bit(starts_low))
                starts_low &= starts_low - 1
            else:
                cell = np.int64(table["low_cells"] + lowest_bit(starts_high))
                starts_high &= starts_high - 1
            cloth_low, cloth_high = placed_words(table, shape, cell)
            rest_low = low & ~cloth_low
            rest_high = high & ~cloth_high
            value = quilt_value(table, borders, weights, rest_low, rest_high)
            if bonus != 0.0 and completes_square(table, rest_low, rest_high):
                value += bonus
            count = keep_best(places, values, count, turn * table["cells"] + cell, value)
    return count


@kernel
def rank_cells(table, borders, weights, bonus, low, high, places, values):
    """Write the best cells for a special patch, best first; how many were found."""
    count = 0
    for cell in range(table["cells"]):
        cloth_low, cloth_high = placed_words(table, np.int64(1), cell)
        if (low & cloth_low) == 0 and (high & cloth_high) == 0:
            continue
        value = quilt_value(table, borders, weights, low & ~cloth_low, high & ~cloth_high)
        if bonus != 0.0 and completes_square(table, low & ~cloth_low, high & ~cloth_high):
            value += bonus
        count = keep_best(places, values, count, cell, value)
    return count


@kernel
def count_ways(table, patch, low, high):
    """In how many ways a patch can be laid on these empty cells."""
    shift = table["upper_cells"]
    upper = (low >> shift) | (high << (table["low_cells"] - shift))
    ways = 0
    for turn in range(table["orientation_count"][patch]):
        starts_low, starts_high = possible_starts(table, patch, turn, low, upper)
        ways += count_bits(starts_low) + count_bits(starts_high)
    return ways


@kernel
def reach_of(table, patch, low, high):
    """Where a patch could still lie: the number of ways, and the cells that at least one of them covers."""
    shift = table["upper_cells"]
    low_cells = table["low_cells"]
    upper = (low >> shift) | (high << (low_cells - shift))
    ways = 0
    covered_low = np.int64(0)
    covered_high = np.int64(0)
    for turn in range(table["orientation_count"][patch]):
        starts_low, starts_high = possible_starts(table, patch, turn, low, upper)
        if starts_low == 0 and starts_high == 0:
            continue
        ways += count_bits(starts_low) + count_bits(starts_high)
        for k in range(table["size"][patch]):
            offset = table["offsets"][patch, turn, k]
            covered_low |= starts_low << offset
            covered_high |= (starts_low >> (low_cells - offset)) | (starts_high << offset)
    return ways, covered_low & table["full"][0], covered_high & table["full"][1]


@kernel
def outlook(table, game, bought, low, high, horizon):
    """What the patches still to be had can do with these empty cells, once patch ``bought`` is gone.

    The logarithm (base 2) of one more than the ways in which the next ``horizon`` patches of the circle could lie,
    and how many cells none of the patches left can cover. Patches that have yet to join the circle count for the
    latter: which they are is known to all, in which order they come is not.
    """
    ways = 0
    reached_low = np.int64(0)
    reached_high = np.int64(0)
    seen = 0
    size = np.int64(game["circle_size"])
    later = table["patch_count"] - table["first_circle"] if game["refilled"] == 0 else 0
    for position in range(size + later):
        if position < size:
            patch = np.int64(game["circle"][position])
        else:
            patch = np.int64(table["first_circle"] + position - size)
        if patch == bought:
            continue
        if seen >= horizon and reached_low == low and reached_high == high:
            break
        found, covered_low, covered_high = reach_of(table, patch, low, high)
        if seen < horizon and position < size:
            ways += found
        seen += 1
        reached_low |= covered_low
        reached_high |= covered_high
    unreachable = count_bits(low & ~reached_low) + count_bits(high & ~reached_high)
    return np.log2(1.0 + ways), unreachable
