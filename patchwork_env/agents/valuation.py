"""What a decision is worth: the value that the greedy player maximises and the searches are guided by.

Values are in buttons. Each weight has two numbers, one for the start of the time track and one for its end; in
between they are mixed by the share of the track that still lies before the player. `WEIGHTS` says what each one
multiplies. The numbers are in ``weights/``, in a file for each edition they were tuned for by
``training/tune_greedy.py``; other editions play with those of the one whose quilt is nearest in size.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from patchwork_env.agents.packing import (
    DEAD_ENDS,
    LONE,
    NARROW,
    PAIRS,
    QUILT_FEATURES,
    SQUARES,
    outlook,
    quilt_value,
)
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.games.patchwork.rules import placed_words
from patchwork_env.games.patchwork.state import NOBODY
from patchwork_env.kernels import kernel

# name -> (row in the array of weights, what the weight multiplies)
WEIGHTS: dict[str, tuple[int, str]] = {
    "pairs": (PAIRS, "neighbouring empty cells that are left"),
    "squares": (SQUARES, "2x2 squares of empty cells that are left"),
    "lone": (LONE, "empty cells without an empty neighbour"),
    "dead_ends": (DEAD_ENDS, "empty cells with exactly one empty neighbour"),
    "narrow": (NARROW, "empty cells in no 2x2 square of empty cells"),
    "ways": (5, "log2 of the ways in which the next patches of the circle could still be laid"),
    "unreachable": (6, "empty cells that no patch left in the game can cover"),
    "cells": (7, "cells of the patch"),
    "income": (8, "income of the patch, times the income spaces still before the player"),
    "cost": (9, "buttons paid"),
    "time": (10, "spaces moved"),
    "keeps_turn": (11, "1 if the same player decides next"),
    "special": (12, "special patches reached first"),
    "paid": (13, "buttons of income paid in this move"),
    "bonus": (14, "points of the bonus tile if it is earned"),
}
WAYS, UNREACHABLE, CELLS, INCOME, COST, TIME, KEEPS_TURN, SPECIAL, PAID, BONUS = (
    WEIGHTS[name][0]
    for name in ("ways", "unreachable", "cells", "income", "cost", "time", "keeps_turn", "special", "paid", "bonus")
)
HORIZON = 8  # patches of the circle that `ways` looks at

WEIGHTS_FOLDER = Path(__file__).parent / "weights"

assert [row for row, _ in WEIGHTS.values()] == list(range(len(WEIGHTS)))
assert QUILT_FEATURES == WAYS


class WeightsError(ValueError):
    """A weights file that cannot be used; the message names the field."""


def read_weights(path: Path) -> NDArray[np.float64]:
    """(weights, 2) the numbers of a weights file: at the start of the track, and at its end."""
    fields: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    numbers = fields.get("weights") if isinstance(fields, dict) else None
    if not isinstance(numbers, dict):
        raise WeightsError(f"{path.name}: weights: expected a mapping of names to {{start: ..., end: ...}}")
    for name in numbers:
        if name not in WEIGHTS:
            raise WeightsError(f"{path.name}: weights: unknown weight {name!r}; known are {', '.join(WEIGHTS)}")
    try:
        return np.array([[float(numbers[name]["start"]), float(numbers[name]["end"])] for name in WEIGHTS])
    except KeyError as error:
        raise WeightsError(f"{path.name}: weights: {error} is missing") from None
    except (TypeError, ValueError) as error:
        raise WeightsError(f"{path.name}: weights: expected {{start: ..., end: ...}} of numbers: {error}") from None


@functools.lru_cache(maxsize=64)
def tuned_weights(edition: Edition) -> NDArray[np.float64]:
    """The weights for an edition that come with the package, read-only."""
    path = min(
        sorted(WEIGHTS_FOLDER.glob("*.yaml")),
        key=lambda path: (path.stem != edition.name, abs(load_edition(path.stem).cells - edition.cells)),
    )
    weights = read_weights(path)
    weights.flags.writeable = False
    return weights


@kernel
def mix_weights(table, game, weights, mixed_weights):
    """Write the weights that hold for the player to move at its place on the track."""
    mix_weights_at(table, game["positions"][game["to_play"]], weights, mixed_weights)


@kernel
def mix_weights_at(table, space, weights, mixed_weights):
    """Write the weights that hold for a player on that space."""
    last = table["last_space"]
    ahead = (last - space) / last
    for k in range(weights.shape[0]):
        mixed_weights[k] = weights[k, 1] + (weights[k, 0] - weights[k, 1]) * ahead


@kernel
def track_value(table, weights, start, other, space, income):
    """What it is worth to move from one space to another, with that income and the opponent's token on ``other``."""
    stop = min(np.int64(space), table["last_space"])
    value = weights[TIME] * (stop - start)
    marks = np.int64(table["incomes_after"][start]) - np.int64(table["incomes_after"][stop])
    value += weights[PAID] * marks * income
    # Special patches are taken by the first to get there, so only those beyond the opponent are left.
    reached = np.int64(table["next_special"][max(start, other)])
    while reached != -1 and reached <= stop:
        value += weights[SPECIAL]
        reached = np.int64(table["next_special"][reached])
    if stop <= other and stop < table["last_space"]:
        value += weights[KEEPS_TURN]
    return value


