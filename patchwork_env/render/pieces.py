"""Patches and the game's other pieces as shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from patchwork_env.games.patchwork.palette import Palette
from patchwork_env.render.scene import PatchScene, Scene
from patchwork_env.render.shapes import (
    Disc,
    Label,
    Line,
    Polygon,
    Rect,
    Shape,
    dashes,
    inset,
    luminance,
    mixed,
    outlines,
)

BONUS_COLOUR = "#F2C14E"


class Style(Protocol):
    """What pieces are drawn with: an edition has it, and a scene."""

    @property
    def palette(self) -> Palette:
        """The colours."""
        ...

    @property
    def currency(self) -> tuple[str, str]:
        """The word for one button, and for many."""
        ...


# --- patches ------------------------------------------------------------------------------------------------------


def draw_patch(style: Style, patch: PatchScene, left: float, top: float, cell: float) -> Iterator[Shape]:
    """A patch whose cell (0, 0) would have its corner at (left, top)."""
    for row, column in patch.cells:
        yield Rect(left + column * cell, top + row * cell, cell, cell, patch.colour)
    if cell >= 14:
        for row, column in patch.cells:
            yield from _WEAVES[patch.weave](left + column * cell, top + row * cell, cell, _thread(patch.colour))
    loops = [[(left + x * cell, top + y * cell) for x, y in loop] for loop in outlines(patch.cells)]
    for loop in loops:
        if cell >= 20:
            stitch = mixed(patch.colour, "#FFFFFF", 0.65)
            for begin, end in dashes(inset(loop, cell * 0.1), cell * 0.16, cell * 0.12):
                yield Line((begin, end), stitch, max(1.0, cell * 0.035))
        yield Line((*loop, loop[0]), style.palette.seam, max(1.2, cell * 0.06))
    if patch.income and cell >= 20:
        for row, column in patch.cells[: patch.income]:
            yield from coin(style, left + (column + 0.5) * cell, top + (row + 0.5) * cell, cell * 0.23)


def _thread(colour: str) -> str:
    """The second colour of a weave: darker than light cloth, lighter than dark cloth."""
    return mixed(colour, "#000000", 0.2) if luminance(colour) > 0.55 else mixed(colour, "#FFFFFF", 0.3)


def _plain(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    yield from ()


def _dots(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    for across in (0.25, 0.75):
        for down in (0.25, 0.75):
            yield Disc(x + across * cell, y + down * cell, cell * 0.085, thread)


def _stripes(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    quarter, half, three, whole = (cell * part for part in (0.125, 0.375, 0.625, 0.875))
    yield Polygon(((x, y + quarter), (x + quarter, y), (x + half, y), (x, y + half)), thread)
    yield Polygon(((x, y + three), (x + three, y), (x + whole, y), (x, y + whole)), thread)
    end_x, end_y = x + cell, y + cell
    yield Polygon(((x + quarter, end_y), (end_x, y + quarter), (end_x, y + half), (x + half, end_y)), thread)
    yield Polygon(((x + three, end_y), (end_x, y + three), (end_x, y + whole), (x + whole, end_y)), thread)


def _checks(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    half = cell / 2
    yield Rect(x, y, half, half, thread)
    yield Rect(x + half, y + half, half, half, thread)


def _crosses(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    for across, down in ((0.25, 0.25), (0.75, 0.75)):
        at_x, at_y, arm = x + across * cell, y + down * cell, cell * 0.12
        yield Line(((at_x - arm, at_y), (at_x + arm, at_y)), thread, cell * 0.06)
        yield Line(((at_x, at_y - arm), (at_x, at_y + arm)), thread, cell * 0.06)


def _bars(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    for across in (0.125, 0.625):
        yield Rect(x + across * cell, y, cell / 4, cell, thread)


def _rings(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    yield Disc(x + cell / 2, y + cell / 2, cell * 0.3, None, thread, cell * 0.07)


def _lattice(x: float, y: float, cell: float, thread: str) -> Iterator[Shape]:
    middle_x, middle_y = x + cell / 2, y + cell / 2
    corners = ((middle_x, y), (x + cell, middle_y), (middle_x, y + cell), (x, middle_y), (middle_x, y))
    yield Line(corners, thread, cell * 0.06)


_WEAVES: dict[str, Callable[[float, float, float, str], Iterator[Shape]]] = {
    "plain": _plain,
    "dots": _dots,
    "stripes": _stripes,
    "checks": _checks,
    "crosses": _crosses,
    "bars": _bars,
    "rings": _rings,
    "lattice": _lattice,
}


# --- pieces -------------------------------------------------------------------------------------------------------


def _button(x: float, y: float, radius: float, colour: str, mark: str) -> Iterator[Shape]:
    yield Disc(x, y, radius, colour, mixed(colour, "#000000", 0.45), max(1.0, radius * 0.14))
    for across in (-0.27, 0.27):
        for down in (-0.27, 0.27):
            yield Disc(x + across * radius, y + down * radius, radius * 0.15, mark)


def _eyeball(x: float, y: float, radius: float, colour: str, mark: str) -> Iterator[Shape]:
    yield Disc(x, y, radius, "#FDFBF5", mixed(colour, "#000000", 0.45), max(1.0, radius * 0.14))
    yield Disc(x, y, radius * 0.56, colour)
    yield Disc(x, y, radius * 0.26, "#15121C")


def _plain_coin(x: float, y: float, radius: float, colour: str, mark: str) -> Iterator[Shape]:
    yield Disc(x, y, radius, colour, mixed(colour, "#000000", 0.45), max(1.0, radius * 0.14))
    yield Disc(x, y, radius * 0.55, None, mark, max(1.0, radius * 0.14))


# the currency's word -> its piece; any other word gets a plain coin
_PIECES = {"button": _button, "eyeball": _eyeball}


def coin(style: Style, x: float, y: float, radius: float) -> Iterator[Shape]:
    """The currency's piece."""
    money = style.palette.money
    piece = _PIECES.get(style.currency[0], _plain_coin)
    yield from piece(x, y, radius, money, mixed(money, "#FFFFFF", 0.8))


