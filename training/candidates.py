"""The candidate view: what a learner chooses from, and what it is told of each choice.

Of the 2,027 actions few are legal and fewer are sensible. The view lists, for every game, the advance and the
``placements`` tightest ways to lay each offered patch (or the best cells for a special patch), each with a row of
features. A learner scores the rows and picks one; the view maps the choice back to the environment's action.

The places of the list have fixed meanings, so that they can be an action space of their own::

    0                                advance, or decline a special patch
    1 + slot * placements + rank     buy the patch in that slot at its rank-th best place
    1 + rank                         put the special patch on its rank-th best cell
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.packing import (
    QUILT_FEATURES,
    border_words,
    completes_square,
    count_quilt,
    outlook,
    rank_cells,
    rank_placements,
)
from patchwork_env.agents.valuation import (
    CELLS,
    HORIZON,
    UNREACHABLE,
    WAYS,
    advance_value,
    bonus_value,
    mix_weights,
    purchase_value,
    quilt_after,
    quilt_after_cell,
    tuned_weights,
)
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import ADVANCE, FIRST_SPECIAL, special_pending
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.games.patchwork.state import NOBODY
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.kernels import kernel, run_over

FEATURES = (
    "advance",
    "buy",
    "special",
    "decline",
    "cost",
    "time",
    "income",
    "cells",
    "income_to_come",  # what the patch's income will still pay
    "buttons_after",
    "income_after",
    "spaces_moved",
    "income_paid",  # buttons of income in this move
    "specials_reached",
    "keeps_turn",
    "lead_after",  # spaces ahead of the opponent after the move
    "completes_bonus",
    *(f"{count}_after" for count in ("pairs", "squares", "lone", "dead_ends", "narrow")),
    *(f"{count}_change" for count in ("pairs", "squares", "lone", "dead_ends", "narrow")),
    "ways",  # logarithm of the ways in which the coming patches could still lie
    "unreachable",  # empty cells that no patch left can cover
    "value",  # the greedy player's value of the step
    "rank",
    "slot",
    *(f"next_{k}_{number}" for k in range(OFFERED) for number in ("cost", "time", "income", "cells")),
)
NUM_FEATURES = len(FEATURES)
_AFTER = FEATURES.index("pairs_after")
_OUTLOOK = FEATURES.index("ways")
_NEXT = FEATURES.index("next_0_cost")
_QUILT_SCALES = (0.01, 0.02, 0.2, 0.1, 0.05)

VIEW_VERSION = 1  # goes up when the list or a feature changes


class CandidateView:
    """The candidates of every game of a batch, in arrays that are allocated once.

    `update` brings them up to date; nothing is computed before.
    """

    def __init__(self, games: PatchworkBatch, placements: int = 16) -> None:
        if placements < 1:
            raise ValueError(f"placements must be at least 1, got {placements}")
        self.games = games
        self.placements = placements
        self.size = 1 + OFFERED * placements
        count = games.num_games
        self.actions = np.zeros((count, self.size), np.int64)  # (N, K) the environment's actions
        self.mask = np.zeros((count, self.size), np.bool_)  # (N, K) which places are taken
        self.features = np.zeros((count, self.size, NUM_FEATURES), np.float32)  # (N, K, F)
        self.counts = np.zeros(count, np.int64)  # (N,) candidates of each game
        self._borders = border_words(games.edition)
        self._weights = tuned_weights(games.edition)
        places = self.size  # a special patch has all places but one to itself
        self._scratch = (
            np.empty((count, len(self._weights))),
            np.empty((count, places), np.int64),
            np.empty((count, places)),
            np.empty((count, QUILT_FEATURES)),
        )
        self._everyone = np.arange(count)

    def update(self, indices: NDArray[np.int64] | None = None) -> None:
        """List the candidates of all games, or of those named, as they stand now."""
        chosen = self._everyone if indices is None else indices
        run_over(
            len(chosen),
            self.games.threads,
            list_for_games,
            chosen,
            self.games.tables,
            self.games.state,
            self._borders,
            self._weights,
            self.placements,
            self._scratch,
            (self.actions, self.mask, self.features, self.counts),
        )


@kernel
def list_for_games(start, stop, indices, tables, games, borders, weights, placements, scratch, out):
    """The candidates of each game named; ``out`` is (actions, mask, features, counts)."""
    mixed_weights, places, values, counts_before = scratch
    actions, mask, features, counts = out
    for k in range(start, stop):
        i = indices[k]
        mask[i, :] = False
        features[i, :, :] = 0.0
        counts[i] = 0
        if games[i]["done"]:
            continue
        mix_weights(tables[0], games[i], weights, mixed_weights[i])
        if special_pending(games[i]):
            counts[i] = list_specials(
                tables[0],
                games[i],
                borders,
                mixed_weights[i],
                places[i],
                values[i],
                counts_before[i],
                actions[i],
                mask[i],
                features[i],
            )
        else:
            counts[i] = list_steps(
                tables[0],
                games[i],
                borders,
                mixed_weights[i],
                placements,
                places[i],
                values[i],
                counts_before[i],
                actions[i],
                mask[i],
                features[i],
            )


@kernel
def list_specials(table, game, borders, weights, places, values, before, actions, mask, features):
    """Candidates of a player who has a special patch to place; how many."""
    quilt = game["quilts"][game["to_play"]]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    count_quilt(table, borders, low, high, before)
    bonus = bonus_value(table, game, weights)
    listed = 0
    if table["may_decline"]:
        actions[0] = table["decline"]
        mask[0] = True
        features[0, 3] = 1.0
        describe_move(table, game, -1, features[0])
        describe_quilt(table, game, borders, weights, before, -1, low, high, 0.0, features[0])
        listed += 1
    count = rank_cells(table, borders, weights, bonus, low, high, places[1:], values[1:])
    for rank in range(count):
        row = features[1 + rank]
        cell = places[1 + rank]
        actions[1 + rank] = FIRST_SPECIAL + cell
        mask[1 + rank] = True
        row[2] = 1.0
        row[7] = 0.125
        rest_low, rest_high = quilt_after_cell(table, cell, low, high)
        describe_move(table, game, -1, row)
        describe_quilt(table, game, borders, weights, before, -1, rest_low, rest_high, weights[CELLS], row)
        row[_OUTLOOK + 3] = rank * 0.1
        listed += 1
    return listed


@kernel
def list_steps(table, game, borders, weights, placements, places, values, before, actions, mask, features):
    """Candidates of a normal turn; how many."""
    player = game["to_play"]
    quilt = game["quilts"][player]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    count_quilt(table, borders, low, high, before)
    bonus = bonus_value(table, game, weights)
    actions[0] = ADVANCE
    mask[0] = True
    features[0, 0] = 1.0
    describe_move(table, game, -1, features[0])
    describe_quilt(
        table, game, borders, weights, before, -1, low, high, advance_value(table, game, weights), features[0]
    )
    describe_next(table, game, -1, features[0])
    listed = 1
    for slot in range(min(OFFERED, game["circle_size"])):
        patch = np.int64(game["circle"][slot])
        if table["cost"][patch] > game["buttons"][player]:
            continue
        first = 1 + slot * placements
        stop = first + placements
        count = rank_placements(
            table, borders, weights, bonus, patch, low, high, places[first:stop], values[first:stop]
        )
        if count == 0:
            continue
        worth = purchase_value(table, game, weights, patch)
        for rank in range(count):
            place = places[first + rank]
            row = features[first + rank]
            actions[first + rank] = FIRST_SPECIAL + table["cells"] + slot * MAX_ORIENTATIONS * table["cells"] + place
            mask[first + rank] = True
            row[1] = 1.0
            rest_low, rest_high = quilt_after(table, patch, place, low, high)
            describe_move(table, game, patch, row)
            describe_quilt(table, game, borders, weights, before, patch, rest_low, rest_high, worth, row)
            row[_OUTLOOK + 3] = rank * 0.1
            row[_OUTLOOK + 4] = slot * 0.5
            describe_next(table, game, slot, row)
        listed += count
    return listed


@kernel
def describe_move(table, game, patch, row):
    """What a step does to buttons, income and the time track; -1 for no patch."""
    player = game["to_play"]
    position = np.int64(game["positions"][player])
    other = np.int64(game["positions"][1 - player])
    buttons = np.int64(game["buttons"][player])
    income = np.int64(game["incomes"][player])
    stop = position
    if patch >= 0:
        row[4] = table["cost"][patch] * 0.1
        row[5] = table["time"][patch] / 6.0
        row[6] = table["income"][patch] / 3.0
        row[7] = table["size"][patch] * 0.125
        row[8] = table["income"][patch] * table["incomes_after"][position] * 0.05
        buttons -= table["cost"][patch]
        income += table["income"][patch]
        stop = min(position + table["time"][patch], table["last_space"])
    elif not special_pending(game):
        stop = min(other + 1, table["last_space"])
        buttons += stop - position
    marks = np.int64(table["incomes_after"][position]) - np.int64(table["incomes_after"][stop])
    row[9] = (buttons + marks * income) * 0.05
    row[10] = income * 0.1
    row[11] = (stop - position) * 0.1
    row[12] = marks * income * 0.05
    reached = np.int64(table["next_special"][max(position, other)])
    while reached != -1 and reached <= stop:
        row[13] += 1.0
        reached = np.int64(table["next_special"][reached])
    row[14] = 1.0 if stop <= other and stop < table["last_space"] else 0.0
    row[15] = (stop - other) * 0.1


@kernel
def describe_quilt(table, game, borders, weights, before, bought, low, high, worth, row):
    """What a step does to the quilt whose empty cells are then these, and the greedy value of it all."""
    if game["bonus_holder"] == NOBODY and completes_square(table, low, high):
        row[16] = 1.0
        worth += bonus_value(table, game, weights)
    counts = row[_AFTER : _AFTER + QUILT_FEATURES]
    count_quilt(table, borders, low, high, counts)
    for k in range(QUILT_FEATURES):
        worth += weights[k] * (counts[k] - before[k])
        row[_AFTER + QUILT_FEATURES + k] = (counts[k] - before[k]) * _QUILT_SCALES[k] * 5.0
        counts[k] *= _QUILT_SCALES[k]
    ways, unreachable = outlook(table, game, bought, low, high, HORIZON)
    row[_OUTLOOK] = ways * 0.1
    row[_OUTLOOK + 1] = unreachable * 0.1
    row[_OUTLOOK + 2] = (worth + weights[WAYS] * ways + weights[UNREACHABLE] * unreachable) * 0.1


@kernel
def describe_next(table, game, slot, row):
    """The three patches that the next decision will be offered; a slot of -1 buys nothing."""
    size = np.int64(game["circle_size"])
    left = size - (1 if slot >= 0 else 0)
    for k in range(min(np.int64(OFFERED), left)):
        position = slot + 1 + k
        patch = np.int64(game["circle"][position if position < size else position - size])
        place = _NEXT + 4 * k
        row[place] = table["cost"][patch] * 0.1
        row[place + 1] = table["time"][patch] / 6.0
        row[place + 2] = table["income"][patch] / 3.0
        row[place + 3] = table["size"][patch] * 0.125
