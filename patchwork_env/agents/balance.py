"""How far a player is ahead: what both have, in points.

The weights are those of a least-squares fit of the final margin to what the players had before it, rounded. It was
made for each fifth of the time track; what varied along the track is written as a function of the share of the
track that still lies before the player. ``python -m training.fit_balance`` makes a fit of this kind, with fewer terms.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.agents.packing import quilt_counts
from patchwork_env.games.patchwork.rules import empty_cells, score, winner
from patchwork_env.kernels import kernel

WIN = 5.0  # points that winning is worth beyond the margin


@kernel
def balance(table, game, borders):
    """How far player 0 is ahead, in points; who wins counts on top once the game is over."""
    if game["done"]:
        margin = np.float64(score(table, game, 0) - score(table, game, 1))
        return margin + (WIN if winner(table, game) == 0 else -WIN)
    return holdings(table, game, borders, 0) - holdings(table, game, borders, 1)


@kernel
def holdings(table, game, borders, player):
    """What a player has: points, income to come, spaces to go and a quilt with room for patches."""
    quilt = game["quilts"][player]
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    pairs, squares, _, _, _ = quilt_counts(table, borders, low, high)
    bonus = table["bonus_points"] if game["bonus_holder"] == player else 0
    space = np.int64(game["positions"][player])
    return (
        means(table, game["buttons"][player], np.int64(game["incomes"][player]), space)
        + bonus
        - 2.95 * empty_cells(table, game, player)
        + 1.2 * pairs
        - 0.9 * squares
    )


@kernel
def means(table, buttons, income, space):
    """What buttons, an income and the spaces still to go are worth to a player on that space."""
    left = table["last_space"] - space
    share = left / table["last_space"]
    to_come = income * np.int64(table["incomes_after"][space])
    return buttons * (1.0 + 1.8 * share * share) + to_come * (1.05 + 0.35 * share * share) + left * (1.0 + 1.6 * share)
