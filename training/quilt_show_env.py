"""Self-play of Quilt Show for two to four players; see `self_play` for what a step is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.quilt_show.reward import MONEY_SCALE
from patchwork_env.games.quilt_show.rules import SEAT_DRAW
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from training.quilt_show_choices import ChoiceView
from training.self_play import SelfPlayEnv


class QuiltShowVecEnv(SelfPlayEnv):
    """``num_games`` games; observations are those of `ChoiceView.observation`.

    Rewards are ``outcome_share`` of the game's `outcome` at the end, and the rest of `money` whenever some is won;
    both are then multiplied by ``reward_sign``.
    """

    seat_draw = SEAT_DRAW
    figure_names = ("money",)

    def __init__(
        self,
        num_games: int,
        num_players: int = 2,
        seed: int = 0,
        outcome_share: float = 0.5,
        reward_sign: float = 1.0,
        threads: int | None = None,
        **variants: Any,
    ) -> None:
        games = QuiltShowBatch(num_games, num_players, seed=seed, threads=threads, auto_reset=False, **variants)
        self.outcome_share = outcome_share
        self.reward_sign = reward_sign
        self._leads = np.zeros((num_games, num_players), np.float32)  # (N, players) as last paid, see `_leads_of`
        super().__init__(games, ChoiceView(games))

    def everyones_observations(self) -> dict[str, NDArray[np.float32]]:
        """What each player sees of each game, (N * players, ...) game by game, as far as its value needs it."""
        situations = self.view.everyones_situations()
        return {"state": situations.reshape(-1, situations.shape[-1])}

    def _earned(self, result: Any, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        leads = self._leads_of(indices)
        money = leads - self._leads[indices]
        self._leads[indices] = leads
        earned = self.outcome_share * result.rewards[indices] + (1 - self.outcome_share) * money
        paid: NDArray[np.float32] = (self.reward_sign * earned).astype(np.float32)
        return paid

    def _leads_of(self, indices: NDArray[np.int64]) -> NDArray[np.float32]:
        """(n, players) by how much a player's money is above the mean of the others', in units of `MONEY_SCALE`."""
        money = self.games.money[indices].astype(np.float32)
        others = (money.sum(axis=1, keepdims=True) - money) / (self.games.num_players - 1)
        leads: NDArray[np.float32] = (money - others) / np.float32(MONEY_SCALE)
        return leads

    def _win_shares(self, result: Any, ended: NDArray[np.int64]) -> NDArray[np.float32]:
        shares: NDArray[np.float32] = np.maximum(result.rewards[ended], 0)
        shares[~shares.any(axis=1) & ~result.truncated[ended]] = 1 / self.games.num_players  # all share the win
        return shares

    def _figures(self, result: Any, ended: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
        return {"money": result.final_money[ended].mean(axis=1)}

    def _forget(self, indices: NDArray[np.int64]) -> None:
        self._leads[indices] = self._leads_of(indices)
