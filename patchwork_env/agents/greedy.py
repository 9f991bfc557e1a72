"""The greedy player: the best single step by the value in `patchwork_env.agents.valuation`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.packing import border_words, rank_cells, rank_placements
from patchwork_env.agents.valuation import (
    advance_value,
    bonus_value,
    mix_weights,
    outlook_value,
    present_quilt_value,
    purchase_value,
    quilt_after,
    quilt_after_cell,
    read_weights,
    tuned_weights,
)
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import ADVANCE, FIRST_SPECIAL, special_pending
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.kernels import kernel, run_over

REFINED = 4  # placements of a patch that are compared by what the coming patches can do with the rest


class GreedyAgent:
    """Takes the step with the highest value; see `patchwork_env.agents.valuation`.

    ``weights`` (an array or a weights file) takes the place of the tuned ones. It draws nothing at random; ``seed``
    is taken so that all agents are made alike.
    """

    def __init__(self, seed: int | None = None, *, weights: NDArray[np.float64] | str | None = None) -> None:
        del seed
        self._weights = read_weights(Path(weights)) if isinstance(weights, str) else weights

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The best step in each game."""
        actions = np.empty(len(indices), np.int64)
        weights = tuned_weights(games.edition) if self._weights is None else self._weights
        run_over(
            len(indices),
            games.threads,
            choose_for_games,
            indices,
            games.tables,
            games.state,
            border_words(games.edition),
            weights,
            greedy_scratch(len(indices), len(weights)),
            actions,
        )
        return actions


def greedy_scratch(count: int, weights: int) -> tuple[NDArray[Any], ...]:
    """What `choose` works in, once for each of ``count`` callers: mixed weights, places and their values."""
    return np.empty((count, weights)), np.empty((count, REFINED), np.int64), np.empty((count, REFINED))


@kernel
def choose_for_games(start, stop, indices, tables, games, borders, weights, scratch, actions):
    """The greedy step of each game named."""
    mixed_weights, places, values = scratch
    for k in range(start, stop):
        game = games[indices[k]]
        actions[k] = choose(tables[0], game, borders, weights, mixed_weights[start], places[start], values[start])


@kernel
def choose(table, game, borders, weights, mixed_weights, places, values):
    """The best single step of the player to move."""
    mix_weights(table, game, weights, mixed_weights)
    quilt = game["quilts"][game["to_play"]]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    bonus = bonus_value(table, game, mixed_weights)
    if special_pending(game):
        return best_special(table, game, borders, mixed_weights, bonus, low, high, places, values)
    best = np.int64(ADVANCE)
    best_value = advance_value(table, game, mixed_weights)
    before = present_quilt_value(table, game, borders, mixed_weights, low, high)
    for slot in range(min(OFFERED, game["circle_size"])):
        patch = np.int64(game["circle"][slot])
        if table["cost"][patch] > game["buttons"][game["to_play"]]:
            continue
        count = rank_placements(table, borders, mixed_weights, bonus, patch, low, high, places, values)
        if count == 0:
            continue
        worth = purchase_value(table, game, mixed_weights, patch) - before
        first = FIRST_SPECIAL + table["cells"] + slot * MAX_ORIENTATIONS * table["cells"]
        for k in range(count):
            rest_low, rest_high = quilt_after(table, patch, places[k], low, high)
            value = worth + values[k] + outlook_value(table, game, mixed_weights, patch, rest_low, rest_high)
            if value > best_value:
                best_value = value
                best = first + places[k]
    return best


@kernel
def best_special(table, game, borders, weights, bonus, low, high, places, values):
    """The best cell for a special patch; where it may be declined it is placed nevertheless, for two points."""
    count = rank_cells(table, borders, weights, bonus, low, high, places, values)
    best = places[0]
    best_value = -np.inf
    for k in range(count):
        rest_low, rest_high = quilt_after_cell(table, places[k], low, high)
        value = values[k] + outlook_value(table, game, weights, -1, rest_low, rest_high)
        if value > best_value:
            best_value = value
            best = places[k]
    return FIRST_SPECIAL + best
