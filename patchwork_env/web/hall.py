"""All games of a server: making and finding them, letting agents think, forgetting what nobody uses."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from patchwork_env.agents.analysis import Evaluation, opinion, win_probabilities
from patchwork_env.agents.base import AGENTS, Agent, make_agent
from patchwork_env.games.patchwork.edition import load_edition
from patchwork_env.games.patchwork.notation import GameRecord
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.interfaces.game import GameView
from patchwork_env.interfaces.replay import play_move
from patchwork_env.render.history import follow
from patchwork_env.web.table import HUMAN, RefusedError, Setup, Table
from patchwork_env.web.view import action_view, breakdown, position_view

_Value = TypeVar("_Value")

PATIENCE = 0.25  # seconds for which a move's answer waits for agents that are quick
GRAPH_PLAYOUTS = 48
# What a visitor may let an agent think: a number (simulations, depth), milliseconds or seconds.
LARGEST_BUDGET = {"": 20_000, "ms": 10_000, "s": 10}
_BUDGET = re.compile(r"(?P<number>\d{1,9})(?P<unit>ms|s)?")
# Agents that read a file: only whoever starts the server may name those.
FROM_FILES = ("checkpoint", "checkpoint+mcts")
SHOWN_MOVES = 5  # of an analysis


class Hall:
    """The tables of one server. Everything but thinking happens in the event loop's thread."""

    def __init__(self, extra_agents: tuple[str, ...] = (), max_games: int = 1000, idle_seconds: float = 3600) -> None:
        self.tables: dict[str, Table] = {}
        self.extra_agents = extra_agents
        self.max_games = max_games
        self.idle_seconds = idle_seconds
        self._workers = ThreadPoolExecutor(max_workers=2, thread_name_prefix="thinking")
        self._tasks: set[asyncio.Task[None]] = set()

    # --- tables ---------------------------------------------------------------------------------------------------

    async def open(self, setup: Setup) -> Table:
        """A new game; games that nobody has touched for long make room."""
        for seat in setup.seats:
            self.check_seat(seat)
        agents = await self.think(setup.make_agents)  # an agent may have a network to load
        self.forget_idle()
        if len(self.tables) >= self.max_games:
            raise RefusedError(503, f"the server already has {self.max_games} games; try again later")
        table = Table(setup, agents)
        self.tables[table.identity] = table
        return table

    def find(self, identity: str) -> Table:
        """The game of that name."""
        self.forget_idle()
        table = self.tables.get(identity)
        if table is None:
            raise RefusedError(404, "there is no such game; it may have expired, or the server was restarted")
        table.used = time.monotonic()
        return table

    def forget_idle(self) -> None:
        """Drop games that were not used within the time allowed."""
        limit = time.monotonic() - self.idle_seconds
        for identity in [identity for identity, table in self.tables.items() if table.used < limit]:
            del self.tables[identity]

    def check_seat(self, seat: str) -> None:
        """Refuse a seat that is neither a person nor an agent of the tables with a budget that others can bear."""
        if seat == HUMAN or seat in self.extra_agents:
            return
        name, _, budget = seat.partition(":")
        if name not in self.agent_names():
            known = ", ".join([HUMAN, *self.agent_names()])
            raise RefusedError(422, f"unknown player {seat!r}; known are {known}")
        found = _BUDGET.fullmatch(budget)
        if budget and (found is None or int(found["number"]) > LARGEST_BUDGET[found["unit"] or ""]):
            most = ", ".join(f"{number}{unit}" for unit, number in LARGEST_BUDGET.items())
            raise RefusedError(422, f"player {seat!r}: here a budget is a number up to {most}, and nothing else")

    def agent_names(self) -> list[str]:
        """The agents that the page offers."""
        named = [name for name in AGENTS if name not in FROM_FILES and _can_be_made(name)]
        return [*named, *(agent for agent in self.extra_agents if agent not in named)]

    # --- thinking -------------------------------------------------------------------------------------------------

    async def think(self, function: Callable[..., _Value], *arguments: Any) -> _Value:
        """The function's answer, worked out by a worker while the page goes on."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, function, *arguments)

    async def agents_play(self, table: Table, patience: float = PATIENCE) -> None:
        """Let the agents take their turns until a person is to move; return early if they take their time."""
        if table.agent_to_move is None or table.thinking:
            return
        table.thinking = True
        task = asyncio.create_task(self._play_on(table))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(task), patience)

    async def _play_on(self, table: Table) -> None:
        try:
            while await self._one_turn(table):
                pass
        finally:
            table.thinking = False
            table.touch()

    async def step(self, table: Table) -> None:
        """One move of an agent."""
        if table.game.done:
            raise RefusedError(409, "the game is over")
        if table.agent_to_move is None:
            raise RefusedError(409, "a person is to move")
        if table.thinking:
            raise RefusedError(409, "the agent is thinking already")
        table.thinking = True
        try:
            await self._one_turn(table)
        finally:
            table.thinking = False
            table.touch()

    async def _one_turn(self, table: Table) -> bool:
        """Play the move of the agent whose turn it is; whether there was one and the game was left alone meanwhile."""
        agent = table.agent_to_move
        if agent is None:
            return False
        version = table.version
        legal = table.game.legal_actions()
        try:
            action = int(legal[0]) if len(legal) == 1 else await self.think(_choice, agent, table.games.copy())
            if table.version != version:
                return False
            table.play(action)
        except Exception as error:  # an agent is foreign code: the game must survive it
            table.failure = f"{table.names[table.game.to_play]} could not move: {error}"
            return False
        return True

    async def analyse(self, table: Table, agent_name: str) -> dict[str, Any]:
        """The position as an agent sees it: the chance to win and the best moves."""
        self.check_seat(agent_name)
        if table.analysis is None or table.analysis[0] != (table.version, agent_name):
            version = table.version
            game, player = table.game, table.game.to_play
            agent = make_agent(agent_name, seed=table.setup.seed) if agent_name != HUMAN else None
            chances, source = await self.think(opinion, agent, table.games.copy(), 0)
            if table.version != version:
                raise RefusedError(409, "the game has moved on")
            moves = [
                {**action_view(game.describe(action)), "probability": round(chance, 4)}
                for action, chance in _most_telling(game, chances)
            ]
            best = chances[0][1] if chances else float(game.winner == player)
            first = best if player == 0 else 1 - best
            found: dict[str, Any] = {"version": version, "source": source, "player_0": round(first, 4), "moves": moves}
            table.analysis = ((version, agent_name), found)
            return found
        return table.analysis[1]

    async def frames(self, record: GameRecord) -> dict[str, Any]:
        """A recorded game, position by position."""
        names = record.players or ("player 0", "player 1")
        return await self.think(_frames, record, names)

    async def graph(self, record: GameRecord) -> list[float]:
        """Player 0's chance to win at every position of a recorded game."""
        return await self.think(_graph, record)

    async def prepare(self) -> None:
        """Have compiled what every game needs, before the first person waits for it."""
        await self.think(_prepare_games)

    async def prepare_analysis(self) -> None:
        """The same for the analysis, which takes longer."""
        await self.think(_prepare_analysis)

    def close(self) -> None:
        """Stop the workers; what they are thinking about is dropped."""
        self._workers.shutdown(wait=False, cancel_futures=True)


