"""A scene of Quilt Show as text, 100 columns wide: in colour where the terminal has it, readable where not."""

from __future__ import annotations

from patchwork_env.games.quilt_show.actions import key_name
from patchwork_env.games.quilt_show.cards import CARD_COLORS, COLORS, DYE, PATTERNS, POINTS, tile_parts
from patchwork_env.render.ansi import COLUMNS, has_colour, visible_length
from patchwork_env.render.ansi import _Paint as Paint
from patchwork_env.render.quilt_show_palette import DYE_COLOUR, FABRICS
from patchwork_env.render.quilt_show_scene import PlayerScene, Scene, thousands

_LETTERS = "ROYGBP"
_STACK_WIDTH = 15


def to_text(scene: Scene, colour: bool | None = None) -> str:
    """The scene in lines of at most `COLUMNS` characters. ``colour`` None asks the terminal."""
    paint = Paint(has_colour() if colour is None else colour)
    space = COLUMNS - len(scene.title) - len(scene.headline)
    lines = [paint.bold(scene.title) + " " * max(space, 2) + paint.bold(scene.headline), f"({scene.view})", ""]
    cards = " ".join(_card(card, paint) for card in scene.face_up)
    lines.append(f"cards   {cards}   deck {scene.deck}, discards {scene.discards}")
    heads, shown = "tiles   ", "        "
    for stack in range(6):
        tile = scene.exposed[stack]
        if tile is None and scene.stack_sizes[stack] == 0:
            continue
        name = COLORS[stack] if scene.by_color else PATTERNS[stack].replace(" log cabin", "").replace(" forever", "")
        heads += f"{name:<{_STACK_WIDTH}}"[:_STACK_WIDTH]
        text = "-" if tile is None else _tile(tile, paint, scene.by_color)
        shown += _padded(f"{text} +{scene.stack_sizes[stack]}", _STACK_WIDTH)
    lines += [heads.rstrip(), shown.rstrip()]
    prizes = ", ".join(thousands(prize) for prize in scene.prizes)
    time = f"time    {scene.markers} of {scene.all_markers} markers left"
    lines.append(time + (f"   prizes {prizes}" if prizes else ""))
    for player in scene.players:
        lines += ["", *_player(player, paint)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _player(player: PlayerScene, paint: Paint) -> list[str]:
    mark = ">" if player.to_play else "*" if player.winner else " "
    chips = " ".join(f"({chip})" for chip in player.chips) or "none"
    lines = [f"{mark} {paint.bold(player.name)}   {thousands(player.money)}   {player.cards} cards   chips {chips}"]
    if player.hand is not None:
        lines += _wrapped("    hand  ", [_card(card, paint) for card in player.hand])
    by_pattern: list[str] = []
    for pattern in range(6):
        tiles = [tile for tile in player.tiles if tile_parts(tile)[0] == pattern]
        if tiles:
            name = PATTERNS[pattern].replace(" log cabin", "").replace(" forever", "")
            by_pattern.append(f"{name} " + " ".join(_tile(tile, paint) for tile in tiles))
    lines += _wrapped("    tiles ", by_pattern, "; ")
    if player.sewing:
        lines += _wrapped("    sews  ", [_tile(tile, paint) for tile in player.sewing])
    quilts = []
    for quilt in player.quilts:
        chip = f", chip {quilt.chip}" if quilt.chip else ""
        kind = "entered" if quilt.secret else "open"
        quilts.append(f"{key_name(quilt.key)} of {quilt.tiles}: {quilt.points} points{chip} ({kind})")
    lines += _wrapped("    quilt ", quilts, "; ")
    return lines


def _card(card: int | None, paint: Paint) -> str:
    """Up to two letters on the card's colours."""
    if card is None:
        return "[  ]"
    if card == DYE:
        return "[" + paint.on(DYE_COLOUR, "**") + "]"
    colors = CARD_COLORS[card]
    letters = [colors[0], colors[-1]]
    return "[" + "".join(paint.on(FABRICS[color], _LETTERS[color]) for color in letters) + "]"


def _tile(tile: int, paint: Paint, with_pattern: bool = False) -> str:
    pattern, color, value = tile_parts(tile)
    text = paint.on(FABRICS[color], f"{_LETTERS[color]}{POINTS[value]}")
    return f"{text} {PATTERNS[pattern][:7]}" if with_pattern else text


def _wrapped(head: str, parts: list[str], between: str = " ") -> list[str]:
    """The parts behind a heading, on as many lines as they need; none if there are no parts."""
    lines: list[str] = []
    line = head
    for number, part in enumerate(parts):
        piece = part + (between if number < len(parts) - 1 else "")
        if visible_length(line + piece) > COLUMNS and line.strip():
            lines.append(line)
            line = " " * len(head)
        line += piece
    return [*lines, line] if parts else []


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - visible_length(text), 0)
