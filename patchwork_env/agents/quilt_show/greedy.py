"""The greedy player: collects towards the best quilts, and enters them where they pay.

A tile is worth its points and more if it goes with tiles that the player has. Cards are drawn for the tiles that
lie open, blocks are made when they are worth a turn, and what to enter in a show comes from `planning`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.quilt_show.planning import NUMBERS, WORDS, best_entry
from patchwork_env.games.quilt_show.cards import CARD_TYPES, DYE, FACE_UP, STACKS
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
    IN_DRAW,
    IN_ENTER,
    IN_MAKE,
    IN_PAY,
    IN_SEW,
    IN_TURN,
    MAKE,
    OFFER,
    PASS,
    PAY,
    START,
    STOP,
    TAKE,
    TRADE,
)
from patchwork_env.games.quilt_show.state import NONE
from patchwork_env.games.quilt_show.supply import exposed_color, group_word, stack_group, tile_of, total, usable_cards
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.kernels import count_bits, kernel, lowest_bit, run_over

# name -> (value, what it is); the first two are those of `planning`. The values were found by a random search in
# which two weights at a time were changed and kept if that won 51.5% of 1,000 games against the best so far.
WEIGHTS: dict[str, tuple[float, str]] = {
    "tile_worth": (0.18, "thousands for a point on a tile that is kept for a later show"),
    "chip_worth": (2.1, "thousands for a point of a chip that is kept"),
    "second": (1.0, "worth of a tile that goes with one other"),
    "third": (1.06, "worth of a tile that makes three of a kind"),
    "fourth": (2.5, "worth of a tile that makes four"),
    "more": (2.0, "worth of a tile that goes with more than three"),
    "minor": (0.15, "share of that for the weaker of its pattern and its colour"),
    "threshold": (8.25, "what the best block must be worth to begin making blocks"),
    "hand": (0.23, "by how much each card in hand lowers that"),
    "further": (2.05, "what a further block of the same turn must be worth"),
    "late": (0.9, "by how much both are lower at the end of a round"),
    "ready": (0.15, "share of a tile's worth that a card adds which is not needed for it"),
    "spread": (0.2, "share of the other colours' demand that a card of several colours meets"),
    "dye": (5.5, "how much a face-up dye card must be better, as it costs a card"),
    "blind": (0.48, "worth of the deck's top card, as a share of the mean"),
}
(
    _TILE,
    _CHIP,
    SECOND,
    THIRD,
    FOURTH,
    MORE,
    MINOR,
    THRESHOLD,
    HAND,
    FURTHER,
    LATE,
    READY,
    SPREAD,
    DYE_LOSS,
    BLIND,
) = range(len(WEIGHTS))


def default_weights() -> NDArray[np.float64]:
    """The weights in the order of `WEIGHTS`."""
    return np.array([value for value, _ in WEIGHTS.values()])


class GreedyAgent:
    """Plays the best action by its own valuation; it draws nothing at random."""

    def __init__(self, seed: int | None = None, **weights: float) -> None:
        for name in weights:
            if name not in WEIGHTS:
                raise ValueError(f"unknown weight {name!r}; known are {', '.join(WEIGHTS)}")
        self.weights = np.array([float(weights.get(name, value)) for name, (value, _) in WEIGHTS.items()])

    def act(self, games: QuiltShowBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best action for each game."""
        actions = np.empty(len(indices), np.int64)
        words, numbers = new_scratch(len(indices))
        run_over(
            len(indices),
            games.threads,
            choose_for_games,
            indices,
            games.tables,
            games.state,
            games.action_mask,
            self.weights,
            words,
            numbers,
            actions,
        )
        return actions


