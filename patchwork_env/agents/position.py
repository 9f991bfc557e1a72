"""What a position is worth: a small network, trained on games, that says how the game will go.

The network sees the player to move and its opponent alike, in numbers of about unit size that are fractions of what
the edition allows, and answers from -1 (the mover loses clearly) to 1. ``training/fit_search.py`` trains it and
writes the files in ``values/``. An edition whose quilt and track are unlike those of any file has no network; the
tree search then judges positions by `patchwork_env.agents.balance`. The files for `revised`, here and in ``priors/``,
have learnt from 127,977 decisions (3,072 games, seed 77) like those of the later rounds of ``configs/taught.yaml``: the
network that was shipped before the present one guided searches of 200 simulations.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.agents.packing import DEAD_ENDS, LONE, NARROW, PAIRS, SQUARES, count_quilt
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.games.patchwork.rules import empty_cells, possible_starts, special_pending
from patchwork_env.games.patchwork.state import NOBODY
from patchwork_env.kernels import count_bits, kernel

PLAYER_FEATURES = 14
SHOWN = 6  # patches from the neutral token on that are looked at
PATCH_FEATURES = 10
COMMON_FEATURES = 4
FEATURES = 2 * PLAYER_FEATURES + SHOWN * PATCH_FEATURES + COMMON_FEATURES
HIDDEN = 48
PARAMETERS = (FEATURES + 1) * HIDDEN + (HIDDEN + 1) * HIDDEN + HIDDEN + 1
VALUES_FOLDER = Path(__file__).parent / "values"


@functools.lru_cache(maxsize=64)
def position_network(edition: Edition) -> NDArray[np.float32]:
    """The network for an edition, read-only: its `PARAMETERS` numbers, or none at all if it has no network."""
    return network_of(edition, VALUES_FOLDER, PARAMETERS)


def network_of(edition: Edition, folder: Path, parameters: int) -> NDArray[np.float32]:
    """The numbers of a folder's network for an edition, read-only; none if no file there is of its kind."""
    network = np.zeros(0, np.float32)
    for path in sorted(folder.glob("*.npy"), key=lambda path: path.stem != edition.name):
        trained = load_edition(path.stem)
        if _kind(trained) == _kind(edition):
            network = np.load(path, allow_pickle=False)
            if network.shape != (parameters,) or network.dtype != np.float32:
                raise ValueError(f"{path.name}: expected {parameters} numbers of float32, got {network.shape}")
            break
    network.flags.writeable = False
    return network


def _kind(edition: Edition) -> tuple[object, ...]:
    """What editions must have in common to be played by one network."""
    return edition.rows, edition.columns, edition.last_space, edition.income_spaces, edition.bonus_square


