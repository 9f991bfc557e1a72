"""Recorded games that the tests draw."""

from __future__ import annotations

import itertools
from pathlib import Path

from patchwork_env.games.patchwork.notation import GameRecord, parse_game
from patchwork_env.interfaces.game import GameView
from patchwork_env.render.history import History, follow
from patchwork_env.render.scene import Scene, make_scene

FOLDER = Path(__file__).parent / "games"
EDITIONS = ("original", "revised", "halloween", "stack_n_stuff")


def recorded(edition: str) -> GameRecord:
    return parse_game((FOLDER / f"{edition}.txt").read_text(), edition)


def position(edition: str, moves: int) -> tuple[GameView, History]:
    """The game after so many moves (-1: at its end)."""
    record = recorded(edition)
    stop = len(record.moves) if moves < 0 else moves
    return next(itertools.islice(follow(record), stop, None))


def scene_after(edition: str, moves: int) -> Scene:
    return make_scene(*position(edition, moves))
