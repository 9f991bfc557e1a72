"""Trained players of Quilt Show: their checkpoints, and the networks as agents."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.quilt_show.actions import ACTION_VERSION
from patchwork_env.games.quilt_show.cards import Settings
from patchwork_env.games.quilt_show.observation import OBSERVATION_VERSION
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch, checked_settings
from training.checkpoint import FORMAT, CheckpointError, is_checkpoint, load_weights, read_description, save_folder
from training.network_agent import NetworkAgent
from training.quilt_show_choices import VIEW_VERSION, ChoiceView
from training.quilt_show_network import ChoiceNetwork
from training.quilt_show_situation import SITUATION_VERSION

GAME = "quilt_show"
PRETRAINED = Path(__file__).parent / "pretrained" / GAME  # a checkpoint for each number of players
_FIELDS = ("format", "game", "settings", "versions", "network", "decisions", "config")


@dataclass(frozen=True)
class QuiltShowCheckpoint:
    """A trained network and what is known of it."""

    network: ChoiceNetwork
    settings: Settings
    decisions: int  # that it was trained on
    config: dict[str, Any]


def _versions() -> dict[str, int]:
    return {
        "observation": OBSERVATION_VERSION,
        "action": ACTION_VERSION,
        "situation": SITUATION_VERSION,
        "choices": VIEW_VERSION,
    }


def save_quilt_show_checkpoint(folder: Path, checkpoint: QuiltShowCheckpoint) -> None:
    """Write a checkpoint so that the folder is at any moment the old one or the new one, whole."""
    network = checkpoint.network
    description = {
        "format": FORMAT,
        "game": GAME,
        "settings": checkpoint.settings.as_dict(),
        "versions": _versions(),
        "network": {"width": network.width, "hidden": network.hidden},
        "decisions": checkpoint.decisions,
        "config": checkpoint.config,
    }
    save_folder(folder, network, description)


def load_quilt_show_checkpoint(path: str | os.PathLike[str]) -> QuiltShowCheckpoint:
    """The checkpoint in a folder; refused with a reason if it is not for this version of the project."""
    folder = Path(path)
    description = read_description(folder, GAME, _FIELDS, _versions())
    if not isinstance(description["settings"], dict):
        raise CheckpointError(f"{folder}: settings must be a mapping, got {description['settings']!r}")
    variants = dict(description["settings"])
    try:
        settings = checked_settings(variants.pop("num_players", None), variants)
    except ValueError as error:
        raise CheckpointError(f"{folder}: {error}") from None
    network = ChoiceNetwork(description["network"]["width"], description["network"]["hidden"])
    load_weights(folder, network)
    return QuiltShowCheckpoint(network, settings, description["decisions"], description["config"])


def in_words(settings: Settings) -> str:
    """Players and variants."""
    return ", ".join([f"{settings.num_players} players", *settings.variants])


class QuiltShowAgent(NetworkAgent):
    """A network that was trained for a number of players and some variants."""

    def __init__(
        self, network: ChoiceNetwork, settings: Settings, sample: bool = False, seed: int | None = None
    ) -> None:
        super().__init__(network, sample, seed)
        self.settings = settings

    def _check(self, games: QuiltShowBatch) -> None:
        if games.settings != self.settings:
            raise CheckpointError(f"trained for {in_words(self.settings)}, asked to play {in_words(games.settings)}")

    def _new_view(self, games: QuiltShowBatch) -> ChoiceView:
        return ChoiceView(games)


class CheckpointAgent(QuiltShowAgent):
    """The network of a checkpoint folder."""

    def __init__(self, path: str, seed: int | None = None, sample: int = 0) -> None:
        checkpoint = load_quilt_show_checkpoint(path)
        super().__init__(checkpoint.network, checkpoint.settings, bool(sample), seed)


class PretrainedAgent:
    """The networks that are shipped, one for each number of players; loaded when the first game is met."""

    def __init__(self, seed: int | None = None, sample: int = 0) -> None:
        self._sample = sample
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Draw from another seed from now on; without sampling nothing is drawn."""
        self._seed = seed
        self._players: dict[Settings, CheckpointAgent] = {}

    def act(self, games: QuiltShowBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The network's choice for each game."""
        player = self._players.get(games.settings)
        if player is None:
            player = self._players[games.settings] = self._made(games.settings)
        return player.act(games, indices)

    def _made(self, settings: Settings) -> CheckpointAgent:
        folder = PRETRAINED / f"{settings.num_players}_players"
        if settings.variants or not is_checkpoint(folder):
            raise CheckpointError(
                f"no network is shipped for {in_words(settings)}: those that are play without variants. Train one "
                f"with 'patchwork train quilt_show num_players={settings.num_players} VARIANT=true' and name its folder"
            )
        return CheckpointAgent(str(folder), self._seed, self._sample)
