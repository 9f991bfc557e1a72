"""The steps that a search considers: to advance, and the tightest placements of each patch that can be bought.

They are listed with the greedy player's value. First come the advance and the best placement of every patch, then
the other placements, so that a search that widens its view begins with the choice between purchases.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.packing import rank_cells, rank_placements
from patchwork_env.agents.valuation import (
    advance_value,
    bonus_value,
    mix_weights,
    outlook_value,
    present_quilt_value,
    purchase_value,
    quilt_after,
    quilt_after_cell,
)
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import ADVANCE, FIRST_SPECIAL, special_pending
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.kernels import kernel

PLACEMENTS = 8  # placements of one patch that are listed
MAX_CANDIDATES = 1 + OFFERED * PLACEMENTS


def candidate_scratch(count: int, weights: int) -> tuple[NDArray[Any], ...]:
    """What `list_candidates` works in, once for each of ``count`` callers: mixed weights, places and values."""
    return np.empty((count, weights)), np.empty((count, PLACEMENTS), np.int64), np.empty((count, PLACEMENTS))


@kernel
def list_candidates(table, game, borders, weights, mixed_weights, places, place_values, actions, values):
    """Write actions and their values; how many there are, and how many of them lead the list (see above)."""
    mix_weights(table, game, weights, mixed_weights)
    quilt = game["quilts"][game["to_play"]]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    bonus = bonus_value(table, game, mixed_weights)
    if special_pending(game):
        count = rank_cells(table, borders, mixed_weights, bonus, low, high, places, place_values)
        for k in range(count):
            rest_low, rest_high = quilt_after_cell(table, places[k], low, high)
            place_values[k] += outlook_value(table, game, mixed_weights, -1, rest_low, rest_high)
        listed = insert_sorted(FIRST_SPECIAL, 0.0, places, place_values, 0, count, actions, values, 0, 0)
        return listed, np.int64(1)
    actions[0] = ADVANCE
    values[0] = advance_value(table, game, mixed_weights)
    listed = np.int64(1)
    leaders = np.int64(1)
    before = present_quilt_value(table, game, borders, mixed_weights, low, high)
    for slot in range(min(OFFERED, game["circle_size"])):
        patch = np.int64(game["circle"][slot])
        if table["cost"][patch] > game["buttons"][game["to_play"]]:
            continue
        count = rank_placements(table, borders, mixed_weights, bonus, patch, low, high, places, place_values)
        if count == 0:
            continue
        best = 0
        for k in range(count):
            rest_low, rest_high = quilt_after(table, patch, places[k], low, high)
            place_values[k] += outlook_value(table, game, mixed_weights, patch, rest_low, rest_high)
            if place_values[k] > place_values[best]:
                best = k
        places[0], places[best] = places[best], places[0]
        place_values[0], place_values[best] = place_values[best], place_values[0]
        worth = purchase_value(table, game, mixed_weights, patch) - before
        first = FIRST_SPECIAL + table["cells"] + slot * MAX_ORIENTATIONS * table["cells"]
        # The leader goes before all others that are listed so far, which make room by one.
        for k in range(listed, leaders, -1):
            actions[k] = actions[k - 1]
            values[k] = values[k - 1]
        listed = insert_sorted(first, worth, places, place_values, 0, 1, actions, values, 0, leaders) + listed - leaders
        leaders += 1
        listed = insert_sorted(first, worth, places, place_values, 1, count, actions, values, leaders, listed)
    return listed, leaders


@kernel
def insert_sorted(first, worth, places, place_values, start, stop, actions, values, low, count):
    """Insert places ``start`` to ``stop`` into the list's part ``low`` to ``count``, by falling value; its new end."""
    for k in range(start, stop):
        value = worth + place_values[k]
        position = count
        while position > low and values[position - 1] < value:
            values[position] = values[position - 1]
            actions[position] = actions[position - 1]
            position -= 1
        values[position] = value
        actions[position] = first + places[k]
        count += 1
    return np.int64(count)
