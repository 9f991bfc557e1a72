"""Actions as people read them: what a number means, and why it may not be played.

This is the one place that decides what counts as a legal request and how a refusal is worded; every interface
asks here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from patchwork_env.errors import IllegalActionError
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import ADVANCE, FIRST_SPECIAL, special_pending
from patchwork_env.games.patchwork.shapes import MAX_ORIENTATIONS, Cell, extent
from patchwork_env.games.patchwork.state import low_rows

ACTION_VERSION = 1  # goes up when an action changes its meaning; SPEC.md has the history


@dataclass(frozen=True)
class ActionInfo:
    """One action in words. Fields that an action of this kind does not have are None, `cells` is empty."""

    action: int
    kind: str  # "advance", "buy", "special" or "decline"
    slot: int | None = None  # 0, 1, 2: how far the patch is from the neutral token
    patch: int | None = None  # patch id; None when that slot of the circle is empty
    orientation: int | None = None
    row: int | None = None  # upper left corner of the bounding box, or the special patch's cell
    column: int | None = None
    cells: tuple[Cell, ...] = ()  # the quilt cells it would cover


def purchase(edition: Edition, slot: int, orientation: int, row: int, column: int) -> int:
    """The action that buys the patch in that slot."""
    block = slot * MAX_ORIENTATIONS + orientation
    return FIRST_SPECIAL + edition.cells + block * edition.cells + row * edition.columns + column


def special(edition: Edition, row: int, column: int) -> int:
    """The action that puts a special patch on that cell."""
    return FIRST_SPECIAL + row * edition.columns + column


def decline(edition: Edition) -> int:
    """The action that declines a special patch."""
    return edition.num_actions - 1


def describe(edition: Edition, game: Any, action: int) -> ActionInfo:
    """What ``action`` means in this state of a game, legal or not."""
    if not 0 <= action < edition.num_actions:
        raise IllegalActionError(_out_of_range(edition, action))
    if action == ADVANCE:
        return ActionInfo(action, "advance")
    if action == decline(edition):
        return ActionInfo(action, "decline")
    block, cell = divmod(action - FIRST_SPECIAL, edition.cells)
    row, column = divmod(cell, edition.columns)
    if block == 0:
        return ActionInfo(action, "special", row=row, column=column, cells=((row, column),))
    slot, turn = divmod(block - 1, MAX_ORIENTATIONS)
    if slot >= game["circle_size"]:
        return ActionInfo(action, "buy", slot=slot, orientation=turn, row=row, column=column)
    patch = int(game["circle"][slot])
    shapes = edition.patches[patch].orientations
    cells = tuple((row + r, column + c) for r, c in shapes[turn]) if turn < len(shapes) else ()
    return ActionInfo(action, "buy", slot, patch, turn, row, column, cells)


def why_illegal(edition: Edition, game: Any, action: int) -> str:
    """The reason why ``action``, which the mask of this game does not allow, is refused."""
    if not 0 <= action < edition.num_actions:
        return _out_of_range(edition, action)
    if game["done"]:
        return "the game is over; reset it before the next step"
    player = f"player_{game['to_play']}"
    info = describe(edition, game, action)
    if special_pending(game):
        return _why_not_while_special(edition, game, info, player)
    if info.kind in ("special", "decline"):
        return f"{player} has no special patch to place or decline"
    return _why_not_buy(edition, game, info, player)


def _why_not_while_special(edition: Edition, game: Any, info: ActionInfo, player: str) -> str:
    if info.kind == "special":
        return f"cell (row {info.row}, column {info.column}) of {player}'s quilt is already covered"
    if info.kind == "decline":
        return f"edition {edition.name!r} does not allow a special patch to be declined"
    return f"{player} must place a special patch before anything else"


def _why_not_buy(edition: Edition, game: Any, info: ActionInfo, player: str) -> str:
    if info.patch is None:
        return f"only {game['circle_size']} patches are left, there is none in slot {info.slot}"
    patch = edition.patches[info.patch]
    many = edition.currency[1]
    if game["buttons"][game["to_play"]] < patch.cost:
        return f"patch {info.patch} costs {patch.cost} {many}, {player} has {game['buttons'][game['to_play']]}"
    if not info.cells:
        return f"patch {info.patch} has {len(patch.orientations)} orientations, there is no number {info.orientation}"
    height, width = extent(info.cells)
    if height > edition.rows or width > edition.columns:
        return f"patch {info.patch} would reach over the edge from row {info.row}, column {info.column}"
    covered = quilt_cells(edition, game["quilts"][game["to_play"]])
    row, column = next(cell for cell in info.cells if cell in covered)
    return f"patch {info.patch} would overlap cell (row {row}, column {column}) of {player}'s quilt"


def quilt_cells(edition: Edition, quilt: Any) -> set[Cell]:
    """The covered cells of a quilt given as its two words."""
    low_cells = low_rows(edition) * edition.columns
    number = int(quilt[0]) | int(quilt[1]) << low_cells
    return {divmod(cell, edition.columns) for cell in range(edition.cells) if number >> cell & 1}


def _out_of_range(edition: Edition, action: int) -> str:
    return f"action {action} is out of range; there are {edition.num_actions}, 0 to {edition.num_actions - 1}"
