"""Where everything of a Patchwork scene lies in an image: scene -> shapes with positions."""

from __future__ import annotations

from collections.abc import Iterator

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.render.pieces import BONUS_COLOUR, bonus_tile, coin, draw_patch, hourglass, readable_on, token
from patchwork_env.render.scene import OfferScene, PatchScene, PlayerScene, Scene, SpaceScene, patch_scene
from patchwork_env.render.shapes import (
    Label,
    Line,
    Picture,
    Point,
    Rect,
    Shape,
    dashes,
    inset,
    mixed,
    outlines,
)

WIDTH, HEIGHT = 1120, 724
MARGIN = 24
QUILT = 324  # side of a quilt
PLAYERS_TOP = 62
QUILTS_TOP = 146
TRACK_LEFT = 398
TRACK = 324
OFFERS_TOP = 500
OFFER_WIDTH, OFFER_HEIGHT = 150, 200
CIRCLE_LEFT = 520


def lay_out(scene: Scene) -> Picture:
    """The picture of a scene, `WIDTH` by `HEIGHT`."""
    palette = scene.palette
    shapes: list[Shape] = [
        Label(MARGIN, 31, scene.title, 21, palette.ink, bold=True),
        Label(WIDTH - MARGIN, 31, scene.headline, 19, palette.ink, anchor="r", bold=True),
    ]
    for number, left in enumerate((MARGIN, WIDTH - MARGIN - QUILT)):
        shapes += _player_box(scene, number, left)
        shapes += _quilt(scene, scene.players[number], left, QUILTS_TOP)
    shapes += _track(scene)
    for offer in scene.offers:
        shapes += _offer(scene, offer)
    shapes += _empty_offers(scene)
    shapes += _circle(scene)
    return Picture(WIDTH, HEIGHT, palette.background, tuple(shapes))


