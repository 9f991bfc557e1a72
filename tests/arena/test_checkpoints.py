"""Trained players in the arena: a checkpoint's path is an agent like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.networks import save_untrained
from training.cli import main


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return save_untrained(tmp_path / "policy")


def test_evaluate_a_checkpoint(checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", checkpoint, "--against", "random", "advance", "--games", "30", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["agent"] == checkpoint
    assert all(entry["win_rate"] > 0.7 for entry in figures["opponents"])


def test_a_checkpoint_against_the_automa(checkpoint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solo", checkpoint, "--level", "intern", "--deck", "normal", "--games", "20", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["games"] == 20


def test_a_checkpoint_in_a_tournament(checkpoint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["tournament", "random", checkpoint, "--games", "10", "--record", "--json", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 10
    assert main(["tournament", "--resume", "--games", "20", "--json", "--out", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 20
