"""Where everything lies in a picture of Quilt Show: a scene becomes shapes."""

from __future__ import annotations

from patchwork_env.games.quilt_show.actions import key_name
from patchwork_env.games.quilt_show.cards import CARD_COLORS, COLORS, DYE, PATTERNS, POINTS, tile_parts
from patchwork_env.render.quilt_show_palette import ACCENT, BACK, DYE_COLOUR, FABRICS, FAINT, GOLD, INK, PAPER, TABLE
from patchwork_env.render.quilt_show_scene import PlayerScene, Scene, thousands
from patchwork_env.render.shapes import Disc, Label, Line, Picture, Polygon, Rect, Shape, mixed

WIDTH = 1000
_TABLE_HEIGHT = 232
_PLAYER_HEIGHT = 182
_CARD = (34, 48)
_TILE = 34
_TILES_A_ROW = 16


def to_picture(scene: Scene) -> Picture:
    """The picture, whose height depends on the number of players."""
    height = _TABLE_HEIGHT + _PLAYER_HEIGHT * len(scene.players) + 14
    shapes = [*_heading(scene), *_common(scene)]
    for number, player in enumerate(scene.players):
        shapes += _player(player, _TABLE_HEIGHT + number * _PLAYER_HEIGHT)
    return Picture(WIDTH, height, PAPER, tuple(shapes))


def _heading(scene: Scene) -> list[Shape]:
    return [
        Label(20, 24, scene.title, 18, INK, bold=True),
        Label(20, 46, scene.view, 12, FAINT),
        Label(WIDTH - 20, 24, scene.headline, 18, ACCENT, "r", bold=True),
    ]


