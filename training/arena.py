"""Two agents play each other on paired deals: every deal twice, with the seats swapped.

Deals are numbered. Deal ``d`` of a seed is always the same circle (and the same refill, where the edition has
one), however many games a match has, so a longer match continues a shorter one. Games are played in blocks of
`BLOCK_DEALS`; each half of a block (the same deals, one seating) is one batch with agents of its own, and the
halves are shared out between threads. What comes out depends on the agents, the edition and the seed only, not
on the number of threads, unless an agent thinks by the clock.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env import Edition, PatchworkBatch, load_edition, make_agent
from patchwork_env.agents.base import Agent, AgentLike
from patchwork_env.games.patchwork.rules import winner
from patchwork_env.kernels import available_threads
from training.intervals import Interval, mean_interval, paired_rate_interval

BLOCK_DEALS = 64  # deals dealt and played together
FIRST, SECOND = 0, 1  # the two agents of a match, in the order they were named

Progress = Callable[[int], None]  # called with the number of games that have just ended


@dataclass
class PairedResult:
    """What a match brought, game by game.

    Games 2k and 2k + 1 are the two games of one deal; in the former the agent named first begins. Columns of
    per-agent arrays are the agents in the order they were named, not the seats.
    """

    first: str
    second: str
    edition: str
    seed: int
    deal: NDArray[np.int64]  # (games,) number of the deal
    first_seat: NDArray[np.int8]  # (games,) seat of the agent named first; seat 0 begins
    winner: NDArray[np.int8]  # (games,) 0 the agent named first, 1 the other
    scores: NDArray[np.int16]  # (games, 2)
    empty_cells: NDArray[np.int16]  # (games, 2)
    holes: NDArray[np.int16]  # (games, 2) connected regions of empty cells
    bonus: NDArray[np.int8]  # (games, 2) 1 for who has the bonus tile
    decisions: NDArray[np.int16]  # (games, 2)
    seconds: NDArray[np.float64]  # (games, 2) time spent deciding; games decided together share it evenly
    records: list[GameRecord] = field(default_factory=list)  # one a game, if they were asked for

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.deal)

    @property
    def wins(self) -> NDArray[np.int64]:
        """(pairs, 2) 1 for each game that the agent named first won."""
        return (self.winner == FIRST).astype(np.int64).reshape(-1, 2)

    @property
    def win_rate(self) -> float:
        """Share of the games that the agent named first won."""
        return float(self.wins.mean()) if self.games else math.nan

    @property
    def interval(self) -> Interval:
        """95% interval of `win_rate`."""
        return paired_rate_interval(self.wins)

    @property
    def beginner_wins(self) -> NDArray[np.int64]:
        """(pairs, 2) 1 for each game that the player in seat 0, who begins, won."""
        return (self.winner == self.first_seat).astype(np.int64).reshape(-1, 2)

    @property
    def beginner_rate(self) -> float:
        """Share of the games that whoever began won."""
        return float(self.beginner_wins.mean()) if self.games else math.nan

    @property
    def beginner_interval(self) -> Interval:
        """95% interval of `beginner_rate`."""
        return paired_rate_interval(self.beginner_wins)

    @property
    def margin(self) -> float:
        """Mean score difference, positive when the agent named first is ahead."""
        return float((self.scores[:, 0] - self.scores[:, 1]).mean()) if self.games else math.nan

    @property
    def margin_interval(self) -> Interval:
        """95% interval of `margin`."""
        return mean_interval((self.scores[:, 0] - self.scores[:, 1]).reshape(-1, 2))

    def means(self, values: NDArray[Any]) -> tuple[float, float]:
        """The mean over all games of a per-agent array."""
        if not self.games:
            return math.nan, math.nan
        first, second = values.mean(axis=0).tolist()
        return first, second

    @property
    def seconds_per_decision(self) -> tuple[float, float]:
        """Mean time that each agent took for a decision."""
        decisions = np.maximum(self.decisions.sum(axis=0, dtype=np.int64), 1)
        first, second = (self.seconds.sum(axis=0) / decisions).tolist()
        return first, second

    def joined(self, later: PairedResult) -> PairedResult:
        """This result with the games of another of the same match behind its own."""
        ours = (self.first, self.second, self.edition, self.seed)
        theirs = (later.first, later.second, later.edition, later.seed)
        if ours != theirs:
            raise ValueError(f"the results are of different matches: {ours} and {theirs}")
        return PairedResult(
            *ours,
            *(np.concatenate([getattr(self, name), getattr(later, name)]) for name in GAME_COLUMNS),
            records=self.records + later.records,
        )


GAME_COLUMNS = (  # the arrays of a result, in the order in which it declares them
    *("deal", "first_seat", "winner", "scores", "empty_cells"),
    *("holes", "bonus", "decisions", "seconds"),
)


@dataclass(frozen=True)
class GameRecord:
    """All that is needed to play a game again."""

    deal: int
    first_seat: int
    circle: tuple[int, ...]  # patch ids from the neutral token on, as dealt
    refill: tuple[int, ...]  # the patches that joined later, in the order drawn; empty if they did not
    actions: tuple[int, ...]
    scores: tuple[int, int]  # by seat


def no_games(first: AgentLike, second: AgentLike, edition: str | Edition, seed: int) -> PairedResult:
    """The result of a match that has not begun."""
    pair = np.zeros((0, 2), np.int16)
    return PairedResult(
        *(agent_name(first), agent_name(second), load_edition(edition).name, seed),
        *(np.zeros(0, np.int64), np.zeros(0, np.int8), np.zeros(0, np.int8)),
        *(pair, pair, pair, pair.astype(np.int8), pair, pair.astype(np.float64)),
    )


def agent_name(agent: AgentLike) -> str:
    """What an agent is called in tables: its text, or its class or function name."""
    if isinstance(agent, str):
        return agent
    named = agent if hasattr(agent, "__name__") else type(agent)
    return str(getattr(named, "__name__", named))


def play_pairs(
    first: AgentLike,
    second: AgentLike,
    deals: int,
    *,
    edition: str | Edition = "revised",
    seed: int = 0,
    threads: int | None = None,
    precision: float | None = None,
    min_deals: int = 100,
    start: PairedResult | None = None,
    record: bool = False,
    progress: Progress | None = None,
) -> PairedResult:
    """Play ``deals`` deals twice each and say how it went.

    With ``precision`` the match ends as soon as the 95% interval of the win rate reaches no further than that to
    each side, once ``min_deals`` deals are played. (Ending by the width of the interval, not by where it lies,
    leaves it honest.) ``start`` continues a match. Agents given as texts are made anew for every batch, so they
    run in several threads; agents given as objects are used as they are, in one.
    """
    result = start if start is not None else no_games(first, second, edition, seed)
    blocks = play_blocks(
        first,
        second,
        deals,
        edition=edition,
        seed=seed,
        threads=threads,
        first_deal=result.games // 2,
        record=record,
        progress=progress,
    )
    try:
        if not is_precise(result, precision, min_deals):
            for block in blocks:
                result = result.joined(block)
                if is_precise(result, precision, min_deals):
                    break
    finally:
        blocks.close()
    return result


def is_precise(result: PairedResult, precision: float | None, min_deals: int) -> bool:
    """Whether a match may end early."""
    return precision is not None and result.games >= 2 * min_deals and result.interval.half_width <= precision


def play_blocks(
    first: AgentLike,
    second: AgentLike,
    deals: int,
    *,
    edition: str | Edition = "revised",
    seed: int = 0,
    threads: int | None = None,
    first_deal: int = 0,
    record: bool = False,
    progress: Progress | None = None,
) -> Iterator[PairedResult]:
    """The deals from ``first_deal`` to ``deals``, block by block in order. Closing it ends all play at once."""
    loaded = load_edition(edition)
    agents = (first, second)
    makeable = all(isinstance(agent, str) for agent in agents)
    for agent in agents:
        _warm_up(agent, loaded, seed)
    cores = threads or available_threads()
    stop = threading.Event()
    empty = no_games(first, second, loaded, seed)

    def play_half(block: int, first_seat: int) -> _Half:
        made: list[Agent] = []
        for which, agent in enumerate(agents):
            stream = np.random.SeedSequence([seed, which, block, first_seat]).generate_state(1, np.uint64)
            made.append(make_agent(agent, int(stream[0]) >> 1))
        low, high = max(block * BLOCK_DEALS, first_deal), min((block + 1) * BLOCK_DEALS, deals)
        games = PatchworkBatch(BLOCK_DEALS, loaded, seed, 1 if makeable else cores, auto_reset=False)
        games.episodes[:] = block - 1  # deal number = episode * BLOCK_DEALS + game
        chosen = np.arange(low, high) - block * BLOCK_DEALS
        return _play_half(games, chosen, made, first_seat, low, record, stop, progress)

    with ThreadPoolExecutor(cores if makeable else 1, thread_name_prefix="arena") as pool:
        waiting: list[list[Future[_Half]]] = []
        blocks = iter(range(first_deal // BLOCK_DEALS, math.ceil(deals / BLOCK_DEALS)))

        def submit() -> None:
            for block in blocks:
                waiting.append([pool.submit(play_half, block, seat) for seat in range(2)])
                return

        try:
            for _ in range(cores + 1):  # always enough ahead that no thread idles, and little to throw away
                submit()
            while waiting:
                halves = [half.result() for half in waiting[0]]
                del waiting[0]
                submit()
                yield _twined(empty, halves)
        finally:
            stop.set()
            for pair in waiting:
                for half in pair:
                    half.cancel()


def _warm_up(agent: AgentLike, edition: Edition, seed: int) -> None:
    """Make one decision, so that a bad text is told of at once and no compiling is counted as thinking."""
    games = PatchworkBatch(1, edition, seed, threads=1, auto_reset=False)
    games.reset()
    make_agent(agent, seed).act(games, np.zeros(1, np.int64))


class _Stopped(Exception):  # noqa: N818 (nothing went wrong)
    """Play was ended from outside."""


@dataclass
class _Half:
    """The games of one block in one seating; columns as in `PairedResult`."""

    columns: dict[str, NDArray[Any]]
    records: list[GameRecord]


def _play_half(
    games: PatchworkBatch,
    chosen: NDArray[np.int64],
    agents: list[Agent],
    first_seat: int,
    first_deal: int,
    record: bool,
    stop: threading.Event,
    progress: Progress | None,
) -> _Half:
    games.reset(chosen)
    circles = games.state["circle"][:, : games.edition.circle_size].copy()
    count = games.num_games
    seconds, decisions = np.zeros((count, 2)), np.zeros((count, 2), np.int16)
    moves: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    refills: dict[int, tuple[int, ...]] = {}
    open_games = chosen
    while len(open_games):
        seats = games.to_play[open_games]
        for which, agent in enumerate(agents):
            indices = open_games[seats == (first_seat ^ which)]
            if not len(indices):
                continue
            if stop.is_set():
                raise _Stopped
            begun = time.perf_counter()
            actions = agent.act(games, indices)
            seconds[indices, which] += (time.perf_counter() - begun) / len(indices)
            decisions[indices, which] += 1
            before = games.state["refilled"][indices]
            games.step(actions, indices)
            if record:
                moves.append((indices, np.array(actions)))
                for i in indices[games.state["refilled"][indices] != before]:
                    refills[int(i)] = _refill_order(games, int(i))
        still = open_games[games.state["done"][open_games] == 0]
        if progress is not None and len(still) < len(open_games):
            progress(len(open_games) - len(still))
        open_games = still
    by_seat = [first_seat, 1 - first_seat]  # columns by seat -> columns by agent
    scores = games.scores
    quilts = games.observe(0)["quilts"]
    winners = np.array([winner(games.tables[0], games.state[i]) for i in chosen], np.int8)
    columns = {
        "deal": first_deal + np.arange(len(chosen)),
        "first_seat": np.full(len(chosen), first_seat, np.int8),
        "winner": (winners != first_seat).astype(np.int8),
        "scores": scores[chosen][:, by_seat],
        "empty_cells": (quilts[chosen] == 0).sum(axis=(2, 3)).astype(np.int16)[:, by_seat],
        "holes": count_holes(quilts[chosen])[:, by_seat],
        "bonus": (games.state["bonus_holder"][chosen, None] == np.array(by_seat)).astype(np.int8),
        "decisions": decisions[chosen],
        "seconds": seconds[chosen],
    }
    records = []
    if record:
        lists: dict[int, list[int]] = {int(i): [] for i in chosen}
        for indices, actions in moves:
            for i, action in zip(indices.tolist(), actions.tolist(), strict=True):
                lists[i].append(action)
        records = [
            GameRecord(
                deal=first_deal + k,
                first_seat=first_seat,
                circle=tuple(circles[i].tolist()),
                refill=refills.get(i, ()),
                actions=tuple(lists[i]),
                scores=(int(scores[i, 0]), int(scores[i, 1])),
            )
            for k, i in enumerate(chosen.tolist())
        ]
    return _Half(columns, records)


def _refill_order(games: PatchworkBatch, index: int) -> tuple[int, ...]:
    """The patches that have just joined, in the order in which they lie behind the others."""
    circle = games.game(index).circle
    return tuple(circle[len(circle) - (len(games.edition.patches) - games.edition.circle_size) :])


def _twined(empty: PairedResult, halves: list[_Half]) -> PairedResult:
    """The two halves of a block with the games of each deal side by side."""
    columns = []
    for name in GAME_COLUMNS:
        both = np.stack([half.columns[name] for half in halves], axis=1)
        columns.append(both.reshape(-1, *both.shape[2:]))
    records = [record for pair in zip(*(half.records for half in halves), strict=True) for record in pair]
    return PairedResult(empty.first, empty.second, empty.edition, empty.seed, *columns, records=records)


def count_holes(quilts: NDArray[np.uint8]) -> NDArray[np.int16]:
    """How many regions the empty cells of each quilt form; cells that share an edge belong together.

    ``quilts`` is (..., rows, columns), 0 where empty. All quilts are done at once: every empty cell takes the
    smallest number it sees among itself and its neighbours until nothing changes; one cell a region keeps its own.
    """
    rows, columns = quilts.shape[-2:]
    wall = np.int16(rows * columns)
    own = np.arange(rows * columns, dtype=np.int16).reshape(rows, columns)
    empty = quilts == 0
    padded = np.full((*quilts.shape[:-2], rows + 2, columns + 2), wall, np.int16)
    inner = padded[..., 1:-1, 1:-1]
    inner[:] = np.where(empty, own, wall)
    while True:
        smallest = np.minimum.reduce(
            [
                inner,
                padded[..., :-2, 1:-1],
                padded[..., 2:, 1:-1],
                padded[..., 1:-1, :-2],
                padded[..., 1:-1, 2:],
            ]
        )
        smallest = np.where(empty, smallest, wall)
        if (smallest == inner).all():
            break
        inner[:] = smallest
    return ((inner == own) & empty).sum(axis=(-2, -1)).astype(np.int16)