def hourglass(x: float, y: float, size: float, colour: str) -> Iterator[Shape]:
    """The sign for time."""
    half = size * 0.36
    yield Polygon(((x - half, y - half), (x + half, y - half), (x, y)), colour)
    yield Polygon(((x - half, y + half), (x + half, y + half), (x, y)), colour)
    for edge in (-1, 1):
        yield Line(
            ((x - half * 1.15, y + edge * size / 2), (x + half * 1.15, y + edge * size / 2)), colour, size * 0.15
        )


def token(scene: Scene, player: int, x: float, y: float, radius: float) -> Iterator[Shape]:
    """A time token: a disc with the player's number, so that it can be told without colour."""
    colour = scene.players[player].colour
    yield Disc(x, y, radius, colour, scene.palette.seam, max(1.2, radius * 0.13))
    yield Label(x, y, str(player), radius * 1.35, readable_on(colour), "m", bold=True)


def bonus_tile(scene: Scene, left: float, top: float, size: float) -> Iterator[Shape]:
    """The tile for the first full square."""
    yield Rect(left, top, size, size, BONUS_COLOUR, scene.palette.seam, 1.5, radius=size * 0.1)
    text = str(scene.bonus_points) if size < 40 else f"+{scene.bonus_points}"
    yield Label(left + size / 2, top + size * (0.5 if size < 40 else 0.38), text, size * 0.5, "#2B2622", "m", bold=True)
    if size >= 40:
        side = f"{scene.bonus_square}x{scene.bonus_square}"
        yield Label(left + size / 2, top + size * 0.76, side, size * 0.22, "#2B2622", "m")


def readable_on(colour: str) -> str:
    """Black or white, whichever is easier to read on that colour."""
    return "#FFFFFF" if luminance(colour) < 0.55 else "#1B1814"
