"""Recording games as they are played, and playing recorded ones again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from patchwork_env.games.patchwork.actions import decline, describe, purchase, special
from patchwork_env.games.patchwork.edition import OFFERED, Edition
from patchwork_env.games.patchwork.notation import GameRecord, Move, NotationError, Result
from patchwork_env.games.patchwork.rules import ADVANCE
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.interfaces.game import GameView


class Recorder:
    """Follows one game of a batch from its start; `record` turns what it saw into notation."""

    def __init__(self, games: PatchworkBatch, index: int = 0) -> None:
        self._games = games
        self._index = index
        game = games.game(index)
        self._circle = game.circle
        self._first_player = self._mover = game.to_play
        self._refilled = False
        self._seen: list[tuple[int, int, tuple[int, ...]]] = []  # (player, action, refill)
        self._result: Result | None = None

    def note(self, action: int, final_scores: tuple[int, int] | None = None) -> None:
        """Take down an action that was just played. ``final_scores`` are those of a game that it ended."""
        state = self._games.state[self._index]
        refill: tuple[int, ...] = ()
        if final_scores is not None:
            winner = int(final_scores[1] > final_scores[0])
            # The record of an auto-reset game shows the next one; a tie is won by the one who was home first,
            # and the game ends with the move of the other.
            if final_scores[0] == final_scores[1]:
                winner = 1 - self._mover
            self._result = Result((int(final_scores[0]), int(final_scores[1])), winner)
        elif state["refilled"] and not self._refilled:
            self._refilled = True
            size = int(state["circle_size"])
            joined = len(self._games.edition.patches) - self._games.edition.circle_size
            refill = tuple(state["circle"][size - joined : size].tolist())
        self._seen.append((self._mover, action, refill))
        self._mover = int(state["to_play"])

    def record(self, seed: int | None = None, players: tuple[str, str] | None = None) -> GameRecord:
        """The game so far."""
        edition = self._games.edition
        circle = list(self._circle)
        moves = []
        for player, action, refill in self._seen:
            patches = np.array(circle[:OFFERED], np.int64)
            info = describe(edition, {"circle": patches, "circle_size": len(circle)}, action)
            if info.slot is not None:
                circle = circle[info.slot + 1 :] + circle[: info.slot] + list(refill)
            moves.append(Move.of(player, info, refill))
        return GameRecord(edition, self._circle, self._first_player, seed, players, moves, self._result)


def replay(record: GameRecord, source: str = "game") -> Iterator[GameView]:
    """The game before its first move and after each one; `NotationError` names a move that the rules forbid."""
    games = PatchworkBatch(1, record.edition, seed=0, threads=1, auto_reset=False)
    games.reset(circles=[record.circle], first_players=f"player_{record.first_player}")
    game = games.game(0)
    yield game
    for number, move in enumerate(record.moves):
        where = f"{source}, line {record.first_line + number}" if record.first_line else f"{source}, move {number + 1}"
        play_move(games, move, where)
        yield game


def play_move(games: PatchworkBatch, move: Move, where: str = "move") -> int:
    """Play a recorded move in game 0 of a batch; the action that it was. `NotationError` if the rules forbid it."""
    game = games.game(0)
    if game.done:
        raise NotationError(f"{where}: the game was already over")
    if move.player != game.to_play:
        raise NotationError(f"{where}: it is the turn of player_{game.to_play}, not of player_{move.player}")
    action = action_of(games.edition, game, move, where)
    reason = game.why_illegal(action)
    if reason is not None:
        raise NotationError(f"{where}: {reason}")
    refilled = games.state["refilled"][0]
    games.step(np.array([action]))
    _set_refill(games, move, games.state["refilled"][0] != refilled, where)
    return action


def check_result(record: GameRecord, game: GameView, source: str = "game") -> None:
    """Whether the recorded result is that of the replayed game; `NotationError` if not."""
    if record.result is None:
        if game.done:
            raise NotationError(f"{source}: the game is called unfinished, but it is over: {_result(game)}")
    elif not game.done:
        raise NotationError(f"{source}: a result is given, but the game is not over after {len(record.moves)} moves")
    elif _result(game) != record.result:
        raise NotationError(f"{source}: the result is given as '{record.result}', but it is '{_result(game)}'")


def action_of(edition: Edition, game: GameView, move: Move, where: str = "move") -> int:
    """The number of the action that a move means in this state of the game."""
    if move.kind == "advance":
        return ADVANCE
    if move.kind == "decline":
        return decline(edition)
    assert move.row is not None
    assert move.column is not None
    if move.row >= edition.rows or move.column >= edition.columns:
        raise NotationError(f"{where}: the quilt has {edition.rows} rows and {edition.columns} columns")
    if move.kind == "special":
        return special(edition, move.row, move.column)
    offered = game.circle[:OFFERED]
    if move.patch not in offered:
        raise NotationError(f"{where}: patch {move.patch} is not offered; the next ones are {list(offered)}")
    assert move.orientation is not None
    count = len(edition.patches[move.patch].orientations)
    if move.orientation >= count:
        raise NotationError(f"{where}: patch {move.patch} has orientations 0 to {count - 1}, not {move.orientation}")
    return purchase(edition, offered.index(move.patch), move.orientation, move.row, move.column)


def _set_refill(games: PatchworkBatch, move: Move, joined: bool, where: str) -> None:
    """Lay out the patches that joined the circle in the recorded order."""
    edition = games.edition
    expected = list(range(edition.circle_size, len(edition.patches))) if joined else []
    if sorted(move.refill) != expected:
        what = f"the patches {expected} join the circle here" if joined else "no patches join the circle here"
        raise NotationError(f"{where}: {what}, but the refill is given as {list(move.refill)}")
    if joined:
        games.set_refill(0, move.refill)


def _result(game: GameView) -> Result:
    assert game.winner is not None
    return Result(game.scores, game.winner)
