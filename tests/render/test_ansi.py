from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest

from patchwork_env.render.ansi import COLUMNS, has_colour, to_text, visible_length
from patchwork_env.render.history import follow
from patchwork_env.render.scene import make_scene

from .games import EDITIONS, recorded, scene_after

GOLDEN = Path(__file__).parent / "golden"
SNAPSHOTS = [("original", 24), ("revised", 30), ("halloween", -1), ("stack_n_stuff", 14)]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("edition", "moves"), SNAPSHOTS)
def test_snapshot(edition: str, moves: int) -> None:
    path = GOLDEN / f"{edition}.ansi.txt"
    text = to_text(scene_after(edition, moves), colour=False)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("edition", EDITIONS)
def test_it_fits_the_width_at_every_move(edition: str) -> None:
    names = ("an agent with quite a long name, really", "mcts:400,seed=3")
    for game, history in follow(recorded(edition)):
        for colour in (False, True):
            text = to_text(make_scene(game, history, names), colour)
            assert max(visible_length(line) for line in text.splitlines()) <= COLUMNS


@pytest.mark.parametrize("fine", [False, True])
def test_colour_adds_nothing_but_escapes(monkeypatch: pytest.MonkeyPatch, fine: bool) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor" if fine else "")
    scene = scene_after("revised", 30)
    coloured = to_text(scene, colour=True)
    assert ("48;2;" in coloured) == fine
    assert ("48;5;" in coloured) != fine
    plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in plain.splitlines()] == to_text(scene, colour=False).splitlines()


def test_colour_follows_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert has_colour(_Terminal())
    assert not has_colour(io.StringIO())
    monkeypatch.setenv("TERM", "dumb")
    assert not has_colour(_Terminal())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert has_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not has_colour(_Terminal())
