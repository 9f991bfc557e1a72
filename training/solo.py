"""``patchwork solo AGENT``: an agent against the Automa, at every level and with both decks unless told otherwise."""

from __future__ import annotations

import argparse
import math
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env import Edition, SoloBatch, load_edition, make_agent
from patchwork_env.agents.base import AgentLike
from patchwork_env.games.patchwork.automa import deck_names, level_names
from patchwork_env.kernels import available_threads
from training.arena import BLOCK_DEALS, Progress, agent_name
from training.console import (
    DEFAULT_GAMES,
    INTERRUPTED,
    add_playing_arguments,
    duration,
    new_table,
    output,
    percent,
    percent_interval,
    print_json,
    progress_bar,
)
from training.intervals import Interval, mean_interval, rate_interval
from training.results import count_holes

ROW = np.dtype(
    [
        ("scores", np.int16, (2,)),  # the agent's and the Automa's
        ("empty_cells", np.int16),
        ("holes", np.int16),
        ("bonus", np.int8),  # 1 if the agent has the bonus tile
        ("automa_patches", np.int16),
        ("decisions", np.int16),
        ("seconds", np.float64),
    ]
)


@dataclass
class SoloResult:
    """Games of an agent against the Automa at one level with one deck."""

    agent: str
    edition: str
    level: str
    deck: str
    seed: int
    rows: NDArray[Any]  # (games,) ROW

    @property
    def wins(self) -> int:
        """Games that the agent won; ties are its."""
        return int((self.rows["scores"][:, 0] >= self.rows["scores"][:, 1]).sum())

    @property
    def win_rate(self) -> float:
        """Share of games that the agent won."""
        return self.wins / len(self.rows) if len(self.rows) else math.nan

    @property
    def interval(self) -> Interval:
        """95% interval of `win_rate`."""
        return rate_interval(self.wins, len(self.rows))

    @property
    def margins(self) -> NDArray[np.int64]:
        """(games,) how far the agent was ahead."""
        scores = self.rows["scores"].astype(np.int64)
        return np.asarray(scores[:, 0] - scores[:, 1])

    def summary(self) -> dict[str, Any]:
        """All figures, ready for JSON."""
        rows = self.rows
        agent_score, automa_score = rows["scores"].mean(axis=0).tolist()
        return {
            "agent": self.agent,
            "edition": self.edition,
            "level": self.level,
            "deck": self.deck,
            "seed": self.seed,
            "games": len(rows),
            "win_rate": self.win_rate,
            "interval": list(self.interval),
            "score": agent_score,
            "automa_score": automa_score,
            "margin": float(self.margins.mean()),
            "margin_interval": list(mean_interval(self.margins)),
            **{name: float(rows[name].mean()) for name in ("empty_cells", "holes", "automa_patches", "decisions")},
            "bonus_tiles": float(rows["bonus"].mean()),
            "seconds_per_decision": float(rows["seconds"].sum() / max(rows["decisions"].sum(), 1)),
        }


def play_solo(
    agent: AgentLike,
    games: int,
    *,
    level: str,
    deck: str,
    edition: str | Edition = "revised",
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> SoloResult:
    """Play that many games. Levels and decks with the same seed have the same deals.

    An agent given as a text is made anew for every block of games, so blocks run in several threads; one given as an
    object is used as it is, in one.
    """
    loaded = load_edition(edition)
    cores = threads or available_threads()
    makeable = isinstance(agent, str)
    _warm_up(agent, SoloBatch(1, loaded, seed, threads=1, auto_reset=False, level=level, deck=deck))
    stop = threading.Event()

    def play_block(block: int) -> NDArray[Any]:
        stream = np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)
        player = make_agent(agent, int(stream[0]) >> 1)
        count = min(BLOCK_DEALS, games - block * BLOCK_DEALS)
        batch = SoloBatch(BLOCK_DEALS, loaded, seed, 1 if makeable else cores, auto_reset=False, level=level, deck=deck)
        batch.episodes[:] = block - 1
        return _play_block(batch, player, count, stop, progress)

    with ThreadPoolExecutor(cores if makeable else 1, thread_name_prefix="solo") as pool:
        blocks: list[Future[NDArray[Any]]] = [
            pool.submit(play_block, block) for block in range(math.ceil(games / BLOCK_DEALS))
        ]
        try:
            rows = [block.result() for block in blocks]
        finally:
            stop.set()
            for block in blocks:
                block.cancel()
    return SoloResult(agent_name(agent), loaded.name, level, deck, seed, np.concatenate(rows))


