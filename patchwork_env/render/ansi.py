"""A scene as text, 100 columns wide: in colour where the terminal has it, readable where not."""

from __future__ import annotations

import itertools
import os
import sys
from typing import TextIO

from patchwork_env.games.patchwork.shapes import Cell, extent
from patchwork_env.render.scene import PatchScene, PlayerScene, Scene, SpaceScene
from patchwork_env.render.shapes import luminance

COLUMNS = 100
_CELL = 4  # characters from one cell's corner to the next
_OFFER_CELL = 2
_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
# which of the four strokes up, down, left, right meet in a corner (as bits 1, 2, 4, 8) -> the character
_CORNERS = " │││─┘┐┤─└┌├─┴┬┼"


def has_colour(stream: TextIO | None = None) -> bool:
    """Whether that stream (standard output) shows colours; the usual variables override what it says of itself."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") != "0":
        return True
    stream = stream or sys.stdout
    return stream.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def to_text(scene: Scene, colour: bool | None = None) -> str:
    """The scene in lines of at most `COLUMNS` characters. ``colour`` None asks the terminal."""
    paint = _Paint(has_colour() if colour is None else colour)
    lines = [
        *_heading(scene, paint),
        scene.last_move and f"last move: {scene.last_move}"[:COLUMNS],
        "",
    ]
    left, right = (_player(scene, number, paint) for number in (0, 1))
    width = _CELL * scene.columns + 1
    middle_width = COLUMNS - 2 * width
    middle = ["", "", *_offers(scene, paint)]
    for one, two, three in itertools.zip_longest(left, middle, right, fillvalue=""):
        lines.append(_padded(one, width) + _padded(f"  {two}", middle_width) + three)
    lines += ["", *_track(scene, paint), "", *_circle(scene, paint)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


class _Paint:
    """Escape sequences, or nothing where there is no colour."""

    def __init__(self, colour: bool) -> None:
        self.colour = colour
        self.fine = os.environ.get("COLORTERM", "") in ("truecolor", "24bit")

    def bold(self, text: str) -> str:
        return f"{_BOLD}{text}{_RESET}" if self.colour else text

    def on(self, colour: str, text: str, bold: bool = False) -> str:
        """The text on that colour, in black or white as is more readable."""
        if not self.colour:
            return text
        ink = "#000000" if luminance(colour) > 0.45 else "#FFFFFF"
        weight = _BOLD if bold else ""
        return f"{weight}{self._code(48, colour)}{self._code(38, ink)}{text}{_RESET}"

    def ink(self, colour: str, text: str) -> str:
        return f"{self._code(38, colour)}{text}{_RESET}" if self.colour else text

    def _code(self, layer: int, colour: str) -> str:
        red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
        if self.fine:
            return f"\x1b[{layer};2;{red};{green};{blue}m"
        levels = [round(value / 255 * 5) for value in (red, green, blue)]
        return f"\x1b[{layer};5;{16 + 36 * levels[0] + 6 * levels[1] + levels[2]}m"


def visible_length(text: str) -> int:
    """Characters that a terminal shows: all but escape sequences."""
    length, inside = 0, False
    for character in text:
        if character == "\x1b":
            inside = True
        elif inside:
            inside = character != "m"
        else:
            length += 1
    return length


def _padded(text: str, width: int) -> str:
    return text + " " * (width - visible_length(text))


def _heading(scene: Scene, paint: _Paint) -> list[str]:
    """Title and headline in one line, or in two if they are long."""
    space = COLUMNS - len(scene.title) - len(scene.headline)
    title, headline = paint.bold(scene.title[:COLUMNS]), paint.bold(scene.headline[:COLUMNS])
    return [title + " " * space + headline] if space >= 2 else [title, headline]


# --- quilts -------------------------------------------------------------------------------------------------------


def _player(scene: Scene, number: int, paint: _Paint) -> list[str]:
    player = scene.players[number]
    width = _CELL * scene.columns + 1
    tag = " wins" if player.winner else " to play" if player.to_play else ""
    name = player.name if len(player.name) <= width - 14 else f"{player.name[: width - 16]}.."
    mark = ">" if tag else " "
    head = f"{mark}{paint.on(player.colour, f'({number})', bold=True)} {paint.bold(name)}{tag}"
    tile = f" +{scene.bonus_points} tile" if player.has_bonus else ""
    word = scene.currency[0 if player.buttons == 1 else 1]
    numbers = f"{player.buttons} {word} income {player.income}{tile}"
    score = paint.bold(f"{player.score}")
    line = _padded(numbers, width - visible_length(score) - 6) + "score " + score
    return [head, line, *_quilt(scene, player, paint)]


def _quilt(scene: Scene, player: PlayerScene, paint: _Paint) -> list[str]:
    owner: dict[Cell, PatchScene] = {cell: patch for patch in player.quilt for cell in patch.cells}

    def area(row: int, column: int) -> PatchScene | str:
        inside = 0 <= row < scene.rows and 0 <= column < scene.columns
        return owner.get((row, column), "empty") if inside else "outside"

    def upright(row: int, column: int) -> bool:  # a stroke left of this cell
        return area(row, column - 1) is not area(row, column)

    def level(row: int, column: int) -> bool:  # a stroke above this cell
        return area(row - 1, column) is not area(row, column)

    lines = []
    for row in range(scene.rows + 1):
        border, inside = [], []
        for column in range(scene.columns + 1):
            strokes = upright(row - 1, column) + 2 * upright(row, column)
            strokes += 4 * level(row, column - 1) + 8 * level(row, column)
            around = [area(row + r, column + c) for r in (-1, 0) for c in (-1, 0)]
            border.append(_cloth(paint, around, _CORNERS[strokes]))
            if column < scene.columns:
                stroke = "───" if level(row, column) else "   "
                border.append(_cloth(paint, [area(row - 1, column), area(row, column)], stroke))
            if row < scene.rows:
                here = area(row, column)
                bar = "│" if upright(row, column) else " "
                inside.append(_cloth(paint, [area(row, column - 1), here], bar))
                if column < scene.columns:
                    inside.append(_letter(paint, here))
        lines.append("".join(border))
        if row < scene.rows:
            lines.append("".join(inside))
    return lines


def _cloth(paint: _Paint, areas: list[PatchScene | str], text: str) -> str:
    """Text on the cloth if one patch lies on all sides of it."""
    first = areas[0]
    if isinstance(first, PatchScene) and all(area is first for area in areas):
        return paint.on(first.colour, text)
    return text


def _letter(paint: _Paint, area: PatchScene | str) -> str:
    if not isinstance(area, PatchScene):
        return " · "
    text = f"({area.letter})" if area.fresh else f" {area.letter} "
    return paint.on(area.colour, text, bold=area.fresh)


# --- offers, track, circle ----------------------------------------------------------------------------------------


def _offers(scene: Scene, paint: _Paint) -> list[str]:
    lines = []
    for offer in scene.offers:
        patch = offer.patch
        income = f" +{patch.income}" if patch.income else ""
        lines.append(paint.bold(f"{offer.slot + 1}:{patch.letter} cost {patch.cost} time {patch.time}{income}"))
        height, width = extent(patch.cells)
        for row in range(height):
            cells = [(row, column) in patch.cells for column in range(width)]
            text = "".join(
                paint.on(patch.colour, patch.letter * _OFFER_CELL) if here else " " * _OFFER_CELL for here in cells
            )
            lines.append(f"  {text}")
        if not offer.fits:
            lines.append("  (no room)")
        elif not offer.affordable:
            lines.append("  (too dear)")
    return lines


def _track(scene: Scene, paint: _Paint) -> list[str]:
    step = max(1, min(3, (COLUMNS - 6) // len(scene.track)))
    chunk = (COLUMNS - 6) // step
    lines = []
    for start in range(0, len(scene.track), chunk):
        spaces = scene.track[start : start + chunk]
        rows = ["", "", "", ""]
        for space in spaces:
            for player in (0, 1):
                token = _track_token(scene, space, player, paint)
                rows[0 if player == 0 else 2] += token + " " * (step - 1)
            rows[1] += _track_space(scene, space, paint) + " " * (step - 1)
        numbers = [" "] * (len(spaces) * step + 3)
        for k, space in enumerate(spaces):
            if space.number % 5 == 0 or space.number == len(scene.track) - 1:
                text = str(space.number)
                if all(c == " " for c in numbers[max(0, k * step - 1) : k * step + len(text)]):
                    numbers[k * step : k * step + len(text)] = text
        rows[3] = "".join(numbers)
        lines += [f"      {rows[0]}", f"time  {rows[1]}", f"      {rows[2]}", f"      {rows[3]}"]
    tile = ""
    if scene.bonus_square:
        where = "free" if scene.bonus_holder is None else f"with {scene.players[scene.bonus_holder].name}"
        tile = f"   {scene.bonus_square}x{scene.bonus_square} tile: {where}"
    lines.append(f"      $ income   * special patch ({scene.specials_left} left)   - last move{tile}"[:COLUMNS])
    return lines


def _track_token(scene: Scene, space: SpaceScene, player: int, paint: _Paint) -> str:
    if player not in space.tokens:
        return " "
    return paint.on(scene.players[player].colour, str(player), bold=True)


def _track_space(scene: Scene, space: SpaceScene, paint: _Paint) -> str:
    if space.special:
        return paint.on(scene.palette.special, "*")
    if space.income:
        return paint.ink(scene.palette.money, "$")
    if space.passed:
        return paint.bold("-")
    return "·"


def _circle(scene: Scene, paint: _Paint) -> list[str]:
    """The rest of the circle, drawn with half blocks: two rows of cells in a line."""
    if not scene.circle:
        return ["no more patches"]
    lines = [f"then, in order (letter cost/time+income; {len(scene.circle)} more)"]
    shapes = [_lying(patch.cells) for patch in scene.circle]
    step = max(9, max(extent(cells)[1] for cells in shapes) + 2)
    chunk = COLUMNS // step
    for start in range(0, len(scene.circle), chunk):
        patches = scene.circle[start : start + chunk]
        height = max(extent(cells)[0] for cells in shapes[start : start + chunk])
        for top in range(0, height, 2):
            text = ""
            for patch, cells in zip(patches, shapes[start : start + chunk], strict=True):
                blocks = "".join(
                    " ▀▄█"[((top, column) in cells) + 2 * ((top + 1, column) in cells)]
                    for column in range(extent(cells)[1])
                )
                text += _padded(paint.ink(patch.colour, blocks), step)
            lines.append(text)
        text = ""
        for patch in patches:
            income = f"+{patch.income}" if patch.income else ""
            text += _padded(f"{patch.letter} {patch.cost}/{patch.time}{income}", step)
        lines.append(text)
    return lines


def _lying(cells: tuple[Cell, ...]) -> tuple[Cell, ...]:
    """The shape turned so that it is at least as wide as high."""
    height, width = extent(cells)
    return cells if width >= height else tuple((column, row) for row, column in cells)
