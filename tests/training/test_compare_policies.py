"""The comparison of networks with a tiny budget, and measuring the speed of training."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.training.test_runs import TINY
from training import throughput
from training.compare_policies import OPPONENTS, VARIANTS, main
from training.config import load_config
from training.experiments import RESULTS, TABLE

SHORT = [*TINY, "league_share=0", "final_deals=1", "--minutes", "0.002"]


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / RESULTS).open(newline="") as file:
        return list(csv.DictReader(file))


def test_variants_are_compared_one_after_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*SHORT, "--out", str(tmp_path)]
    assert main([*words, "--only", "flat"]) == 0
    first = rows(tmp_path)
    assert [row["variant"] for row in first] == ["flat"]
    names = ["candidates, 8 placements", "flat", "convolution"]
    assert main([*words, "--only", names[2], names[0]]) == 0
    table = rows(tmp_path)
    assert [row["variant"] for row in table] == names
    assert table[1] == first[0]  # not trained again
    for row in table:
        assert int(row["decisions"]) > 0
        assert int(row["weights"]) > 1000
        for opponent in OPPONENTS:
            assert float(row[f"{opponent} low"]) <= float(row[opponent]) <= float(row[f"{opponent} high"])
    shown = capsys.readouterr().out
    text = (tmp_path / TABLE).read_text()
    assert shown.endswith(text)
    assert text.startswith("`python -m training.compare_policies --minutes 0.002 games=16")
    assert len(text.splitlines()) == 4 + len(names)


def test_every_variant_is_a_valid_configuration_of_its_own() -> None:
    configs = [load_config(None, list(words)) for words in VARIANTS.values()]
    assert len({config.as_yaml() for config in configs}) == len(VARIANTS)


def test_throughput_is_measured_beside_stock(capsys: pytest.CaptureFixture[str]) -> None:
    figures = throughput.measure(load_config(None, [*TINY, "league_share=0.5"]), repeat=2, stock_games=2)
    for spread in (*figures["decisions_per_second"].values(), figures["ratio"]):
        assert 0 < spread["low"] <= spread["median"] <= spread["high"]
    throughput.print_figures(figures)
    shown = capsys.readouterr().out
    assert "ours" in shown
    assert "ratio" in shown
    for part, seconds in figures["profile"].items():
        assert seconds > 0, part
        assert part in shown
    assert throughput.main(["--repeat", "0"]) == 2
    assert "--repeat must be at least 1" in capsys.readouterr().err
