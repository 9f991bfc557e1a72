"""Self-play of Patchwork in the view of a network; see `self_play` for what a step is.

The game is zero-sum for two and a player may move several times in a row, so the learner must know whether the next
decision is the same player's: `turn_signs` tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import SEAT_DRAW
from patchwork_env.interfaces.batch import PatchworkBatch
from training.networks import NETWORKS
from training.self_play import SelfPlayEnv

MARGIN_SCALE = 20.0  # points of margin in the reward: tanh(margin / MARGIN_SCALE)


class SelfPlayVecEnv(SelfPlayEnv):
    """``num_games`` games; choices and observations are those of the view that the named network has.

    ``outcome_share`` mixes the reward at the end: that share of +1 or -1, and the rest of tanh(margin / 20); it is
    then multiplied by ``reward_sign``.
    """

    seat_draw = SEAT_DRAW
    figure_names = ("score", "empty_cells")

    def __init__(
        self,
        num_games: int,
        edition: str | Edition = "revised",
        seed: int = 0,
        placements: int = 16,
        network: str = "candidates",
        outcome_share: float = 0.5,
        reward_sign: float = 1.0,
        threads: int | None = None,
    ) -> None:
        games = PatchworkBatch(num_games, edition, seed=seed, threads=threads, auto_reset=False, first_player="random")
        self.outcome_share = outcome_share
        self.reward_sign = reward_sign
        super().__init__(games, NETWORKS[network].view(games, placements))

    @property
    def turn_signs(self) -> NDArray[np.float32]:
        """(N,) +1 if the mover of the last step decides again, -1 if not."""
        return np.where(self.games.to_play == self.movers, 1.0, -1.0).astype(np.float32)

    def _earned(self, result: Any, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        earned = np.zeros((len(indices), 2), np.float32)
        over = result.done[indices]
        earned[over] = final_rewards(result, indices[over], self.outcome_share, self.reward_sign)
        return earned

    def _win_shares(self, result: Any, ended: NDArray[np.int64]) -> NDArray[np.float32]:
        shares: NDArray[np.float32] = (result.rewards[ended] > 0).astype(np.float32)
        return shares

    def _figures(self, result: Any, ended: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        empty = self.games.tables[0]["full"] & ~self.games.state["quilts"][ended]
        return {
            "score": result.final_scores[ended].mean(axis=1),
            "empty_cells": np.bitwise_count(empty).sum(axis=(1, 2)) / 2,
        }


def final_rewards(
    result: Any, ended: NDArray[np.int64], outcome_share: float, reward_sign: float
) -> NDArray[np.float32]:
    """(n, 2) what both players are paid in the games named, which the batch's step has just ended."""
    scores = result.final_scores[ended].astype(np.float32)
    margin = np.tanh((scores[:, 0] - scores[:, 1]) / MARGIN_SCALE)
    first = reward_sign * (outcome_share * result.rewards[ended, 0] + (1 - outcome_share) * margin)
    paid: NDArray[np.float32] = np.stack([first, -first], axis=1).astype(np.float32)
    return paid