def _can_be_made(name: str) -> bool:
    """Whether what an agent needs is installed: those that were trained need PyTorch."""
    return not AGENTS[name][0].startswith("training.") or importlib.util.find_spec("torch") is not None


def _most_telling(game: GameView, chances: Evaluation) -> Evaluation:
    """The best of every kind of move (advance, each patch), then further placements; by falling chance."""
    leaders: dict[tuple[str, int | None], tuple[int, float]] = {}
    for action, chance in chances:
        info = game.describe(action)
        leaders.setdefault((info.kind, info.slot), (action, chance))
    others = [each for each in chances if each not in leaders.values()]
    return sorted([*leaders.values(), *others][:SHOWN_MOVES], key=lambda each: -each[1])


def _prepare_games() -> None:
    agent = make_agent("greedy")
    table = Table(Setup(load_edition("revised"), (HUMAN, HUMAN), 0), (None, None))
    while not table.game.done:
        table.play(_choice(agent, table.games.copy()))
    table.view()


def _prepare_analysis() -> None:
    games = PatchworkBatch(1, seed=0, threads=1, auto_reset=False)
    games.reset()
    opinion(None, games, 0)
    win_probabilities(games)


def _choice(agent: Agent, games: PatchworkBatch) -> int:
    return int(agent.act(games, np.zeros(1, np.int64))[0])


def _frames(record: GameRecord, names: tuple[str, str]) -> dict[str, Any]:
    frames = []
    for game, history in follow(record):
        frames.append(position_view(game, history, names))
    summary = [breakdown(game, history, player) for player in range(2)] if game.done else None
    return {"edition": record.edition.name, "names": names, "frames": frames, "summary": summary}


def _graph(record: GameRecord) -> list[float]:
    games = PatchworkBatch(len(record.moves) + 1, record.edition, seed=0, threads=1, auto_reset=False)
    walker = PatchworkBatch(1, record.edition, seed=0, threads=1, auto_reset=False)
    walker.reset(circles=[record.circle], first_players=f"player_{record.first_player}")
    games.load(0, walker.save(0))
    for number, move in enumerate(record.moves, 1):
        play_move(walker, move, f"move {number}")
        games.load(number, walker.save(0))
    return [round(float(chance), 4) for chance in win_probabilities(games, GRAPH_PLAYOUTS)]
