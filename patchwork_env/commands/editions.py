"""``patchwork editions``: which editions there are, and what is in one."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import Any

from patchwork_env.games.patchwork.edition import Edition, edition_names, load_edition
from patchwork_env.games.patchwork.shapes import extent, shape_text

_WIDTH = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("what", nargs="?", choices=["list", "show"], default="list", help="list (default) or show")
    parser.add_argument("name", nargs="?", help="with show: an edition's name, or a file of your own")
    parser.add_argument("--json", action="store_true", help="print the figures for a script")


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    if arguments.what == "show":
        if arguments.name is None:
            raise ValueError(f"editions show needs a name: {', '.join(edition_names())}, or a file ending in .yaml")
        edition = load_edition(arguments.name)
        print(json.dumps(_figures(edition), indent=2) if arguments.json else _drawing(edition))
        return 0
    editions = [load_edition(name) for name in edition_names()]
    if arguments.json:
        print(json.dumps([_figures(edition) for edition in editions], indent=2))
    else:
        print("\n\n".join(_summary(edition) for edition in editions))
    return 0


def _summary(edition: Edition) -> str:
    heading = f"{edition.name:<15}{edition.title}"
    facts = (
        f"{edition.rows}x{edition.columns} quilt, {len(edition.patches)} patches, {edition.last_space + 1} spaces, "
        f"{edition.num_actions} actions"
    )
    indent = " " * 15
    return "\n".join([heading, indent + facts, _wrapped(edition.provenance, indent)])


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=indent, subsequent_indent=indent)


def _drawing(edition: Edition) -> str:
    one, many = edition.currency
    bonus = (
        f"{edition.bonus_points} points for the first full {edition.bonus_square}x{edition.bonus_square}"
        if edition.bonus_square
        else "none"
    )
    refill = (
        f"{len(edition.patches) - edition.circle_size} more patches join when {edition.refill_when_left} are left"
        if edition.refill_when_left is not None
        else "none"
    )
    parts = [
        f"{edition.title}  ({edition.name})",
        _wrapped(edition.provenance),
        "",
        f"quilt            {edition.rows}x{edition.columns}",
        f"start            {edition.start_buttons} {many}",
        f"special patches  may{'' if edition.special_may_be_declined else ' not'} be declined",
        f"bonus tile       {bonus}",
        f"refill           {refill}",
        "",
        f"Time track: $ pays income, [] holds a special patch ({len(edition.special_spaces)} of them)",
        *_track(edition),
        "",
        f"Patches: number, cost in {many}, time, income in {many if one != many else one}",
        *_patches(edition),
    ]
    return "\n".join(parts)


def _track(edition: Edition) -> list[str]:
    """Rows of spaces, in reading order."""
    spaces = []
    for space in range(edition.last_space + 1):
        mark = "$" if space in edition.income_spaces else " "
        spaces.append(f"[{space:>2}]{mark}" if space in edition.special_spaces else f" {space:>2} {mark}")
    return ["".join(spaces[start : start + 18]).rstrip() for start in range(0, len(spaces), 18)]


def _patches(edition: Edition) -> list[str]:
    """Rows of patches side by side, each drawn over its numbers."""
    cells_across = max(extent(patch.shape)[1] for patch in edition.patches)
    width = max(2 * cells_across, len("#32  10c 6t 3i")) + 3
    across = max(1, _WIDTH // width)
    lines: list[str] = []
    for start in range(0, len(edition.patches), across):
        group = list(enumerate(edition.patches))[start : start + across]
        drawings = [shape_text(patch.shape).replace("#", "██").replace(".", "  ").split("/") for _, patch in group]
        for line in range(max(len(drawing) for drawing in drawings)):
            lines.append("".join((d[line] if line < len(d) else "").ljust(width) for d in drawings).rstrip())
        numbers = [f"#{number:<3} {patch.cost:>2}c {patch.time}t {patch.income}i" for number, patch in group]
        lines += ["".join(number.ljust(width) for number in numbers).rstrip(), ""]
    return lines[:-1]


def _figures(edition: Edition) -> dict[str, Any]:
    return {
        "name": edition.name,
        "title": edition.title,
        "provenance": edition.provenance,
        "fingerprint": edition.fingerprint.hex(),
        "currency": edition.currency[1],
        "quilt": [edition.rows, edition.columns],
        "actions": edition.num_actions,
        "start_buttons": edition.start_buttons,
        "last_space": edition.last_space,
        "income_spaces": edition.income_spaces,
        "special_spaces": edition.special_spaces,
        "special_may_be_declined": edition.special_may_be_declined,
        "bonus_square": edition.bonus_square,
        "bonus_points": edition.bonus_points,
        "start_patch": edition.start_patch,
        "circle_size": edition.circle_size,
        "refill_when_left": edition.refill_when_left,
        "patches": [
            {
                "shape": shape_text(patch.shape),
                "cost": patch.cost,
                "time": patch.time,
                "income": patch.income,
                "orientations": [shape_text(shape) for shape in patch.orientations],
            }
            for patch in edition.patches
        ],
    }
