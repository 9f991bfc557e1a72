"""The colours of an edition, as data.

The cloth colours derive from the Okabe-Ito set, which people with any common colour blindness can tell apart. A
patch also has a weave (see `patchwork_env.render.scene`), so nothing depends on colour alone.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Any

from patchwork_env.errors import nearest

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class PaletteError(ValueError):
    """A palette that cannot be used; the message names the field."""


@dataclass(frozen=True)
class Palette:
    """Colours as ``#rrggbb``. Every field may be given in an edition's file; what is not keeps its default."""

    background: str = "#EFE9DD"  # behind everything
    panel: str = "#FBF8F1"  # cards and boxes
    line: str = "#CFC5B2"  # thin rules and empty track
    ink: str = "#2B2622"  # text and outlines
    muted: str = "#6B6156"  # text of lesser weight
    seam: str = "#2B2622"  # outlines of patches
    board: str = "#F3ECDD"  # an empty cell of a quilt
    grid: str = "#DDD2BD"  # lines between empty cells
    money: str = "#3C6FA8"  # the currency's piece
    special: str = "#8A5A36"  # special patches
    highlight: str = "#C2185B"  # the last move
    players: tuple[str, ...] = ("#0072B2", "#C75100")  # time tokens, one a player
    cloth: tuple[str, ...] = (
        "#E9A93F",
        "#7CC3EA",
        "#3FA587",
        "#F1E48B",
        "#4F83BD",
        "#DE7B4A",
        "#D39CC0",
        "#BDB6A6",
    )


DEFAULT_PALETTE = Palette()


def read_palette(fields: Any) -> Palette:
    """The palette that an edition's mapping describes; None gives the default one."""
    if fields is None:
        return DEFAULT_PALETTE
    if not isinstance(fields, dict):
        raise PaletteError(f"expected a mapping of colours, got {fields!r}")
    known = {field.name: field for field in dataclasses.fields(Palette)}
    values: dict[str, Any] = {}
    for name, value in fields.items():
        if name not in known:
            hint = nearest(str(name), known)
            raise PaletteError(f"unknown field {name!r}{hint}; known are {', '.join(known)}")
        many = isinstance(known[name].default, tuple)
        colours = value if many else [value]
        if not isinstance(colours, list) or not all(isinstance(c, str) and _COLOUR.fullmatch(c) for c in colours):
            what = "a list of colours" if many else "a colour"
            raise PaletteError(f"{name}: expected {what} like '#3C6FA8', got {value!r}")
        if name == "players" and len(colours) != 2:
            raise PaletteError(f"players: expected two colours, got {len(colours)}")
        if name == "cloth" and not colours:
            raise PaletteError("cloth: expected at least one colour")
        values[name] = tuple(colours) if many else value
    return Palette(**values)
