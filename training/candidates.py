"""The candidate view: what a learner chooses from, and what it is told of each choice.

Of the 2,027 actions few are legal and fewer are sensible. The view lists, for every game, the advance and the
``placements`` tightest ways to lay each offered patch (or the best cells for a special patch), each with a row of
features that say what it does to the quilt. What it does to everything else is the same for all placements of a patch
and told once, by `patchwork_env.agents.situation`. A learner scores the rows and picks one; the view maps the choice
back to the environment's action.

The places of the list have fixed meanings, so that they can be an action space of their own::

    0                                advance, or decline a special patch
    1 + slot * placements + rank     buy the patch in that slot at its rank-th best place
    1 + rank                         put the special patch on its rank-th best cell
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.outline import KINDS
from patchwork_env.agents.packing import (
    QUILT_FEATURES,
    border_words,
    completes_square,
    count_quilt,
    count_ways,
    outlook,
    rank_cells,
    rank_placements,
)
from patchwork_env.agents.position import bonus_progress
from patchwork_env.agents.replies import REPLY_SIZE
from patchwork_env.agents.situation import MOVE_SIZE, STATE_SIZE, describe_situation, situation_scratch
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

UPCOMING_WAYS = 4  # patches ahead that a placement is judged by

FEATURES = (
    "completes_bonus",
    "bonus_progress",  # how nearly the quilt then holds the bonus square
    *(f"{count}_after" for count in ("pairs", "squares", "lone", "dead_ends", "narrow")),
    *(f"{count}_change" for count in ("pairs", "squares", "lone", "dead_ends", "narrow")),
    "ways",  # logarithm of the ways in which the coming patches could still lie
    "unreachable",  # empty cells that no patch left can cover
    "value",  # the greedy player's value of the step
    "rank",
    *(f"next_{k}_ways" for k in range(UPCOMING_WAYS)),  # logarithm of the ways to lay each patch that comes next
)
NUM_FEATURES = len(FEATURES)
VALUE = FEATURES.index("value")
_AFTER = FEATURES.index("pairs_after")
_OUTLOOK = FEATURES.index("ways")
_RANK = FEATURES.index("rank")
_NEXT = FEATURES.index("next_0_ways")
_QUILT_SCALES = (0.01, 0.02, 0.2, 0.1, 0.05)

VIEW_VERSION = 3  # goes up when the list or a feature changes


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
        self.state = np.zeros((count, STATE_SIZE), np.float32)  # (N, S) the position
        self.moves = np.zeros((count, KINDS, MOVE_SIZE), np.float32)  # (N, 4, M) what each kind of move leads to
        self.replies = np.zeros((count, KINDS, KINDS, REPLY_SIZE), np.float32)  # (N, 4, 4, R) and each answer to it
        self.features = np.zeros((count, self.size, NUM_FEATURES), np.float32)  # (N, K, F)
        self.counts = np.zeros(count, np.int64)  # (N,) candidates of each game
        self._borders = border_words(games.edition)
        self._weights = tuned_weights(games.edition)
        places = self.size  # a special patch has all places but one to itself
        self._scratch = (
            situation_scratch(count, len(self._weights)),
            np.empty((count, places), np.int64),
            np.empty((count, places)),
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
            (self.actions, self.mask, self.state, self.moves, self.replies, self.features, self.counts),
        )

    def places_of(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """(N,) the place of an action of each game: where it is not listed, that of the tightest one of its kind."""
        cells = self.games.edition.cells
        slots = (actions - FIRST_SPECIAL - cells) // (MAX_ORIENTATIONS * cells)
        kinds = np.where(actions < FIRST_SPECIAL + cells, 1, 1 + slots * self.placements)
        listed = (self.actions == actions[:, None]) & self.mask
        places: NDArray[np.int64] = np.where(listed.any(axis=1), listed.argmax(axis=1), kinds)
        return places

    def observation(self, indices: NDArray[np.int64] | None = None) -> dict[str, NDArray[np.float32]]:
        """What a network is told of all games, or of those named, as they stood at the last update; copies."""
        chosen = slice(None) if indices is None else indices
        arrays = {"state": self.state, "moves": self.moves, "replies": self.replies, "candidates": self.features}
        return {name: array[chosen].copy() if indices is None else array[chosen] for name, array in arrays.items()}


@kernel
def list_for_games(start, stop, indices, tables, games, borders, weights, placements, scratch, out):
    """The candidates of each game named; ``out`` is (actions, mask, state, moves, replies, features, counts)."""
    (mixed_weights, counts_before, ways, outlines, steps), places, values = scratch
    actions, mask, state, moves, replies, features, counts = out
    for k in range(start, stop):
        i = indices[k]
        mask[i, :] = False
        features[i, :, :] = 0.0
        counts[i] = 0
        if games[i]["done"]:
            state[i, :] = 0.0
            moves[i, :, :] = 0.0
            replies[i, :, :, :] = 0.0
            continue
        work = (mixed_weights[i], counts_before[i], ways[i], outlines[i], steps[i])
        describe_situation(tables[0], games[i], borders, weights, work, state[i], moves[i], replies[i])
        mix_weights(tables[0], games[i], weights, mixed_weights[i])
        rows = (places[i], values[i], counts_before[i], actions[i], mask[i], features[i])
        if special_pending(games[i]):
            counts[i] = list_specials(tables[0], games[i], borders, mixed_weights[i], rows)
        else:
            counts[i] = list_steps(tables[0], games[i], borders, mixed_weights[i], placements, rows)


@kernel
def list_specials(table, game, borders, weights, rows):
    """Candidates of a player who has a special patch to place; how many."""
    places, values, before, actions, mask, features = rows
    quilt = game["quilts"][game["to_play"]]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    count_quilt(table, borders, low, high, before)
    bonus = bonus_value(table, game, weights)
    listed = 0
    if table["may_decline"]:
        actions[0] = table["decline"]
        mask[0] = True
        describe_quilt(table, game, borders, weights, before, -1, low, high, 0.0, features[0])
        listed += 1
    count = rank_cells(table, borders, weights, bonus, low, high, places[1:], values[1:])
    for rank in range(count):
        row = features[1 + rank]
        cell = places[1 + rank]
        actions[1 + rank] = FIRST_SPECIAL + cell
        mask[1 + rank] = True
        rest_low, rest_high = quilt_after_cell(table, cell, low, high)
        describe_quilt(table, game, borders, weights, before, -1, rest_low, rest_high, weights[CELLS], row)
        row[_RANK] = rank * 0.1
        listed += 1
    return listed


@kernel
def list_steps(table, game, borders, weights, placements, rows):
    """Candidates of a normal turn; how many."""
    places, values, before, actions, mask, features = rows
    player = game["to_play"]
    quilt = game["quilts"][player]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    count_quilt(table, borders, low, high, before)
    bonus = bonus_value(table, game, weights)
    actions[0] = ADVANCE
    mask[0] = True
    worth = advance_value(table, game, weights)
    describe_quilt(table, game, borders, weights, before, -1, low, high, worth, features[0])
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
            rest_low, rest_high = quilt_after(table, patch, place, low, high)
            describe_quilt(table, game, borders, weights, before, slot, rest_low, rest_high, worth, row)
            row[_RANK] = rank * 0.1
        listed += count
    return listed


@kernel
def describe_quilt(table, game, borders, weights, before, slot, low, high, worth, row):
    """What a step does to the quilt whose empty cells are then these, and the greedy value of it all.

    ``slot`` is that of the patch bought, -1 for none; ``worth`` the greedy value of the rest of the step.
    """
    bought = np.int64(game["circle"][slot]) if slot >= 0 else np.int64(-1)
    if game["bonus_holder"] == NOBODY and completes_square(table, low, high):
        row[0] = 1.0
        worth += bonus_value(table, game, weights)
    row[1] = bonus_progress(table, game, low, high)
    counts = row[_AFTER : _AFTER + QUILT_FEATURES]
    count_quilt(table, borders, low, high, counts)
    for k in range(QUILT_FEATURES):
        worth += weights[k] * (counts[k] - before[k])
        row[_AFTER + QUILT_FEATURES + k] = (counts[k] - before[k]) * _QUILT_SCALES[k] * 5.0
        counts[k] *= _QUILT_SCALES[k]
    ways, unreachable = outlook(table, game, bought, low, high, HORIZON)
    row[_OUTLOOK] = ways * 0.1
    row[_OUTLOOK + 1] = unreachable * 0.1
    row[VALUE] = (worth + weights[WAYS] * ways + weights[UNREACHABLE] * unreachable) * 0.1
    size = np.int64(game["circle_size"])
    for k in range(min(np.int64(UPCOMING_WAYS), size - (1 if slot >= 0 else 0))):
        position = slot + 1 + k
        patch = np.int64(game["circle"][position if position < size else position - size])
        row[_NEXT + k] = np.log2(1.0 + count_ways(table, patch, low, high)) * 0.2
