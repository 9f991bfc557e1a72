"""What to enter in a show: a few plans are tried out against what the others could enter.

All tiles are taken in public, so everybody can work out what the others could sew. A plan names a size that its
quilts should have, how many there should be, and where chips go; it is worth the prizes that it would win, less
those of the others, plus what the tiles and chips it keeps back may still be good for.

Kernels get two pieces of scratch: ``words`` (int64, `WORDS`) and ``numbers`` (float64, `NUMBERS`).
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.quilt_show.show import finish_quilt
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import flip_group, group_word
from patchwork_env.kernels import count_bits, kernel

WORDS = 160
NUMBERS = 32
_ROWS = 0  # 6 words: the tiles still to be used
_FIRST = 6  # key, tiles and chip of the first quilt of a plan, then how many quilts it has
SHOWN_POINTS = 16  # points of all quilts of the show, as far as they are known or guessed
_OWNERS = 80
_MAX_SHOWN = 60

# bits of a group's word with 5, 3 and 2 points
FIVES = 0b100100100100100100
THREES = FIVES >> 1
TWOS = FIVES >> 2

TILE_WORTH, CHIP_WORTH = range(2)  # positions in the weights of plans: thousands for a point that is kept back


@kernel
def points_of(word):
    """The points printed on a group's tiles."""
    return 5 * count_bits(word & FIVES) + 3 * count_bits(word & THREES) + 2 * count_bits(word & TWOS)


@kernel
def best_tiles(fitting, size):
    """The ``size`` tiles with the most points of a group's word."""
    word = np.int64(0)
    for rank in range(3):
        left = fitting & (FIVES >> rank)
        while left != 0 and size > 0:
            lowest = left & -left
            word |= lowest
            left ^= lowest
            size -= 1
    return word


@kernel
def largest_size(table, available, wanted):
    """The largest permitted size up to what is available and wanted; at least 3 tiles are available."""
    size = min(available, wanted, 12)
    while table["size_from"][size] != size:
        size -= 1
    return size


@kernel
def best_quilt(table, rows, wanted, only_key):
    """Key and tiles of the quilt of about ``wanted`` tiles with the most points; key -1 if there is none."""
    best_key = NONE
    best_word = np.int64(0)
    best_points = 0
    for key in range(12):
        if only_key not in (NONE, key):
            continue
        fitting = group_word(rows, key)
        available = count_bits(fitting)
        if available >= 3:
            size = largest_size(table, available, wanted)
            word = best_tiles(fitting, size)
            points = points_of(word) + table["tile_bonus"] * size
            if points > best_points:
                best_key, best_word, best_points = key, word, points
    return best_key, best_word, best_points


@kernel
def show_known(table, game, player, words):
    """Write the quilts that take part anyway, and what the others are guessed to enter; how many."""
    count = 0
    for quilt in range(game["quilt_count"]):
        if quilt < game["open_count"] or game["quilt_owner"][quilt] == player:
            words[SHOWN_POINTS + count] = game["quilt_points"][quilt]
            words[_OWNERS + count] = game["quilt_owner"][quilt]
            count += 1
    rows = words[_ROWS : _ROWS + 6]
    for other in range(table["players"]):
        if other == player:
            continue
        known_tiles(game, other, rows)
        chip = best_chip(game, other)
        for _ in range(3):
            key, word, points = best_quilt(table, rows, 4, NONE)
            if key == NONE or count >= _MAX_SHOWN:
                break
            flip_group(rows, key, word)
            words[SHOWN_POINTS + count] = points + chip
            words[_OWNERS + count] = other
            count += 1
            chip = 0
    return count


@kernel
def known_tiles(game, player, rows):
    """All tiles that a player is known to have and that are in no open quilt: loose, being sewn, secretly entered."""
    for pattern in range(6):
        rows[pattern] = game["loose"][player, pattern]
    for quilt in range(game["open_count"], game["quilt_count"]):
        if game["quilt_owner"][quilt] == player:
            flip_group(rows, game["quilt_key"][quilt], np.int64(game["quilt_tiles"][quilt]))
    if game["sewing_key"] != NONE and game["to_play"] == player:
        flip_group(rows, game["sewing_key"], np.int64(game["sewing_tiles"]))


@kernel
def chip_to_use(held, smallest):
    """Points of the smallest or largest chip of those held, given as bits; 0 if there is none."""
    found = 0
    for chip in range(1, 4):
        if (held >> (chip - 1)) & 1 and (found == 0 or not smallest):
            found = chip
    return found


@kernel
def best_chip(game, player):
    """Points of the best chip that a player may still have, entries included."""
    best = chip_to_use(game["chips"][player], False)
    for quilt in range(game["open_count"], game["quilt_count"]):
        if game["quilt_owner"][quilt] == player:
            best = max(best, game["quilt_chip"][quilt])
    return best


