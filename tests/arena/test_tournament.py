from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

from patchwork_env import make_agent
from patchwork_env.games.patchwork.notation import parse_game
from patchwork_env.interfaces.replay import check_result, replay
from training import strength
from training.arena import play_pairs
from training.cli import main
from training.results import PairedResult
from training.tournament import Tournament


def run(*words: str) -> int:
    return main(["tournament", *words])


def lines_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tournament") / "out"
    agents = ("random", "advance", "greedy")
    assert run(*agents, "--games", "140", "--seed", "3", "--record", "--json", "--out", str(folder)) == 0
    return folder


def test_everything_is_written(played: Path) -> None:
    figures = json.loads((played / "standings.json").read_text())
    assert figures["complete"]
    assert figures["games"] == 3 * 140
    assert [entry["agent"] for entry in figures["ratings"]] == ["greedy", "random", "advance"]
    assert figures["anchor"] == "random"
    assert figures["ratings"][1]["rating"] == 0
    assert figures["ratings"][0]["interval"][0] > 100
    rows = lines_of(played / "games.csv")
    assert len(rows) == 420
    greedy = [row for row in rows if (row["first"], row["second"]) == ("greedy", "random")]
    summary = next(entry for entry in figures["pairings"] if entry["first"] == "greedy" and entry["second"] == "random")
    assert np.mean([row["winner"] == "0" for row in greedy]) == pytest.approx(summary["win_rate"])
    assert (played / "tournament.png").read_bytes().startswith(b"\x89PNG")
    assert len(lines_of(played / "ratings.csv")) == 3
    assert not list(played.rglob("*.part"))


def test_pairings_play_the_same_games_as_a_match(played: Path) -> None:
    rows = np.load(played / "pairings" / "greedy__random.npy")
    alone = play_pairs("greedy", "random", 70, seed=3)
    assert np.array_equal(rows["scores"], alone.rows["scores"])


def test_recorded_games_can_be_replayed(played: Path) -> None:
    files = sorted((played / "games" / "greedy__random").iterdir())
    assert len(files) == 140
    rows = np.load(played / "pairings" / "greedy__random.npy")
    for file, row in zip(files[:6], rows, strict=False):
        record = parse_game(file.read_text(), file.name)
        *_, game = replay(record)
        check_result(record, game)
        assert record.players is not None
        assert [game.scores[record.players.index(name)] for name in ("greedy", "random")] == row["scores"].tolist()


def test_the_report_stands_alone(played: Path) -> None:
    page = (played / "report.html").read_text()
    assert not re.search(r"(src|href)=\"(https?:)?//|@import|<script", page)
    links = re.findall(r'href="([^"]+)"', page)
    assert links
    assert all((played / unquote(link)).exists() for link in links)

    class Balanced(HTMLParser):
        stack: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("meta", "br"):
                self.stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.stack.pop() == tag

    parser = Balanced()
    parser.feed(page)
    assert parser.stack == []
    assert "greedy comes out on top" in page
    assert "random" in page


def test_agent_names_cannot_inject_markup(tmp_path: Path) -> None:
    from training.report import write_reports

    names = ("<b>a</b>", "b")
    result = play_pairs("random", "random", 2)
    evil = PairedResult(*names, result.edition, result.seed, result.rows)
    tournament = Tournament(tmp_path, list(names), "revised", 0, 2, results={names: evil})
    write_reports(tournament)
    page = (tmp_path / "report.html").read_text()
    assert "<b>a</b>" not in page
    assert "&lt;b&gt;a&lt;/b&gt;" in page


def test_resuming_adds_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run("random", "advance", "greedy", "--games", "200", "--json", "--out", str(whole)) == 0
    assert run("random", "advance", "--games", "130", "--json", "--out", str(parts)) == 0
    assert run("--resume", "--games", "200", "greedy", "--json", "--out", str(parts)) == 0
    for file in (whole / "pairings").iterdir():
        one, other = np.load(file), np.load(parts / "pairings" / file.name)
        assert np.array_equal(one["scores"], other["scores"])
    capsys.readouterr()
    before = {file: file.stat().st_mtime_ns for file in (parts / "pairings").iterdir()}
    assert run("--resume", "--json", "--out", str(parts)) == 0
    assert before == {file: file.stat().st_mtime_ns for file in (parts / "pairings").iterdir()}
    assert json.loads(capsys.readouterr().out)["games"] == 600


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random"], "at least two agents"),
        (["random", "random"], "named twice"),
        (["random", "greddy"], "did you mean 'greedy'"),
        (["--resume"], "there is no tournament"),
        (["random", "advance", "--edition", "revisd"], "did you mean 'revised'"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*words, "--games", "2", "--json", "--out", str(tmp_path / "none")) == 2
    assert message in capsys.readouterr().err


