"""What a player sees: the structured arrays of one game, and the flat tensor made of them.

Everything is told from the viewer's side: index 0 is the viewer, index 1 the opponent. SPEC.md has the layout
with a worked example; `tensor_layout` gives the slices of the tensor by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import OFFERED, Edition
from patchwork_env.games.patchwork.rules import empty_cells, special_pending, write_cells
from patchwork_env.games.patchwork.state import PATCH_NUMBERS
from patchwork_env.kernels import kernel

OBSERVATION_VERSION = 1  # goes up when an observation changes; SPEC.md has the history
MOVER = 2  # as a viewer: whoever is to move

SCALARS = (
    "own_position",
    "opponent_position",
    "own_buttons",
    "opponent_buttons",
    "own_income",
    "opponent_income",
    "own_empty_cells",
    "opponent_empty_cells",
    "own_bonus_tile",
    "opponent_bonus_tile",
    "own_next_income",  # the space of the next income mark; -1 when there is none
    "opponent_next_income",
    "next_special",  # the space of the first special patch left on the track; -1 when there is none
    "specials_to_place",  # special patches that the mover has reached in this move and not yet settled
    "spaces_to_resolve",  # spaces of this move whose events are still to come, the pending one included
    "own_turn",  # 1 when the viewer decides
    "circle_size",
    "refilled",
    "decisions",
    "game_over",
)


@kernel
def write_observation(table, game, viewer, quilts, patches, circle, scalars):
    """Fill the arrays of one game; the shapes are those of `observation_shapes` without the leading axis."""
    if viewer == MOVER:
        viewer = game["to_play"]
    other = 1 - viewer
    for side in range(2):
        quilt = game["quilts"][viewer if side == 0 else other]
        write_cells(table, quilt[0], quilt[1], quilts[side])
    size = game["circle_size"]
    for slot in range(OFFERED):
        if slot < size:
            view = table["views"][game["circle"][slot]]
            for k in range(patches.shape[1]):
                patches[slot, k] = view[k]
        else:
            patches[slot, :] = 0
    for position in range(circle.shape[0]):
        circle[position] = game["circle"][position]
    write_scalars(table, game, viewer, scalars)


@kernel
def write_scalars(table, game, viewer, scalars):
    """The numbers named in `SCALARS`."""
    other = 1 - viewer
    own, opponent = game["positions"][viewer], game["positions"][other]
    mover = game["to_play"]
    pending = 0
    if special_pending(game):
        for space in range(game["resolved"] + 1, game["positions"][mover] + 1):
            if table["special_at"][space] and game["positions"][1 - mover] < space:
                pending += 1
    scalars[0] = own
    scalars[1] = opponent
    scalars[2] = game["buttons"][viewer]
    scalars[3] = game["buttons"][other]
    scalars[4] = game["incomes"][viewer]
    scalars[5] = game["incomes"][other]
    scalars[6] = empty_cells(table, game, viewer)
    scalars[7] = empty_cells(table, game, other)
    scalars[8] = game["bonus_holder"] == viewer
    scalars[9] = game["bonus_holder"] == other
    scalars[10] = table["next_income"][own]
    scalars[11] = table["next_income"][opponent]
    scalars[12] = table["next_special"][max(own, opponent)]
    scalars[13] = pending
    scalars[14] = game["positions"][mover] - game["resolved"]
    scalars[15] = mover == viewer and not game["done"]
    scalars[16] = game["circle_size"]
    scalars[17] = game["refilled"]
    scalars[18] = game["decisions"]
    scalars[19] = game["done"]


@kernel
def write_tensor(quilts, patches, circle, scalars, scales, tensor):
    """The four arrays of one game as one row of numbers of about unit size.

    The circle is told patch by patch: how far patch k is from the neutral token (1 for the next), 0 if it is gone.
    """
    place = 0
    for value in quilts.flat:
        tensor[place] = value
        place += 1
    for value in patches.flat:
        tensor[place] = value * scales[place]
        place += 1
    for patch in range(circle.shape[0]):
        tensor[place + patch] = 0
    for position in range(circle.shape[0]):
        if circle[position] < 0:
            break
        tensor[place + np.int64(circle[position])] = (position + 1) * scales[place]
    place += circle.shape[0]
    for k in range(scalars.shape[0]):
        tensor[place] = scalars[k] * scales[place]
        place += 1


def observation_shapes(edition: Edition) -> dict[str, tuple[tuple[int, ...], type[np.generic]]]:
    """Shape (without the axis of games) and dtype of each structured array."""
    return {
        "quilts": ((2, edition.rows, edition.columns), np.uint8),
        "patches": ((OFFERED, PATCH_NUMBERS + edition.longest_side**2), np.int8),
        "circle": ((len(edition.patches),), np.int8),
        "scalars": ((len(SCALARS),), np.int16),
    }


@dataclass(frozen=True)
class TensorLayout:
    """Where things stand in the flat tensor, and by what each entry was multiplied."""

    quilts: slice
    patches: slice
    circle: slice
    scalars: slice
    scales: NDArray[np.float32]  # (size,)
    low: NDArray[np.float32]  # (size,) bounds of the observation space
    high: NDArray[np.float32]

    @property
    def size(self) -> int:
        """Entries of the tensor."""
        return int(self.scalars.stop)


def tensor_layout(edition: Edition) -> TensorLayout:
    """The layout of an edition's tensor."""
    slices: list[slice] = []
    start = 0
    for shape, _ in observation_shapes(edition).values():
        stop = start + int(np.prod(shape))
        slices.append(slice(start, stop))
        start = stop
    quilts, patches, circle, scalars = slices
    largest = np.ones(start)  # the largest value that an entry can have before scaling
    scales = np.ones(start)
    numbers = np.array([[patch.cost, patch.time, patch.income, len(patch.shape)] for patch in edition.patches])
    view = np.ones(PATCH_NUMBERS + edition.longest_side**2)
    view[:PATCH_NUMBERS] = np.maximum(numbers.max(axis=0), 1)
    largest[patches] = np.tile(view, OFFERED)
    scales[patches] = 1 / largest[patches]
    largest[circle] = len(edition.patches)
    scales[circle] = 1 / len(edition.patches)
    largest[scalars], scales[scalars] = _scalar_scales(edition)
    low = np.zeros(start, np.float32)
    low[scalars] = -scales[scalars]  # "none" is -1
    return TensorLayout(
        quilts, patches, circle, scalars, scales.astype(np.float32), low, (largest * scales).astype(np.float32)
    )


