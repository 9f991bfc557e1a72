"""What a network is told of a game of Quilt Show: some two hundred numbers from one player's side.

They are counts and sums of what the player knows (the observation's own tensor has seven times as many entries, most
of them flags of single tiles, and learns slower for it). Seat 0 is the viewer, seat 1 the player to the left.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.agents.quilt_show.greedy import tile_worth
from patchwork_env.agents.quilt_show.planning import award, best_quilt, known_tiles, points_of, show_known
from patchwork_env.games.quilt_show.cards import CARD_TYPES, FACE_UP, MAX_PLAYERS, MAX_PRIZES, STACKS
from patchwork_env.games.quilt_show.layout import PHASES
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import exposed_color, flip_group, group_word, total, usable_cards
from patchwork_env.kernels import count_bits, kernel

SITUATION_VERSION = 1  # goes up when a number changes

SHOWN = 3  # quilts of a player that are looked at, best first
OF_SEAT = 11 + SHOWN

# block -> how many numbers it has, in the order in which they are written
BLOCKS: dict[str, int] = {
    "phase": len(PHASES),  # a flag; none while the viewer waits for others
    "shows": 3,  # a flag: one, two or three shows to come
    "table": 7,  # markers left and their share, players done entering, deck, picks, face-up dye taken, cards to pay
    "prizes": MAX_PRIZES,
    "hand": CARD_TYPES,
    "usable": 6,  # [colour] own cards that serve for it
    "face_up": CARD_TYPES,  # open cards of each type
    "stacks": 4 * STACKS,  # points of the open tile, its worth, cards that are missing for it, its worth to others
    "groups": 2 * 12,  # own loose tiles of each pattern and colour, and their points
    "others": 3 * 12,  # the others' tiles of each pattern and colour
    "seats": OF_SEAT * MAX_PLAYERS,  # see `write_seat`
    "show": 6,  # own entries, points of the best two, points and tiles being sewn, and what all that would win
}
SITUATION_SIZE = sum(BLOCKS.values())


@kernel
def write_situation(table, game, viewer, weights, words, row):
    """Fill ``row`` (`SITUATION_SIZE`); ``words`` is scratch of `planning`, of which the first six hold tiles."""
    row[:] = 0.0
    players = table["players"]
    is_mover = game["to_play"] == viewer and not game["done"]
    if is_mover:
        row[game["phase"]] = 1.0
    place = len(PHASES)
    row[place + min(max(table["rounds"] - game["round"] - 1, 0), 2)] = 1.0
    place += 3
    write_table(table, game, is_mover, row[place : place + 7])
    place += 7
    for rank in range(MAX_PRIZES):
        row[place + rank] = game["prizes"][rank] / 15.0
    place += MAX_PRIZES
    for card in range(CARD_TYPES):
        row[place + card] = game["hands"][viewer, card] / 4.0
    place += CARD_TYPES
    for color in range(6):
        row[place + color] = usable_cards(table, game, viewer, color) / 8.0
    place += 6
    for position in range(FACE_UP):
        if game["face_up"][position] != NONE:
            row[place + game["face_up"][position]] += 0.5
    place += CARD_TYPES
    write_stacks(table, game, viewer, weights, row[place : place + 4 * STACKS])
    place += 4 * STACKS
    for key in range(12):
        word = group_word(game["loose"][viewer], key)
        row[place + key] = count_bits(word) / 4.0
        row[place + 12 + key] = points_of(word) / 15.0
    place += 24
    tiles = words[:6]
    for seat in range(1, players):
        known_tiles(game, (viewer + seat) % players, tiles)
        for key in range(12):
            row[place + (seat - 1) * 12 + key] = count_bits(group_word(tiles, key)) / 4.0
    place += 36
    for seat in range(players):
        write_seat(table, game, viewer, seat, tiles, row[place + seat * OF_SEAT : place + (seat + 1) * OF_SEAT])
    place += OF_SEAT * MAX_PLAYERS
    write_show(table, game, viewer, words, row[place : place + 6])


@kernel
def write_table(table, game, is_mover, row):
    """How far round, show and turn have come; the particulars of a turn are told to whoever is to move."""
    row[0] = game["markers"] / 28.0
    row[1] = game["markers"] / table["markers"]
    row[2] = game["entered"] / 4.0
    row[3] = total(game["deck"]) / 96.0
    if is_mover:
        row[4] = game["picks"] / 3.0
        row[5] = game["dye_taken"]
        row[6] = game["to_pay"] / 3.0


@kernel
def write_stacks(table, game, viewer, weights, row):
    """The open tiles, as the viewer and the others see them."""
    for stack in range(STACKS):
        bit = game["exposed"][stack]
        if bit == NONE:
            continue
        missing = table["bit_cost"][bit] - usable_cards(table, game, viewer, exposed_color(table, game, stack))
        row[4 * stack] = table["bit_points"][bit] / 5.0
        row[4 * stack + 1] = tile_worth(table, game, viewer, stack, weights) / 8.0
        row[4 * stack + 2] = max(missing, 0) / 3.0
        row[4 * stack + 3] = worth_to_others(table, game, viewer, stack, weights) / 8.0


@kernel
def worth_to_others(table, game, viewer, stack, weights):
    """The most that the open tile of a stack is worth to any other player."""
    most = 0.0
    # During a show some of the others' tiles are secretly in entries, and tiles are not to be had anyway.
    if game["prizes"][0] == 0:
        for other in range(table["players"]):
            if other != viewer:
                most = max(most, tile_worth(table, game, other, stack, weights))
    return most


@kernel
def write_seat(table, game, viewer, seat, tiles, row):
    """What is public of one player: money, cards, chips, tiles, and the quilts that could be made of them."""
    players = table["players"]
    player = (viewer + seat) % players
    everything = 0
    for other in range(players):
        everything += game["money"][other]
    row[0] = 1.0
    row[1] = game["money"][player] / 30.0
    row[2] = (game["money"][player] - (everything - game["money"][player]) / (players - 1)) / 20.0
    row[3] = total(game["hands"][player]) / 15.0
    held = np.int64(game["chips"][player])
    if seat == 0:
        for pattern in range(6):
            tiles[pattern] = game["loose"][player, pattern]
    else:
        known_tiles(game, player, tiles)
        for quilt in range(game["open_count"], game["quilt_count"]):
            if game["quilt_owner"][quilt] == player and game["quilt_chip"][quilt] > 0:
                held |= 1 << (game["quilt_chip"][quilt] - 1)
    for chip in range(3):
        row[4 + chip] = (held >> chip) & 1
    count = 0
    points = 0
    for pattern in range(6):
        count += count_bits(np.int64(tiles[pattern]))
        points += points_of(np.int64(tiles[pattern]))
    row[7] = count / 12.0
    row[8] = points / 40.0
    for quilt in range(game["open_count"]):
        if game["quilt_owner"][quilt] == player:
            row[9] += 0.25
            row[10] = max(row[10], game["quilt_points"][quilt] / 15.0)
    write_best_quilts(table, tiles, row[11 : 11 + SHOWN])


@kernel
def write_best_quilts(table, tiles, row):
    """Points of the best quilts of up to four tiles that could be made side by side; uses up ``tiles``."""
    for number in range(SHOWN):
        key, word, points = best_quilt(table, tiles, 4, NONE)
        if key == NONE:
            break
        flip_group(tiles, key, word)
        row[number] = points / 15.0


@kernel
def write_show(table, game, viewer, words, row):
    """What the viewer has entered so far, and what it would win against what the others may enter."""
    if game["prizes"][0] == 0:
        return
    for quilt in range(game["open_count"], game["quilt_count"]):
        if game["quilt_owner"][quilt] == viewer:
            points = game["quilt_points"][quilt] / 15.0
            row[0] += 0.25
            if points > row[1]:
                row[2] = row[1]
                row[1] = points
            else:
                row[2] = max(row[2], points)
    if game["sewing_key"] != NONE and game["to_play"] == viewer:
        row[3] = points_of(np.int64(game["sewing_tiles"])) / 15.0
        row[4] = count_bits(np.int64(game["sewing_tiles"])) / 6.0
    known = show_known(table, game, viewer, words)
    row[5] = award(table, game, viewer, known, words) / 20.0
