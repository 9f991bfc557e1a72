"""Rewards by name, for two to four players. All are zero-sum."""

from __future__ import annotations

from patchwork_env.games.quilt_show.rules import best_standing, standing
from patchwork_env.kernels import kernel

# Thousands that make a reward of 1 in `money`.
MONEY_SCALE = 20.0

OUTCOME, MONEY = range(2)

REWARDS = {
    "outcome": OUTCOME,  # at the end: the winners share 1, the others share -1; nothing if all share the win
    "money": MONEY,  # whenever money changes: own money less the mean of the others', divided by MONEY_SCALE
}


@kernel
def lead(table, game, player):
    """How far a player's money is above the mean of the others', in reward units."""
    players = table["players"]
    everyone = 0
    for other in range(players):
        everyone += game["money"][other]
    own = game["money"][player]
    return (own - (everyone - own) / (players - 1)) / MONEY_SCALE


@kernel
def begin_rewards(table, game, code, rewards):
    """Called before a step: what `finish_rewards` needs to know of the state before it."""
    for player in range(table["players"]):
        rewards[player] = -lead(table, game, player) if code == MONEY else 0.0


@kernel
def finish_rewards(table, game, code, rewards):
    """All players' rewards for the step that led to this state. A game that is cut off has no winner."""
    players = table["players"]
    if code == MONEY:
        for player in range(players):
            rewards[player] += lead(table, game, player)
    elif game["done"] and not game["truncated"]:
        best, sharing = best_standing(table, game)
        if sharing < players:
            for player in range(players):
                won = standing(game, player) == best
                rewards[player] = 1.0 / sharing if won else -1.0 / (players - sharing)