def swatches(edition: Edition) -> Picture:
    """Every patch of an edition on the colours it may lie on: what a common palette must hold."""
    cell, columns = 30, 8
    side = cell * (edition.longest_side + 1)
    rows = -(-len(edition.patches) // columns)
    shapes: list[Shape] = [Rect(0, 0, columns * side, rows * side / 2, edition.palette.board)]
    for number in range(len(edition.patches)):
        row, column = divmod(number, columns)
        shapes += draw_patch(edition, patch_scene(edition, number), column * side + 10, row * side + 10, cell)
    palette = edition.palette
    marks = (palette.highlight, palette.special, palette.ink, palette.muted, *palette.players, BONUS_COLOUR)
    marks += tuple(mixed(palette.panel, mark, 0.5) for mark in marks)
    for number, colour in enumerate(marks):
        shapes.append(Rect(number * cell, rows * side, cell, 2 * cell, colour))
    return Picture(columns * side, rows * side + 2 * cell, palette.panel, tuple(shapes))


# --- players ------------------------------------------------------------------------------------------------------


def _player_box(scene: Scene, number: int, left: float) -> Iterator[Shape]:
    player, palette = scene.players[number], scene.palette
    active = player.to_play or player.winner
    yield Rect(
        left,
        PLAYERS_TOP,
        QUILT,
        72,
        palette.panel,
        player.colour if active else palette.line,
        3 if active else 1,
        radius=8,
    )
    yield from token(scene, number, left + 24, PLAYERS_TOP + 21, 12)
    name = player.name if len(player.name) <= 22 else f"{player.name[:21]}..."
    yield Label(left + 44, PLAYERS_TOP + 21, name, 17, palette.ink, bold=True)
    tag = "wins" if player.winner else "to play" if player.to_play else ""
    if tag:
        width = 16 + 8 * len(tag)
        yield Rect(left + QUILT - width - 10, PLAYERS_TOP + 10, width, 22, player.colour, radius=11)
        text = readable_on(player.colour)
        yield Label(left + QUILT - width / 2 - 10, PLAYERS_TOP + 21, tag, 13, text, "m", bold=True)
    y = PLAYERS_TOP + 53
    yield from coin(scene, left + 22, y, 9)
    yield Label(left + 36, y, str(player.buttons), 18, palette.ink, bold=True)
    yield Label(left + 80, y, f"income {player.income}", 14, palette.ink)
    yield Label(left + 158, y, f"empty {player.empty_cells}", 14, palette.ink)
    if player.has_bonus and scene.bonus_square:
        yield from bonus_tile(scene, left + 216, y - 11, 22)
    yield Label(left + QUILT - 14, y, f"{player.score}", 22, palette.ink, "r", bold=True)
    yield Label(left + QUILT - 16 - 13 * len(str(player.score)), y + 1, "score", 12, palette.muted, "r")


def _quilt(scene: Scene, player: PlayerScene, left: float, top: float) -> Iterator[Shape]:
    palette = scene.palette
    cell = QUILT // max(scene.rows, scene.columns)
    left += (QUILT - cell * scene.columns) / 2
    width, height = cell * scene.columns, cell * scene.rows
    yield Rect(left - 4, top - 4, width + 8, height + 8, palette.line, radius=6)
    yield Rect(left, top, width, height, palette.board)
    for k in range(1, scene.columns):
        yield Line(((left + k * cell, top), (left + k * cell, top + height)), palette.grid, 1)
    for k in range(1, scene.rows):
        yield Line(((left, top + k * cell), (left + width, top + k * cell)), palette.grid, 1)
    for patch in player.quilt:
        yield from draw_patch(scene, patch, left, top, cell)
    for patch in player.quilt:
        if patch.fresh:
            for loop in outlines(patch.cells):
                path = [(left + x * cell, top + y * cell) for x, y in loop]
                yield Line((*path, path[0]), palette.panel, 7)
                yield Line((*path, path[0]), palette.highlight, 4)


# --- the track ----------------------------------------------------------------------------------------------------


def _track(scene: Scene) -> Iterator[Shape]:
    palette = scene.palette
    space_side = TRACK / scene.track_side
    corner = (TRACK_LEFT, QUILTS_TOP)
    yield Rect(TRACK_LEFT, PLAYERS_TOP, TRACK, 72, palette.panel, palette.line, 1, radius=8)
    yield Label(TRACK_LEFT + 14, PLAYERS_TOP + 21, "Last move", 13, palette.muted)
    yield Label(TRACK_LEFT + TRACK - 14, PLAYERS_TOP + 21, f"decision {scene.decisions}", 13, palette.muted, "r")
    for number, line in enumerate(_wrapped(scene.last_move or "none yet", 44)[:2]):
        yield Label(TRACK_LEFT + 14, PLAYERS_TOP + 41 + 17 * number, line, 14, palette.ink)
    yield Rect(corner[0] - 4, corner[1] - 4, TRACK + 8, TRACK + 8, palette.panel, palette.line, 1, radius=8)
    middles = {space.number: _middle(space, space_side) for space in scene.track}
    # The road below the spaces shows which way the spiral runs.
    yield Line(tuple(middles[number] for number in sorted(middles)), palette.line, space_side * 0.42)
    passed = [middles[space.number] for space in scene.track if space.passed]
    for space in scene.track:
        yield from _space(scene, space, middles[space.number], space_side)
    if passed:
        first = min(space.number for space in scene.track if space.passed) - 1
        yield Line((middles[first], *passed), palette.highlight, 3)
    for space in scene.track:
        x, y = middles[space.number]
        spread = space_side * 0.13 if len(space.tokens) > 1 else 0
        for k, player in enumerate(space.tokens):
            shift = spread * (2 * k - 1) if spread else 0
            yield from token(scene, player, x + shift, y - shift, space_side * 0.29)
    yield from _track_middle(scene, space_side)
    text = f"special patches left: {scene.specials_left}"
    yield Label(TRACK_LEFT + TRACK / 2, QUILTS_TOP + TRACK + 17, text, 13, palette.muted, "m")


def _middle(space: SpaceScene, side: float) -> Point:
    return TRACK_LEFT + (space.column + 0.5) * side, QUILTS_TOP + (space.row + 0.5) * side


def _space(scene: Scene, space: SpaceScene, middle: Point, side: float) -> Iterator[Shape]:
    palette = scene.palette
    x, y = middle
    half = side / 2 - 3
    last = space.number == len(scene.track) - 1
    fill = mixed(palette.panel, palette.line, 0.3 if space.number % 2 else 0.12)
    if space.passed:
        fill = mixed(fill, palette.highlight, 0.22)
    yield Rect(x - half, y - half, 2 * half, 2 * half, fill, palette.line, 1.2, radius=side * 0.15)
    label = "end" if last else "start" if space.number == 0 else str(space.number)
    yield Label(x - half + 3, y - half + 7.5, label, 10, palette.muted)
    if space.income:
        yield from coin(scene, x + side * 0.24, y + side * 0.24, side * 0.19)
    if space.special or space.special_taken:
        size = side * 0.36
        place = x - half + 3.5, y + half - size - 3.5
        if space.special:
            yield Rect(*place, size, size, palette.special, palette.seam, 1.2, radius=1)
            for begin, end in dashes(
                inset(
                    [
                        place,
                        (place[0] + size, place[1]),
                        (place[0] + size, place[1] + size),
                        (place[0], place[1] + size),
                    ],
                    size * 0.2,
                ),
                size * 0.2,
                size * 0.15,
            ):
                yield Line((begin, end), mixed(palette.special, "#FFFFFF", 0.6), 1)
        else:
            yield Rect(*place, size, size, None, palette.line, 1.2, radius=1)


def _track_middle(scene: Scene, side: float) -> Iterator[Shape]:
    """The bonus tile, in the free middle of the spiral until somebody has it."""
    if scene.bonus_square is None:
        return
    used = {(space.row, space.column) for space in scene.track}
    free = [
        (row, column)
        for row in range(scene.track_side)
        for column in range(scene.track_side)
        if (row, column) not in used
    ]
    room = _largest_square(free)
    if room is None:
        return
    row, column, span = room
    size = min(span * side * 0.8, 90)
    x = TRACK_LEFT + (column + span / 2) * side
    y = QUILTS_TOP + (row + span / 2) * side
    if scene.bonus_holder is None:
        yield from bonus_tile(scene, x - size / 2, y - size / 2, size)
    else:
        yield Rect(x - size / 2, y - size / 2, size, size, None, scene.palette.line, 1.5, radius=size * 0.1)
        yield Label(x, y - 9, "tile taken by", 11, scene.palette.muted, "m")
        yield from token(scene, scene.bonus_holder, x, y + 12, 11)


def _largest_square(free: list[tuple[int, int]]) -> tuple[int, int, int] | None:
    """Row, column and side of the largest square of free places."""
    places = set(free)
    best = None
    for row, column in free:
        span = 1
        while all((row + r, column + c) in places for r in range(span) for c in range(span)):
            if best is None or span > best[2]:
                best = (row, column, span)
            span += 1
    return best


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


# --- the circle ---------------------------------------------------------------------------------------------------


def _offer(scene: Scene, offer: OfferScene) -> Iterator[Shape]:
    palette, patch = scene.palette, offer.patch
    left = MARGIN + offer.slot * (OFFER_WIDTH + 12)
    can = offer.affordable and offer.fits and not scene.special_pending and not scene.done
    yield Rect(
        left,
        OFFERS_TOP,
        OFFER_WIDTH,
        OFFER_HEIGHT,
        palette.panel,
        palette.ink if can else palette.line,
        2 if can else 1,
        radius=8,
    )
    yield Label(left + 12, OFFERS_TOP + 16, f"{offer.slot + 1}", 14, palette.muted, bold=True)
    why = "" if can or scene.done or scene.special_pending else "no room" if not offer.fits else "too dear"
    yield Label(left + OFFER_WIDTH - 12, OFFERS_TOP + 16, why or patch.letter, 14, palette.muted, "r")
    height = max(row for row, _ in patch.cells) + 1
    width = max(column for _, column in patch.cells) + 1
    cell = min(28.0, 126 / max(width, height))
    x = left + (OFFER_WIDTH - width * cell) / 2
    y = OFFERS_TOP + 93 - height * cell / 2
    yield from draw_patch(scene, patch, x, y, cell)
    y = OFFERS_TOP + OFFER_HEIGHT - 20
    yield Line(((left + 10, y - 17), (left + OFFER_WIDTH - 10, y - 17)), palette.line, 1)
    yield from coin(scene, left + 20, y, 9)
    yield Label(left + 33, y, str(patch.cost), 18, palette.ink, bold=True)
    yield from hourglass(left + 70, y, 16, palette.ink)
    yield Label(left + 81, y, str(patch.time), 18, palette.ink, bold=True)
    if patch.income:
        yield Label(left + 106, y, f"+{patch.income}", 18, palette.ink, bold=True)
        yield from coin(scene, left + 137, y, 6.5)


def _empty_offers(scene: Scene) -> Iterator[Shape]:
    for slot in range(len(scene.offers), 3):
        left = MARGIN + slot * (OFFER_WIDTH + 12)
        yield Rect(left, OFFERS_TOP, OFFER_WIDTH, OFFER_HEIGHT, None, scene.palette.line, 1, radius=8)
        yield Label(left + OFFER_WIDTH / 2, OFFERS_TOP + OFFER_HEIGHT / 2, "none left", 13, scene.palette.muted, "m")


def _circle(scene: Scene) -> Iterator[Shape]:
    palette = scene.palette
    width = WIDTH - MARGIN - CIRCLE_LEFT
    yield Rect(CIRCLE_LEFT, OFFERS_TOP, width, OFFER_HEIGHT, palette.panel, palette.line, 1, radius=8)
    text = f"then, in order ({len(scene.circle)} more)" if scene.circle else "no more patches"
    yield Label(CIRCLE_LEFT + 14, OFFERS_TOP + 16, text, 13, palette.muted)
    if not scene.circle:
        return
    columns = max(10, -(-len(scene.circle) // 3))
    step_x, step_y = (width - 16) / columns, (OFFER_HEIGHT - 32) / 3
    cell = min(9.0, (step_x - 10) / 5)
    for number, patch in enumerate(scene.circle):
        row, column = divmod(number, columns)
        height = max(r for r, _ in patch.cells) + 1
        across = max(c for _, c in patch.cells) + 1
        if height > across:  # lie down: the row is low
            patch_cells = tuple((c, r) for r, c in patch.cells)
            height, across = across, height
        else:
            patch_cells = patch.cells
        middle_x = CIRCLE_LEFT + 8 + (column + 0.5) * step_x
        middle_y = OFFERS_TOP + 28 + row * step_y + (step_y - 14) / 2
        small = PatchScene(patch.kind, patch.patch, patch.letter, patch_cells, patch.colour, patch.weave)
        yield from draw_patch(scene, small, middle_x - across * cell / 2, middle_y - height * cell / 2, cell)
        numbers = f"{patch.cost} / {patch.time}" + (f" +{patch.income}" if patch.income else "")
        yield Label(middle_x, OFFERS_TOP + 28 + (row + 1) * step_y - 9, numbers, 10.5, palette.muted, "m")
