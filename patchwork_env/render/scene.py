"""A game as a scene: everything a picture of it shows, as data.

The backends draw a `Scene` and ask nothing of the game: the text backend sets it in characters, the layout turns
it into shapes with positions for images, and the page in the browser gets it as JSON.
"""

from __future__ import annotations

import math
import string
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.edition import OFFERED, Edition
from patchwork_env.games.patchwork.notation import cell_name
from patchwork_env.games.patchwork.palette import Palette
from patchwork_env.games.patchwork.shapes import Cell, extent
from patchwork_env.interfaces.game import GameView
from patchwork_env.render.history import History, Move

WEAVES = ("plain", "dots", "stripes", "checks", "crosses", "bars", "rings", "lattice")
LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "&@"
SPECIAL_LETTER = "*"
CLOTH_LETTER = "#"
PLAYER_NAMES = ("player_0", "player_1")


@dataclass(frozen=True)
class PatchScene:
    """A patch, wherever it lies. Cells are (row, column): of the quilt, or of its own bounding box."""

    kind: str  # "patch", "special", or "cloth": covered cells of which nobody told what covers them
    patch: int | None  # patch id of a regular patch
    letter: str  # how text calls it
    cells: tuple[Cell, ...]
    colour: str
    weave: str  # one of WEAVES
    cost: int = 0
    time: int = 0
    income: int = 0
    fresh: bool = False  # laid by the last move


@dataclass(frozen=True)
class PlayerScene:
    """One side of the table."""

    name: str
    colour: str
    to_play: bool
    buttons: int
    income: int
    score: int
    empty_cells: int
    position: int
    has_bonus: bool
    winner: bool
    quilt: tuple[PatchScene, ...]


@dataclass(frozen=True)
class OfferScene:
    """One of the patches that may be bought."""

    slot: int
    patch: PatchScene
    affordable: bool
    fits: bool  # whether there is a place for it on the mover's quilt, money aside


@dataclass(frozen=True)
class SpaceScene:
    """A space of the time track, with its place on the board's spiral."""

    number: int
    row: int
    column: int
    income: bool
    special: bool  # a special patch lies here still
    special_taken: bool  # one lay here
    tokens: tuple[int, ...]  # players on it, the one on top last
    passed: bool  # the last move entered or passed it


@dataclass(frozen=True)
class Scene:
    """All of a game that a picture shows."""

    edition: str
    title: str
    currency: tuple[str, str]
    palette: Palette
    rows: int
    columns: int
    players: tuple[PlayerScene, PlayerScene]
    offers: tuple[OfferScene, ...]
    circle: tuple[PatchScene, ...]  # the patches behind the offered ones, in order
    track: tuple[SpaceScene, ...]
    track_side: int  # the spiral fills a square of this many spaces
    bonus_square: int | None
    bonus_points: int
    bonus_holder: int | None
    to_play: int
    special_pending: bool
    done: bool
    decisions: int
    headline: str  # whose turn it is, or who won
    last_move: str  # in words; empty before the first

    @property
    def specials_left(self) -> int:
        """Special patches on the track."""
        return sum(space.special for space in self.track)


def make_scene(
    game: GameView,
    history: History | None = None,
    names: tuple[str, str] = PLAYER_NAMES,
) -> Scene:
    """The scene of a game as it stands.

    With its history every patch has its own colour; of a bare state (or a history that belongs to another game)
    the quilts are drawn in one cloth.
    """
    edition = game.edition
    if history is not None and not history.covers(game):
        history = None
    last = history.last_move if history else None
    specials = set(game.specials_left)
    passed = range(last.start + 1, last.stop + 1) if last else range(0)
    top = game.to_play  # on the same space, who arrived last lies on top and moves
    spots, side = spiral(edition.last_space + 1)
    track = tuple(
        SpaceScene(
            number,
            *spots[number],
            income=number in edition.income_spaces,
            special=number in specials,
            special_taken=number in edition.special_spaces and number not in specials,
            tokens=tuple(player for player in (1 - top, top) if game.positions[player] == number),
            passed=number in passed,
        )
        for number in range(edition.last_space + 1)
    )
    circle = game.circle
    return Scene(
        edition=edition.name,
        title=edition.title,
        currency=edition.currency,
        palette=edition.palette,
        rows=edition.rows,
        columns=edition.columns,
        players=(_player(game, history, 0, names[0]), _player(game, history, 1, names[1])),
        offers=_offers(game),
        circle=tuple(patch_scene(edition, patch) for patch in circle[OFFERED:]),
        track=track,
        track_side=side,
        bonus_square=edition.bonus_square,
        bonus_points=edition.bonus_points,
        bonus_holder=game.bonus_holder,
        to_play=game.to_play,
        special_pending=game.special_pending and not game.done,
        done=game.done,
        decisions=game.decisions,
        headline=_headline(game, names),
        last_move=describe_move(edition, last, names) if last else "",
    )


