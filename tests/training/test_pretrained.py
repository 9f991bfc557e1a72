"""The shipped players: found by the games' edition, usable by name wherever agents are."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from patchwork_env import PatchworkBatch, SoloBatch, edition_names, make_agent
from patchwork_env.agents.base import UnknownAgentError
from tests.networks import save_untrained
from training import agent
from training.agent import PRETRAINED, CheckpointAgent, PretrainedAgent, pretrained_editions
from training.arena import play_pairs
from training.checkpoint import CheckpointError
from training.cli import main

NAMES = ["pretrained", "pretrained+mcts:6"]
SHIPPED = pretrained_editions()


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As if untrained networks were shipped."""
    monkeypatch.setattr(agent, "PRETRAINED", tmp_path)
    for edition in ("revised", "stack_n_stuff"):
        save_untrained(tmp_path / edition, edition)
    return tmp_path


@pytest.mark.parametrize("name", NAMES)
def test_one_name_plays_every_published_edition(name: str, shipped: Path) -> None:
    """One agent, asked about games of one edition after the other."""
    player = make_agent(name, seed=1)
    for edition in [*edition_names(), "revised"]:
        games = PatchworkBatch(3, edition, seed=1, auto_reset=False)
        games.reset()
        for _ in range(12):
            games.step(player.act(games, np.arange(3)))


def test_an_edition_is_played_by_its_own_network(shipped: Path) -> None:
    """Where an edition has a network itself, a related one's is not taken."""
    save_untrained(shipped / "original", "original")
    for edition, source in (("original", "original"), ("revised", "revised"), ("halloween", "original")):
        assert agent.pretrained_checkpoint(agent.load_edition(edition)).edition.name == source


def test_it_plays_like_its_checkpoint(shipped: Path) -> None:
    games = PatchworkBatch(8, seed=4)
    games.reset()
    everyone = np.arange(8)
    pretrained, checkpoint = PretrainedAgent(), CheckpointAgent(str(shipped / "revised"))
    for _ in range(10):
        chosen = pretrained.act(games, everyone)
        assert np.array_equal(chosen, checkpoint.act(games, everyone))
        games.step(chosen)


def test_reseed_draws_the_same_again(shipped: Path) -> None:
    games = PatchworkBatch(64, seed=4)
    games.reset()
    player = PretrainedAgent(seed=3, sample=1)
    first = player.act(games, np.arange(64))
    assert not np.array_equal(player.act(games, np.arange(64)), first)
    player.reseed(3)
    assert np.array_equal(player.act(games, np.arange(64)), first)


def test_other_editions_are_refused_with_advice(shipped: Path) -> None:
    house = shipped / "house.yaml"
    house.write_text("extends: revised\nname: house\nstart_buttons: 9\n", encoding="utf-8")
    games = PatchworkBatch(1, house, seed=1)
    games.reset()
    with pytest.raises(CheckpointError, match=r"'house', only for revised, stack_n_stuff; train one .*house\.yaml"):
        PretrainedAgent().act(games, np.zeros(1, np.int64))


@pytest.mark.parametrize("name", NAMES)
def test_without_networks_the_name_says_so(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent, "PRETRAINED", tmp_path)
    with pytest.raises(UnknownAgentError, match="no network is shipped"):
        make_agent(name)


@pytest.mark.parametrize("name", NAMES)
def test_without_pytorch_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [loaded for loaded in sys.modules if loaded.startswith("training.")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UnknownAgentError, match=r"needs torch.*pip install 'patchwork-env\[train\]'"):
        make_agent(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pretrained+mcts:0", "number of simulations"),
        ("pretrained+mcts:9,speed=1", "unknown setting 'speed'"),
        ("pretrained+mcts:9,seed=-1", "seed must be a whole number"),
        ("pretrianed", "did you mean 'pretrained'"),
    ],
)
def test_a_bad_text_is_told_at_once(text: str, message: str, shipped: Path) -> None:
    with pytest.raises(UnknownAgentError, match=message):
        make_agent(text)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_an_opponent_in_gymnasium(name: str, shipped: Path) -> None:
    env = gymnasium.make("patchwork_env/Patchwork-v0", opponent=name, seat=1)
    _, info = env.reset(seed=5)
    for _ in range(5):
        _, _, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert not terminated


@pytest.mark.parametrize(
    "words",
    [
        ["match", "pretrained", "pretrained+mcts:4", "--games", "4"],
        ["evaluate", "pretrained+mcts:4", "--against", "random", "--games", "4"],
        ["solo", "pretrained", "--level", "legend", "--deck", "normal", "--games", "4"],
        ["solo", "pretrained+mcts:4", "--level", "legend", "--deck", "tactical", "--games", "4"],
    ],
)
def test_commands_know_the_name(words: list[str], shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


def test_a_tournament_and_a_watched_game_know_the_name(
    shipped: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["tournament", "random", *NAMES, "--games", "4", "--json", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 12
    assert main(["watch", *NAMES, "--seed", "1", "--delay", "0"]) == 0


# --- what is really shipped ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("edition", SHIPPED)
def test_a_shipped_network_is_small_and_comes_with_its_story(edition: str) -> None:
    folder = PRETRAINED / edition
    assert agent.pretrained_checkpoint(agent.load_edition(edition)).edition.name == edition
    assert {"config.yaml", "metrics.csv", "curves.png"} <= {path.name for path in folder.iterdir()}
    assert sum(path.stat().st_size for path in folder.iterdir()) < 4_000_000


@pytest.mark.parametrize("edition", SHIPPED)
def test_a_shipped_network_beats_greedy(edition: str) -> None:
    result = play_pairs("pretrained", "greedy", 50, edition=edition, seed=1, threads=1)
    assert result.win_rate > 0.65  # both win more than three quarters; 100 games leave room for chance


@pytest.mark.parametrize("edition", SHIPPED)
def test_searching_makes_a_shipped_network_stronger(edition: str) -> None:
    result = play_pairs("pretrained+mcts:50", "pretrained", 32, edition=edition, seed=1, threads=1)
    assert result.win_rate > 0.55


@pytest.mark.parametrize("edition", SHIPPED)
def test_a_shipped_network_beats_the_weakest_automa(edition: str) -> None:
    games = SoloBatch(40, edition, seed=1, auto_reset=False, level="intern")
    games.reset()
    player = make_agent("pretrained")
    while not games.done.all():
        playing = np.flatnonzero(~games.done)
        games.step(player.act(games, playing), playing)
    assert (games.scores[:, 0] >= games.scores[:, 1]).mean() > 0.5
