"""What may be done: the mask of legal actions, from what the player to move knows and nothing else."""

from __future__ import annotations

import numpy as np

from patchwork_env.games.quilt_show.cards import (
    CARD_TYPES,
    DYE,
    FACE_UP,
    GROUP_TILES,
    LARGEST_QUILT,
    STACKS,
    SWAP_MONEY,
    SWAP_PIECES,
)
from patchwork_env.games.quilt_show.layout import (
    ACCEPT,
    ADD,
    ASK,
    CHIP,
    DECK,
    DECLINE,
    DONE,
    FINISH,
    IN_ANSWER,
    IN_ASK,
    IN_DRAW,
    IN_ENTER,
    IN_GIVE,
    IN_MAKE,
    IN_PAY,
    IN_SEW,
    IN_TURN,
    MAKE,
    OFFER,
    PASS,
    PAY,
    PROPOSE,
    START,
    STOP,
    SWAP_CARD,
    SWAP_COIN,
    SWAP_TILE,
    TAKE,
    TRADE,
)
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import (
    cards_left,
    exposed_color,
    group_word,
    has_goods,
    is_useless,
    total,
    usable_cards,
)
from patchwork_env.games.quilt_show.swaps import pieces
from patchwork_env.kernels import count_bits, kernel, lowest_bit


@kernel
def write_mask(table, game, mask):
    """1 for every legal action, 0 for all others; all 0 when the game is over."""
    mask[:] = 0
    if game["done"]:
        return
    phase = game["phase"]
    if phase == IN_TURN:
        mark_turn(table, game, mask)
    elif phase == IN_DRAW:
        mark_picks(game, mask)
    elif phase == IN_MAKE:
        mark_blocks(table, game, mask)
        mask[STOP] = 1
    elif phase == IN_PAY:
        color = exposed_color(table, game, game["paying"])
        hand = game["hands"][game["to_play"]]
        for card in range(CARD_TYPES):
            mask[PAY + card] = hand[card] > 0 and table["usable"][card, color] == 1
    elif phase == IN_ENTER:
        mask[DONE] = 1
        loose = game["loose"][game["to_play"]]
        for key in range(12):
            mask[START + key] = count_bits(group_word(loose, key)) >= 3
    elif phase == IN_SEW:
        mark_sewing(table, game, mask)
    elif phase == IN_GIVE:
        mark_given(game, mask)
    elif phase == IN_ASK:
        mark_asked(game, mask)
    elif phase == IN_ANSWER:
        mask[ACCEPT] = can_accept(game)
        mask[DECLINE] = 1


@kernel
def may_take(game, place):
    """Whether the face-up card in that place may be taken next [2]."""
    card = game["face_up"][place]
    return card != NONE and not (card == DYE and (game["dye_taken"] == 1 or game["picks"] == 2))


@kernel
def mark_picks(game, mask):
    """The cards that may be taken; whether there are any."""
    found = False
    for place in range(FACE_UP):
        if may_take(game, place):
            mask[TAKE + place] = 1
            found = True
    if cards_left(game):
        mask[DECK] = 1
        found = True
    return found


@kernel
def mark_blocks(table, game, mask):
    """The blocks that the player can pay for; whether there are any."""
    found = False
    for stack in range(STACKS):
        bit = game["exposed"][stack]
        if bit != NONE:
            color = exposed_color(table, game, stack)
            if usable_cards(table, game, game["to_play"], color) >= table["bit_cost"][bit]:
                mask[MAKE + stack] = 1
                found = True
    return found


@kernel
def mark_turn(table, game, mask):
    """The start of a turn: draw, make, trade in useless cards, propose a swap; pass if neither of the first two [5]."""
    can_draw = mark_picks(game, mask)
    can_make = mark_blocks(table, game, mask)
    if not can_draw and not can_make:
        mask[PASS] = 1
    player = game["to_play"]
    if table["by_color"] and cards_left(game):
        for card in range(DYE):
            mask[TRADE + card] = game["hands"][player, card] > 0 and is_useless(table, game, card)
    if table["swaps"]:
        rich = has_goods(game, player)
        for step in range(1, table["players"]):
            mask[PROPOSE + step - 1] = rich or has_goods(game, (player + step) % table["players"])


@kernel
def mark_sewing(table, game, mask):
    """Tiles in ascending order, as long as a permitted size stays within reach; a complete quilt may be finished."""
    word = np.int64(game["sewing_tiles"])
    fitting = group_word(game["loose"][game["to_play"]], game["sewing_key"])
    size = count_bits(word)
    # Only tiles above the highest one of the quilt: then each set of tiles has one way to be named.
    for bit in range(GROUP_TILES):
        if (fitting >> bit) & 1 and word >> bit == 0 and size < LARGEST_QUILT:
            reach = size + 1 + count_bits(fitting >> (bit + 1))
            mask[ADD + bit] = table["size_from"][size + 1] <= reach
    if size > 0 and table["size_from"][size] == size:
        mask[FINISH] = 1
        for chip in range(3):
            mask[CHIP + chip] = (game["chips"][game["to_play"]] >> chip) & 1


@kernel
def mark_tiles(rows, named, mask):
    """The tiles of ``rows`` that have not been named."""
    for pattern in range(6):
        word = np.int64(rows[pattern] & ~named[pattern])
        while word != 0:
            mask[SWAP_TILE + pattern * GROUP_TILES + lowest_bit(word)] = 1
            word &= word - 1


@kernel
def mark_given(game, mask):
    """What the proposer may still put into the offer."""
    player = game["proposer"]
    named = pieces(game, 0)
    if named < SWAP_PIECES:
        mark_tiles(game["loose"][player], game["swap_tiles"][0], mask)
        for card in range(CARD_TYPES):
            mask[SWAP_CARD + card] = game["swap_cards"][0, card] < game["hands"][player, card]
    mask[SWAP_COIN] = game["swap_money"][0] < min(SWAP_MONEY, game["money"][player])
    mask[ASK] = named > 0 or has_goods(game, game["partner"])


@kernel
def mark_asked(game, mask):
    """What the proposer may still ask for: any kind of card, as only their number is known."""
    partner = game["partner"]
    named = pieces(game, 1)
    if named < SWAP_PIECES:
        mark_tiles(game["loose"][partner], game["swap_tiles"][1], mask)
        more = total(game["swap_cards"][1]) < total(game["hands"][partner])
        for card in range(CARD_TYPES):
            mask[SWAP_CARD + card] = more
    mask[SWAP_COIN] = game["swap_money"][1] < min(SWAP_MONEY, game["money"][partner])
    mask[OFFER] = named + pieces(game, 0) > 0


@kernel
def can_accept(game):
    """Whether the partner has the cards that are asked for."""
    for card in range(CARD_TYPES):
        if game["swap_cards"][1, card] > game["hands"][game["partner"], card]:
            return False
    return True
