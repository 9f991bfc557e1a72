"""`patchwork watch`, `patchwork replay` and `patchwork play` as a user calls them."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from patchwork_env.commands import play
from patchwork_env.games.patchwork.notation import parse_game
from patchwork_env.interfaces.replay import check_result, replay
from training.cli import main

from .games import FOLDER, recorded


@pytest.fixture
def terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is captured passes for a terminal."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")


def test_watch_prints_the_moves_and_the_end(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    saved, film = tmp_path / "game.txt", tmp_path / "game.gif"
    words = ["watch", "greedy", "random", "--edition", "stack_n_stuff", "--seed", "3"]
    assert main([*words, "--save", str(saved), "--gif", str(film)]) == 0
    output = capsys.readouterr().out
    record = parse_game(saved.read_text())
    assert record.players == ("greedy", "random")
    *_, end = replay(record)
    check_result(record, end)
    numbered = [line for line in output.splitlines() if re.match(r" +\d+  (greedy|random): ", line)]
    assert len(numbered) == len(record.moves)
    assert f"wins {max(end.scores)} to {min(end.scores)}" in output
    assert film.read_bytes().startswith(b"GIF89a")
    main(words)
    assert output.startswith(capsys.readouterr().out)  # the same seed, the same game


@pytest.mark.usefixtures("terminal")
def test_watch_redraws_the_board_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["watch", "advance", "advance", "--edition", "stack_n_stuff", "--seed", "3", "--delay", "0"]) == 0
    output = capsys.readouterr().out
    boards = output.split("\x1b[2J\x1b[H")[1:]
    assert all("Stack'n Stuff" in board for board in boards)
    assert "wins" in boards[-1]
    assert len(boards) > 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["watch", "greedy", "gredy"], "unknown agent 'gredy' (did you mean 'greedy'?)"),
        (["watch", "greedy", "greedy", "--edition", "revisde"], "unknown edition 'revisde'"),
        (["watch", "greedy", "greedy", "--delay", "-1"], "--delay must be between 0 and 60"),
        (["replay", "nowhere.txt"], "No such file"),
        (["replay", str(FOLDER / "revised.txt"), "--gif", "film.avi"], "expected a name ending in .gif"),
        (["play", "--opponent", "gredy"], "unknown agent 'gredy'"),
        (["play", "--host", "203.0.113.7", "--port", "1"], "cannot listen on 203.0.113.7, port 1"),
    ],
)
def test_mistakes_are_told_in_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"patchwork {words[0]}: ")
    assert message in error
    assert len(error.splitlines()) == 1


@pytest.mark.usefixtures("terminal")
def test_replay_steps_through_a_game(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    answers: Iterator[str] = iter(["", "", "b", "999", "x", "3", "q"])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert main(["replay", str(FOLDER / "revised.txt")]) == 0
    count = len(recorded("revised").moves)
    positions = [int(number) for number in re.findall(r"position (\d+) of", capsys.readouterr().out)]
    assert positions == [0, 1, 2, 1, count, count, 3]


@pytest.mark.usefixtures("terminal")
def test_replay_ends_with_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_more(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", no_more)
    assert main(["replay", str(FOLDER / "revised.txt")]) == 0


def test_replay_prints_boards_and_films(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    count = len(recorded("stack_n_stuff").moves)
    assert main(["replay", str(FOLDER / "stack_n_stuff.txt"), "--boards"]) == 0
    assert capsys.readouterr().out.count("Stack'n Stuff") == count + 1
    film = tmp_path / "game.gif"
    assert main(["replay", str(FOLDER / "stack_n_stuff.txt"), "--gif", str(film), "--fps", "5", "--width", "300"]) == 0
    assert film.read_bytes().startswith(b"GIF89a")


def test_play_finds_a_free_port() -> None:
    first = play._listen("127.0.0.1", None)
    first.listen()
    second = play._listen("127.0.0.1", None)
    assert first.getsockname()[1] != second.getsockname()[1]
    for listener in (first, second):
        listener.close()


def test_play_refuses_a_taken_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="cannot listen on"):
            play._listen("127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("host", "address", "loopback"),
    [
        ("127.0.0.1", "http://127.0.0.1:80/", True),
        ("::1", "http://[::1]:80/", True),
        ("localhost", "http://localhost:80/", True),
        ("0.0.0.0", "http://localhost:80/", False),
        ("games.example", "http://games.example:80/", False),
    ],
)
def test_addresses(host: str, address: str, loopback: bool) -> None:
    assert play._address(host, 80) == address
    assert play._is_loopback(host) == loopback
