"""Runs: resuming exactly, atomic checkpoints that execute nothing, and the command."""

from __future__ import annotations

import csv
import os
import pickle
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.torch import load_file

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.base import UnknownAgentError
from training.agent import CheckpointAgent
from training.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from training.cli import main
from training.config import Config, load_config
from training.display import Display
from training.run import RunDirectory, RunError
from training.trainer import Trainer

# Six small updates: a league, openings, earlier selves, an evaluation.
TINY = [
    *("games=16", "steps=8", "minibatch=64", "decisions=768", "epochs=2", "width=16", "hidden=16", "placements=3"),
    *("league_share=0.4", "league_every=2", "league_size=2", "evaluate_every=3", "evaluate_deals=2"),
    *("final_deals=3", "checkpoint_every=2", "opening_share=0.5", "opening_decisions=12"),
]


def tiny(*changes: str) -> Config:
    return load_config(None, [*TINY, *changes])


def trained(path: Path, config: Config) -> Trainer:
    trainer = Trainer(config, RunDirectory.create(path, config))
    assert trainer.train()
    return trainer


def without_times(path: Path) -> list[dict[str, str]]:
    with (path / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        del row["seconds"], row["decisions_per_second"]
    return rows


def interrupt_after(updates: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C as soon as that many updates are shown."""
    show = Display.update

    def update(self: Display, number: int, *arguments: Any) -> None:
        show(self, number, *arguments)
        if number == updates:
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Display, "update", update)


@pytest.mark.parametrize("stop", [1, 4])
def test_an_interrupted_run_goes_on_as_if_never_stopped(
    stop: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny()
    whole = trained(tmp_path / "whole", config)
    with monkeypatch.context() as patch:
        interrupt_after(stop, patch)
        first = Trainer(config, RunDirectory.create(tmp_path / "parts", config))
        assert not first.train()
    assert first.updates == stop
    directory, found, state = RunDirectory.resume(tmp_path / "parts")
    assert found == config
    second = Trainer(found, directory)
    second.restore(state)
    assert second.train()
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, second.network.state_dict()[name]), name
    assert whole.env.games.state.tobytes() == second.env.games.state.tobytes()
    assert without_times(tmp_path / "whole") == without_times(tmp_path / "parts")
    for name, weights in load_file(tmp_path / "whole" / "best" / "policy.safetensors").items():
        assert torch.equal(weights, load_file(tmp_path / "parts" / "best" / "policy.safetensors")[name])


def test_a_killed_run_loses_only_what_came_after_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tiny()
    whole = trained(tmp_path / "whole", config)
    show = Display.update

    def update(self: Display, number: int, *arguments: Any) -> None:
        show(self, number, *arguments)
        if number == 5:
            raise MemoryError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(Display, "update", update)
        with pytest.raises(MemoryError):
            trained(tmp_path / "parts", config)
    assert len(without_times(tmp_path / "parts")) == 5
    directory, found, state = RunDirectory.resume(tmp_path / "parts")
    assert state["updates"] == 4
    assert len(without_times(tmp_path / "parts")) == 4  # the row of the lost update is gone
    second = Trainer(found, directory)
    second.restore(state)
    assert second.train()
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, second.network.state_dict()[name]), name


def test_the_command_trains_and_leaves_everything_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "run"
    assert main(["train", "quickstart", *TINY, "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "95% interval" in shown
    assert "random" in shown
    for name in ("config.yaml", "versions.yaml", "metrics.csv", "curves.png", "state.pt", "latest", "best"):
        assert (out / name).exists(), name
    assert list((out / "tensorboard").glob("events.*"))
    assert not list(out.glob(".*"))
    rows = without_times(out)
    assert [row["update"] for row in rows] == list("123456")
    assert rows[2]["against_greedy"] not in ("", "nan")
    assert {
        "entropy",
        "approximate_kl",
        "explained_variance",
        "empty_cells",
        "game_length",
        "first_player_wins",
    } <= set(rows[0])
    versions = yaml.safe_load((out / "versions.yaml").read_text())
    assert {"python", "torch", "numba", "sources"} <= set(versions)
    assert main(["train", "quickstart", *TINY, "--out", str(out)]) == 2
    assert "already holds a run" in capsys.readouterr().err
    agent = make_agent(str(out / "best"))
    games = PatchworkBatch(5, seed=1)
    games.reset()
    for _ in range(30):
        games.step(agent.act(games, np.arange(5)))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["train", "quickstrat"], "there is no configuration 'quickstrat'; known are"),
        (["train", "quickstart", "gmaes=3"], "did you mean 'games'"),
        (["train", "--resume", "nowhere"], "holds no run"),
        (["train", "quickstart", "--resume", "nowhere"], "give neither CONFIG nor --out"),
    ],
)
def test_mistakes_are_told_in_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert message in capsys.readouterr().err


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made")
    config = tiny("decisions=128", "evaluate_every=0", "baselines=[random]", "final_deals=1")
    trained(path / "run", config)
    return path / "run" / "latest"


def changed(checkpoint: Path, folder: Path, **fields: Any) -> Path:
    description = yaml.safe_load((checkpoint / "policy.yaml").read_text())
    description.update(fields)
    folder.mkdir()
    (folder / "policy.yaml").write_text(yaml.safe_dump(description))
    (folder / "policy.safetensors").write_bytes((checkpoint / "policy.safetensors").read_bytes())
    return folder


def test_a_checkpoint_comes_back_as_it_was(checkpoint: Path, tmp_path: Path) -> None:
    loaded = load_checkpoint(checkpoint)
    save_checkpoint(tmp_path / "again", loaded)
    save_checkpoint(tmp_path / "again", loaded)  # over an older one
    again = load_checkpoint(tmp_path / "again")
    assert again.config == loaded.config
    for name, weights in loaded.network.state_dict().items():
        assert torch.equal(weights, again.network.state_dict()[name])
    assert [path.name for path in tmp_path.iterdir()] == ["again"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": 99}, "has format 99, this version reads 1"),
        ({"versions": {"observation": 99, "action": 1, "candidates": 1}}, "trained with observation version 99"),
        ({"edition": "stack_n_stuff"}, "another version of edition 'stack_n_stuff'"),
        ({"network": {"placements": 3, "width": 32, "hidden": 16}}, "does not fit the description"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(
    checkpoint: Path, tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(CheckpointError, match=message):
        load_checkpoint(changed(checkpoint, tmp_path / "other", **fields))


def test_loading_executes_nothing(checkpoint: Path, tmp_path: Path) -> None:
    """A pickle in the place of the weights, and YAML that asks for an object, are refused and leave no trace."""
    trace = tmp_path / "trace"

    class Bomb:
        def __reduce__(self) -> Any:
            return (trace.write_text, ("boom",))

    folder = changed(checkpoint, tmp_path / "bomb")
    (folder / "policy.safetensors").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError):
        load_checkpoint(folder)
    (folder / "policy.yaml").write_text(f"!!python/object/apply:os.system ['touch {trace}']")
    with pytest.raises(CheckpointError, match="cannot be read"):
        load_checkpoint(folder)
    assert not trace.exists()


def test_wrong_paths_and_editions_are_told(checkpoint: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownAgentError, match=r"no policy\.yaml in this folder"):
        make_agent(str(tmp_path))
    agent = CheckpointAgent(str(checkpoint))
    games = PatchworkBatch(1, "stack_n_stuff", seed=1)
    games.reset()
    with pytest.raises(CheckpointError, match="trained for edition 'revised', asked to play 'stack_n_stuff'"):
        agent.act(games, np.zeros(1, np.int64))
    with pytest.raises(RunError, match="holds no run"):
        RunDirectory.resume(tmp_path)


@pytest.mark.parametrize("edition", ["halloween", "stack_n_stuff"])
def test_other_editions_train_through_the_configuration(edition: str, tmp_path: Path) -> None:
    trainer = trained(tmp_path / "run", tiny(f"edition={edition}", "decisions=256"))
    assert trainer.updates == 2
    assert load_checkpoint(tmp_path / "run" / "latest").edition.name == edition


def test_the_configuration_reaches_the_algorithm(tmp_path: Path) -> None:
    config = tiny("turn_aware=false", "gamma=0.9", "learning_rate=0.01", "final_learning_rate=0.001")
    trainer = Trainer(config, RunDirectory.create(tmp_path / "run", config))
    assert trainer.model.gamma == 0.9
    assert trainer.model.rollout_buffer._turn_aware is False
    assert trainer.model.lr_schedule(1.0) == pytest.approx(0.01)
    assert trainer.model.lr_schedule(0.0) == pytest.approx(0.001)
