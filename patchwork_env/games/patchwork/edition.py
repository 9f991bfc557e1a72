"""Editions of the game as data: reading, checking and naming them.

An edition is a YAML file. The published ones lie in ``editions/``; a user's own file works wherever a name does,
and may extend another edition and say only what differs. The fields are documented in SPEC.md.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from patchwork_env.errors import nearest
from patchwork_env.games.patchwork.palette import DEFAULT_PALETTE, Palette, PaletteError, read_palette
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS, Shape, extent, orientations, parse_shape

# What the fixed-size tables of the compiled core can hold.
MAX_PATCHES = 64
MAX_PATCH_CELLS = 12
MAX_PATCH_SIDE = 6
MAX_QUILT_SIDE = 9
MAX_LAST_SPACE = 200
OFFERED = 3  # patches in front of the neutral token that may be bought

_FOLDER = Path(__file__).parent / "editions"


class EditionError(ValueError):
    """An edition that cannot be played; the message names the file and the field."""


@dataclass(frozen=True)
class Patch:
    """One regular patch: its cloth and the numbers printed on it."""

    shape: Shape
    cost: int
    time: int
    income: int

    @functools.cached_property
    def orientations(self) -> tuple[Shape, ...]:
        """The distinct ways to lay it; entry o is what an action calls orientation o."""
        return orientations(self.shape)


@dataclass(frozen=True)
class Edition:
    """Everything the rules ask of an edition. Patch ids are positions in `patches`."""

    name: str
    source: str  # what `load_edition` finds it by: a published name or a file
    title: str
    provenance: str
    currency: tuple[str, str]  # the word for one button, and for many
    rows: int
    columns: int
    start_buttons: int
    last_space: int
    income_spaces: tuple[int, ...]
    special_spaces: tuple[int, ...]
    special_may_be_declined: bool
    bonus_square: int | None  # side of the square that earns the bonus tile; None: there is no such tile
    bonus_points: int
    start_patch: int
    patches: tuple[Patch, ...]  # those of the first circle, then those of the refill
    circle_size: int  # how many of `patches` make the first circle
    refill_when_left: int | None  # patches left in the circle when the others join; None: never
    palette: Palette = DEFAULT_PALETTE  # the colours it is drawn in

    @property
    def cells(self) -> int:
        """Cells of one quilt."""
        return self.rows * self.columns

    @property
    def num_actions(self) -> int:
        """Size of the action space: advance, special cells, purchases, decline."""
        return 2 + self.cells + OFFERED * MAX_ORIENTATIONS * self.cells

    @property
    def longest_side(self) -> int:
        """Side of the smallest square that holds every patch."""
        return max(max(extent(patch.shape)) for patch in self.patches)

    @functools.cached_property
    def fingerprint(self) -> bytes:
        """Eight bytes that differ between editions that play differently."""
        rules = [
            getattr(self, field)
            for field in self.__dataclass_fields__
            if field not in ("name", "source", "title", "provenance", "currency", "palette")
        ]
        return hashlib.blake2b(repr(rules).encode(), digest_size=8).digest()


def edition_names() -> list[str]:
    """The names of the published editions."""
    return ["original", "revised", "halloween", "stack_n_stuff"]


def load_edition(source: str | os.PathLike[str] | Edition) -> Edition:
    """The edition of that name or in that file, checked; an `Edition` is passed through."""
    if isinstance(source, Edition):
        return source
    text = os.fspath(source)
    if text in edition_names():
        return _published(text)
    if not text.endswith((".yaml", ".yml")):
        hint = nearest(text, edition_names())
        raise EditionError(
            f"unknown edition {text!r}{hint}; known are {', '.join(edition_names())}, or a file ending in .yaml"
        )
    path = Path(text)
    return _checked(_merged_fields(path, ()), str(path))


@functools.cache
def _published(name: str) -> Edition:
    path = _FOLDER / f"{name}.yaml"
    return _checked(_merged_fields(path, ()), name)


def _merged_fields(path: Path, children: tuple[Path, ...]) -> dict[str, Any]:
    """The fields of a file laid over those of the edition it extends."""
    path = path.resolve()
    if path in children:
        raise EditionError(f"{path.name}: extends: the file extends itself")
    try:
        fields = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise EditionError(f"{path.name}: there is no such edition file (looked in {path.parent})") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise EditionError(f"{path.name}: cannot be read as YAML: {error}") from None
    if not isinstance(fields, dict):
        raise EditionError(f"{path.name}: an edition file is a mapping of fields")
    parent = fields.pop("extends", None)
    if parent is None:
        return fields
    if not isinstance(parent, str):
        raise EditionError(f"{path.name}: extends: expected an edition's name or file, got {parent!r}")
    if parent in edition_names():
        parent_path = _FOLDER / f"{parent}.yaml"
    elif parent.endswith((".yaml", ".yml")):
        parent_path = path.parent / parent
    else:
        raise EditionError(f"{path.name}: extends: unknown edition {parent!r}{nearest(parent, edition_names())}")
    return _overlaid(_merged_fields(parent_path, (*children, path)), fields, path.name)


def _overlaid(base: dict[str, Any], changes: dict[str, Any], where: str) -> dict[str, Any]:
    """``changes`` over ``base``: mappings merge, `patches` may name ids to change, all else replaces."""
    result = dict(base)
    for key, value in changes.items():
        if key == "patches" and isinstance(value, dict):
            result[key] = _with_changed_patches(base.get("patches", []), value, where)
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            result[key] = _overlaid(base[key], value, where)
        else:
            result[key] = value
    return result


def _with_changed_patches(patches: list[Any], changes: dict[Any, Any], where: str) -> list[Any]:
    result = list(patches)
    for number, change in changes.items():
        if not isinstance(number, int) or not 0 <= number < len(patches):
            raise EditionError(f"{where}: patches: {number!r} is no patch id; expected 0 to {len(patches) - 1}")
        if not isinstance(change, dict):
            raise EditionError(f"{where}: patches[{number}]: expected a mapping of fields to change")
        result[number] = {**result[number], **change}
    return result


class _Fields:
    """A mapping being read: every field is asked for once, and what nobody asked for is an error."""

    def __init__(self, value: Any, where: str, known: tuple[str, ...]) -> None:
        self.where = where
        if not isinstance(value, Mapping):
            raise EditionError(f"{where}: expected a mapping with {', '.join(known)}")
        for key in value:
            if key not in known:
                raise EditionError(f"{where}: unknown field {key!r}{nearest(str(key), known)}")
        self.value = value

    def get(self, name: str, kind: type, what: str) -> Any:
        if name not in self.value:
            raise EditionError(f"{self.where}: {name}: the field is missing; expected {what}")
        value = self.value[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise EditionError(f"{self.where}: {name}: expected {what}, got {value!r}")
        return value

    def whole(self, name: str, low: int, high: int) -> int:
        what = f"a whole number from {low} to {high}"
        value: int = self.get(name, int, what)
        if not low <= value <= high:
            raise EditionError(f"{self.where}: {name}: expected {what}, got {value}")
        return value

    def text(self, name: str) -> str:
        value: str = self.get(name, str, "a text")
        return value.strip()


def _checked(fields: dict[str, Any], where: str) -> Edition:
    """The `Edition` that the merged fields describe."""
    top = _Fields(
        fields,
        where,
        (
            *("name", "title", "provenance", "currency", "quilt", "start_buttons", "track"),
            *("special_patch_may_be_declined", "bonus_tile", "start_patch", "patches", "refill", "palette"),
        ),
    )
    name = top.text("name")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise EditionError(f"{where}: name: expected small letters, digits and '_', got {name!r}")
    currency = _Fields(top.get("currency", dict, "{one: ..., many: ...}"), f"{where}: currency", ("one", "many"))
    quilt = _Fields(top.get("quilt", dict, "{rows: ..., columns: ...}"), f"{where}: quilt", ("rows", "columns"))
    rows, columns = quilt.whole("rows", 3, MAX_QUILT_SIDE), quilt.whole("columns", 3, MAX_QUILT_SIDE)
    track = _Fields(
        top.get("track", dict, "a mapping"),
        f"{where}: track",
        ("last_space", "income_spaces", "special_spaces"),
    )
    last_space = track.whole("last_space", 1, MAX_LAST_SPACE)
    bonus_square, bonus_points = _bonus(top, min(rows, columns))
    first = _patches(top, (rows, columns))
    later, refill_when_left = _refill(top, len(first), (rows, columns))
    if len(first) + len(later) > MAX_PATCHES:
        raise EditionError(f"{where}: patches: at most {MAX_PATCHES} in all, got {len(first) + len(later)}")
    start_patch: int = top.get("start_patch", int, "the id of the start patch")
    if not 0 <= start_patch < len(first):
        raise EditionError(
            f"{where}: start_patch: there is no patch {start_patch} in the circle (0 to {len(first) - 1})"
        )
    edition = Edition(
        name=name,
        source=where,
        title=top.text("title"),
        provenance=top.text("provenance"),
        currency=(currency.text("one"), currency.text("many")),
        rows=rows,
        columns=columns,
        start_buttons=top.whole("start_buttons", 0, 100),
        last_space=last_space,
        income_spaces=_spaces(track, "income_spaces", last_space),
        special_spaces=_spaces(track, "special_spaces", last_space),
        special_may_be_declined=top.get("special_patch_may_be_declined", bool, "true or false"),
        bonus_square=bonus_square,
        bonus_points=bonus_points,
        start_patch=start_patch,
        patches=first + later,
        circle_size=len(first),
        refill_when_left=refill_when_left,
        palette=_palette(top),
    )
    most_income = sum(patch.income for patch in edition.patches) * len(edition.income_spaces)
    if most_income > 30_000:
        raise EditionError(f"{where}: patches: the incomes could pay {most_income} in a game; at most 30000")
    return edition


def _palette(top: _Fields) -> Palette:
    try:
        return read_palette(top.value.get("palette"))
    except PaletteError as error:
        raise EditionError(f"{top.where}: palette: {error}") from None


def _bonus(top: _Fields, side: int) -> tuple[int | None, int]:
    if top.value.get("bonus_tile") is None:
        return None, 0
    bonus = _Fields(top.value["bonus_tile"], f"{top.where}: bonus_tile", ("square", "points"))
    return bonus.whole("square", 1, side), bonus.whole("points", 0, 100)


def _spaces(track: _Fields, name: str, last_space: int) -> tuple[int, ...]:
    spaces: list[Any] = track.get(name, list, "a list of spaces")
    for space in spaces:
        if not isinstance(space, int) or isinstance(space, bool) or not 1 <= space <= last_space:
            raise EditionError(f"{track.where}: {name}: space {space!r} is not on the track (1 to {last_space})")
    if len(set(spaces)) != len(spaces):
        raise EditionError(f"{track.where}: {name}: a space is named twice")
    return tuple(sorted(spaces))


def _patches(owner: _Fields, quilt: tuple[int, int]) -> tuple[Patch, ...]:
    entries: list[Any] = owner.get("patches", list, "a list of patches")
    if not entries:
        raise EditionError(f"{owner.where}: patches: the list is empty")
    return tuple(_patch(entry, f"{owner.where}: patches[{k}]", quilt) for k, entry in enumerate(entries))


def _patch(entry: Any, where: str, quilt: tuple[int, int]) -> Patch:
    fields = _Fields(entry, where, ("shape", "cost", "time", "income"))
    try:
        shape = parse_shape(fields.text("shape"))
    except ValueError as error:
        raise EditionError(f"{where}: {error}") from None
    height, width = extent(shape)
    if max(height, width) > MAX_PATCH_SIDE or len(shape) > MAX_PATCH_CELLS:
        raise EditionError(
            f"{where}: shape: at most {MAX_PATCH_SIDE} cells long and {MAX_PATCH_CELLS} in all, "
            f"got {height}x{width} with {len(shape)}"
        )
    if min(height, width) > min(quilt) or max(height, width) > max(quilt):
        raise EditionError(f"{where}: shape: {height}x{width} does not fit a {quilt[0]}x{quilt[1]} quilt")
    return Patch(shape, fields.whole("cost", 0, 99), fields.whole("time", 0, 99), fields.whole("income", 0, 99))


def _refill(top: _Fields, circle_size: int, quilt: tuple[int, int]) -> tuple[tuple[Patch, ...], int | None]:
    if top.value.get("refill") is None:
        return (), None
    refill = _Fields(top.value["refill"], f"{top.where}: refill", ("when_left", "patches"))
    return _patches(refill, quilt), refill.whole("when_left", 0, circle_size - 1)
