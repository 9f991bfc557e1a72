"""A trained network as a player of Patchwork: one forward pass a decision.

``pretrained`` is the network that is shipped for the edition of the games it is asked to play.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.base import Agent
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.interfaces.batch import PatchworkBatch, checked_seed
from training.checkpoint import Checkpoint, CheckpointError, is_checkpoint, load_checkpoint
from training.network_agent import NetworkAgent
from training.policy import PolicyNetwork
from training.views import ActionView

PRETRAINED = Path(__file__).parent / "pretrained"  # a checkpoint for each edition that has one, by its name


class PolicyAgent(NetworkAgent):
    """A network that was trained for an edition, with that many placements of each patch to choose from."""

    def __init__(
        self,
        network: PolicyNetwork,
        edition: Edition,
        placements: int,
        sample: bool = False,
        seed: int | None = None,
    ) -> None:
        super().__init__(network, sample, seed)
        self.network: PolicyNetwork = network
        self.edition = edition
        self.placements = placements

    def _check(self, games: PatchworkBatch) -> None:
        if games.edition.fingerprint != self.edition.fingerprint:
            raise CheckpointError(f"trained for edition {self.edition.name!r}, asked to play {games.edition.name!r}")

    def _new_view(self, games: PatchworkBatch) -> ActionView:
        return self.network.view(games, self.placements)


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
