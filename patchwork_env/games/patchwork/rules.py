"""The rules of one game, in the numpy subset that Numba compiles.

Every function takes the edition's table and a `GAME` record and works on that record in place. Which rule a
passage carries out is told in SPEC.md, whose ruling numbers stand in brackets here.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.games.patchwork.state import NOBODY
from patchwork_env.kernels import count_bits, kernel, lowest_bit
from patchwork_env.streams import shuffle, stream_of

ADVANCE = 0
FIRST_SPECIAL = 1  # actions 1 to `cells`: put the special patch on that cell

# What the draws of a game are for; each purpose has a stream of its own.
SETUP_DRAW = 1
REFILL_DRAW = 2
SEAT_DRAW = 3
AUTOMA_DRAW = 4


# --- setting up ---------------------------------------------------------------------------------------------------


@kernel
def set_up(table, game, first_player):
    """Everything but the circle as it is before the first turn [1]."""
    for player in range(2):
        game["quilts"][player, 0] = 0
        game["quilts"][player, 1] = 0
        game["buttons"][player] = table["start_buttons"]
        game["positions"][player] = 0
        game["incomes"][player] = 0
    game["resolved"] = 0
    game["decisions"] = 0
    game["to_play"] = first_player
    game["bonus_holder"] = NOBODY
    game["first_home"] = NOBODY
    game["refilled"] = 0
    game["done"] = 0


@kernel
def deal(table, game, stream):
    """A random circle whose last patch is the start patch [2]."""
    circle = game["circle"]
    size = table["first_circle"]
    position = 0
    for patch in range(size):
        if patch != table["start_patch"]:
            circle[position] = patch
            position += 1
    circle[size - 1] = table["start_patch"]
    for position in range(size, circle.shape[0]):
        circle[position] = -1
    shuffle(circle, 0, size - 1, stream)
    game["circle_size"] = size


# --- quilts -------------------------------------------------------------------------------------------------------


@kernel
def placed_words(table, shape, cell):
    """Low and high word of a shape whose bounding box starts at that cell."""
    low_cells = table["low_cells"]
    if cell >= low_cells:
        return np.int64(0), np.int64(shape << (cell - low_cells))
    low = (shape << cell) & table["full"][0]
    high = (shape >> (low_cells - cell)) & table["full"][1]
    return np.int64(low), np.int64(high)


@kernel
def is_full(table, quilt):
    """Whether no cell of the quilt is empty."""
    return quilt[0] == table["full"][0] and quilt[1] == table["full"][1]


@kernel
def empty_cells(table, game, player):
    """Empty cells of a player's quilt."""
    quilt = game["quilts"][player]
    return count_bits(table["full"][0] & ~quilt[0]) + count_bits(table["full"][1] & ~quilt[1])


@kernel
def cover(table, game, player, low, high):
    """Lay cloth on a quilt and hand out the bonus tile if that completes the first square [8]."""
    quilt = game["quilts"][player]
    quilt[0] |= low
    quilt[1] |= high
    if game["bonus_holder"] == NOBODY:
        for k in range(table["window_count"]):
            window = table["windows"][k]
            if (quilt[0] & window[0]) == window[0] and (quilt[1] & window[1]) == window[1]:
                game["bonus_holder"] = player
                break


@kernel
def possible_starts(table, patch, turn, free_low, free_upper):
    """The cells at which that patch may start, as low and high word (see `state._anchors`)."""
    lower = table["anchors"][patch, turn, 0]
    upper = table["anchors"][patch, turn, 1]
    offsets = table["offsets"][patch, turn]
    for k in range(table["size"][patch]):
        lower &= free_low >> offsets[k]
        upper &= free_upper >> offsets[k]
    shift = table["upper_cells"]
    return lower | ((upper << shift) & table["full"][0]), upper >> (table["low_cells"] - shift)


# --- a turn -------------------------------------------------------------------------------------------------------


