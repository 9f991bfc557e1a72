"""The rules of one game, in the numpy subset that Numba compiles: setting up, turns, the end.

Every function takes the settings' table and a `GAME` record and works on that record in place. Which rule a passage
carries out is told in SPEC.md, whose ruling numbers stand in brackets here. The show itself is in `show`, the swaps
of the variant in `swaps`, what may be done in `masks`.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.games.quilt_show.cards import DECISION_LIMIT, DYE, FACE_UP, FIRST_HAND, MAX_PLAYERS, STACKS
from patchwork_env.games.quilt_show.layout import (
    DECK,
    IN_DRAW,
    IN_MAKE,
    IN_PAY,
    IN_TURN,
    MAKE,
    PAY,
    PROPOSE,
    START,
    STOP,
    TRADE,
)
from patchwork_env.games.quilt_show.masks import may_take
from patchwork_env.games.quilt_show.show import begin_show, cut_quilts, play_show
from patchwork_env.games.quilt_show.state import NOBODY, NONE
from patchwork_env.games.quilt_show.supply import (
    cards_left,
    flip_group,
    lay_out_cards,
    next_number,
    reveal_tiles,
    stack_group,
    take_from_deck,
    total,
)
from patchwork_env.games.quilt_show.swaps import forget_swap, play_swap
from patchwork_env.kernels import kernel

# What the draws of a game are for; each purpose has a stream of its own.
GAME_DRAW = 1
SEAT_DRAW = 2

RANDOM_FIRST = MAX_PLAYERS  # as a first player: drawn from the game's stream


@kernel
def set_up(table, game, stream, first_player):
    """Deal a new game: hands, open cards, open tiles, then who begins [1]."""
    clear(table, game)
    for player in range(table["players"]):
        game["chips"][player] = 7
        for _ in range(FIRST_HAND):
            game["hands"][player, take_from_deck(game, stream)] += 1
    lay_out_cards(table, game, stream)
    reveal_tiles(game, stream)
    game["to_play"] = next_number(game, stream, table["players"]) if first_player == RANDOM_FIRST else first_player


@kernel
def clear(table, game):
    """All cards in the deck, all tiles in their stacks, nobody has anything."""
    for player in range(MAX_PLAYERS):
        game["money"][player] = 0
        game["chips"][player] = 0
        for pattern in range(6):
            game["loose"][player, pattern] = 0
    for stack in range(STACKS):
        game["face_down"][stack] = table["stack_tiles"] if stack < table["stack_count"] else 0
        game["exposed"][stack] = NONE
        game["gone"][stack] = 0
        game["prizes"][stack] = 0
        game["face_up"][stack] = NONE
    for card in range(game["deck"].shape[0]):
        for player in range(MAX_PLAYERS):
            game["hands"][player, card] = 0
        game["deck"][card] = table["card_counts"][card]
        game["discards"][card] = 0
        game["removed"][card] = 0
    cut_quilts(game, 0)
    forget_swap(game)
    game["open_count"] = 0
    game["sewing_tiles"] = 0
    game["sewing_key"] = NONE
    game["draws"] = 0
    game["decisions"] = 0
    game["markers"] = table["markers"]
    game["round"] = 0
    game["phase"] = IN_TURN
    game["picks"] = 0
    game["dye_taken"] = 0
    game["paying"] = NONE
    game["to_pay"] = 0
    game["last_taker"] = NOBODY
    game["entered"] = 0
    game["done"] = 0
    game["truncated"] = 0


@kernel
def play(table, game, action, stream):
    """Carry out a legal action and everything that follows from it without another decision."""
    game["decisions"] += 1
    picked = action < MAKE
    ends = False
    if picked:
        pick(game, action, stream)
    elif action < PAY:
        stack = action - MAKE
        game["phase"] = IN_PAY
        game["paying"] = stack
        game["to_pay"] = table["bit_cost"][game["exposed"][stack]]
    elif action < STOP:
        ends = pay(table, game, action - PAY)
    elif action < START:  # stop, or pass
        ends = True
    elif action < TRADE:
        play_show(table, game, action)
    elif action < PROPOSE:
        trade(game, action - TRADE, stream)
    else:
        ends = play_swap(table, game, action)
    if ends:
        reveal_tiles(game, stream)
    if ends or picked:
        lay_out_cards(table, game, stream)
    if ends or (picked and (game["picks"] == 3 - game["dye_taken"] or not can_pick(game))):
        end_turn(table, game, stream)
    if game["decisions"] >= DECISION_LIMIT and not game["done"]:  # [12]
        game["done"] = 1
        game["truncated"] = 1


@kernel
def pick(game, action, stream):
    """Take one card, face up or from the deck; a face-up dye card ends the draw at two cards [2]."""
    hand = game["hands"][game["to_play"]]
    if action == DECK:
        hand[take_from_deck(game, stream)] += 1
    else:
        card = game["face_up"][action]
        hand[card] += 1
        if card == DYE:
            game["dye_taken"] = 1
        game["face_up"][action] = NONE
    game["phase"] = IN_DRAW
    game["picks"] += 1


@kernel
def can_pick(game):
    """Whether there is a card to take [4]."""
    if cards_left(game):
        return True
    for place in range(FACE_UP):
        if may_take(game, place):
            return True
    return False


@kernel
def pay(table, game, card):
    """Discard a card; the last one buys the block and takes a time marker [6]. True if it is the large one [7]."""
    player = game["to_play"]
    game["hands"][player, card] -= 1
    game["discards"][card] += 1
    game["to_pay"] -= 1
    if game["to_pay"] > 0:
        return False
    stack = game["paying"]
    flip_group(game["loose"][player], stack_group(table, stack), np.int64(1) << game["exposed"][stack])
    game["exposed"][stack] = NONE
    game["paying"] = NONE
    game["markers"] -= 1
    game["phase"] = IN_MAKE
    return game["markers"] == 0


@kernel
def trade(game, card, stream):
    """A useless card leaves the game for the top card of the deck [13]."""
    hand = game["hands"][game["to_play"]]
    hand[card] -= 1
    game["removed"][card] += 1
    hand[take_from_deck(game, stream)] += 1


@kernel
def end_turn(table, game, stream):
    """The next player's turn, or the show [5, 7]."""
    game["picks"] = 0
    game["dye_taken"] = 0
    if game["markers"] == 0:
        game["last_taker"] = game["to_play"]
        begin_show(table, game, stream)
    else:
        game["phase"] = IN_TURN
    game["to_play"] = (game["to_play"] + 1) % table["players"]


@kernel
def standing(game, player):
    """What decides the game, as one number: money first, then cards in hand [11]."""
    return np.int64(game["money"][player]) * 128 + total(game["hands"][player])


@kernel
def best_standing(table, game):
    """The highest standing, and how many players share it."""
    best = standing(game, 0)
    sharing = 1
    for player in range(1, table["players"]):
        value = standing(game, player)
        if value > best:
            best = value
            sharing = 1
        elif value == best:
            sharing += 1
    return best, sharing
