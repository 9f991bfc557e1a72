"""Rewards by name. All are zero-sum, and all but the shaping are paid at the end only."""

from __future__ import annotations

from patchwork_env.games.patchwork.rules import score, winner
from patchwork_env.kernels import kernel

# Score points that make a reward of 1 in `margin`, and a potential of 1 in the shaped rewards.
MARGIN_SCALE = 50.0

OUTCOME, MARGIN, SHAPED_OUTCOME, SHAPED_MARGIN = range(4)

REWARDS = {
    "outcome": OUTCOME,  # +1 for the winner, -1 for the loser
    "margin": MARGIN,  # the score difference divided by MARGIN_SCALE
    "shaped": SHAPED_OUTCOME,  # outcome plus potential-based shaping
    "shaped_margin": SHAPED_MARGIN,  # margin plus potential-based shaping
}


@kernel
def is_shaped(code):
    """Whether a reward needs the potential."""
    return code >= SHAPED_OUTCOME


@kernel
def potential(table, game):
    """How far player 0 is ahead, in reward units; 0 at the start and after the end.

    The difference of what each would score with the buttons, cells and bonus tile of now and the income that
    the quilt of now will still earn. Rewards shaped with its change sum up to the unshaped reward over a game
    (undiscounted), so the best policy stays the same.
    """
    if game["done"]:
        return 0.0
    return (prospect(table, game, 0) - prospect(table, game, 1)) / MARGIN_SCALE


@kernel
def prospect(table, game, player):
    """The score so far plus the income still to come from the present quilt."""
    marks = table["incomes_after"][game["positions"][player]]
    return score(table, game, player) + game["incomes"][player] * marks


@kernel
def write_rewards(table, game, code, potential_before, rewards):
    """Both players' rewards for the step that led to this state."""
    value = 0.0
    if game["done"]:
        if code in (OUTCOME, SHAPED_OUTCOME):
            value = 1.0 if winner(table, game) == 0 else -1.0
        else:
            value = (score(table, game, 0) - score(table, game, 1)) / MARGIN_SCALE
    if is_shaped(code):
        value += potential(table, game) - potential_before
    rewards[0] = value
    rewards[1] = -value
