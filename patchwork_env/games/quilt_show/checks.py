"""Whether a record from outside could be a game of these settings: nothing lost, nothing twice, all in range."""

from __future__ import annotations

import numpy as np

from patchwork_env.games.quilt_show.cards import (
    CARD_TYPES,
    FACE_UP,
    GROUP_TILES,
    MAX_PLAYERS,
    MAX_PRIZES,
    STACKS,
    SWAP_MONEY,
)
from patchwork_env.games.quilt_show.layout import IN_ANSWER, IN_ASK, IN_ENTER, IN_GIVE, IN_PAY, IN_SEW
from patchwork_env.games.quilt_show.state import FULL_GROUP, MAX_QUILTS, NONE
from patchwork_env.games.quilt_show.supply import (
    exposed_color,
    stack_group,
    total,
    usable_cards,
)
from patchwork_env.kernels import count_bits, kernel


@kernel
def cards_add_up(table, game):
    """Whether every card of the box is in exactly one place."""
    for place in range(FACE_UP):
        if not NONE <= game["face_up"][place] < CARD_TYPES:
            return False
    for card in range(CARD_TYPES):
        piles = (game["deck"][card], game["discards"][card], game["removed"][card])
        count = 0
        for pile in piles:
            if pile < 0:
                return False
            count += pile
        for player in range(MAX_PLAYERS):
            held = game["hands"][player, card]
            if held < 0 or (held > 0 and player >= table["players"]):
                return False
            count += held
        for place in range(FACE_UP):
            count += game["face_up"][place] == card
        if count != table["card_counts"][card]:
            return False
    return True


@kernel
def words_in_range(table, game):
    """Whether no word and no number about tiles leads outside a table."""
    sound = 0 <= game["open_count"] <= game["quilt_count"] <= MAX_QUILTS
    for pattern in range(6):
        sound = sound and 0 <= game["gone"][pattern] <= FULL_GROUP
        for player in range(MAX_PLAYERS):
            word = game["loose"][player, pattern]
            sound = sound and 0 <= word <= FULL_GROUP and (word == 0 or player < table["players"])
        for side in range(2):
            sound = sound and 0 <= game["swap_tiles"][side, pattern] <= FULL_GROUP
    for stack in range(STACKS):
        sound = sound and 0 <= game["face_down"][stack] <= FULL_GROUP
        sound = sound and NONE <= game["exposed"][stack] < GROUP_TILES
    if not sound:
        return False
    for quilt in range(MAX_QUILTS):
        sound = sound and 0 <= game["quilt_tiles"][quilt] <= FULL_GROUP and 0 <= game["quilt_chip"][quilt] <= 3
        if quilt < game["quilt_count"]:
            size = count_bits(game["quilt_tiles"][quilt])
            sound = sound and 3 <= size <= 12 and table["size_from"][size] == size
            sound = sound and 0 <= game["quilt_owner"][quilt] < table["players"] and 0 <= game["quilt_key"][quilt] < 12
            sound = sound and 0 < game["quilt_points"][quilt] <= 75
        else:
            sound = sound and game["quilt_owner"][quilt] == NONE and game["quilt_tiles"][quilt] == 0
    return sound and NONE <= game["sewing_key"] < 12 and 0 <= game["sewing_tiles"] <= FULL_GROUP


