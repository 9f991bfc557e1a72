from __future__ import annotations

import json
from pathlib import Path

import pytest

from patchwork_env.games.patchwork.notation import parse_game
from training.cli import main


def test_match_prints_figures_for_a_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "greedy", "random", "--games", "100", "--seed", "7", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["games"] == 100
    assert figures["interval"][0] <= figures["win_rate"] <= figures["interval"][1]
    assert figures["interval"][0] > 0.8
    assert figures["verdict"] == "greedy is stronger"
    assert sum(figures["wins"]) == 100
    assert sum(figures["pairs"].values()) == 50
    assert figures["score"][0] - figures["score"][1] == pytest.approx(figures["margin"])
    again = ["match", "random", "greedy", "--games", "100", "--seed", "8", "--json"]
    assert main(again) == 0
    assert json.loads(capsys.readouterr().out)["interval"][1] < 0.2


def test_match_prints_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "random", "advance", "--games", "40", "--edition", "stack_n_stuff"]) == 0
    text = capsys.readouterr().out
    for part in (
        "random against advance, stack_n_stuff, seed 0",
        "random is stronger",
        "isolated holes",
        "whoever began",
    ):
        assert part in text


def test_match_with_precision_stops_early(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "random", "random", "--precision", "0.06", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["stopped_early"]
    assert figures["interval"][1] - figures["interval"][0] <= 0.12


def test_match_records_games(tmp_path: Path) -> None:
    assert main(["match", "random", "advance", "--games", "5", "--json", "--record", str(tmp_path / "games")]) == 0
    files = sorted((tmp_path / "games").iterdir())
    assert [file.name for file in files] == [f"{deal:06d}-{seating}.txt" for deal in range(3) for seating in "ab"]
    assert [parse_game(file.read_text()).players for file in files[:2]] == [
        ("random", "advance"),
        ("advance", "random"),
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["match", "random", "gredy"], "did you mean 'greedy'"),
        (["match", "random", "random", "--edition", "none"], "unknown edition 'none'"),
    ],
)
def test_mistakes_are_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("option", [["--games", "0"], ["--precision", "-1"], ["--seed", "-1"], ["--threads", "0"]])
def test_bad_numbers_are_refused(option: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["match", "random", "random", *option])
    assert option[0] in capsys.readouterr().err


def test_evaluate_plays_the_pool(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "greedy", "--against", "random", "advance", "--games", "60"]
    assert main([*words, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["agent"] == "greedy"
    assert [entry["second"] for entry in figures["opponents"]] == ["random", "advance"]
    assert all(entry["win_rate"] > 0.9 for entry in figures["opponents"])
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "random" in text
    assert "advance" in text
