"""One game on the server: its state, who sits where, and what the page is told of it."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from patchwork_env.agents.base import Agent, make_agent
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.notation import GameRecord, NotationError
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.interfaces.replay import Recorder, action_of, play_move
from patchwork_env.render.history import History
from patchwork_env.render.scene import describe_move
from patchwork_env.web.view import advance_preview, breakdown, position_view

HUMAN = "human"


class RefusedError(Exception):
    """A request that cannot be granted: an HTTP status and what is wrong."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass
class Setup:
    """What a new game is asked to be."""

    edition: Edition
    seats: tuple[str, str]  # "human" or an agent's name
    seed: int
    first_player: str = "player_0"
    practice: bool = False
    record: GameRecord | None = None  # a game to go on with

    def make_agents(self) -> tuple[Agent | None, Agent | None]:
        """The agents of the seats; None where a person sits."""
        first, second = (
            None if seat == HUMAN else make_agent(seat, seed=self.seed + number)
            for number, seat in enumerate(self.seats)
        )
        return first, second


@dataclass
class Table:
    """A game with its players. Only the event loop's thread may touch it; agents think about copies."""

    setup: Setup
    agents: tuple[Agent | None, Agent | None]  # None where a person sits
    identity: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    version: int = 0  # grows with every change
    thinking: bool = False
    failure: str = ""  # why an agent could not move
    used: float = field(default_factory=time.monotonic)
    analysis: tuple[tuple[int, str], dict[str, Any]] | None = None  # ((version, agent), what was found)

    def __post_init__(self) -> None:
        self.changed = asyncio.Event()
        self._start(self.setup.record)

    # --- playing --------------------------------------------------------------------------------------------------

    def _start(self, record: GameRecord | None) -> None:
        """Set up the game, and play what is recorded of it."""
        setup = self.setup
        self.games = PatchworkBatch(1, setup.edition, seed=setup.seed, threads=1, auto_reset=False)
        if record is None:
            self.games.reset(first_players=setup.first_player)
        else:
            self.games.reset(circles=[record.circle], first_players=f"player_{record.first_player}")
        self.game = self.games.game(0)
        self.recorder = Recorder(self.games)
        self.history = History()
        for number, move in enumerate(record.moves if record else (), 1):
            where = f"move {number}"
            self.history.announce(self.game, action_of(setup.edition, self.game, move, where))
            self._note(play_move(self.games, move, where))

    def _note(self, action: int) -> None:
        self.recorder.note(action, self.game.scores if self.game.done else None)
        self.history.settle(self.game)

    def play(self, action: int) -> None:
        """Play a legal action."""
        self.history.announce(self.game, action)
        self.games.step(np.array([action]))
        self._note(action)
        self.touch()

    def play_human(self, action: int, decisions: int) -> None:
        """Play a person's action, which was chosen when so many decisions had been taken."""
        if self.game.done:
            raise RefusedError(409, "the game is over")
        if decisions != self.game.decisions:
            raise RefusedError(
                409, f"the game has moved on: {self.game.decisions} decisions were taken, not {decisions}"
            )
        if self.setup.seats[self.game.to_play] != HUMAN:
            raise RefusedError(409, f"it is not your turn: {self.names[self.game.to_play]} is to play")
        reason = self.game.why_illegal(action)
        if reason is not None:
            raise RefusedError(422, reason)
        self.play(action)

    def undo(self) -> None:
        """Take back moves up to the last decision of a person."""
        if self.thinking:
            raise RefusedError(409, "the agent is thinking; wait for its move")
        if not self.setup.practice:
            raise RefusedError(409, "moves can be taken back in practice games only")
        mine = [number for number, move in enumerate(self.history.moves) if self.setup.seats[move.player] == HUMAN]
        if not mine:
            raise RefusedError(409, "there is no move of yours to take back")
        record = self.record()
        record.moves = record.moves[: mine[-1]]
        record.result = None
        self._start(record)
        self.touch()

    def touch(self) -> None:
        """The game has changed: wake whoever waits for that."""
        self.version += 1
        self.used = time.monotonic()
        self.changed.set()
        self.changed = asyncio.Event()

    @property
    def agent_to_move(self) -> Agent | None:
        """The agent whose turn it is, if it is one's."""
        return None if self.game.done else self.agents[self.game.to_play]

    # --- telling --------------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, str]:
        """What the players are called."""
        seats = self.setup.seats
        if seats == (HUMAN, HUMAN):
            return ("player 0", "player 1")
        names = ["you" if seat == HUMAN else seat for seat in seats]
        if names[0] == names[1]:
            names = [f"{name} ({number})" for number, name in enumerate(names)]
        return names[0], names[1]

    def record(self) -> GameRecord:
        """The game in notation."""
        return self.recorder.record(self.setup.seed, self.setup.seats)

    def view(self) -> dict[str, Any]:
        """All that the page shows."""
        game, setup = self.game, self.setup
        human = not game.done and setup.seats[game.to_play] == HUMAN
        return {
            "id": self.identity,
            "version": self.version,
            "edition": setup.edition.name,
            "seats": setup.seats,
            "names": self.names,
            "seed": setup.seed,
            "practice": setup.practice,
            "thinking": self.thinking,
            "failure": self.failure,
            "your_turn": human,
            "can_undo": setup.practice and any(setup.seats[move.player] == HUMAN for move in self.history.moves),
            "position": position_view(game, self.history, self.names),
            "legal": game.legal_actions().tolist() if human else [],
            "advance": advance_preview(self.games) if human and not game.special_pending else None,
            "log": [
                {"player": move.player, "text": describe_move(setup.edition, move, self.names, letters=False)}
                for move in self.history.moves
            ],
            "summary": [breakdown(game, self.history, player) for player in range(2)] if game.done else None,
            "notation": str(self.record()),
        }


def checked_record(record: GameRecord) -> None:
    """Whether a game from outside can be played from its start; `NotationError` names what is wrong."""
    if len(record.moves) > 1000:
        raise NotationError(f"the game has {len(record.moves)} moves, more than any game can have")