@kernel
def tiles_add_up(table, game):
    """Whether every tile in play is in exactly one place."""
    for pattern in range(6):
        seen = np.int64(game["gone"][pattern])
        count = count_bits(seen)
        for player in range(MAX_PLAYERS):
            word = np.int64(game["loose"][player, pattern])
            seen |= word
            count += count_bits(word)
        for stack in range(STACKS):
            group = stack_group(table, stack)
            word = pattern_row(group, np.int64(game["face_down"][stack]), pattern)
            seen |= word
            count += count_bits(word)
            if game["exposed"][stack] != NONE:
                word = pattern_row(group, np.int64(1) << game["exposed"][stack], pattern)
                seen |= word
                count += count_bits(word)
        for quilt in range(game["quilt_count"]):
            word = pattern_row(game["quilt_key"][quilt], np.int64(game["quilt_tiles"][quilt]), pattern)
            seen |= word
            count += count_bits(word)
        if game["sewing_key"] != NONE:
            word = pattern_row(game["sewing_key"], np.int64(game["sewing_tiles"]), pattern)
            seen |= word
            count += count_bits(word)
        # As many pieces as different tiles, and all tiles of the pattern: none is missing and none is there twice.
        if seen != (FULL_GROUP if pattern < table["patterns"] else 0) or count != count_bits(seen):
            return False
    return True


@kernel
def pattern_row(group, word, pattern):
    """The tiles of one pattern among those of a group's word."""
    if group < 6:
        return word if group == pattern else np.int64(0)
    return ((word >> (3 * pattern)) & 7) << (3 * (group - 6))


@kernel
def phase_is_sound(table, game):
    """Whether the fields of the present decision fit together."""
    players = table["players"]
    phase = game["phase"]
    sound = 0 <= phase <= IN_ANSWER and 0 <= game["to_play"] < players
    sound = sound and NONE <= game["last_taker"] < players and 0 <= game["entered"] < players
    sound = sound and 0 <= game["round"] <= table["rounds"] and 0 <= game["markers"] <= table["markers"]
    sound = sound and 0 <= game["picks"] < 3 and game["dye_taken"] in (0, 1) and game["draws"] >= 0
    sound = sound and NONE <= game["paying"] < STACKS and game["done"] in (0, 1) and game["truncated"] in (0, 1)
    swapping = phase in (IN_GIVE, IN_ASK, IN_ANSWER)
    if not sound or (game["sewing_key"] != NONE) != (phase == IN_SEW):
        return False
    if phase in (IN_ENTER, IN_SEW) and game["last_taker"] == NONE:
        return False
    if swapping:
        sound = table["swaps"] == 1 and 0 <= game["proposer"] < players and 0 <= game["partner"] < players
        sound = sound and game["proposer"] != game["partner"]
        sound = sound and game["to_play"] == (game["partner"] if phase == IN_ANSWER else game["proposer"])
        return sound and swap_is_covered(game)
    if phase == IN_PAY:
        stack = game["paying"]
        if stack == NONE or game["exposed"][stack] == NONE or not 1 <= game["to_pay"] <= 3:
            return False
        color = exposed_color(table, game, stack)
        return usable_cards(table, game, game["to_play"], color) >= game["to_pay"]
    return game["proposer"] == NONE and game["partner"] == NONE and game["paying"] == NONE


@kernel
def swap_is_covered(game):
    """Whether the proposer has what is given, and the partner at least the tiles and money that are asked for."""
    for side in range(2):
        owner = game["proposer"] if side == 0 else game["partner"]
        for pattern in range(6):
            if game["swap_tiles"][side, pattern] & ~game["loose"][owner, pattern]:
                return False
        if not 0 <= game["swap_money"][side] <= min(SWAP_MONEY, game["money"][owner]):
            return False
        for card in range(CARD_TYPES):
            named = game["swap_cards"][side, card]
            if named < 0 or (side == 0 and named > game["hands"][owner, card]):
                return False
    return total(game["swap_cards"][1]) <= total(game["hands"][game["partner"]])


@kernel
def is_consistent(table, game):
    """Whether a record can be played on without leading outside a table."""
    if not words_in_range(table, game) or not cards_add_up(table, game) or not phase_is_sound(table, game):
        return False
    for player in range(MAX_PLAYERS):
        # All the prizes and sales of a game come to less than 300 thousand.
        if not 0 <= game["money"][player] <= 300 or not 0 <= game["chips"][player] <= 7:
            return False
    for place in range(MAX_PRIZES):
        if not 0 <= game["prizes"][place] <= 15:
            return False
    return tiles_add_up(table, game)
