"""Patch shapes: reading them, turning them, and asking whether they hang together.

A shape is a sorted tuple of (row, column) cells whose smallest row and smallest column are 0. In text its rows
are joined by "/", with "#" for cloth and "." for nothing::

    "##./.##"   is   # # .   and   ((0, 0), (0, 1), (1, 1), (1, 2))
                     . # #
"""

from __future__ import annotations

from collections.abc import Iterable

Cell = tuple[int, int]
Shape = tuple[Cell, ...]

MAX_ORIENTATIONS = 8


def parse_shape(text: str) -> Shape:
    """The shape that ``text`` draws; ValueError says what is wrong with the drawing."""
    rows = text.split("/")
    unknown = sorted(set(text) - set("#./"))
    if unknown:
        raise ValueError(f"shape {text!r} may hold only '#', '.' and '/', not {''.join(unknown)!r}")
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(f"shape {text!r} has rows of different lengths")
    cells = [(row, column) for row, line in enumerate(rows) for column, mark in enumerate(line) if mark == "#"]
    if not cells:
        raise ValueError(f"shape {text!r} has no cloth")
    if normalised(cells) != tuple(cells) or (len(rows), len(rows[0])) != extent(cells):
        raise ValueError(f"shape {text!r} has an empty row or column at its edge")
    if not is_connected(cells):
        raise ValueError(f"shape {text!r} is not connected: every cell must share a side with another")
    return tuple(cells)


def shape_text(shape: Shape) -> str:
    """The drawing of ``shape``; the inverse of `parse_shape`."""
    height, width = extent(shape)
    return "/".join("".join("#" if (row, column) in shape else "." for column in range(width)) for row in range(height))


def normalised(cells: Iterable[Cell]) -> Shape:
    """The cells moved to the upper left corner and sorted."""
    cells = list(cells)
    top = min(row for row, _ in cells)
    left = min(column for _, column in cells)
    return tuple(sorted((row - top, column - left) for row, column in cells))


def extent(cells: Iterable[Cell]) -> tuple[int, int]:
    """Height and width of the bounding box that starts at (0, 0)."""
    cells = list(cells)
    return max(row for row, _ in cells) + 1, max(column for _, column in cells) + 1


def is_connected(cells: Iterable[Cell]) -> bool:
    """Whether every cell can be reached from every other through shared sides."""
    unseen = set(cells)
    frontier = [unseen.pop()]
    while frontier:
        row, column = frontier.pop()
        for neighbour in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if neighbour in unseen:
                unseen.remove(neighbour)
                frontier.append(neighbour)
    return not unseen


def orientations(shape: Shape) -> tuple[Shape, ...]:
    """The distinct ways to lay ``shape``, in the order that actions count them.

    Four quarter turns clockwise of the shape as drawn, then four of its mirror image (left and right swapped),
    leaving out every one that gives the same cells as an earlier one::

        drawn   turn 1   turn 2   turn 3   mirrored   ...
        ###     ##       ..#      #.       ###
        #..     .#       ###      #.       ..#
                .#                ##
    """
    found: list[Shape] = []
    for start in (shape, normalised((row, -column) for row, column in shape)):
        turned = start
        for _ in range(4):
            if turned not in found:
                found.append(turned)
            turned = normalised((column, -row) for row, column in turned)
    return tuple(found)
