"""Runs of Quilt Show with the same trainer: the command, resuming, checkpoints, and the shipped players."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml

from patchwork_env import QuiltShowBatch, make_agent
from patchwork_env.agents.base import UnknownAgentError
from patchwork_env.games.quilt_show.cards import Settings
from tests.training.test_runs import changed, interrupt_after, trained, without_times
from training.checkpoint import CheckpointError
from training.cli import main
from training.config import Config, ConfigError, load_config
from training.quilt_show_agent import (
    PRETRAINED,
    load_quilt_show_checkpoint,
    save_quilt_show_checkpoint,
)
from training.rotations import play_rotations
from training.run import RunDirectory
from training.trainer import Trainer

CONFIG = Path(__file__).parents[2] / "configs" / "quilt_show.yaml"

# Six small updates: a league, earlier selves, an evaluation.
TINY = [
    *("games=16", "steps=8", "minibatch=64", "decisions=768", "epochs=2", "width=16", "hidden=16"),
    *("league_share=0.4", "league_every=2", "league_size=2", "evaluate_every=3", "evaluate_deals=2"),
    *("final_deals=3", "checkpoint_every=2"),
]


def tiny(*changes: str) -> Config:
    return load_config(CONFIG, [*TINY, *changes])


def test_an_interrupted_run_goes_on_as_if_never_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny("num_players=3", "two_shows=true")
    whole = trained(tmp_path / "whole", config)
    with monkeypatch.context() as patch:
        interrupt_after(4, patch)
        first = Trainer(config, RunDirectory.create(tmp_path / "parts", config))
        assert not first.train()
    directory, found, state = RunDirectory.resume(tmp_path / "parts")
    assert found == config
    second = Trainer(found, directory)
    second.restore(state)
    assert second.train()
    for name, weights in whole.network.state_dict().items():
        assert torch.equal(weights, second.network.state_dict()[name]), name
    assert whole.env.games.state.tobytes() == second.env.games.state.tobytes()
    assert without_times(tmp_path / "whole") == without_times(tmp_path / "parts")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_command_trains_a_player_for_the_arena(
    players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    words = [*TINY, f"num_players={players}", "large_quilts=true", "decisions=256", "evaluate_every=0"]
    assert main(["train", "quilt_show", *words, "--out", str(out)]) == 0
    shown = capsys.readouterr().out
    assert f"training quilt_show, {players} players, large_quilts, for 256 decisions" in shown
    assert f"equal players win {100 / players:.1f}% each" in shown
    for name in ("config.yaml", "versions.yaml", "metrics.csv", "curves.png", "state.pt", "latest", "best"):
        assert (out / name).exists(), name
    assert {"money", "game_length", "first_player_wins", "against_greedy"} <= set(without_times(out)[0])
    seats = [str(out / "best"), *["greedy"] * (players - 1)]
    assert main(["quilt-show", *seats, "--deals", "2", "--large-quilts", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 2 * players
    assert main(["quilt-show", *seats, "--deals", "2"]) == 2
    told = capsys.readouterr().err
    assert f"trained for {players} players, large_quilts, asked to play {players} players" in told


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "run"
    trained(path, tiny("decisions=128", "evaluate_every=0", "baselines=[random]", "final_deals=1"))
    return path / "latest"


def test_a_checkpoint_comes_back_as_it_was(checkpoint: Path, tmp_path: Path) -> None:
    loaded = load_quilt_show_checkpoint(checkpoint)
    assert loaded.settings == Settings(2)
    assert loaded.decisions == 128
    save_quilt_show_checkpoint(tmp_path / "again", loaded)
    again = load_quilt_show_checkpoint(tmp_path / "again")
    assert again.config == loaded.config
    for name, weights in loaded.network.state_dict().items():
        assert torch.equal(weights, again.network.state_dict()[name])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"format": 99}, "has format 99, this version reads 1"),
        ({"game": "patchwork"}, "trained for patchwork, not for quilt_show"),
        ({"versions": {"observation": 1, "action": 1, "situation": 99, "choices": 1}}, "situation version 99"),
        ({"settings": {"num_players": 7}}, "num_players must be 2, 3 or 4, got 7"),
        ({"settings": {"num_players": 2, "knitting": True}}, "unknown variant 'knitting'"),
        ({"settings": 3}, "settings must be a mapping"),
        ({"network": {"width": 32, "hidden": 16}}, "does not fit the description"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused(
    checkpoint: Path, tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(CheckpointError, match=message):
        load_quilt_show_checkpoint(changed(checkpoint, tmp_path / "other", **fields))


def test_a_player_is_refused_at_another_table(checkpoint: Path) -> None:
    with pytest.raises(UnknownAgentError, match="trained for quilt_show, not for patchwork"):
        make_agent(str(checkpoint))
    agent = make_agent(str(checkpoint), game="quilt_show")
    games = QuiltShowBatch(2, 3, seed=1)
    games.reset()
    with pytest.raises(CheckpointError, match="trained for 2 players, asked to play 3 players"):
        agent.act(games, np.arange(2))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["game=chess"], "game: expected patchwork or quilt_show, got 'chess'"),
        (["num_players=3"], "num_players: only quilt_show has it, and game is patchwork"),
        (["two_shows=true"], "two_shows: only quilt_show has it"),
        (["game=quilt_show", "edition=halloween"], "edition: only patchwork has it, and game is quilt_show"),
        (["game=quilt_show", "num_players=5"], "num_players must be 2, 3 or 4, got 5"),
        (["game=quilt_show", "block_swaps=true"], "block_swaps needs 3 or 4 players, got num_players=2"),
        (["game=quilt_show", "large_quilts=3"], "large_quilts: expected a value of type bool"),
    ],
)
def test_settings_that_do_not_go_together_are_told(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(None, words)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_shipped_player_wins_more_than_its_share(players: int) -> None:
    result = play_rotations(["pretrained", *["greedy"] * (players - 1)], 40, seed=5)
    assert result.interval(0).low > 1 / players
    folder = PRETRAINED / f"{players}_players"
    assert sum(path.stat().st_size for path in folder.iterdir()) < 1_000_000
    assert yaml.safe_load((folder / "config.yaml").read_text())["num_players"] == players
    assert (folder / "metrics.csv").is_file()


def test_the_shipped_player_says_what_it_cannot_play() -> None:
    agent = make_agent("pretrained", game="quilt_show")
    games = QuiltShowBatch(1, 2, seed=1, two_shows=True)
    games.reset()
    with pytest.raises(CheckpointError, match="no network is shipped for 2 players, two_shows"):
        agent.act(games, np.arange(1))


@pytest.mark.strength
@pytest.mark.parametrize(("players", "least"), [(2, 0.55), (3, 1 / 3), (4, 1 / 4)])
def test_the_shipped_player_beats_greedy_for_certain(players: int, least: float) -> None:
    result = play_rotations(["pretrained", *["greedy"] * (players - 1)], 500, seed=6)
    assert result.interval(0).low > least


@pytest.mark.parametrize(("sign", "low", "high"), [(1.0, 0.6, 1.0), (-1.0, 0.0, 0.15)])
def test_a_short_run_teaches_what_is_rewarded(sign: float, low: float, high: float, tmp_path: Path) -> None:
    """Three players; the network starts without its head start, so that it has everything to learn."""
    words = ["num_players=3", "two_shows=true", "games=64", "steps=32", "minibatch=512", "decisions=30000"]
    settings = ["learning_rate=0.003", "width=32", "hidden=32", "league_share=0", "evaluate_every=0", "final_deals=1"]
    config = load_config(CONFIG, [*words, *settings, "baselines=[random]", f"reward_sign={sign}"])
    trainer = Trainer(config, RunDirectory.create(tmp_path / "run", config))
    with torch.no_grad():
        trainer.network.greediness.zero_()
    assert trainer.train()
    assert low <= trainer.evaluate(25)["random"].win_rate <= high
