"""A trained network as an agent: one forward pass a decision.

``pretrained`` is the network that is shipped for the edition of the games it is asked to play.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from patchwork_env.agents.base import Agent
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.interfaces.batch import PatchworkBatch, checked_seed
from training.checkpoint import Checkpoint, CheckpointError, is_checkpoint, load_checkpoint
from training.policy import PolicyNetwork, draw
from training.views import ActionView

PRETRAINED = Path(__file__).parent / "pretrained"  # a checkpoint for each edition that has one, by its name


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
        self._view: ActionView | None = None  # of the batch that was asked about last

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on; without sampling nothing is drawn."""
        if seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(seed)

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
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

    def listed(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> ActionView:
        """The candidates of a batch, brought up to date for the games named."""
        if games.edition.fingerprint != self.edition.fingerprint:
            raise CheckpointError(f"trained for edition {self.edition.name!r}, asked to play {games.edition.name!r}")
        if self._view is None or self._view.games is not games:
            self._view = self.network.view(games, self.placements)
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


class CheckpointAgent(PolicyAgent):
    """The network of a checkpoint folder."""

    def __init__(self, path: str, seed: int | None = None, sample: int = 0) -> None:
        checkpoint = load_checkpoint(path)
        super().__init__(checkpoint.network, checkpoint.edition, checkpoint.placements, bool(sample), seed)


class PretrainedAgent:
    """The shipped network of the games' edition, which is loaded when the first game is met."""

    def __init__(self, seed: int | None = None, sample: int = 0) -> None:
        if not pretrained_editions():
            raise CheckpointError(f"no network is shipped: there is no checkpoint in {PRETRAINED}")
        self._sample = bool(sample)
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on."""
        self._seed = int(checked_seed(seed))
        self._players: dict[bytes, Agent] = {}  # by the edition's fingerprint

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The choice of the edition's network for each game."""
        edition = games.edition
        player = self._players.get(edition.fingerprint)
        if player is None:
            player = self._players[edition.fingerprint] = self._made(pretrained_checkpoint(edition), edition)
        return player.act(games, indices)

    def _made(self, checkpoint: Checkpoint, edition: Edition) -> Agent:
        """The player that a network is for an edition."""
        return policy_of(checkpoint, edition, self._sample, self._seed)


def policy_of(
    checkpoint: Checkpoint, edition: Edition | None = None, sample: bool = False, seed: int | None = None
) -> PolicyAgent:
    """The network of a checkpoint as a player, of the edition it was trained for unless another is named."""
    return PolicyAgent(checkpoint.network, edition or checkpoint.edition, checkpoint.placements, sample, seed)


def pretrained_editions() -> list[str]:
    """The editions for which a network is shipped."""
    return sorted(folder.name for folder in PRETRAINED.glob("*") if is_checkpoint(folder))


def pretrained_checkpoint(edition: Edition) -> Checkpoint:
    """The network shipped for an edition, or for one that differs from it in its special patches only.

    Where those lie, and whether one may be declined, is something that a network sees.
    """
    shipped = [load_edition(name) for name in pretrained_editions()]
    related = [other for other in shipped if _as_to_special_patches_like(edition, other) == other.fingerprint]
    if not related:
        raise CheckpointError(
            f"no network is shipped for edition {edition.name!r}, only for {', '.join(each.name for each in shipped)}; "
            f"train one with 'patchwork train selfplay edition={edition.source}' and name its folder, RUN/best"
        )
    nearest = min(related, key=lambda other: other.fingerprint != edition.fingerprint)
    return _loaded(PRETRAINED / nearest.name)


def _as_to_special_patches_like(edition: Edition, other: Edition) -> bytes:
    """The edition's fingerprint if its special patches were those of the other."""
    return dataclasses.replace(
        edition, special_spaces=other.special_spaces, special_may_be_declined=other.special_may_be_declined
    ).fingerprint


@functools.cache
def _loaded(folder: Path) -> Checkpoint:
    return load_checkpoint(folder)