def _scalar_scales(edition: Edition) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The largest value of each scalar, and the factor that brings its usual values to about one."""
    income = sum(patch.income for patch in edition.patches)
    money = edition.start_buttons + 2 * edition.last_space + income * len(edition.income_spaces)
    decisions = 2 * edition.last_space + len(edition.patches) + len(edition.special_spaces)
    space, flag = (edition.last_space, edition.last_space), (1, 1)
    ranges = {  # name -> (largest value, value that becomes 1)
        "own_position": space,
        "opponent_position": space,
        "own_buttons": (money, 20),
        "opponent_buttons": (money, 20),
        "own_income": (max(income, 1), 10),
        "opponent_income": (max(income, 1), 10),
        "own_empty_cells": (edition.cells, edition.cells),
        "opponent_empty_cells": (edition.cells, edition.cells),
        "own_bonus_tile": flag,
        "opponent_bonus_tile": flag,
        "own_next_income": space,
        "opponent_next_income": space,
        "next_special": space,
        "specials_to_place": (max(len(edition.special_spaces), 1), 1),
        "spaces_to_resolve": (edition.last_space, 10),
        "own_turn": flag,
        "circle_size": (len(edition.patches), len(edition.patches)),
        "refilled": flag,
        "decisions": (decisions, 50),
        "game_over": flag,
    }
    pairs = np.array([ranges[name] for name in SCALARS], np.float64)
    return pairs[:, 0], 1 / pairs[:, 1]