def patch_scene(edition: Edition, patch: int, cells: tuple[Cell, ...] | None = None, fresh: bool = False) -> PatchScene:
    """A regular patch in its own cloth: no two patches of an edition share colour and weave (up to 64)."""
    colours = edition.palette.cloth
    numbers = edition.patches[patch]
    weave = WEAVES[(patch // len(colours) + patch) % len(WEAVES)]
    return PatchScene(
        "patch",
        patch,
        LETTERS[patch],
        cells if cells is not None else numbers.shape,
        colours[patch % len(colours)],
        weave,
        numbers.cost,
        numbers.time,
        numbers.income,
        fresh,
    )


def special_scene(edition: Edition, cell: Cell, fresh: bool = False) -> PatchScene:
    """A special patch on a quilt."""
    return PatchScene("special", None, SPECIAL_LETTER, (cell,), edition.palette.special, "plain", fresh=fresh)


def describe_move(edition: Edition, move: Move, names: tuple[str, str], letters: bool = True) -> str:
    """One line about a move; ``letters`` adds by which letter the text pictures show the patch."""
    name, info = names[move.player], move.action
    one, many = edition.currency
    parts = []
    if info.kind == "advance":
        gain = move.buttons - move.income
        parts.append(f"advance from {move.start} to {move.stop}, +{gain} {one if gain == 1 else many}")
    elif info.kind == "buy" and info.patch is not None:
        letter = f" ({LETTERS[info.patch]})" if letters else ""
        cost = edition.patches[info.patch].cost
        parts.append(f"buy patch {info.patch}{letter} for {cost} at {cell_name(*min(info.cells))}")
        parts.append(f"space {move.start} to {move.stop}")
    elif info.kind == "special":
        parts.append(f"special patch on {cell_name(*info.cells[0])}")
    else:
        parts.append("decline the special patch")
    if move.income:
        parts.append(f"income +{move.income}")
    if move.won_bonus:
        parts.append(f"wins the {edition.bonus_square}x{edition.bonus_square} tile")
    return f"{name}: {', '.join(parts)}"


def spiral(count: int) -> tuple[list[Cell], int]:
    """Places (row, column) for so many spaces on an inward spiral, and the side of the square it fills.

    Clockwise from the upper left corner; what is left over lies in the middle::

        0 1 2
        7 . 3
        6 5 4
    """
    side = math.ceil(math.sqrt(count + 1))
    places: list[Cell] = []
    top, left, bottom, right = 0, 0, side - 1, side - 1
    while top <= bottom and left <= right:
        ring = [(top, column) for column in range(left, right + 1)]
        ring += [(row, right) for row in range(top + 1, bottom + 1)]
        if bottom > top and right > left:
            ring += [(bottom, column) for column in range(right - 1, left - 1, -1)]
            ring += [(row, left) for row in range(bottom - 1, top, -1)]
        places += ring
        top, left, bottom, right = top + 1, left + 1, bottom - 1, right - 1
    return places[:count], side


def _player(game: GameView, history: History | None, player: int, name: str) -> PlayerScene:
    edition = game.edition
    covered = game.quilts[player]
    return PlayerScene(
        name=name,
        colour=edition.palette.players[player],
        to_play=game.to_play == player and not game.done,
        buttons=game.buttons[player],
        income=game.incomes[player],
        score=game.scores[player],
        empty_cells=edition.cells - int(covered.sum()),
        position=game.positions[player],
        has_bonus=game.bonus_holder == player,
        winner=game.winner == player,
        quilt=_known_quilt(edition, history, player) if history else _bare_quilt(edition, covered),
    )


def _known_quilt(edition: Edition, history: History, player: int) -> tuple[PatchScene, ...]:
    last = history.last_move
    fresh_cells = last.action.cells if last and last.player == player else ()
    return tuple(
        special_scene(edition, placed.cells[0], placed.cells == fresh_cells)
        if placed.patch is None
        else patch_scene(edition, placed.patch, placed.cells, placed.cells == fresh_cells)
        for placed in history.placements
        if placed.player == player
    )


def _bare_quilt(edition: Edition, covered: NDArray[np.uint8]) -> tuple[PatchScene, ...]:
    cells = tuple((int(row), int(column)) for row, column in zip(*covered.nonzero(), strict=True))
    if not cells:
        return ()
    return (PatchScene("cloth", None, CLOTH_LETTER, cells, edition.palette.cloth[0], "plain"),)


def _offers(game: GameView) -> tuple[OfferScene, ...]:
    edition = game.edition
    empty = game.quilts[game.to_play] == 0
    offers = []
    for slot, patch in enumerate(game.circle[:OFFERED]):
        affordable = edition.patches[patch].cost <= game.buttons[game.to_play]
        offers.append(OfferScene(slot, patch_scene(edition, patch), affordable, _fits(edition, patch, empty)))
    return tuple(offers)


def _fits(edition: Edition, patch: int, empty: NDArray[np.bool_]) -> bool:
    """Whether some orientation of the patch finds room; all starts are tried at once."""
    for shape in edition.patches[patch].orientations:
        height, width = extent(shape)
        rows, columns = edition.rows - height + 1, edition.columns - width + 1
        if rows < 1 or columns < 1:
            continue
        starts = np.ones((rows, columns), np.bool_)
        for row, column in shape:
            starts &= empty[row : row + rows, column : column + columns]
        if starts.any():
            return True
    return False


def _headline(game: GameView, names: tuple[str, str]) -> str:
    if game.winner is not None:
        winner = game.winner
        best, other = game.scores[winner], game.scores[1 - winner]
        tie = " (a tie: first to the last space)" if best == other else ""
        return f"{names[winner]} wins {best} to {other}{tie}"
    if game.special_pending:
        return f"{names[game.to_play]} has a special patch to place"
    return f"{names[game.to_play]} to play"
