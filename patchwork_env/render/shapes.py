"""The shapes that a picture is made of, and geometry of patches.

A `Picture` says where every shape lies, in units of one pixel at scale 1; a backend only draws them in order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from patchwork_env.games.patchwork.shapes import Cell

Point = tuple[float, float]


@dataclass(frozen=True)
class Rect:
    """A rectangle, its corners rounded by `radius`."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1
    radius: float = 0


@dataclass(frozen=True)
class Polygon:
    """A closed area."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True)
class Line:
    """A path of straight strokes with round joints."""

    points: tuple[Point, ...]
    stroke: str
    stroke_width: float = 1


@dataclass(frozen=True)
class Disc:
    """A filled circle, with a rim if `stroke` says so."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1


@dataclass(frozen=True)
class Label:
    """A line of text. The first letter of `anchor` is l, m or r (what x means), the text's middle is at y."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: str = "l"
    bold: bool = False


Shape = Rect | Polygon | Line | Disc | Label


@dataclass(frozen=True)
class Picture:
    """Shapes on a background, the later ones on top; labels lie above everything."""

    width: int
    height: int
    background: str
    shapes: tuple[Shape, ...]


def mixed(first: str, second: str, share: float) -> str:
    """``first`` with that share of ``second`` stirred in."""
    pairs = [(int(first[k : k + 2], 16), int(second[k : k + 2], 16)) for k in (1, 3, 5)]
    return "#" + "".join(f"{round(a + (b - a) * share):02X}" for a, b in pairs)


def luminance(colour: str) -> float:
    """Perceived lightness from 0 to 1: what the colour is in a grey picture."""
    red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def outlines(cells: Iterable[Cell]) -> list[list[Point]]:
    """The closed loops around a set of cells, as corners (x, y); cloth lies to the right of each stroke.

    Where two cells touch at a corner only, the loop stays with its cell::

        ##.     one loop around both; a hole gives a second loop, which runs the other way
        .##
    """
    cloth = set(cells)
    strokes: dict[Point, list[Point]] = {}
    for row, column in cloth:
        corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
        neighbours = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
        for side, neighbour in enumerate(neighbours):
            if neighbour not in cloth:
                strokes.setdefault(corners[side], []).append(corners[(side + 1) % 4])
    loops = []
    while strokes:
        start = min(strokes)
        loop = [start]
        direction: Point = (1, 0)
        here = start
        while True:
            choices = strokes[here]
            right_turn = (here[0] - direction[1], here[1] + direction[0])
            there = right_turn if right_turn in choices else choices[0]
            choices.remove(there)
            if not choices:
                del strokes[here]
            turned = (there[0] - here[0], there[1] - here[1])
            if turned == direction and len(loop) > 1:
                loop.pop()
            loop.append(there)
            direction, here = turned, there
            if here == start:
                break
        loop.pop()
        loops.append(loop)
    return loops


def inset(loop: list[Point], distance: float) -> list[Point]:
    """The loop moved by that distance towards the cloth."""
    moved = []
    for k, (x, y) in enumerate(loop):
        shift_x = shift_y = 0.0
        for (x0, y0), (x1, y1) in ((loop[k - 1], (x, y)), ((x, y), loop[(k + 1) % len(loop)])):
            length = abs(x1 - x0) + abs(y1 - y0)
            shift_x -= (y1 - y0) / length * distance
            shift_y += (x1 - x0) / length * distance
        moved.append((x + shift_x, y + shift_y))
    return moved


def dashes(loop: list[Point], dash: float, gap: float) -> list[tuple[Point, Point]]:
    """Stitches along a closed loop: on each side a whole number of them, beginning and ending at the corners."""
    stitches = []
    for k, (x, y) in enumerate(loop):
        to_x, to_y = loop[(k + 1) % len(loop)]
        length = abs(to_x - x) + abs(to_y - y)
        count = max(1, round((length + gap) / (dash + gap)))
        step = (length + gap) / count
        unit_x, unit_y = (to_x - x) / length, (to_y - y) / length
        for number in range(count):
            begin, end = number * step, number * step + step - gap
            stitches.append(
                ((x + unit_x * begin, y + unit_y * begin), (x + unit_x * end, y + unit_y * end)),
            )
    return stitches
