"""What a picture needs beyond the state: which patch lies where, and what the last move was.

A game's record knows which cells of a quilt are covered, not by what. A `History` that was told of every move
since the start knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from patchwork_env.games.patchwork.actions import ActionInfo
from patchwork_env.games.patchwork.notation import GameRecord, NotationError
from patchwork_env.games.patchwork.shapes import Cell
from patchwork_env.interfaces.game import GameView
from patchwork_env.interfaces.replay import action_of, replay


@dataclass(frozen=True)
class Placement:
    """Cloth on a quilt."""

    player: int
    patch: int | None  # patch id; None: a special patch
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Move:
    """One decision and what came of it."""

    number: int  # decisions before it
    player: int
    action: ActionInfo
    start: int  # the player's space before
    stop: int  # and after
    buttons: int  # what the move changed the player's buttons by
    income: int  # the part of it that income marks paid
    won_bonus: bool  # whether it earned the bonus tile


@dataclass
class History:
    """All moves of a game so far. Call `announce` before each step and `settle` after it."""

    placements: list[Placement] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    _announced: tuple[int, ActionInfo, int, int, int | None, int] | None = None

    @property
    def last_move(self) -> Move | None:
        """The latest move, or None before the first."""
        return self.moves[-1] if self.moves else None

    def clear(self) -> None:
        """Forget everything: a new game begins."""
        self.placements.clear()
        self.moves.clear()
        self._announced = None

    def announce(self, game: GameView, action: int) -> None:
        """``action`` is about to be played; if it is refused, the next call replaces this one."""
        player = game.to_play
        self._announced = (
            player,
            game.describe(action),
            game.positions[player],
            game.buttons[player],
            game.bonus_holder,
            game.decisions,
        )

    def settle(self, game: GameView) -> None:
        """The announced action has been played."""
        if self._announced is None:
            raise RuntimeError("settle() follows announce(): no move was announced")
        player, info, start, buttons, holder, number = self._announced
        self._announced = None
        if info.cells:
            self.placements.append(Placement(player, info.patch, info.cells))
        change = game.buttons[player] - buttons
        stop = game.positions[player]
        paid = 0
        if info.kind == "advance":
            paid = stop - start
        elif info.kind == "buy" and info.patch is not None:
            paid = -game.edition.patches[info.patch].cost
        won_bonus = holder is None and game.bonus_holder == player
        self.moves.append(Move(number, player, info, start, stop, change, change - paid, won_bonus))

    def covers(self, game: GameView) -> bool:
        """Whether the placements account for exactly the covered cells of both quilts."""
        for player in range(2):
            known = {cell for placed in self.placements if placed.player == player for cell in placed.cells}
            covered = {(int(row), int(column)) for row, column in zip(*game.quilts[player].nonzero(), strict=True)}
            if known != covered:
                return False
        return True


def follow(record: GameRecord, source: str = "game") -> Iterator[tuple[GameView, History]]:
    """A recorded game before its first move and after each one, with its history; both go along."""
    history = History()
    games = replay(record, source)
    game = next(games)
    yield game, history
    for move in record.moves:
        try:
            history.announce(game, action_of(record.edition, game, move))
        except NotationError:
            next(games)  # refuses the same move, and knows its line
            raise
        next(games)
        history.settle(game)
        yield game, history
