"""The `patchwork` command as a user types it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from patchwork_env import edition_names
from tests.interfaces.test_notation import recorded
from training.cli import COMMANDS, main


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([command, "--help"])
    assert stopped.value.code == 0
    assert "usage: patchwork " + command in capsys.readouterr().out


def test_editions_are_listed_with_provenance(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["editions"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in edition_names())
    assert "published nowhere" in shown
    assert max(len(line) for line in shown.splitlines()) <= 100
    assert main(["editions", "--json"]) == 0
    assert [edition["name"] for edition in json.loads(capsys.readouterr().out)] == edition_names()


@pytest.mark.parametrize("name", edition_names())
def test_an_edition_is_drawn(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["editions", "show", name]) == 0
    shown = capsys.readouterr().out
    assert max(len(line) for line in shown.splitlines()) <= 100
    last = {"stack_n_stuff": 22}.get(name, 32)
    assert f"#{last}" in shown
    assert main(["editions", "show", name, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["patches"]) == last + 1


def test_a_game_is_checked_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = recorded("halloween", 4)
    path = tmp_path / "a.game"
    path.write_text(str(record))
    assert main(["replay", str(path), "--check"]) == 0
    assert "all legal" in capsys.readouterr().out
    assert main(["replay", str(path), "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert record.result is not None
    assert (outcome["moves"], tuple(outcome["scores"])) == (len(record.moves), record.result.scores)
    path.write_text(str(record).replace("1. player_", "1. Player_", 1))
    assert main(["replay", str(path), "--check"]) == 2
    assert "a.game, line 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["editions", "show", "revisd"], "did you mean 'revised'"),
        (["editions", "show"], "needs a name"),
        (["replay", "nowhere.game"], "nowhere.game"),
        (["bench", "--repeat", "0"], "--repeat must be at least 1"),
    ],
)
def test_mistakes_are_told_in_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""


def test_the_bench_measures_every_case(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--quick", "--repeat", "1", "--json", "--edition", "stack_n_stuff"]) == 0
    figures = json.loads(capsys.readouterr().out)
    speeds = figures["decisions_per_second"]
    for size in (1, 64, 1024):
        for threads in {1, figures["cores"]}:
            assert speeds[f"batch_{size}_threads_{threads}"]["median"] > 0
    assert all(speeds[name]["low"] > 0 for name in ("aec_raw", "aec_env", "gymnasium"))
    assert main(["bench", "--quick", "--repeat", "1"]) == 0
    assert "decisions per second" in capsys.readouterr().out


def run_python(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True, timeout=300
    )
    return done.stdout.strip()


def test_importing_the_package_loads_nothing_heavy() -> None:
    heavy = "('torch', 'numba', 'pygame', 'pettingzoo', 'matplotlib', 'stable_baselines3', 'fastapi')"
    loaded = run_python(f"import sys, patchwork_env; print([name for name in {heavy} if name in sys.modules])")
    assert loaded == "[]"


def test_gymnasium_can_import_the_package_by_the_id() -> None:
    made = "gymnasium.make('patchwork_env:patchwork_env/Patchwork-v0')"
    assert run_python(f"import gymnasium; print({made}.spec.id)") == "patchwork_env/Patchwork-v0"


INTERPRETED = """
import numpy
from patchwork_env import PatchworkBatch
from patchwork_env.agents.random import RandomAgent
for edition in ("revised", "stack_n_stuff"):
    games = PatchworkBatch(2, edition, seed=3, reward="shaped")
    games.reset()
    agent = RandomAgent(seed=3)
    rewards = 0.0
    for _ in range(45):
        rewards += float(games.step(agent.act(games, numpy.arange(2))).rewards[:, 0].sum())
    print(games.state.tobytes().hex(), games.action_mask.sum(), games.observe_tensor().sum().round(3), rewards)
"""


def test_the_kernels_do_the_same_in_the_interpreter() -> None:
    assert run_python(INTERPRETED, NUMBA_DISABLE_JIT="1") == run_python(INTERPRETED)
