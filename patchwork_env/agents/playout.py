"""Playing a game to its end quickly: the policy that Monte-Carlo search guesses with.

It values purchases like the greedy player, but looks for a place only for the patch that it has chosen, and takes
the tightest one. Until it has looked, a patch is taken to use up its share of the value of the empty cells.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.agents.packing import quilt_value, rank_cells, rank_placements
from patchwork_env.agents.valuation import advance_value, bonus_value, mix_weights, purchase_value
from patchwork_env.games.patchwork.edition import OFFERED
from patchwork_env.games.patchwork.rules import (
    ADVANCE,
    FIRST_SPECIAL,
    empty_cells,
    play,
    score,
    special_pending,
    winner,
)
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS
from patchwork_env.kernels import kernel
from patchwork_env.streams import drawn

# How a finished game counts: the share of winning, against the margin, and the points of margin that count as much.
OUTCOME_SHARE = 0.5
MARGIN_SCALE = 15.0

_STEPS = 1024  # noise is drawn in steps of this fraction


@kernel
def quick_choice(table, game, borders, weights, mixed_weights, place, value, stream, noise):
    """A good step of the player to move; ``place`` and ``value`` are scratch for one placement.

    ``noise`` (buttons) is the most that chance adds to the value of a step.
    """
    mix_weights(table, game, weights, mixed_weights)
    player = game["to_play"]
    quilt = game["quilts"][player]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    bonus = bonus_value(table, game, mixed_weights)
    if special_pending(game):
        rank_cells(table, borders, mixed_weights, bonus, low, high, place, value)
        return FIRST_SPECIAL + place[0]
    buttons = game["buttons"][player]
    base = advance_value(table, game, mixed_weights)
    draws = np.int64(game["decisions"]) * (OFFERED + 1)
    if noise > 0.0:
        base += noise * drawn(stream, draws + OFFERED, _STEPS) / _STEPS
    empty = empty_cells(table, game, player)
    share = quilt_value(table, borders, mixed_weights, low, high) / max(empty, 1)
    tried = 0
    while True:
        best = -1
        best_value = base
        for slot in range(min(OFFERED, game["circle_size"])):
            patch = np.int64(game["circle"][slot])
            if (tried >> slot) & 1 or table["cost"][patch] > buttons or table["size"][patch] > empty:
                continue
            worth = purchase_value(table, game, mixed_weights, patch) - share * table["size"][patch]
            if noise > 0.0:
                worth += noise * drawn(stream, draws + slot, _STEPS) / _STEPS
            if worth > best_value:
                best_value = worth
                best = slot
        if best == -1:
            return np.int64(ADVANCE)
        patch = np.int64(game["circle"][best])
        if rank_placements(table, borders, mixed_weights, bonus, patch, low, high, place, value) > 0:
            return FIRST_SPECIAL + table["cells"] + best * MAX_ORIENTATIONS * table["cells"] + place[0]
        tried |= 1 << best


@kernel
def play_out(table, game, borders, weights, mixed_weights, place, value, stream, noise):
    """Play the game to its end; what has yet to be drawn is drawn from ``stream``."""
    while not game["done"]:
        action = quick_choice(table, game, borders, weights, mixed_weights, place, value, stream, noise)
        play(table, game, action, stream, 0, 0)


@kernel
def result_value(table, game, outcome_share, margin_scale):
    """How a finished game went for player 0, from -1 to 1: who won, and by how much."""
    margin = score(table, game, 0) - score(table, game, 1)
    won = 1.0 if winner(table, game) == 0 else -1.0
    return outcome_share * won + (1.0 - outcome_share) * np.tanh(margin / margin_scale)
