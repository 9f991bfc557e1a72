"""Checkpoints: weights as safetensors and a plain description. Loading one executes nothing that is in it.

A checkpoint is a folder::

    policy.safetensors    the network's weights
    policy.yaml           game, edition or settings, versions, network, and the configuration that trained it

What all games' checkpoints share is `save_folder`, `read_description` and `load_weights`; the rest is Patchwork's.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from safetensors.torch import load_file, save_file
from torch import nn

from patchwork_env.games.patchwork.actions import ACTION_VERSION
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.games.patchwork.observation import OBSERVATION_VERSION
from training.candidates import VIEW_VERSION
from training.networks import NETWORKS
from training.policy import CandidateNetwork, PolicyNetwork

WEIGHTS, DESCRIPTION = "policy.safetensors", "policy.yaml"
FORMAT = 1
GAME = "patchwork"  # also of checkpoints that name no game
_FIELDS = ("format", "edition", "fingerprint", "versions", "network", "decisions", "config")


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the message says why."""


@dataclass(frozen=True)
class Checkpoint:
    """A trained network and what is known of it."""

    network: PolicyNetwork
    edition: Edition
    placements: int
    decisions: int  # that it was trained on
    config: dict[str, Any]


def _versions() -> dict[str, int]:
    return {"observation": OBSERVATION_VERSION, "action": ACTION_VERSION, "candidates": VIEW_VERSION}


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint so that the folder is at any moment the old one or the new one, whole."""
    description = {
        "format": FORMAT,
        "game": GAME,
        "edition": checkpoint.edition.source,
        "fingerprint": checkpoint.edition.fingerprint.hex(),
        "versions": _versions(),
        "network": {
            "kind": checkpoint.network.kind,
            "placements": checkpoint.placements,
            "width": checkpoint.network.width,
            "hidden": checkpoint.network.hidden,
        },
        "decisions": checkpoint.decisions,
        "config": checkpoint.config,
    }
    save_folder(folder, checkpoint.network, description)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """The checkpoint in a folder; refused with a reason if it is not for this version of the project."""
    folder = Path(path)
    description = read_description(folder, GAME, _FIELDS, _versions())
    edition = load_edition(description["edition"])
    if edition.fingerprint.hex() != description["fingerprint"]:
        raise CheckpointError(f"{folder}: trained with another version of edition {description['edition']!r}")
    shape = description["network"]
    kind = shape.get("kind", CandidateNetwork.kind)  # there was no other before it was told
    if kind not in NETWORKS:
        raise CheckpointError(f"{folder}: holds a network of kind {kind!r}, this version knows {', '.join(NETWORKS)}")
    network = NETWORKS[kind].made_for(edition, shape["width"], shape["hidden"])
    load_weights(folder, network)
    return Checkpoint(network, edition, shape["placements"], description["decisions"], description["config"])


# --- what all games' checkpoints share --------------------------------------------------------------------------------


def save_folder(folder: Path, network: nn.Module, description: dict[str, Any]) -> None:
    """Write weights and description so that the folder is at any moment the old one or the new one, whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        save_file(network.state_dict(), draft / WEIGHTS)
        (draft / DESCRIPTION).write_text(yaml.safe_dump(description, sort_keys=False), encoding="utf-8")
        draft.chmod(0o755)
        replace_folder(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def replace_folder(draft: Path, folder: Path) -> None:
    """Put a finished folder in the place of another."""
    old = folder.with_name(f".{folder.name}-old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    draft.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def is_checkpoint(path: str | os.PathLike[str]) -> bool:
    """Whether there is a checkpoint at that path."""
    return (Path(path) / DESCRIPTION).is_file()


def read_description(folder: Path, game: str, fields: Sequence[str], versions: dict[str, int]) -> dict[str, Any]:
    """What a checkpoint says of itself, if it has those fields and is of that game and those versions."""
    try:
        description = yaml.safe_load((folder / DESCRIPTION).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CheckpointError(f"{folder}: there is no {DESCRIPTION} in this folder, so it is no checkpoint") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise CheckpointError(f"{folder}: {DESCRIPTION} cannot be read: {error}") from None
    if isinstance(description, dict) and description.get("game", GAME) != game:
        raise CheckpointError(f"{folder}: trained for {description.get('game', GAME)}, not for {game}")
    if not isinstance(description, dict) or any(name not in description for name in fields):
        raise CheckpointError(f"{folder}: {DESCRIPTION} must have the fields {', '.join(fields)}")
    if description["format"] != FORMAT:
        raise CheckpointError(
            f"{folder}: the checkpoint has format {description['format']}, this version reads {FORMAT}"
        )
    for name, version in versions.items():
        found = description["versions"].get(name)
        if found != version:
            raise CheckpointError(f"{folder}: trained with {name} version {found}, this version has {version}")
    return description


def load_weights(folder: Path, network: nn.Module) -> None:
    """Put a checkpoint's weights into a network of the same shape."""
    try:
        network.load_state_dict(load_file(folder / WEIGHTS))
    except Exception as error:
        raise CheckpointError(f"{folder}: {WEIGHTS} does not fit the description: {error}") from None
    network.eval()