@kernel
def award(table, game, player, count, words):
    """Thousands that a player wins, less the mean of the others' winnings, with the quilts in ``words``."""
    own = 0.0
    rest = 0.0
    prizes = table["prize_count"]
    limit = np.int64(1) << 20
    rank = 0
    while rank < prizes:
        best = np.int64(-1)
        tied = 0
        mine = 0
        for quilt in range(count):
            points = words[SHOWN_POINTS + quilt]
            if best < points < limit:
                best = points
                tied = 0
                mine = 0
            if points == best:
                tied += 1
                mine += words[_OWNERS + quilt] == player
        if best < 0:
            break
        spanned = 0
        for place in range(rank, min(rank + tied, prizes)):
            spanned += game["prizes"][place]
        own += spanned // tied * mine
        rest += spanned // tied * (tied - mine)
        limit = best
        rank += tied
    if game["round"] == table["rounds"] - 1:
        for quilt in range(count):
            if words[SHOWN_POINTS + quilt] < limit:
                if words[_OWNERS + quilt] == player:
                    own += 1
                else:
                    rest += 1
    return own - rest / (table["players"] - 1)


@kernel
def plan_worth(table, game, player, known, plan, only_key, weights, words):
    """What a plan is worth; its first quilt is left in ``words``. ``plan`` is (size, number of quilts, chips)."""
    wanted, limit, chips = plan
    rows = words[_ROWS : _ROWS + 6]
    for pattern in range(6):
        rows[pattern] = game["loose"][player, pattern]
    if only_key != NONE:
        flip_group(rows, game["sewing_key"], np.int64(game["sewing_tiles"]))
    words[_FIRST] = NONE
    held = np.int64(game["chips"][player])
    count = known
    for number in range(limit):
        key, word, points = best_quilt(table, rows, wanted, only_key if number == 0 else NONE)
        if key == NONE or count >= _MAX_SHOWN:
            break
        # Chips: 0 none, 1 the best one on the first quilt, 2 the smallest on the first, 3 the best ones on all.
        chip = 0
        if chips == 3 or (number == 0 and chips > 0):
            chip = chip_to_use(held, chips == 2)
            held &= ~((np.int64(1) << chip) >> 1)
        flip_group(rows, key, word)
        words[SHOWN_POINTS + count] = points + chip
        words[_OWNERS + count] = player
        count += 1
        if number == 0:
            words[_FIRST] = key
            words[_FIRST + 1] = word
            words[_FIRST + 2] = chip
    words[_FIRST + 3] = count - known
    worth = award(table, game, player, count, words)
    if game["round"] < table["rounds"] - 1:
        kept = 0
        for pattern in range(6):
            kept += points_of(rows[pattern])
        worth += weights[TILE_WORTH] * kept + weights[CHIP_WORTH] * chip_points(held)
    return worth


@kernel
def chip_points(held):
    """The points of chips given as bits."""
    return (held & 1) + 2 * ((held >> 1) & 1) + 3 * ((held >> 2) & 1)


@kernel
def best_entry(table, game, player, only_key, weights, words):
    """Key, tiles and chip of the quilt to enter next; key -1 to enter no more.

    With ``only_key`` the quilt that is being sewn is looked at as if its tiles were still loose: the answer has that
    key, and the whole of its tiles.
    """
    known = show_known(table, game, player, words)
    nothing = -1e9
    if only_key == NONE:
        nothing = plan_worth(table, game, player, known, (3, 0, 0), NONE, weights, words)
    worth, key, word, chip = best_plan(table, game, player, known, only_key, weights, words)
    if worth <= nothing + 1e-9:
        return NONE, np.int64(0), np.int64(0)
    return key, word, chip


@kernel
def best_plan(table, game, player, known, only_key, weights, words):
    """Worth of the best plan that enters something, and key, tiles and chip of its first quilt.

    ``known`` is what `show_known` gave; with ``only_key`` the first quilt has that key. Key -1 if there is no plan.
    """
    best_key = NONE
    best_word = np.int64(0)
    best_number = np.int64(0)
    best_worth = -1e9
    # Plans that differ only in what is not there are tried once.
    largest = 0
    for key in range(12):
        largest = max(largest, count_bits(group_word(game["loose"][player], key)))
    if only_key != NONE:
        largest = 12
    for size in (3, 4, 6, 9, 12):
        if size > largest:
            break
        for chips in range(4 if game["chips"][player] != 0 else 1):
            for limit in range(1, 5):
                worth = plan_worth(table, game, player, known, (size, limit, chips), only_key, weights, words)
                if words[_FIRST + 3] > 0 and worth > best_worth + 1e-9:
                    best_worth = worth
                    best_key = words[_FIRST]
                    best_word = words[_FIRST + 1]
                    best_number = words[_FIRST + 2]
                if words[_FIRST + 3] < limit:
                    break
    return best_worth, best_key, best_word, best_number


@kernel
def enter_all(table, game, weights, words):
    """Enter everything that the player to move wants to enter, at once; only `DONE` is left to be played."""
    player = game["to_play"]
    while True:
        key, word, chip = best_entry(table, game, player, NONE, weights, words)
        if key == NONE:
            return
        flip_group(game["loose"][player], key, word)
        game["sewing_key"] = key
        game["sewing_tiles"] = word
        finish_quilt(table, game, chip)
