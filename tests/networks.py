"""Networks that were never trained, for tests that need one: such a policy plays about like greedy."""

from __future__ import annotations

from pathlib import Path

import torch

from patchwork_env import load_edition
from training.checkpoint import Checkpoint, save_checkpoint
from training.networks import NETWORKS


def untrained(edition: str = "revised", placements: int = 4, kind: str = "candidates") -> Checkpoint:
    """A small network for an edition, always with the same weights."""
    loaded = load_edition(edition)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = NETWORKS[kind].made_for(loaded, 32, 16).eval()
    return Checkpoint(network, loaded, placements, 0, {})


def save_untrained(folder: Path, edition: str = "revised") -> str:
    """The same as a checkpoint's folder; its path."""
    save_checkpoint(folder, untrained(edition))
    return str(folder)
