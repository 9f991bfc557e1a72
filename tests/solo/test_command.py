from __future__ import annotations

import json

import numpy as np
import pytest

from patchwork_env import make_agent
from training.cli import main
from training.solo import play_solo


def test_the_command_measures_every_level_and_deck(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solo", "greedy", "--games", "70", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert len(results) == 10
    for deck in ("normal", "tactical"):
        rates = [entry["win_rate"] for entry in results if entry["deck"] == deck]
        assert rates[0] > 0.7  # intern
        assert rates[0] > rates[1] > rates[2] > rates[4]
        assert rates[4] < 0.15  # legend
    assert all(entry["interval"][0] <= entry["win_rate"] <= entry["interval"][1] for entry in results)
    assert all(entry["margin"] == pytest.approx(entry["score"] - entry["automa_score"]) for entry in results)


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["solo", "random", "--games", "5", "--level", "legend", "--deck", "tactical", "--edition", "stack_n_stuff"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "random against the Automa, stack_n_stuff, seed 0, 5 games each" in text
    assert text.count("legend") == 1
    assert main(["solo", "randm", "--games", "5"]) == 2
    assert "did you mean 'random'" in capsys.readouterr().err


def test_results_do_not_depend_on_threads_or_length() -> None:
    settings = {"level": "master", "deck": "normal", "seed": 4}
    one = play_solo("random", 150, threads=1, **settings)  # type: ignore[arg-type]
    two = play_solo("random", 150, threads=2, **settings)  # type: ignore[arg-type]
    short = play_solo("random", 70, **settings)  # type: ignore[arg-type]
    assert np.array_equal(one.rows["scores"], two.rows["scores"])
    assert np.array_equal(one.rows["scores"][:70], short.rows["scores"])
    greedy = play_solo(make_agent("greedy"), 20, **settings)  # type: ignore[arg-type]
    assert greedy.agent == "GreedyAgent"
    assert len(greedy.rows) == 20