@kernel
def special_pending(game):
    """Whether the player to move must place (or decline) a special patch [7]."""
    return game["resolved"] != game["positions"][game["to_play"]]


@kernel
def play(table, game, action, seed, index, episode):
    """Carry out a legal action and everything that follows from it without another decision."""
    player = game["to_play"]
    game["decisions"] += 1
    if special_pending(game):
        if action != table["decline"]:
            low, high = placed_words(table, np.int64(1), action - FIRST_SPECIAL)
            cover(table, game, player, low, high)
        game["resolved"] += 1
    elif action == ADVANCE:
        start = game["positions"][player]
        move_to(table, game, game["positions"][1 - player] + 1)
        game["buttons"][player] += game["positions"][player] - start
    else:
        buy(table, game, action, seed, index, episode)
    resolve_events(table, game)
    if not special_pending(game):
        pass_turn(table, game)


@kernel
def buy(table, game, action, seed, index, episode):
    """Pay, place, move: in that order [6]."""
    player = game["to_play"]
    block, cell = divmod(action - FIRST_SPECIAL - table["cells"], table["cells"])
    slot, turn = divmod(block, MAX_ORIENTATIONS)
    patch = take_patch(table, game, slot, seed, index, episode)
    game["buttons"][player] -= table["cost"][patch]
    low, high = placed_words(table, table["shape"][patch, turn], cell)
    cover(table, game, player, low, high)
    game["incomes"][player] += table["income"][patch]
    move_to(table, game, game["positions"][player] + table["time"][patch])


@kernel
def move_to(table, game, space):
    """Put the mover's time token on that space, or on the last one if that comes first [4]."""
    player = game["to_play"]
    game["positions"][player] = min(space, table["last_space"])
    if space >= table["last_space"] and game["first_home"] == NOBODY:
        game["first_home"] = player


@kernel
def take_patch(table, game, slot, seed, index, episode):
    """Remove the patch in that slot, and refill the circle if it is time."""
    patch = take_from_circle(game, slot)
    if game["circle_size"] == table["refill_when_left"] and game["refilled"] == 0:
        refill(table, game, stream_of(seed, index, episode, REFILL_DRAW))
    return patch


@kernel
def take_from_circle(game, slot):
    """Remove the patch in that slot; the skipped ones go behind all others [3]."""
    circle = game["circle"]
    size = game["circle_size"]
    patch = circle[slot]
    first = circle[0]
    second = circle[1]
    for position in range(size - 1 - slot):
        circle[position] = circle[position + slot + 1]
    if slot == 2:
        circle[size - 3] = first
        circle[size - 2] = second
    elif slot == 1:
        circle[size - 2] = first
    circle[size - 1] = -1
    game["circle_size"] = size - 1
    return patch


@kernel
def refill(table, game, stream):
    """The edition's later patches join at the end of the order, in an order drawn only now [12]."""
    circle = game["circle"]
    start = game["circle_size"]
    count = table["patch_count"] - table["first_circle"]
    for k in range(count):
        circle[start + k] = table["first_circle"] + k
    shuffle(circle, start, start + count, stream)
    game["circle_size"] = start + count
    game["refilled"] = 1


@kernel
def resolve_events(table, game):
    """Settle the spaces that the mover has entered or passed, in track order, up to the next decision [6, 7]."""
    player = game["to_play"]
    position = game["positions"][player]
    opponent_position = game["positions"][1 - player]
    space = game["resolved"] + 1
    while space <= position:
        if table["income_at"][space]:
            game["buttons"][player] += game["incomes"][player]
        # The first to reach a special patch takes it, so it is still there unless the opponent has been here.
        if table["special_at"][space] and opponent_position < space and not is_full(table, game["quilts"][player]):
            game["resolved"] = space - 1
            return
        space += 1
    game["resolved"] = position