def _common(scene: Scene) -> list[Shape]:
    """The middle of the table: cards, tiles, time markers, prizes."""
    shapes: list[Shape] = [Rect(12, 60, WIDTH - 24, 160, fill=TABLE, radius=8)]
    x = 24.0
    for card in scene.face_up:
        shapes += _card(card, x, 72)
        x += 42
    shapes += _pile(x + 14, 72, scene.deck, "deck")
    shapes += _pile(x + 70, 72, scene.discards, "discards")
    x += 150
    markers = f"{scene.markers} of {scene.all_markers} time markers"
    shapes.append(Label(x, 82, markers, 13, INK))
    for marker in range(scene.all_markers):
        left = marker < scene.markers
        radius = 7 if marker == 0 else 4.5
        shapes.append(Disc(x + 8 + marker * 15, 106, radius, fill=ACCENT if left else None, stroke=FAINT))
    x = 24
    for stack in range(6):
        tile = scene.exposed[stack]
        if tile is None and scene.stack_sizes[stack] == 0:
            continue
        name = COLORS[stack] if scene.by_color else PATTERNS[stack]
        shapes += _tile(tile, x, 148, 44)
        words = name.split(" ", 1)
        shapes.append(Label(x + 50, 156, words[0], 11, INK))
        shapes.append(Label(x + 50, 169, words[1] if len(words) > 1 else "", 11, INK))
        shapes.append(Label(x + 50, 184, f"+{scene.stack_sizes[stack]}", 11, FAINT))
        x += 124
    for rank, prize in enumerate(scene.prizes):
        place = WIDTH - 160 + (rank % 2) * 70
        top = 146 + (rank // 2) * 24
        shapes.append(Rect(place, top, 64, 20, fill=GOLD, radius=5))
        shapes.append(Label(place + 32, top + 10, thousands(prize), 12, "#FFFFFF", "m", bold=True))
    return shapes


def _pile(x: float, y: float, count: int, name: str) -> list[Shape]:
    """A pile of cards, face down."""
    width, height = _CARD
    shapes: list[Shape] = [Rect(x, y, width, height, fill=BACK if count else None, stroke=FAINT, radius=4)]
    shapes.append(Label(x + width / 2, y + height / 2, str(count), 14, "#FFFFFF" if count else FAINT, "m", bold=True))
    shapes.append(Label(x + width / 2, y + height + 9, name, 11, FAINT, "m"))
    return shapes


def _card(card: int | None, x: float, y: float, scale: float = 1.0) -> list[Shape]:
    """A fabric card: one colour, two in triangles, or dye goods."""
    width, height = _CARD[0] * scale, _CARD[1] * scale
    if card is None:
        return [Rect(x, y, width, height, stroke=FAINT, radius=4)]
    if card == DYE:
        shapes: list[Shape] = [Rect(x, y, width, height, fill=DYE_COLOUR, stroke=FAINT, radius=4)]
        for number, fabric in enumerate(FABRICS):
            column, row = number % 2, number // 2
            at = (x + width * (0.3 + 0.4 * column), y + height * (0.25 + 0.25 * row))
            shapes.append(Disc(*at, 4.5 * scale, fill=fabric))
        return shapes
    colors = CARD_COLORS[card]
    shapes = [Rect(x, y, width, height, fill=FABRICS[colors[0]], stroke=mixed(FABRICS[colors[0]], INK, 0.4), radius=4)]
    if len(colors) == 2:
        corners = ((x + width - 2, y + 3), (x + width - 2, y + height - 3), (x + 3, y + height - 2))
        shapes.append(Polygon(corners, FABRICS[colors[1]]))
    return shapes


def _tile(tile: int | None, x: float, y: float, side: float) -> list[Shape]:
    """A quilt block: its colour, a drawing that tells its pattern, its points in a corner."""
    if tile is None:
        return [Rect(x, y, side, side, stroke=FAINT, radius=3)]
    pattern, color, value = tile_parts(tile)
    fabric = FABRICS[color]
    light, dark = mixed(fabric, "#FFFFFF", 0.55), mixed(fabric, INK, 0.35)
    shapes: list[Shape] = [Rect(x, y, side, side, fill=fabric, stroke=dark, radius=2)]
    shapes += _BLOCKS[pattern](x, y, side, light, dark)
    size = side * 0.42
    shapes.append(Rect(x + side - size, y + side - size, size, size, fill=PAPER, radius=2))
    shapes.append(Label(x + side - size / 2, y + side - size / 2, str(POINTS[value]), side * 0.36, INK, "m", bold=True))
    return shapes


def _logs(x: float, y: float, side: float, light: str, dark: str) -> list[Shape]:
    """Square rings around the middle."""
    return [
        Rect(x + k * side, y + k * side, side * (1 - 2 * k), side * (1 - 2 * k), fill=shade)
        for k, shade in ((0.14, light), (0.28, dark), (0.4, light))
    ]


def _star(x: float, y: float, side: float, light: str, dark: str) -> list[Shape]:
    """A star of four points."""
    middle, reach = side / 2, side * 0.44
    points = []
    for k in range(8):
        distance = reach if k % 2 == 0 else reach * 0.38
        turn = ((0, -1), (0.707, -0.707), (1, 0), (0.707, 0.707), (0, 1), (-0.707, 0.707), (-1, 0), (-0.707, -0.707))[k]
        points.append((x + middle + turn[0] * distance, y + middle + turn[1] * distance))
    return [Polygon(tuple(points), light)]


def _strings(x: float, y: float, side: float, light: str, dark: str) -> list[Shape]:
    """Slanting stripes."""
    return [
        Line(((x + side * k, y + side * 0.04), (x + side * 0.04, y + side * k)), light if number % 2 else dark, 2.5)
        for number, k in enumerate((0.35, 0.6, 0.85))
    ]


def _river(x: float, y: float, side: float, light: str, dark: str) -> list[Shape]:
    """A winding band."""
    bends = ((0.05, 0.3), (0.35, 0.3), (0.35, 0.6), (0.7, 0.6), (0.7, 0.15), (0.95, 0.15))
    return [Line(tuple((x + side * a, y + side * b) for a, b in bends), light, side * 0.12)]


def _valley(x: float, y: float, side: float, light: str, dark: str) -> list[Shape]:
    """Two chevrons."""
    shapes: list[Shape] = []
    for drop, shade in ((0.15, light), (0.42, dark)):
        points = ((0.08, drop), (0.5, drop + 0.32), (0.92, drop))
        shapes.append(Line(tuple((x + side * a, y + side * b) for a, b in points), shade, side * 0.1))
    return shapes


def _diamonds(x: float, y: float, side: float, light: str, dark: str) -> list[Shape]:
    """A diamond in a diamond."""
    shapes: list[Shape] = []
    for reach, shade in ((0.45, light), (0.24, dark)):
        middle = side / 2
        corners = ((0, -reach), (reach, 0), (0, reach), (-reach, 0))
        shapes.append(Polygon(tuple((x + middle + a * side, y + middle + b * side) for a, b in corners), shade))
    return shapes


_BLOCKS = (_logs, _star, _strings, _river, _valley, _diamonds)  # as in `cards.PATTERNS`


def _player(player: PlayerScene, top: float) -> list[Shape]:
    edge = ACCENT if player.to_play else GOLD if player.winner else "#DDD3C2"
    shapes: list[Shape] = [
        Rect(12, top, WIDTH - 24, _PLAYER_HEIGHT - 10, fill="#FFFFFF", stroke=edge, stroke_width=2, radius=8),
        Label(26, top + 18, player.name, 15, INK, bold=True),
        Label(150, top + 18, thousands(player.money), 15, GOLD, bold=True),
        Label(240, top + 18, f"{player.cards} cards", 13, FAINT),
    ]
    for number, chip in enumerate(player.chips):
        shapes.append(Disc(330 + number * 24, top + 18, 10, fill=ACCENT))
        shapes.append(Label(330 + number * 24, top + 18, str(chip), 12, "#FFFFFF", "m", bold=True))
    count = player.cards if player.hand is None else len(player.hand)
    step = min(30.0, 560 / max(count, 1))
    for number in range(count):
        x = 26 + number * step
        if player.hand is None:
            shapes.append(Rect(x, top + 36, 26, 36, fill=BACK, stroke=PAPER, radius=3))
        else:
            shapes += _card(player.hand[number], x, top + 36, 0.76)
    per_row = max(_TILES_A_ROW, (len(player.tiles) + 1) // 2)  # two rows; very many tiles overlap
    for number, block in enumerate(player.tiles):
        row, column = divmod(number, per_row)
        gap = (_TILE + 4) * _TILES_A_ROW / per_row
        shapes += _tile(block, 26 + column * gap, top + 80 + row * 38, _TILE)
    for number, block in enumerate(player.sewing):
        shapes += _tile(block, 660 + (number % 8) * 38, top + 96 + number // 8 * 38, _TILE)
    for number, quilt in enumerate(player.quilts[:8]):
        y = top + 18 + number * 18
        plus = f" + {quilt.chip}" if quilt.chip else ""
        text = f"{quilt.points - quilt.chip}{plus} points: {key_name(quilt.key)} of {quilt.tiles}"
        shapes.append(Rect(648, y - 8, 328, 16, fill=mixed(GOLD if quilt.secret else ACCENT, "#FFFFFF", 0.8), radius=4))
        shapes.append(Label(656, y, text + (" (entered)" if quilt.secret else ""), 11, INK))
    return shapes