@kernel
def move_value(table, game, weights, space, income):
    """What it is worth to move the token of the player to move to that space, with that income."""
    player = game["to_play"]
    start = np.int64(game["positions"][player])
    other = np.int64(game["positions"][1 - player])
    return track_value(table, weights, start, other, space, income)


@kernel
def advance_value(table, game, weights):
    """What advancing is worth."""
    player = game["to_play"]
    start = np.int64(game["positions"][player])
    space = min(np.int64(game["positions"][1 - player]) + 1, table["last_space"])
    return space - start + move_value(table, game, weights, space, np.int64(game["incomes"][player]))


@kernel
def purchase_value(table, game, weights, patch):
    """What a patch is worth to the player to move, without what it does to the quilt."""
    player = game["to_play"]
    start = np.int64(game["positions"][player])
    other = np.int64(game["positions"][1 - player])
    return patch_value(table, weights, patch, start, other, np.int64(game["incomes"][player]))


@kernel
def patch_value(table, weights, patch, start, other, income):
    """What a patch is worth to a player on ``start`` with that income, without what it does to the quilt."""
    own = np.int64(table["income"][patch])
    return (
        weights[CELLS] * table["size"][patch]
        + weights[INCOME] * own * table["incomes_after"][start]
        + weights[COST] * table["cost"][patch]
        + track_value(table, weights, start, other, start + table["time"][patch], income + own)
    )


@kernel
def bonus_value(table, game, weights):
    """What completing the bonus square would be worth; 0 if the tile is gone or there is none."""
    if table["window_count"] == 0 or game["bonus_holder"] != NOBODY:
        return 0.0
    return weights[BONUS] * table["bonus_points"]


@kernel
def outlook_value(table, game, weights, bought, low, high):
    """What the patches left in the game could do with these empty cells, weighted."""
    if weights[WAYS] == 0.0 and weights[UNREACHABLE] == 0.0:
        return 0.0
    ways, unreachable = outlook(table, game, bought, low, high, HORIZON)
    return weights[WAYS] * ways + weights[UNREACHABLE] * unreachable


@kernel
def quilt_after(table, patch, place, low, high):
    """The empty cells that are left when a patch lies at that place (see `rank_placements`)."""
    turn, cell = divmod(place, table["cells"])
    cloth_low, cloth_high = placed_words(table, table["shape"][patch, turn], cell)
    return low & ~cloth_low, high & ~cloth_high


@kernel
def quilt_after_cell(table, cell, low, high):
    """The empty cells that are left when a special patch lies on that cell."""
    cloth_low, cloth_high = placed_words(table, np.int64(1), cell)
    return low & ~cloth_low, high & ~cloth_high


@kernel
def present_quilt_value(table, game, borders, weights, low, high):
    """The value of the quilt as it is: what every purchase is compared with."""
    return quilt_value(table, borders, weights, low, high) + outlook_value(table, game, weights, -1, low, high)
