"""What several tests need: arranging positions, playing at random, naming actions by what they do."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from patchwork_env import PatchworkBatch
from patchwork_env.games.patchwork.actions import describe, quilt_cells
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.state import low_rows
from patchwork_env.interfaces.game import GameView

EDITIONS = ("original", "revised", "halloween", "stack_n_stuff")


def start(edition: str = "revised", **settings: Any) -> PatchworkBatch:
    """One game of an edition, set up."""
    games = PatchworkBatch(1, edition, **{"seed": 5, "auto_reset": False, "threads": 1, **settings})
    games.reset()
    return games


def arrange(games: PatchworkBatch, index: int = 0, **fields: Any) -> GameView:
    """Change fields of a game's record; ``circle`` takes a list, ``quilts`` two sets of covered cells."""
    record = games.state[index]
    if "circle" in fields:
        circle = fields.pop("circle")
        record["circle"] = -1
        record["circle"][: len(circle)] = circle
        record["circle_size"] = len(circle)
    if "quilts" in fields:
        for player, cells in enumerate(fields.pop("quilts")):
            record["quilts"][player] = words(games.edition, cells)
    for name, value in fields.items():
        record[name] = value
    if "resolved" not in fields:
        record["resolved"] = record["positions"][record["to_play"]]
    games.load(index, games.save(index))  # checks the record and renews the mask
    return games.game(index)


def words(edition: Edition, cells: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Covered cells as the two words of a record."""
    number = sum(1 << row * edition.columns + column for row, column in cells)
    low = low_rows(edition) * edition.columns
    return number & (1 << low) - 1, number >> low


def all_cells(edition: Edition, without: Iterable[tuple[int, int]] = ()) -> set[tuple[int, int]]:
    """Every cell of a quilt, but for some."""
    return {(row, column) for row in range(edition.rows) for column in range(edition.columns)} - set(without)


def covered(games: PatchworkBatch, player: int, index: int = 0) -> set[tuple[int, int]]:
    """The covered cells of a player's quilt."""
    return quilt_cells(games.edition, games.state[index]["quilts"][player])


def meanings(games: PatchworkBatch, index: int = 0) -> dict[tuple[Any, ...], int]:
    """The legal actions by what they do, in the words of the reference; no two may do the same."""
    named: dict[tuple[Any, ...], int] = {}
    for action in np.flatnonzero(games.action_mask[index]):
        info = describe(games.edition, games.state[index], int(action))
        key: tuple[Any, ...] = (info.kind,)
        if info.kind == "special":
            key = ("special", (info.row, info.column))
        elif info.kind == "buy":
            key = ("buy", info.slot, info.patch, frozenset(info.cells))
        assert key not in named
        named[key] = int(action)
    return named


def play(games: PatchworkBatch, *key: Any) -> Any:
    """Play the action with that meaning in game 0; for a purchase the patch id is enough, it then goes anywhere."""
    named = meanings(games)
    if key[0] == "buy" and len(key) == 2:
        key = next(name for name in named if name[0] == "buy" and name[2] == key[1])
    return games.step(np.array([named[key]]))


def random_actions(games: PatchworkBatch, generator: np.random.Generator) -> np.ndarray[Any, Any]:
    """A uniformly random legal action for every game (0 in those that are over)."""
    noise = generator.random(games.action_mask.shape)
    chosen: np.ndarray[Any, Any] = np.argmax(noise * games.action_mask, axis=1)
    return chosen


def ticking(seconds: float) -> Callable[[], float]:
    """A clock that moves on by that much at every look."""
    looks = itertools.count(1)
    return lambda: next(looks) * seconds
