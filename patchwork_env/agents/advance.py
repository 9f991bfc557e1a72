"""An anchor that shuns the shop: it advances whenever it may."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env.interfaces.batch import PatchworkBatch


class AdvanceAgent:
    """Never buys. Special patches that it comes upon go on the first empty cell.

    It draws nothing at random; ``seed`` is taken so that all agents are made alike.
    """

    def __init__(self, seed: int | None = None) -> None:
        del seed

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The first legal action of each game: to advance, or the first cell that is empty."""
        actions: NDArray[np.int64] = games.action_mask[indices].argmax(axis=1)
        return actions
