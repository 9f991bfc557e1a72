"""A trained network as an agent: one forward pass a decision."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np
import torch
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.interfaces.batch import PatchworkBatch
from training.checkpoint import CheckpointError, load_checkpoint
from training.policy import PolicyNetwork, draw
from training.views import ActionView


class PolicyAgent:
    """Plays the best choice of a network, or draws one by its probabilities (``sample``)."""

    def __init__(
        self,
        network: PolicyNetwork,
        edition: Edition,
        placements: int,
        sample: bool = False,
        seed: int | None = None,
    ) -> None:
        self.network = network
        self.edition = edition
        self.placements = placements
        self.sample = sample
        self._generator = torch.Generator()
        self.reseed(seed)
        self._views: WeakKeyDictionary[PatchworkBatch, ActionView] = WeakKeyDictionary()

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on; without sampling nothing is drawn."""
        if seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(seed)

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The network's choice for each game."""
        if games.edition.fingerprint != self.edition.fingerprint:
            raise CheckpointError(f"trained for edition {self.edition.name!r}, asked to play {games.edition.name!r}")
        view = self._views.get(games)
        if view is None:
            view = self._views[games] = self.network.view(games, self.placements)
        view.update(indices)
        mask = view.mask[indices]
        chosen = mask.argmax(axis=1)
        open_choices = np.flatnonzero(view.counts[indices] > 1)
        if open_choices.size:
            rows = indices[open_choices]
            chosen[open_choices] = self._choose(view.observation(rows), view.mask[rows])
        actions: NDArray[np.int64] = view.actions[indices, chosen]
        return actions

    def _choose(self, observation: dict[str, NDArray[np.float32]], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        tensors = {name: torch.from_numpy(array) for name, array in observation.items()}
        with torch.no_grad():
            masks = torch.from_numpy(mask)
            logits, _ = self.network(tensors, masks)
            best = draw(logits, masks, self._generator) if self.sample else logits.argmax(dim=1)
        chosen: NDArray[np.int64] = best.numpy()
        return chosen


class CheckpointAgent(PolicyAgent):
    """The network of a checkpoint folder."""

    def __init__(self, path: str, seed: int | None = None, sample: int = 0) -> None:
        checkpoint = load_checkpoint(Path(path))
        super().__init__(checkpoint.network, checkpoint.edition, checkpoint.placements, bool(sample), seed)