def test_a_tournament_is_not_overwritten_or_mixed(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("random", "advance", "--out", str(played)) == 2
    assert "--resume" in capsys.readouterr().err
    assert run("--resume", "--seed", "4", "--out", str(played)) == 2
    assert "has seed 3" in capsys.readouterr().err


# A process that was started in the background may have inherited that Ctrl-C is ignored.
INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from training.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_interrupted_tournaments_resume(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    words = ["tournament", "random", "advance", "greedy", "--games", "2000000", "--out", str(folder)]
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    pairings = folder / "pairings"
    for _ in range(600):
        if list(pairings.glob("*.npy")):
            break
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert f"patchwork tournament --resume --out {folder}" in errors
    saved = {file.name: np.load(file) for file in pairings.glob("*.npy")}
    assert saved
    figures = json.loads((folder / "standings.json").read_text())
    assert not figures["complete"]
    assert figures["games"] == sum(len(rows) for rows in saved.values())
    assert "not finished" in (folder / "report.html").read_text()
    games = max(len(rows) for rows in saved.values()) + 64
    assert run("--resume", "--games", str(games), "--json", "--out", str(folder)) == 0
    for name, rows in saved.items():
        assert np.array_equal(np.load(pairings / name)["scores"][: len(rows)], rows["scores"])


def test_precision_ends_pairings_early(tmp_path: Path) -> None:
    assert run("random", "greedy", "--precision", "0.05", "--json", "--out", str(tmp_path / "out")) == 0
    figures = json.loads((tmp_path / "out" / "standings.json").read_text())
    assert figures["complete"]
    assert figures["games"] < 1000


def test_slow_agents_may_play_less(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["random", "advance", "greedy", "--games", "80", "--limit", "greedy=20", "--json"]
    assert run(*words, "--out", str(tmp_path)) == 0
    figures = json.loads(capsys.readouterr().out)
    games = {(entry["first"], entry["second"]): entry["games"] for entry in figures["pairings"]}
    assert games == {("advance", "random"): 80, ("greedy", "random"): 20, ("greedy", "advance"): 20}
    assert figures["complete"]
    assert "--limit greedy=20" in (tmp_path / "report.html").read_text()
    assert run("--resume", "--json", "--out", str(tmp_path)) == 0
    assert json.loads(capsys.readouterr().out)["games"] == 120
    with pytest.raises(SystemExit):
        run(*words, "--limit", "greedy", "--out", str(tmp_path))
    assert "expected AGENT=GAMES" in capsys.readouterr().err


def test_the_ladder(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = strength.Budget(("random", "advance", "greedy"), 20, 6, {"greedy": 10})
    monkeypatch.setitem(strength.BUDGETS, "small", tiny)
    assert strength.main(["--out", str(tmp_path)]) == 0
    folder = tmp_path / "small"
    tables = (folder / "ladder.md").read_text()
    for part in ("`revised`, 40 games", "`stack_n_stuff`, 40 games", "`greedy` against the Automa", "| legend |"):
        assert part in tables
    widths = {line.count("|") for line in tables.split("\n\n")[1].splitlines()}
    assert len(widths) == 1
    assert (folder / "stack_n_stuff" / "report.html").exists()
    before = (folder / "revised" / "pairings" / "greedy__random.npy").stat().st_mtime_ns
    assert strength.main(["--out", str(tmp_path)]) == 0  # goes on: nothing is left to play
    assert (folder / "revised" / "pairings" / "greedy__random.npy").stat().st_mtime_ns == before
    assert (folder / "ladder.md").read_text() == tables


def test_the_real_budgets_name_agents_that_exist() -> None:
    for budget in strength.BUDGETS.values():
        for agent in budget.agents:
            make_agent(agent)
        assert set(budget.limits) <= set(budget.agents)
