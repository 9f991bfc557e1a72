"""The Patchwork family in lists and loops, written from the rulebooks and meant to be read beside them.

Nothing here is fast or clever. Where a rulebook leaves a question open, a comment says how it is
settled and why it matters.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from .components import EditionRules, Patch

Cell = tuple[int, int]  # (row, column), counted from the top left corner
Cells = frozenset[Cell]
Quilt = list[list[int | Literal["special"] | None]]  # patch id, special patch, or empty

Advance = tuple[Literal["advance"]]
Buy = tuple[Literal["buy"], int, int, Cells]  # slot in the offer, patch id, cells it will cover
Special = tuple[Literal["special"], Cell]
Decline = tuple[Literal["decline"]]
Action = Advance | Buy | Special | Decline

DrawRefill = Callable[[list[int]], list[int]]

OFFERED = 3  # patches in front of the neutral token that may be chosen
POINTS_LOST_PER_EMPTY_CELL = 2


def shape_cells(shape: str) -> Cells:
    """The cells of a printed shape such as ``"##/#."``."""
    cells = set()
    for row, line in enumerate(shape.split("/")):
        for column, mark in enumerate(line):
            if mark == "#":
                cells.add((row, column))
    return frozenset(cells)


def _moved_to_corner(cells: Cells) -> Cells:
    """The same cells, shifted so that the top row and the left column are number 0."""
    top = min(row for row, _ in cells)
    left = min(column for _, column in cells)
    return frozenset((row - top, column - left) for row, column in cells)


@cache  # a patch never changes, and the tests ask for the same few patches thousands of times
def orientations(patch: Patch) -> frozenset[Cells]:
    """Every different way to lay the patch: four turns of each of its two faces."""
    found = set()
    cells = shape_cells(patch.shape)
    for _face in range(2):
        for _turn in range(4):
            cells = _moved_to_corner(frozenset((column, -row) for row, column in cells))
            found.add(cells)
        cells = _moved_to_corner(frozenset((row, -column) for row, column in cells))
    return frozenset(found)


def placements(patch: Patch, quilt: Quilt) -> set[Cells]:
    """Every set of empty cells of the quilt that the patch can cover."""
    side = len(quilt)
    found = set()
    for oriented in orientations(patch):
        height = 1 + max(row for row, _ in oriented)
        width = 1 + max(column for _, column in oriented)
        for top in range(side - height + 1):
            for left in range(side - width + 1):
                if all(quilt[top + row][left + column] is None for row, column in oriented):
                    found.add(frozenset((top + row, left + column) for row, column in oriented))
    return found


def has_full_square(quilt: Quilt, square: int) -> bool:
    """Whether a square of this many cells a side is completely covered somewhere on the quilt."""
    for top in range(len(quilt) - square + 1):
        for left in range(len(quilt) - square + 1):
            lines = [quilt[top + row][left : left + square] for row in range(square)]
            if all(None not in line for line in lines):
                return True
    return False


class PatchworkTable:
    """The table and the turn of a player who sews: all that the two-player and the solo game share.

    Attributes that may be read, and set by a test that wants a certain position:

    - ``quilts``: two grids (lists of rows) of patch ids, ``"special"`` or ``None``
    - ``buttons``, ``positions``, ``incomes``: one number per player
    - ``circle``: patch ids from the neutral token on
    - ``special_spaces_left``: spaces that still hold their special patch
    - ``bonus_holder``: who has the special tile, or ``None``
    - ``to_play``: who decides now (without meaning once ``done``)
    - ``last_to_arrive``: who moved last, and so lies on top if both tokens share a space
    - ``first_to_finish``: who reached the last space first, or ``None``
    - ``pending_special``: the player must now place a special patch
    - ``done``: the game is over
    """

    def __init__(
        self,
        rules: EditionRules,
        circle: list[int],
        first_player: int = 0,
        draw_refill: DrawRefill | None = None,
    ) -> None:
        if rules.refill_when_left is not None and draw_refill is None:
            raise ValueError("this edition refills the circle, so draw_refill is needed")
        side = rules.quilt_side
        self.rules = rules
        self.circle = list(circle)
        self.quilts: list[Quilt] = [[[None] * side for _ in range(side)] for _ in range(2)]
        self.buttons = [rules.start_money, rules.start_money]
        self.positions = [0, 0]
        self.incomes = [0, 0]
        self.special_spaces_left = list(rules.special_spaces)
        self.bonus_holder: int | None = None
        self.to_play = first_player
        # The beginner's token counts as the upper one on the starting space.
        self.last_to_arrive = first_player
        self.first_to_finish: int | None = None
        self.pending_special = False
        self.done = False
        self._draw_refill = draw_refill
        self._refilled = False
        self._spaces_to_resolve: list[int] = []

    # What may be done

    def empty_cells(self, player: int) -> list[Cell]:
        """The cells of the player's quilt that nothing covers."""
        found = []
        for row, line in enumerate(self.quilts[player]):
            for column, content in enumerate(line):
                if content is None:
                    found.append((row, column))
        return found

    def offered_patches(self) -> list[int]:
        """The ids of the patches that may be chosen: three, or all that are left."""
        return self.circle[:OFFERED]

    def legal_actions(self) -> set[Action]:
        """All actions of the player to play; the empty set once the game is over."""
        actions: set[Action] = set()
        if self.done:
            return actions
        player = self.to_play
        if self.pending_special:
            for cell in self.empty_cells(player):
                actions.add(("special", cell))
            if self.rules.may_decline:
                actions.add(("decline",))
            return actions
        actions.add(("advance",))
        for slot, patch_id in enumerate(self.offered_patches()):
            patch = self.rules.patches[patch_id]
            if patch.cost <= self.buttons[player]:
                for cells in placements(patch, self.quilts[player]):
                    actions.add(("buy", slot, patch_id, cells))
        return actions

    # Doing it

    def play(self, action: Action) -> None:
        """Carry out one decision of the player to play, and all that follows without another one."""
        if action not in self.legal_actions():
            raise ValueError(f"not a legal action: {action!r}")
        match action:
            case ("advance",):
                self._advance()
            case ("buy", slot, _, cells):
                self._buy(slot, cells)
            case ("special", cell):
                self._cover(self.to_play, frozenset([cell]), "special")
            case ("decline",):
                pass  # the special patch left the time board when it was reached
        self._resolve_entered_spaces()
        if not self.pending_special:
            self._pass_the_turn()

    def _advance(self) -> None:
        player = self.to_play
        entered = self._move_token(player, self.positions[1 - player] + 1)
        # Paid before any event, and only for the spaces that were really there.
        self.buttons[player] += len(entered)
        self._spaces_to_resolve = entered

    def _buy(self, slot: int, cells: Cells) -> None:
        player = self.to_play
        patch_id = self._take_patch(slot)
        patch = self.rules.patches[patch_id]
        self.buttons[player] -= patch.cost
        # Placed before the token moves, so the new patch already pays at the spaces of this move.
        self._cover(player, cells, patch_id)
        self.incomes[player] += patch.income
        self._spaces_to_resolve = self._move_token(player, self.positions[player] + patch.time)

    def _take_patch(self, slot: int) -> int:
        """Take an offered patch out of the circle, refill the circle if it is time, return the id."""
        patch_id = self.circle[slot]
        # The neutral token moves to the gap, which leaves the skipped patches behind it.
        self.circle = self.circle[slot + 1 :] + self.circle[:slot]
        starting_patches_left = sum(1 for other in self.circle if other < self.rules.patches_at_start)
        if starting_patches_left == self.rules.refill_when_left and not self._refilled:
            assert self._draw_refill is not None
            waiting = list(range(self.rules.patches_at_start, len(self.rules.patches)))
            # Drawn only now, because nobody may know the order earlier.
            drawn = list(self._draw_refill(list(waiting)))
            if sorted(drawn) != waiting:
                raise ValueError(f"draw_refill must return the ids {waiting} in some order, not {drawn}")
            self.circle += drawn
            self._refilled = True
        return patch_id

    def _cover(self, player: int, cells: Cells, content: int | Literal["special"]) -> None:
        """Lay something on the quilt, and give out the special tile if that has earned it."""
        for row, column in cells:
            self.quilts[player][row][column] = content
        square = self.rules.bonus_square
        if square is not None and self.bonus_holder is None and has_full_square(self.quilts[player], square):
            self.bonus_holder = player

    def _move_token(self, player: int, target: int) -> list[int]:
        """Put the token on the target space, or on the last one; return the spaces entered, in order."""
        target = min(target, self.rules.last_space)
        entered = list(range(self.positions[player] + 1, target + 1))
        self.positions[player] = target
        self.last_to_arrive = player
        if target == self.rules.last_space and self.first_to_finish is None:
            self.first_to_finish = player
        return entered

    def _resolve_entered_spaces(self) -> None:
        """Resolve the spaces of the move in track order, up to the next special patch to place.

        The spaces behind that patch wait, so an income further along is paid after the decision.
        """
        player = self.to_play
        self.pending_special = False
        while self._spaces_to_resolve:
            space = self._spaces_to_resolve.pop(0)
            # No edition has both events on one space. The order would change no result, because a
            # special patch pays nothing.
            if space in self.rules.income_spaces:
                self.buttons[player] += self.incomes[player]
            if space in self.special_spaces_left:
                self.special_spaces_left.remove(space)
                # On a full quilt there is nothing to decide: the patch is out of the game.
                if self.empty_cells(player):
                    self.pending_special = True
                    return

    def _pass_the_turn(self) -> None:
        """Find out who plays next, now that every event of the move is resolved."""
        if self.positions[0] == self.positions[1] == self.rules.last_space:
            self.done = True
        elif self.positions[0] == self.positions[1]:
            self.to_play = self.last_to_arrive
        else:
            # A player on the last space is never the one behind, and so waits for the other.
            self.to_play = 0 if self.positions[0] < self.positions[1] else 1

    # Scoring

    def quilt_score(self, player: int) -> int:
        """Money and special tile, less two points for each empty cell of the quilt."""
        bonus = self.rules.bonus_points if self.bonus_holder == player else 0
        return self.buttons[player] + bonus - POINTS_LOST_PER_EMPTY_CELL * len(self.empty_cells(player))


class ReferenceGame(PatchworkTable):
    """The two-player game of any edition.

    ``circle`` lists the patch ids from the neutral token on. ``draw_refill`` is called at the moment
    the circle is refilled, with the ids of the waiting patches, and returns them in the drawn order.
    """

    def scores(self) -> list[int]:
        """Both players' scores if the game ended as it stands now."""
        return [self.quilt_score(0), self.quilt_score(1)]

    def winner(self) -> int:
        """The player with more points; a tie goes to the one who reached the last space first."""
        if not self.done:
            raise ValueError("the game is not over")
        scores = self.scores()
        if scores[0] == scores[1]:
            assert self.first_to_finish is not None
            return self.first_to_finish
        return 0 if scores[0] > scores[1] else 1
