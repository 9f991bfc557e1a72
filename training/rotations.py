"""Two to four agents at one table of Quilt Show: every deal is played once for each rotation of the seats.

Deal ``d`` of a seed is the same however many deals a match has: hands, open cards and tiles, who begins, and the
random stream from which everything later is drawn. With n agents it is played n times, so that each agent has had
each seat, and the n games count as one observation in the intervals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env import QuiltShowBatch, make_agent
from patchwork_env.agents.base import AgentLike
from training.arena import agent_name
from training.intervals import CONFIDENCE_Z, Interval

BLOCK_DEALS = 64  # deals played together


@dataclass
class TableResult:
    """What came out, game by game. Columns are the agents in the order they were named, not the seats."""

    agents: tuple[str, ...]
    variants: tuple[str, ...]
    seed: int
    shares: NDArray[np.float64]  # (deals, rotations, agents) share of the win: 1, a part of it if shared, or 0
    money: NDArray[np.int64]  # (deals, rotations, agents) thousands
    decisions: NDArray[np.int64]  # (deals, rotations) of a whole game
    truncated: NDArray[np.bool_]  # (deals, rotations) cut off, so that nobody won

    @property
    def games(self) -> int:
        """Games played."""
        return int(self.decisions.size)

    @property
    def win_rates(self) -> NDArray[np.float64]:
        """(agents,) mean share of the wins."""
        rates: NDArray[np.float64] = self.shares.mean(axis=(0, 1))
        return rates

    def interval(self, agent: int) -> Interval:
        """95% interval of an agent's win rate; the games of a deal count as one."""
        return clustered_interval(self.shares[:, :, agent].mean(axis=1))

    def as_dict(self) -> dict[str, Any]:
        """The figures for a script."""
        return {
            "game": "quilt_show",
            "agents": list(self.agents),
            "variants": list(self.variants),
            "seed": self.seed,
            "games": self.games,
            "win_rate": float(self.win_rates[0]),
            "interval": list(self.interval(0)),
            "win_rates": self.win_rates.tolist(),
            "intervals": [list(self.interval(agent)) for agent in range(len(self.agents))],
            "money": self.money.mean(axis=(0, 1)).tolist(),
            "decisions": float(self.decisions.mean()),
            "truncated": int(self.truncated.sum()),
        }


def clustered_interval(rates: NDArray[np.float64], z: float = CONFIDENCE_Z) -> Interval:
    """The interval of the mean of independent rates from 0 to 1.

    Wilson's score interval for as many games as would give a mean of this spread, and for one a rate if there is
    no spread to go by: it stays within 0 and 1, and has a width even if all rates are the same.
    """
    count = len(rates)
    rate = float(rates.mean())
    variance = float(rates.var(ddof=1)) / count if count > 1 else 0.0
    effective = rate * (1 - rate) / variance if variance > 0 else count
    spread = z * math.sqrt(rate * (1 - rate) / effective + (z / (2 * effective)) ** 2)
    middle = rate + z * z / (2 * effective)
    scale = 1 + z * z / effective
    # Rounding must not put the rate itself outside.
    low, high = (middle - spread) / scale, (middle + spread) / scale
    return Interval(min(max(low, 0.0), rate), max(min(high, 1.0), rate))


def play_rotations(
    agents: Sequence[AgentLike],
    deals: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    **variants: Any,
) -> TableResult:
    """Play ``deals`` deals in every rotation of the seats; ``progress`` is told of each number of games that ended.

    Agents given as texts are made anew for every block of deals, from seeds that follow from ``seed``.
    """
    players = len(agents)
    if deals < 1:
        raise ValueError(f"deals must be at least 1, got {deals}")
    settings = QuiltShowBatch(1, players, **variants).settings
    shape = (deals, players)
    result = TableResult(
        agents=tuple(agent_name(agent) for agent in agents),
        variants=settings.variants,
        seed=seed,
        shares=np.zeros((*shape, players)),
        money=np.zeros((*shape, players), np.int64),
        decisions=np.zeros(shape, np.int64),
        truncated=np.zeros(shape, np.bool_),
    )
    for first in range(0, deals, BLOCK_DEALS):
        count = min(BLOCK_DEALS, deals - first)
        for rotation in range(players):
            games = QuiltShowBatch(BLOCK_DEALS, players, seed=seed, threads=threads, auto_reset=False, **variants)
            games.episodes[:] = first // BLOCK_DEALS - 1  # deal number = episode * BLOCK_DEALS + game
            _play(games, agents, rotation, count, (seed, first))
            _write(result, games, rotation, first, count)
            if progress is not None:
                progress(count)
    return result


def _play(
    games: QuiltShowBatch, agents: Sequence[AgentLike], rotation: int, count: int, names: tuple[int, int]
) -> None:
    """Play the first ``count`` games of a batch to the end; agent k sits ``rotation`` seats further on."""
    made = []
    for which, agent in enumerate(agents):
        stream = np.random.SeedSequence([*names, which, rotation]).generate_state(1, np.uint64)
        made.append(make_agent(agent, int(stream[0]) >> 1, game="quilt_show"))
    games.reset(np.arange(count))
    going = np.arange(count)
    while going.size:
        # Each game makes one decision a round: the seats are read before anybody moves.
        which_agent = (games.to_play[going] - rotation) % games.num_players
        for which, player in enumerate(made):
            indices = going[which_agent == which]
            if indices.size:
                games.step(player.act(games, indices), indices)
        going = going[games.state["done"][going] == 0]


def _write(result: TableResult, games: QuiltShowBatch, rotation: int, first: int, count: int) -> None:
    players = games.num_players
    seats = (np.arange(players) + rotation) % players
    for index in range(count):
        view = games.game(index)
        row = (first + index, rotation)
        for winner in view.winners:
            result.shares[row][(winner - rotation) % players] = 1 / len(view.winners)
        result.money[row] = np.array(view.money)[seats]
        result.decisions[row] = view.decisions
        result.truncated[row] = view.truncated
