"""What the learning rests on: the reward's sign and a return that knows whose turn it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.test_runs import TINY
from training.experiments import RESULTS, TABLE
from training.learning_is_real import BAR, VARIANTS, main, measure

Rates = dict[str, dict[str, float]]


def test_the_table_is_made_and_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*TINY, "decisions=256", "--out", str(tmp_path)]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert shown.endswith((tmp_path / TABLE).read_text())
    lines = (tmp_path / RESULTS).read_text().splitlines()
    assert [line.partition(",")[0] for line in lines[1:]] == ["untrained", *VARIANTS]
    assert "reward_sign: -1.0" in (tmp_path / "reward_s_sign_flipped" / "config.yaml").read_text()
    assert "turn_aware: false" in (tmp_path / "ordinary_return" / "config.yaml").read_text()

    (tmp_path / RESULTS).write_text("\n".join([*lines[:2], *lines[3:]]) + "\n")  # as if the second were missing
    kept = tmp_path / "ordinary_return" / "config.yaml"
    before = kept.stat().st_mtime_ns
    assert main(words) == 0
    again = (tmp_path / RESULTS).read_text().splitlines()
    assert [line.partition(",")[0] for line in again] == [line.partition(",")[0] for line in lines]
    assert kept.stat().st_mtime_ns == before

    assert main(["seed=5", *words]) == 2
    assert "other settings" in capsys.readouterr().err


@pytest.fixture(scope="module")
def rates(tmp_path_factory: pytest.TempPathFactory) -> Rates:
    """The quickstart run and its two spoilt twins, about ten minutes in all."""
    return measure(tmp_path_factory.mktemp("learning"), [])


@pytest.mark.strength
def test_the_quickstart_run_passes_its_bar(rates: Rates) -> None:
    for opponent, least in BAR.items():
        assert rates["as shipped"][opponent] >= least


@pytest.mark.strength
def test_with_the_sign_flipped_it_learns_to_lose(rates: Rates) -> None:
    assert rates["untrained"]["random"] > 0.9
    assert rates["reward's sign flipped"]["random"] < 0.2
    assert rates["reward's sign flipped"]["greedy"] < 0.02


@pytest.mark.strength
def test_without_the_turn_aware_return_it_misses_the_bar(rates: Rates) -> None:
    assert any(rates["ordinary return"][opponent] < least for opponent, least in BAR.items())
    assert rates["ordinary return"]["greedy"] < rates["as shipped"]["greedy"] - 0.2
