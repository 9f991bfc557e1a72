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
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env import Edition, PatchworkBatch, load_edition, make_agent
from patchwork_env.agents.base import Agent, AgentLike
from patchwork_env.games.patchwork.notation import GameRecord
from patchwork_env.games.patchwork.rules import winner
from patchwork_env.interfaces.replay import Recorder
from patchwork_env.kernels import available_threads
from training.results import GAME_ROW, PairedResult, count_holes

BLOCK_DEALS = 64  # deals dealt and played together
MIN_DEALS = 100  # before these no match ends early

Progress = Callable[[int], None]  # called with the number of games that have just ended
HalfBlock = tuple[NDArray[Any], list[GameRecord]]  # GAME_ROW rows of one seating, and the records asked for


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
    min_deals: int = MIN_DEALS,
    start: PairedResult | None = None,
    record: bool = False,
    progress: Progress | None = None,
    after_block: Callable[[PairedResult], None] | None = None,
) -> PairedResult:
    """Play ``deals`` deals twice each and say how it went.

    With ``precision`` the match ends as soon as the 95% interval of the win rate reaches no further than that to
    each side, once ``min_deals`` deals are played. (Ending by the width of the interval, not by where it lies,
    leaves it honest.) ``start`` continues a match, ``after_block`` is told of all games so far every now and then,
    ``progress`` of each game that ends. Agents given as texts are made anew for every batch, so they
    run in several threads; agents given as objects are used as they are, in one.
    """
    loaded = load_edition(edition)
    result = start or PairedResult(agent_name(first), agent_name(second), loaded.name, seed)
    blocks = play_blocks(
        first,
        second,
        deals,
        edition=loaded,
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
                if after_block is not None:
                    after_block(result)
                if is_precise(result, precision, min_deals):
                    break
    finally:
        blocks.close()
    return result


def is_precise(result: PairedResult, precision: float | None, min_deals: int = MIN_DEALS) -> bool:
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
) -> Generator[PairedResult]:
    """The deals from ``first_deal`` to ``deals``, block by block in order. Closing it ends all play at once."""
    loaded = load_edition(edition)
    agents = (first, second)
    names = (agent_name(first), agent_name(second))
    makeable = all(isinstance(agent, str) for agent in agents)
    for agent in agents:
        _warm_up(agent, loaded, seed)
    cores = threads or available_threads()
    stop = threading.Event()

    def play_half(block: int, first_seat: int) -> HalfBlock:
        made: list[Agent] = []
        for which, agent in enumerate(agents):
            stream = np.random.SeedSequence([seed, which, block, first_seat]).generate_state(1, np.uint64)
            made.append(make_agent(agent, int(stream[0]) >> 1))
        low, high = max(block * BLOCK_DEALS, first_deal), min((block + 1) * BLOCK_DEALS, deals)
        games = PatchworkBatch(BLOCK_DEALS, loaded, seed, 1 if makeable else cores, auto_reset=False)
        games.episodes[:] = block - 1  # deal number = episode * BLOCK_DEALS + game
        chosen = np.arange(low, high) - block * BLOCK_DEALS
        rows, recorders = _play_half(games, chosen, made, first_seat, low, record, stop, progress)
        players = (names[first_seat], names[1 - first_seat])
        return rows, [recorder.record(seed, players) for recorder in recorders]

    with ThreadPoolExecutor(cores if makeable else 1, thread_name_prefix="arena") as pool:
        waiting: list[list[Future[HalfBlock]]] = []
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
                yield PairedResult(
                    *names,
                    *(loaded.name, seed),
                    rows=np.stack([half[0] for half in halves], axis=1).reshape(-1),
                    records=[record for pair in zip(*(half[1] for half in halves), strict=True) for record in pair],
                )
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


def _play_half(
    games: PatchworkBatch,
    chosen: NDArray[np.int64],
    agents: list[Agent],
    first_seat: int,
    first_deal: int,
    record: bool,
    stop: threading.Event,
    progress: Progress | None,
) -> tuple[NDArray[Any], list[Recorder]]:
    games.reset(chosen)
    count = games.num_games
    seconds, decisions = np.zeros((count, 2)), np.zeros((count, 2), np.int16)
    recorders = {i: Recorder(games, i) for i in (chosen.tolist() if record else ())}
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
            result = games.step(actions, indices)
            if record:
                for i, action in zip(indices.tolist(), actions.tolist(), strict=True):
                    recorders[i].note(action, tuple(result.final_scores[i]) if result.done[i] else None)
        still = open_games[games.state["done"][open_games] == 0]
        if progress is not None and len(still) < len(open_games):
            progress(len(open_games) - len(still))
        open_games = still
    by_seat = [first_seat, 1 - first_seat]  # columns by seat -> columns by agent
    scores = games.scores
    quilts = games.observe(0)["quilts"]
    winners = np.array([winner(games.tables[0], games.state[i]) for i in chosen], np.int8)
    rows = np.zeros(len(chosen), GAME_ROW)
    rows["deal"] = first_deal + np.arange(len(chosen))
    rows["first_seat"] = first_seat
    rows["winner"] = winners != first_seat
    rows["scores"] = scores[chosen][:, by_seat]
    rows["empty_cells"] = (quilts[chosen] == 0).sum(axis=(2, 3))[:, by_seat]
    rows["holes"] = count_holes(quilts[chosen])[:, by_seat]
    rows["bonus"] = games.state["bonus_holder"][chosen, None] == np.array(by_seat)
    rows["decisions"] = decisions[chosen]
    rows["seconds"] = seconds[chosen]
    return rows, list(recorders.values())