def new_scratch(count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Scratch for ``count`` games: words and numbers."""
    return np.zeros((count, WORDS), np.int64), np.zeros((count, NUMBERS))


@kernel
def choose_for_games(start, stop, indices, tables, games, masks, weights, words, numbers, actions):
    """The greedy action for each game named."""
    for k in range(start, stop):
        i = indices[k]
        actions[k] = greedy_action(tables[0], games[i], masks[i], weights, words[k], numbers[k])


@kernel
def greedy_action(table, game, mask, weights, words, numbers):
    """The best legal action of the player to move."""
    phase = game["phase"]
    if phase in (IN_TURN, IN_MAKE):
        return turn_action(table, game, mask, weights, numbers)
    if phase == IN_DRAW:
        return draw_action(table, game, mask, weights, numbers)
    if phase == IN_PAY:
        return pay_action(table, game, mask)
    if phase == IN_ENTER:
        key, _, _ = best_entry(table, game, game["to_play"], NONE, weights, words)
        return np.int64(DONE if key == NONE else START + key)
    if phase == IN_SEW:
        return sew_action(table, game, mask, weights, words)
    return swap_action(game, mask)


@kernel
def tile_worth(table, game, player, stack, weights):
    """What the open tile of a stack is worth to a player."""
    tile = tile_of(stack_group(table, stack), game["exposed"][stack])
    pattern = tile // 18
    color = (tile % 18) // 3
    loose = game["loose"][player]
    first = company(count_bits(group_word(loose, pattern)), weights)
    second = company(count_bits(group_word(loose, 6 + color)), weights)
    points = table["bit_points"][game["exposed"][stack]] + table["tile_bonus"]
    return points + max(first, second) + weights[MINOR] * min(first, second)


@kernel
def company(count, weights):
    """What it is worth to a tile that so many tiles of its kind are there."""
    return 0.0 if count == 0 else weights[min(count, 4) - 1 + SECOND]


@kernel
def turn_action(table, game, mask, weights, numbers):
    """Make the best block if it is worth it, else draw (or stop)."""
    player = game["to_play"]
    for card in range(DYE):
        if mask[TRADE + card]:
            return np.int64(TRADE + card)
    best = NONE
    best_worth = -1.0
    for stack in range(STACKS):
        if mask[MAKE + stack]:
            worth = tile_worth(table, game, player, stack, weights)
            if worth > best_worth:
                best_worth = worth
                best = stack
    lateness = weights[LATE] * (1.0 - game["markers"] / table["markers"])
    if game["phase"] == IN_MAKE:
        return np.int64(MAKE + best if best != NONE and best_worth >= weights[FURTHER] - lateness else STOP)
    threshold = weights[THRESHOLD] - weights[HAND] * total(game["hands"][player]) - lateness
    if best != NONE and best_worth >= threshold:
        return np.int64(MAKE + best)
    action = draw_action(table, game, mask, weights, numbers)
    if action == NONE:
        return np.int64(MAKE + best if best != NONE else PASS)
    return action


@kernel
def card_worths(table, game, player, weights, numbers):
    """What a card of each type is worth for the open tiles, from the 7th of ``numbers`` on; the mean of all cards.

    The first 6 of ``numbers`` become the demand for each colour.
    """
    demand = numbers[:6]
    worths = numbers[6 : 6 + CARD_TYPES]
    demand[:] = 0
    for stack in range(STACKS):
        if game["exposed"][stack] == NONE:
            continue
        color = exposed_color(table, game, stack)
        missing = table["bit_cost"][game["exposed"][stack]] - usable_cards(table, game, player, color)
        worth = tile_worth(table, game, player, stack, weights)
        demand[color] += worth / missing if missing > 0 else weights[READY] * worth
    everything = 0.0
    highest = 0.0
    for color in range(6):
        everything += demand[color]
        highest = max(highest, demand[color])
    mean = 0.0
    for card in range(CARD_TYPES):
        if card == DYE:
            worths[card] = highest + weights[SPREAD] * (everything - highest)
        else:
            first = demand[table["first_color"][card]]
            second = demand[table["second_color"][card]]
            worths[card] = first if card < 6 else max(first, second) + weights[SPREAD] * min(first, second)
        mean += worths[card] * table["card_counts"][card] / 96.0
    return mean


@kernel
def draw_action(table, game, mask, weights, numbers):
    """The card that the open tiles ask for most; -1 if there is none to take."""
    mean = card_worths(table, game, game["to_play"], weights, numbers)
    worths = numbers[6 : 6 + CARD_TYPES]
    best = NONE
    best_worth = -1e9
    if mask[DECK]:
        best = DECK
        best_worth = weights[BLIND] * mean
    for place in range(FACE_UP):
        if mask[TAKE + place]:
            card = game["face_up"][place]
            worth = worths[card]
            if card == DYE:
                worth -= weights[DYE_LOSS] * mean
            if worth > best_worth:
                best_worth = worth
                best = TAKE + place
    return np.int64(best)


@kernel
def pay_action(table, game, mask):
    """Pay with the card that is good for least else, and of which there are most."""
    hand = game["hands"][game["to_play"]]
    best = NONE
    best_loss = 1000
    for card in range(CARD_TYPES):
        if mask[PAY + card]:
            flexibility = 0 if card < 6 else 1 if card < DYE else 2
            loss = 20 * flexibility - hand[card]
            if loss < best_loss:
                best_loss = loss
                best = card
    return np.int64(PAY + best)


@kernel
def sew_action(table, game, mask, weights, words):
    """Add the next tile of the planned quilt; if the plan cannot be kept any more, finish as soon as possible."""
    key = np.int64(game["sewing_key"])
    sewn = np.int64(game["sewing_tiles"])
    _, word, chip = best_entry(table, game, game["to_play"], key, weights, words)
    missing = word & ~sewn
    if (sewn & ~word) == 0 and missing != 0 and mask[ADD + lowest_bit(missing)]:
        return np.int64(ADD + lowest_bit(missing))
    if mask[FINISH]:
        return np.int64(CHIP + chip - 1 if chip > 0 and mask[CHIP + chip - 1] else FINISH)
    for bit in range(18):
        if mask[ADD + bit]:
            return np.int64(ADD + bit)
    return np.int64(FINISH)


@kernel
def swap_action(game, mask):
    """Never propose; accept what brings more than it takes."""
    if game["phase"] == IN_ANSWER:
        return np.int64(ACCEPT if mask[ACCEPT] and goods(game, 0) > goods(game, 1) else DECLINE)
    if mask[ASK]:
        return np.int64(ASK)
    if mask[OFFER]:
        return np.int64(OFFER)
    for action in range(mask.shape[0]):
        if mask[action]:
            return np.int64(action)
    return np.int64(NONE)


@kernel
def goods(game, side):
    """A rough worth of one side of a swap."""
    worth = 3.0 * game["swap_money"][side]
    for pattern in range(6):
        word = np.int64(game["swap_tiles"][side, pattern])
        while word != 0:
            worth += 3.0 + lowest_bit(word) % 3
            word &= word - 1
    return worth + 1.5 * total(game["swap_cards"][side])
