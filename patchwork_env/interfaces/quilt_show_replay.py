"""Recording games of Quilt Show as they are played, and playing recorded ones again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from patchwork_env.games.quilt_show.notation import GameRecord, Move, NotationError, Result
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.interfaces.quilt_show_game import QuiltShowView


class Recorder:
    """Follows one game of a batch (without auto-reset) from its start."""

    def __init__(self, games: QuiltShowBatch, index: int = 0, first_player: str | None = None) -> None:
        self._game = games.game(index)
        self._record = GameRecord(
            games.settings,
            games.seed,
            index,
            int(games.episodes[index]),
            first_player or games.first_player,
        )

    def note(self, action: int) -> None:
        """Take down an action that is about to be played; one that is not legal is left out."""
        if self._game.why_illegal(action) is None:
            self._record.moves.append(Move(self._game.to_play, action, self._game.describe(action).text))

    def record(self, agents: tuple[str, ...] | None = None) -> GameRecord:
        """The game so far."""
        self._record.agents = agents
        self._record.result = result_of(self._game)
        return self._record


def result_of(game: QuiltShowView) -> Result | None:
    """How a game ended; None before its end."""
    return Result(game.money, game.winners) if game.done else None


def replay(record: GameRecord, source: str = "game") -> Iterator[QuiltShowView]:
    """The game before its first decision and after each one; `NotationError` names one that does not fit."""
    # Streams go by a game's number in its batch, so it must have the same one here.
    games = QuiltShowBatch(
        record.game + 1,
        seed=record.seed,
        threads=1,
        auto_reset=False,
        first_player=record.first_player,
        **record.settings.as_dict(),
    )
    games.episodes[:] = record.episode - 1
    indices = np.array([record.game])
    games.reset(indices)
    game = games.game(record.game)
    yield game
    for number, move in enumerate(record.moves):
        where = f"{source}, line {record.first_line + number}" if record.first_line else f"{source}, move {number + 1}"
        if game.done:
            raise NotationError(f"{where}: the game was already over")
        if move.player != game.to_play:
            raise NotationError(f"{where}: it is the turn of player_{game.to_play}, not of player_{move.player}")
        reason = game.why_illegal(move.action)
        if reason is not None:
            raise NotationError(f"{where}: {reason}")
        text = game.describe(move.action).text
        if move.text not in ("", text):
            raise NotationError(f"{where}: the record says {move.text!r}, but here this means {text!r}")
        games.step(np.array([move.action]), indices)
        yield game
    if record.result is not None and result_of(game) != record.result:
        raise NotationError(f"{source}: the result is given as '{record.result}', but it is '{result_of(game)}'")
