"""The network that is measured and kept is a mean over the last updates."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

from training.checkpoint import load_checkpoint
from training.config import Config
from training.run import RunDirectory
from training.trainer import Trainer, running_mean


def test_the_mean_is_over_all_updates_until_the_window_is_full() -> None:
    network = nn.Linear(1, 1, bias=False)
    averaged = AveragedModel(network, avg_fn=running_mean(3))
    means: list[float] = []
    for value in (3.0, 6.0, 9.0, 12.0):
        nn.init.constant_(network.weight, value)
        averaged.update_parameters(network)
        means.extend(parameter.item() for parameter in averaged.module.parameters())
    assert means == pytest.approx([3.0, 4.5, 6.0, 8.0])  # at last a third of the way from 6 to 12


@pytest.mark.parametrize(("window", "kept_is_latest"), [(1, True), (4, False)])
def test_checkpoints_hold_the_mean(window: int, kept_is_latest: bool, tmp_path: Path) -> None:
    config = Config(
        games=16, steps=8, minibatch=64, decisions=384, placements=2, width=16, hidden=16, averaged_updates=window,
        evaluate_every=0, final_deals=2, baselines=["random"], league_share=0.0, learning_rate=0.01,
    )  # fmt: skip
    trainer = Trainer(config, RunDirectory.create(tmp_path / "run", config))
    assert trainer.train()
    kept = load_checkpoint(tmp_path / "run" / "latest").network.state_dict()
    latest = trainer.network.state_dict()
    assert all(torch.allclose(kept[name], latest[name]) for name in kept) == kept_is_latest
