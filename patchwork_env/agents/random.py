"""The weakest anchor: uniform over the legal actions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.interfaces.base import GameBatch, checked_seed
from patchwork_env.kernels import kernel
from patchwork_env.streams import drawn, stream_of


class RandomAgent:
    """Picks uniformly among the distinct legal actions.

    What it draws depends on its seed and on the game's number, episode and decision only, so a game goes the
    same way in a batch of any size.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on."""
        self._seed = checked_seed(seed)

    def act(self, games: GameBatch[Any], indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """A uniformly random legal action for each game."""
        actions = np.empty(len(indices), np.int64)
        pick_uniformly(games.state, games.action_mask, indices, self._seed, games.episodes, actions)
        return actions


@kernel
def pick_uniformly(games, masks, indices, seed, episodes, actions):
    """A legal action for each game named."""
    for k in range(indices.shape[0]):
        i = indices[k]
        mask = masks[i]
        legal = np.int64(0)
        for action in range(mask.shape[0]):
            legal += np.int64(mask[action])
        left = drawn(stream_of(seed, i, episodes[i], games[i]["decisions"]), 0, legal)
        for action in range(mask.shape[0]):
            if mask[action]:
                if left == 0:
                    actions[k] = action
                    break
                left -= 1
