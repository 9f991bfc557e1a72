"""The circle of coming patches, patch by patch, for networks that attend over it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.outline import describe_patch
from patchwork_env.agents.packing import count_ways
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.kernels import kernel, run_over
from training.candidates import CandidateView
from training.views import Arrays

LENGTH = 16  # patches from the neutral token on, of the 33 that there are at first
FEATURES = (
    "cost",
    "time",
    "income",
    "cells",
    "distance",  # from the neutral token: 0 for the next patch
    "present",  # 1; all is 0 where the circle has ended
    "own_affordable",  # 1 if the player to move could pay for it now
    "opponent_affordable",
    "own_ways",  # logarithm of the ways to lay it on the player's present quilt; 0 if it does not fit
    "opponent_ways",
)
PRESENT = FEATURES.index("present")


class CircleView(CandidateView):
    """The candidates, and beside what is told of them the coming patches as ``circle`` (N, `LENGTH`, features)."""

    def __init__(self, games: PatchworkBatch, placements: int) -> None:
        super().__init__(games, placements)
        self.circle = np.zeros((games.num_games, LENGTH, len(FEATURES)), np.float32)

    def update(self, indices: NDArray[np.int64] | None = None) -> None:
        """List the candidates and the coming patches of all games, or of those named, as they stand now."""
        super().update(indices)
        chosen = np.arange(self.games.num_games) if indices is None else indices
        run_over(
            len(chosen),
            self.games.threads,
            describe_circles,
            chosen,
            self.games.tables,
            self.games.state,
            self.circle,
        )

    def observation(self, indices: NDArray[np.int64] | None = None) -> Arrays:
        """What a network is told of all games, or of those named; copies."""
        chosen = slice(None) if indices is None else indices
        return {**super().observation(indices), "circle": self.circle[chosen].copy()}


@kernel
def describe_circles(start, stop, indices, tables, games, circles):
    """Write the coming patches of each game named."""
    for k in range(start, stop):
        describe_circle(tables[0], games[indices[k]], circles[indices[k]])


@kernel
def describe_circle(table, game, circle):
    """Write the coming patches of a game, from the side of the player to move."""
    circle[:, :] = 0.0
    mover = np.int64(game["to_play"])
    for place in range(min(np.int64(LENGTH), np.int64(game["circle_size"]))):
        patch = np.int64(game["circle"][place])
        row = circle[place]
        describe_patch(table, patch, row)
        row[4] = place / LENGTH
        row[5] = 1.0
        for side in range(2):
            player = mover if side == 0 else 1 - mover
            low = table["full"][0] & ~game["quilts"][player, 0]
            high = table["full"][1] & ~game["quilts"][player, 1]
            row[6 + side] = 1.0 if table["cost"][patch] <= game["buttons"][player] else 0.0
            row[8 + side] = np.log2(1.0 + count_ways(table, patch, low, high)) * 0.2