@kernel
def write_features(table, game, borders, counts, features):
    """What the network sees of a position. ``counts`` is scratch for the counts of a quilt."""
    mover = np.int64(game["to_play"])
    last = table["last_space"]
    marks = np.float64(max(int(table["incomes_after"][0]), 1))
    for side in range(2):
        player = mover if side == 0 else 1 - mover
        out = features[side * PLAYER_FEATURES : (side + 1) * PLAYER_FEATURES]
        quilt = game["quilts"][player]
        low = table["full"][0] & ~quilt[0]
        high = table["full"][1] & ~quilt[1]
        count_quilt(table, borders, low, high, counts)
        position = np.int64(game["positions"][player])
        income = np.int64(game["incomes"][player])
        ahead = np.int64(table["incomes_after"][position])
        left = (last - position) / last
        out[0] = game["buttons"][player] / 20.0
        out[1] = income / 15.0
        out[2] = ahead / marks
        out[3] = income * ahead / 50.0
        out[4] = left
        out[5] = left * left
        out[6] = empty_cells(table, game, player) / table["cells"]
        out[7] = counts[PAIRS] / (2.0 * table["cells"])
        out[8] = counts[SQUARES] / table["cells"]
        out[9] = counts[LONE] / 5.0
        out[10] = counts[DEAD_ENDS] / 8.0
        out[11] = counts[NARROW] / 16.0
        out[12] = 1.0 if game["bonus_holder"] == player else 0.0
        out[13] = bonus_progress(table, game, low, high)
    first = 2 * PLAYER_FEATURES
    for shown in range(SHOWN):
        out = features[first + shown * PATCH_FEATURES : first + (shown + 1) * PATCH_FEATURES]
        out[:] = 0.0
        if shown < game["circle_size"]:
            patch = np.int64(game["circle"][shown])
            out[0] = table["cost"][patch] / 10.0
            out[1] = table["time"][patch] / 6.0
            out[2] = table["income"][patch] / 3.0
            out[3] = table["size"][patch] / 6.0
            for side in range(2):
                player = mover if side == 0 else 1 - mover
                ahead = np.int64(table["incomes_after"][game["positions"][player]])
                out[4 + side] = 1.0 if table["cost"][patch] <= game["buttons"][player] else 0.0
                out[6 + side] = 1.0 if fits(table, patch, game["quilts"][player]) else 0.0
                out[8 + side] = (
                    2 * table["size"][patch] + ahead * table["income"][patch] - table["cost"][patch]
                ) / 20.0
    out = features[first + SHOWN * PATCH_FEATURES :]
    distance = np.int64(game["positions"][1 - mover]) - np.int64(game["positions"][mover])
    out[0] = distance / 8.0
    out[1] = game["circle_size"] / table["patch_count"]
    furthest = max(np.int64(game["positions"][0]), np.int64(game["positions"][1]))
    space = np.int64(table["next_special"][furthest])
    out[2] = 1.0 if space == -1 else min((space - furthest) / 8.0, 1.0)
    out[3] = 1.0 if special_pending(game) else 0.0


@kernel
def write_features_of_games(indices, tables, games, borders, counts, features):
    """The features of each game named."""
    for k in range(indices.shape[0]):
        write_features(tables[0], games[indices[k]], borders, counts, features[k])


@kernel
def fits(table, patch, quilt):
    """Whether a patch can be laid on a quilt."""
    low = table["full"][0] & ~quilt[0]
    high = table["full"][1] & ~quilt[1]
    shift = table["upper_cells"]
    upper = (low >> shift) | (high << (table["low_cells"] - shift))
    for turn in range(table["orientation_count"][patch]):
        starts_low, starts_high = possible_starts(table, patch, turn, low, upper)
        if starts_low != 0 or starts_high != 0:
            return True
    return False


@kernel
def bonus_progress(table, game, low, high):
    """How nearly a quilt with these empty cells holds the bonus square, 0 to 1; 0 if the tile is gone."""
    if table["window_count"] == 0 or game["bonus_holder"] != NOBODY:
        return 0.0
    missing = table["cells"]
    for k in range(table["window_count"]):
        window = table["windows"][k]
        missing = min(missing, count_bits(low & window[0]) + count_bits(high & window[1]))
    return 1.0 / (1.0 + missing / 4.0)


@kernel
def layer(network, start, inputs, outputs):
    """One layer of the network, without its bend; where the next one's parameters begin."""
    width = outputs.shape[0]
    bias = start + inputs.shape[0] * width
    for j in range(width):
        outputs[j] = network[bias + j]
    for i in range(inputs.shape[0]):
        row = network[start + i * width : start + (i + 1) * width]
        value = inputs[i]
        for j in range(width):
            outputs[j] += value * row[j]
    return bias + width


@kernel
def position_value(table, game, borders, network, scratch):
    """How the game is expected to go for player 0, from -1 to 1; ``scratch`` is a row of `position_scratch`."""
    counts, features, first, second, answer = scratch
    write_features(table, game, borders, counts, features)
    start = layer(network, 0, features, first)
    for j in range(first.shape[0]):
        first[j] = max(first[j], np.float32(0.0))
    start = layer(network, start, first, second)
    for j in range(second.shape[0]):
        second[j] = max(second[j], np.float32(0.0))
    layer(network, start, second, answer)
    value = np.tanh(np.float64(answer[0]))
    return value if game["to_play"] == 0 else -value


def position_scratch(count: int) -> tuple[NDArray[Any], ...]:
    """What `position_value` works in, once for each of ``count`` callers."""
    sizes = (FEATURES, HIDDEN, HIDDEN, 1)
    return np.zeros((count, 5)), *(np.zeros((count, size), np.float32) for size in sizes)