def _warm_up(agent: AgentLike, games: SoloBatch) -> None:
    """Make one decision, so that a bad text is told of at once and no compiling is counted as thinking."""
    games.reset()
    make_agent(agent, 0).act(games, np.zeros(1, np.int64))


def _play_block(
    games: SoloBatch, agent: Any, count: int, stop: threading.Event, progress: Progress | None
) -> NDArray[Any]:
    chosen = np.arange(count)
    games.reset(chosen)
    rows = np.zeros(count, ROW)
    waiting = chosen
    while len(waiting):
        if stop.is_set():
            raise RuntimeError("play was ended from outside")
        begun = time.perf_counter()
        actions = agent.act(games, waiting)
        rows["seconds"][waiting] += (time.perf_counter() - begun) / len(waiting)
        rows["decisions"][waiting] += 1
        games.step(actions, waiting)
        still = waiting[games.state["done"][waiting] == 0]
        if progress is not None and len(still) < len(waiting):
            progress(len(waiting) - len(still))
        waiting = still
    quilts = games.observe()["quilts"][:count, 0]
    rows["scores"] = games.scores[:count]
    rows["empty_cells"] = (quilts == 0).sum(axis=(1, 2))
    rows["holes"] = count_holes(quilts)
    rows["bonus"] = games.state["bonus_holder"][:count] == 0
    rows["automa_patches"] = games.automas["patches"][:count]
    return rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("agent", metavar="AGENT", help="an agent, e.g. greedy or mcts:400")
    parser.add_argument("--level", choices=level_names(), help="the Automa's level (default: all)")
    parser.add_argument("--deck", choices=deck_names(), help="the Automa's deck (default: both)")
    add_playing_arguments(parser, precision=False)


def run(arguments: argparse.Namespace) -> int:
    """Play and print a table, or the figures of each level and deck."""
    results: list[SoloResult] = []
    code = 0
    try:
        results.extend(_results(arguments))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted: what follows is not all that was asked for\n")
        code = INTERRUPTED
    if arguments.json:
        print_json({"agent": arguments.agent, "results": [result.summary() for result in results]})
    elif results:
        print_solo(results)
    return code


def _results(arguments: argparse.Namespace) -> Iterator[SoloResult]:
    games = arguments.games or DEFAULT_GAMES
    for deck in [arguments.deck] if arguments.deck else deck_names():
        for level in [arguments.level] if arguments.level else level_names():
            with progress_bar(f"{arguments.agent} against {level}, {deck}", games, arguments.json) as report:
                yield play_solo(
                    arguments.agent,
                    games,
                    level=level,
                    deck=deck,
                    edition=arguments.edition,
                    seed=arguments.seed,
                    threads=arguments.threads,
                    progress=report,
                )


def print_solo(results: list[SoloResult]) -> None:
    """A line for each level and deck."""
    console = output()
    first = results[0]
    where = f"{first.edition}, seed {first.seed}, {len(first.rows)} games each"
    console.print(f"[bold]{first.agent}[/bold] against the Automa, {where}")
    headings = ("level", "deck", "won", "95% interval", "score", "Automa", "margin", "empty", "bonus", "a decision")
    table = new_table(headings, words=("level", "deck"))
    for result in results:
        figures = result.summary()
        table.add_row(
            result.level,
            result.deck,
            percent(result.win_rate),
            percent_interval(result.interval),
            f"{figures['score']:.1f}",
            f"{figures['automa_score']:.1f}",
            f"{figures['margin']:+.1f}",
            f"{figures['empty_cells']:.1f}",
            percent(figures["bonus_tiles"]),
            duration(figures["seconds_per_decision"]),
        )
    console.print(table)
