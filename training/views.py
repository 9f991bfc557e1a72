"""What a learner chooses from, and the simplest such view: the environment's own actions.

`training.candidates` has the other one, a short list with features of its own.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.observation import tensor_layout
from patchwork_env.interfaces.batch import PatchworkBatch

Arrays = dict[str, NDArray[np.float32]]


class ActionView(Protocol):
    """The choices of every game of a batch, in arrays that are allocated once; current after `update`."""

    games: Any  # the batch, of any game
    size: int  # K, the most choices that there can be
    actions: NDArray[np.int64]  # (N, K) the environment's actions
    mask: NDArray[np.bool_]  # (N, K) which choices there are
    counts: NDArray[np.int64]  # (N,) how many

    def update(self, indices: NDArray[np.int64] | None = None) -> None:
        """Bring all games, or those named, up to date."""

    def observation(self, indices: NDArray[np.int64] | None = None) -> Arrays:
        """What a network is told of all games, or of those named; copies."""
        ...


class PlacedView(ActionView, Protocol):
    """A view of Patchwork that also finds the place of an action."""

    def places_of(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """(N,) the place of an action of each game, or of the one most like it where it has none."""
        ...


class FullView:
    """Every action of the environment with its mask; what is told is the flat tensor of the player to move."""

    def __init__(self, games: PatchworkBatch) -> None:
        self.games = games
        self.size = games.edition.num_actions
        count = games.num_games
        self.actions: NDArray[Any] = np.broadcast_to(np.arange(self.size), (count, self.size))
        self.mask = np.zeros((count, self.size), np.bool_)
        self.counts = np.zeros(count, np.int64)
        self._state_size = tensor_layout(games.edition).size

    def update(self, indices: NDArray[np.int64] | None = None) -> None:
        """Take in the masks of all games, or of those named, as they stand now."""
        chosen = slice(None) if indices is None else indices
        legal = self.games.action_mask[chosen].astype(np.bool_)
        self.mask[chosen] = legal
        self.counts[chosen] = legal.sum(axis=1)

    def observation(self, indices: NDArray[np.int64] | None = None) -> Arrays:
        """The tensors of all games, or of those named; copies."""
        chosen = slice(None) if indices is None else indices
        # A solo game's tensor has the Automa's numbers behind the part that a network knows.
        return {"state": self.games.observe_tensor()[chosen, : self._state_size].copy()}

    def places_of(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """(N,) the actions themselves."""
        return actions