@kernel
def pass_turn(table, game):
    """Who decides next, and whether anybody does [9, 10]."""
    player = game["to_play"]
    other = 1 - player
    position = game["positions"][player]
    if position > game["positions"][other]:
        game["to_play"] = other
        game["resolved"] = game["positions"][other]
    elif position == table["last_space"]:
        game["done"] = 1


# --- what may be done, and what it is worth -----------------------------------------------------------------------


@kernel
def write_mask(table, game, mask):
    """1 for every legal action, 0 for all others; all 0 when the game is over."""
    mask[:] = 0
    if game["done"]:
        return
    quilt = game["quilts"][game["to_play"]]
    free_low = table["full"][0] & ~quilt[0]
    free_high = table["full"][1] & ~quilt[1]
    if special_pending(game):
        mark_cells(table, free_low, free_high, mask[FIRST_SPECIAL:])
        mask[table["decline"]] = table["may_decline"]
        return
    mask[ADVANCE] = 1
    cells = table["cells"]
    shift = table["upper_cells"]
    free_upper = (free_low >> shift) | (free_high << (table["low_cells"] - shift))
    buttons = game["buttons"][game["to_play"]]
    for slot in range(min(OFFERED, game["circle_size"])):
        patch = game["circle"][slot]
        if table["cost"][patch] > buttons:
            continue
        base = FIRST_SPECIAL + cells + slot * MAX_ORIENTATIONS * cells
        for turn in range(table["orientation_count"][patch]):
            low, high = possible_starts(table, patch, turn, free_low, free_upper)
            mark_cells(table, low, high, mask[base + turn * cells :])


@kernel
def mark_cells(table, low, high, out):
    """Write a 1 for every cell that the words hold: the quick way when they are few and the rest is 0 already."""
    while low != 0:
        out[lowest_bit(low)] = 1
        low &= low - 1
    low_cells = table["low_cells"]
    while high != 0:
        out[low_cells + lowest_bit(high)] = 1
        high &= high - 1


@kernel
def write_cells(table, low, high, out):
    """One number a cell of the quilt: 1 where the words hold it, else 0."""
    low_cells = table["low_cells"]
    for cell in range(low_cells):
        out[cell] = (low >> cell) & 1
    for cell in range(table["cells"] - low_cells):
        out[low_cells + cell] = (high >> cell) & 1


@kernel
def score(table, game, player):
    """Buttons and bonus tile, less two for every empty cell [10]."""
    bonus = table["bonus_points"] if game["bonus_holder"] == player else 0
    return game["buttons"][player] + bonus - 2 * empty_cells(table, game, player)


@kernel
def winner(table, game):
    """The player with more points; a tie goes to the one who was home first [10]."""
    margin = score(table, game, 0) - score(table, game, 1)
    if margin == 0:
        return np.int64(game["first_home"])
    return np.int64(0 if margin > 0 else 1)


@kernel
def is_consistent(table, game):
    """Whether a record from outside could be a game of this edition: nothing in it leads outside a table."""
    mover = game["to_play"]
    size = game["circle_size"]
    sound = mover in (0, 1) and 0 <= size <= table["patch_count"]
    sound = sound and (game["refilled"] == 1 or size <= table["first_circle"])
    for holder in (game["bonus_holder"], game["first_home"]):
        sound = sound and NOBODY <= holder <= 1
    for player in range(2):
        quilt = game["quilts"][player]
        sound = sound and (quilt[0] & ~table["full"][0]) == 0 and (quilt[1] & ~table["full"][1]) == 0
        sound = sound and 0 <= game["positions"][player] <= table["last_space"] and game["buttons"][player] >= 0
    if not sound or not 0 <= game["resolved"] <= game["positions"][mover]:
        return False
    seen = np.int64(0)
    for position in range(game["circle"].shape[0]):
        patch = np.int64(game["circle"][position])
        if position >= size:
            sound = sound and patch == -1
        elif not 0 <= patch < table["patch_count"] or (seen >> patch) & 1:
            return False
        else:
            seen |= np.int64(1) << patch
    return sound
