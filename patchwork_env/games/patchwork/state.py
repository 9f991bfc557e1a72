"""What the compiled core works on: the record of one game, and the tables of one edition.

A batch is an array of `GAME` records. All fields of a game lie side by side, so a step touches two cache lines
and `save` is one copy of 120 bytes; ``games["buttons"]`` still gives the column over all games.

A quilt is a set of cells, kept as two whole numbers. Cell (row, column) is number ``row * columns + column``;
the *low* word has the cells of the first ``low_rows`` rows, the *high* word the rest, so no word ever needs its
sign bit::

    9x9:  rows 0 to 6 -> low word, bits 0 to 62        7x7:  all rows -> low word, bits 0 to 48
          rows 7 to 8 -> high word, bits 0 to 17             high word always 0
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import (
    MAX_LAST_SPACE,
    MAX_PATCH_CELLS,
    MAX_PATCH_SIDE,
    MAX_PATCHES,
    MAX_QUILT_SIDE,
    Edition,
)
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS, Shape, extent

WORD_BITS = 63
NOBODY = -1

GAME = np.dtype(
    [
        ("quilts", np.int64, (2, 2)),  # [player, low/high word] covered cells
        ("circle", np.int8, (MAX_PATCHES,)),  # patch ids from the neutral token on; -1 past `circle_size`
        ("buttons", np.int16, (2,)),  # [player]
        ("positions", np.int16, (2,)),  # [player] space of the time token
        ("incomes", np.int16, (2,)),  # [player] income printed on the patches of the quilt
        ("resolved", np.int16),  # the mover's events are settled up to this space; less than its position
        #                          means that a special patch lies on the next one and must be placed
        ("decisions", np.int16),  # decisions taken so far
        ("circle_size", np.int8),  # patches left in the circle
        ("to_play", np.int8),  # player who decides; after the end the one who moved last
        ("bonus_holder", np.int8),  # player with the bonus tile; -1 nobody
        ("first_home", np.int8),  # player who reached the last space first; -1 nobody yet
        ("refilled", np.int8),  # 1 once the refill has joined the circle
        ("done", np.int8),  # 1 when the game is over
        ("filler", np.int8, (2,)),  # always 0; in its place numpy would leave bytes that no copy keeps
    ],
    align=True,
)

_SPACES = MAX_LAST_SPACE + 1
_MAX_WINDOWS = MAX_QUILT_SIDE * MAX_QUILT_SIDE
PATCH_NUMBERS = 4  # cost, time, income, cells; they lead a patch's row of `views`

TABLES = np.dtype(
    [
        ("rows", np.int64),
        ("columns", np.int64),
        ("cells", np.int64),  # rows * columns
        ("low_cells", np.int64),  # cells in the low word
        ("full", np.int64, (2,)),  # [low/high word] all cells
        ("upper_cells", np.int64),  # number of the first cell of the upper frame, see `_anchors`
        ("decline", np.int64),  # the action that declines a special patch
        ("may_decline", np.int64),
        ("start_buttons", np.int64),
        ("last_space", np.int64),
        ("bonus_points", np.int64),
        ("start_patch", np.int64),
        ("patch_count", np.int64),  # all patches of the edition
        ("first_circle", np.int64),  # patches in the first circle
        ("refill_when_left", np.int64),  # -1 never
        ("longest_side", np.int64),
        ("income_at", np.int8, (_SPACES,)),  # [space] 1 where income is paid
        ("special_at", np.int8, (_SPACES,)),  # [space] 1 where a special patch lies at the start
        ("incomes_after", np.int16, (_SPACES,)),  # [space] income marks further on
        ("next_income", np.int16, (_SPACES,)),  # [space] the first mark further on; -1 none
        ("next_special", np.int16, (_SPACES,)),  # [space] the first special space further on; -1 none
        ("cost", np.int16, (MAX_PATCHES,)),  # [patch]
        ("time", np.int16, (MAX_PATCHES,)),
        ("income", np.int16, (MAX_PATCHES,)),
        ("size", np.int16, (MAX_PATCHES,)),  # cells of the patch
        ("orientation_count", np.int16, (MAX_PATCHES,)),
        ("shape", np.int64, (MAX_PATCHES, MAX_ORIENTATIONS)),  # cells as a word, bounding box at (0, 0)
        ("offsets", np.int64, (MAX_PATCHES, MAX_ORIENTATIONS, MAX_PATCH_CELLS)),  # cell numbers of the shape
        ("anchors", np.int64, (MAX_PATCHES, MAX_ORIENTATIONS, 2)),  # [lower/upper frame], see `_anchors`
        ("window_count", np.int64),  # squares that earn the bonus tile
        ("windows", np.int64, (_MAX_WINDOWS, 2)),  # [square, low/high word]
        ("views", np.int8, (MAX_PATCHES, PATCH_NUMBERS + MAX_PATCH_SIDE**2)),  # numbers, then the drawn shape
    ],
    align=True,
)


def new_games(count: int) -> NDArray[Any]:
    """Records for ``count`` games that have yet to be set up."""
    return np.zeros(count, dtype=GAME)


def low_rows(edition: Edition) -> int:
    """Rows of the quilt that the low word holds."""
    return min(edition.rows, WORD_BITS // edition.columns)


@functools.lru_cache(maxsize=64)
def edition_tables(edition: Edition) -> NDArray[Any]:
    """The tables of an edition, computed once: an array with one `TABLES` record, read-only."""
    tables = np.zeros(1, dtype=TABLES)
    table = tables[0]
    low = low_rows(edition)
    table["rows"], table["columns"], table["cells"] = edition.rows, edition.columns, edition.cells
    table["low_cells"] = low * edition.columns
    table["full"] = _two_words(edition, range(edition.cells))
    table["upper_cells"] = (edition.rows - low) * edition.columns
    table["decline"] = edition.num_actions - 1
    table["may_decline"] = edition.special_may_be_declined
    table["start_buttons"] = edition.start_buttons
    table["last_space"] = edition.last_space
    table["bonus_points"] = edition.bonus_points
    table["start_patch"] = edition.start_patch
    table["patch_count"] = len(edition.patches)
    table["first_circle"] = edition.circle_size
    table["refill_when_left"] = -1 if edition.refill_when_left is None else edition.refill_when_left
    table["longest_side"] = edition.longest_side
    _fill_track(table, edition)
    for number, patch in enumerate(edition.patches):
        table["cost"][number], table["time"][number] = patch.cost, patch.time
        table["income"][number], table["size"][number] = patch.income, len(patch.shape)
        table["orientation_count"][number] = len(patch.orientations)
        for turn, shape in enumerate(patch.orientations):
            offsets = [row * edition.columns + column for row, column in shape]
            table["offsets"][number, turn, : len(offsets)] = offsets
            table["shape"][number, turn] = sum(1 << offset for offset in offsets)
            table["anchors"][number, turn] = _anchors(edition, shape)
        view = np.zeros((edition.longest_side, edition.longest_side), np.int8)
        view[tuple(np.transpose(patch.shape))] = 1
        table["views"][number, :PATCH_NUMBERS] = patch.cost, patch.time, patch.income, len(patch.shape)
        table["views"][number, PATCH_NUMBERS : PATCH_NUMBERS + view.size] = view.ravel()
    if edition.bonus_square is not None:
        windows = _bonus_windows(edition, edition.bonus_square)
        table["window_count"] = len(windows)
        table["windows"][: len(windows)] = windows
    tables.flags.writeable = False
    return tables


def _fill_track(table: Any, edition: Edition) -> None:
    table["next_income"], table["next_special"] = -1, -1
    table["income_at"][list(edition.income_spaces)] = 1
    table["special_at"][list(edition.special_spaces)] = 1
    for space in range(edition.last_space + 1):
        incomes = [mark for mark in edition.income_spaces if mark > space]
        specials = [mark for mark in edition.special_spaces if mark > space]
        table["incomes_after"][space] = len(incomes)
        table["next_income"][space] = min(incomes, default=-1)
        table["next_special"][space] = min(specials, default=-1)


def _two_words(edition: Edition, cells: Any) -> tuple[int, int]:
    """The cell numbers as low and high word."""
    low = low_rows(edition) * edition.columns
    return sum(1 << cell for cell in cells if cell < low), sum(1 << cell - low for cell in cells if cell >= low)


def _anchors(edition: Edition, shape: Shape) -> tuple[int, int]:
    """Where the bounding box of ``shape`` may start, seen through two overlapping frames.

    Shifting a word by a cell's number and AND-ing over the cells of a shape tests all starts in that word at
    once, so every start must see its whole shape inside one word. The lower frame is the first ``low_rows`` rows;
    the upper frame is as many rows that end with the last one. The lower frame takes every start whose shape it
    holds, the upper one the starts below those::

        9 rows, height 3:     row 0 . . . . 6 7 8
                 lower frame      s s s s s . .          starts 0 to 4
                 upper frame          . . . s s . .      starts 5 to 6
    """
    height, width = extent(shape)
    low = low_rows(edition)
    upper = edition.rows - low
    columns = range(edition.columns - width + 1)
    lower_rows = range(low - height + 1)
    upper_rows = range(low - height + 1, edition.rows - height + 1)
    return (
        sum(1 << row * edition.columns + column for row in lower_rows for column in columns),
        sum(1 << (row - upper) * edition.columns + column for row in upper_rows for column in columns),
    )


def _bonus_windows(edition: Edition, side: int) -> list[tuple[int, int]]:
    """The cells of every square of that side, as words."""
    return [
        _two_words(
            edition,
            [(top + row) * edition.columns + left + column for row in range(side) for column in range(side)],
        )
        for top in range(edition.rows - side + 1)
        for left in range(edition.columns - side + 1)
    ]
