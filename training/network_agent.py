"""A trained network as a player of any game: one forward pass a decision."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from training.policy import ChoiceScorer, draw
from training.views import ActionView


class NetworkAgent:
    """Plays the best choice of a network, or draws one by its probabilities (``sample``).

    A game's own class says what the network chooses from (`_new_view`) and what it was trained for (`_check`).
    """

    def __init__(self, network: ChoiceScorer, sample: bool = False, seed: int | None = None) -> None:
        self.network = network
        self.sample = sample
        self._generator = torch.Generator()
        self.reseed(seed)
        self._view: ActionView | None = None  # of the batch that was asked about last

    def _check(self, games: Any) -> None:
        """Raise a `CheckpointError` if the network was trained for something else than these games."""
        raise NotImplementedError

    def _new_view(self, games: Any) -> ActionView:
        """What the network chooses from in these games."""
        raise NotImplementedError

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on; without sampling nothing is drawn."""
        if seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(seed)

    def act(self, games: Any, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The network's choice for each game."""
        view = self.listed(games, indices)
        chosen = view.mask[indices].argmax(axis=1)
        open_choices = np.flatnonzero(view.counts[indices] > 1)
        if open_choices.size:
            logits, _ = self.judged(view, indices[open_choices])
            masks = torch.from_numpy(view.mask[indices[open_choices]])
            best = draw(logits, masks, self._generator) if self.sample else logits.argmax(dim=1)
            chosen[open_choices] = best.numpy()
        actions: NDArray[np.int64] = view.actions[indices, chosen]
        return actions

    def listed(self, games: Any, indices: NDArray[np.int64]) -> ActionView:
        """The choices of a batch, brought up to date for the games named."""
        self._check(games)
        if self._view is None or self._view.games is not games:
            self._view = self._new_view(games)
        self._view.update(indices)
        return self._view

    def judged(self, view: ActionView, indices: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        """What the network says of the games named, as the view has them: logits (n, K) and values (n,)."""
        if not indices.size:
            return torch.empty(0, view.size), torch.empty(0)
        observation = {name: torch.from_numpy(array) for name, array in view.observation(indices).items()}
        with one_thread(), torch.no_grad():
            logits, values = self.network(observation, torch.from_numpy(view.mask[indices]))
        return logits, values


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """PyTorch's arithmetic on the calling thread alone: for networks this small its other threads mostly wait, and on
    a busy machine everybody waits for them.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
