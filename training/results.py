"""What a match brought, game by game, and the figures drawn from it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.games.patchwork.notation import GameRecord, format_game
from training.intervals import Interval, mean_interval, paired_rate_interval

FIRST, SECOND = 0, 1  # the two agents of a match, in the order they were named

# One row a game. Columns of length 2 are the agents in the order they were named, not the seats.
GAME_ROW = np.dtype(
    [
        ("deal", np.int32),  # number of the deal
        ("first_seat", np.int8),  # seat of the agent named first; seat 0 begins
        ("winner", np.int8),  # 0 the agent named first, 1 the other
        ("scores", np.int16, (2,)),
        ("empty_cells", np.int16, (2,)),
        ("holes", np.int16, (2,)),  # connected regions of empty cells
        ("bonus", np.int8, (2,)),  # 1 for who has the bonus tile
        ("decisions", np.int16, (2,)),
        ("seconds", np.float64, (2,)),  # time spent deciding; games decided together share it evenly
    ]
)


@dataclass
class PairedResult:
    """The games of a match. Rows 2k and 2k + 1 are the two games of one deal; in the former ``first`` begins."""

    first: str
    second: str
    edition: str
    seed: int
    rows: NDArray[Any] = field(default_factory=lambda: np.zeros(0, GAME_ROW))  # (games,) GAME_ROW
    records: list[GameRecord] = field(default_factory=list)  # one a game, if they were asked for

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.rows)

    @property
    def wins(self) -> NDArray[np.int64]:
        """(pairs, 2) 1 for each game that the agent named first won."""
        won: NDArray[np.int64] = (self.rows["winner"] == FIRST).astype(np.int64)
        return won.reshape(-1, 2)

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
        won: NDArray[np.int64] = (self.rows["winner"] == self.rows["first_seat"]).astype(np.int64)
        return won.reshape(-1, 2)

    @property
    def beginner_rate(self) -> float:
        """Share of the games that whoever began won."""
        return float(self.beginner_wins.mean()) if self.games else math.nan

    @property
    def beginner_interval(self) -> Interval:
        """95% interval of `beginner_rate`."""
        return paired_rate_interval(self.beginner_wins)

    @property
    def margins(self) -> NDArray[np.int64]:
        """(pairs, 2) score differences, positive when the agent named first is ahead."""
        scores = self.rows["scores"].astype(np.int64)
        difference: NDArray[np.int64] = scores[:, FIRST] - scores[:, SECOND]
        return difference.reshape(-1, 2)

    @property
    def margin(self) -> float:
        """Mean score difference."""
        return float(self.margins.mean()) if self.games else math.nan

    @property
    def margin_interval(self) -> Interval:
        """95% interval of `margin`."""
        return mean_interval(self.margins)

    def means(self, column: str) -> tuple[float, float]:
        """The mean over all games of a per-agent column."""
        if not self.games:
            return math.nan, math.nan
        first, second = self.rows[column].mean(axis=0).tolist()
        return first, second

    @property
    def seconds_per_decision(self) -> tuple[float, float]:
        """Mean time that each agent took for a decision."""
        decisions = np.maximum(self.rows["decisions"].sum(axis=0, dtype=np.int64), 1)
        first, second = (self.rows["seconds"].sum(axis=0) / decisions).tolist()
        return first, second

    @property
    def pair_counts(self) -> tuple[int, int, int]:
        """Pairs that the agent named first won twice, split and lost twice."""
        in_pair = self.wins.sum(axis=1)
        won, split, lost = (int((in_pair == wins).sum()) for wins in (2, 1, 0))
        return won, split, lost

    @property
    def verdict(self) -> str:
        """What the interval lets one say, in words."""
        if self.interval.low > 0.5:
            return f"{self.first} is stronger"
        if self.interval.high < 0.5:
            return f"{self.second} is stronger"
        return "no difference shown"

    def summary(self) -> dict[str, Any]:
        """All figures of the match, ready for JSON; pairs of figures are the agents in the order named."""
        won, split, lost = self.pair_counts
        wins = int(self.wins.sum())
        return {
            "first": self.first,
            "second": self.second,
            "edition": self.edition,
            "seed": self.seed,
            "games": self.games,
            "win_rate": self.win_rate,
            "interval": list(self.interval),
            "verdict": self.verdict,
            "wins": [wins, self.games - wins],
            "pairs": {"won_twice": won, "split": split, "lost_twice": lost},
            "first_player_win_rate": self.beginner_rate,
            "first_player_interval": list(self.beginner_interval),
            "margin": self.margin,
            "margin_interval": list(self.margin_interval),
            "score": list(self.means("scores")),
            "empty_cells": list(self.means("empty_cells")),
            "holes": list(self.means("holes")),
            "bonus_tiles": list(self.means("bonus")),
            "decisions": list(self.means("decisions")),
            "seconds_per_decision": list(self.seconds_per_decision),
        }

    def joined(self, later: PairedResult) -> PairedResult:
        """This result with the games of another of the same match behind its own."""
        ours = (self.first, self.second, self.edition, self.seed)
        theirs = (later.first, later.second, later.edition, later.seed)
        if ours != theirs:
            raise ValueError(f"the results are of different matches: {ours} and {theirs}")
        return PairedResult(*ours, np.concatenate([self.rows, later.rows]), self.records + later.records)


def write_records(result: PairedResult, folder: Path) -> None:
    """Move the recorded games of a result into files, one a game: deal 12 is 000012-a.txt and 000012-b.txt."""
    folder.mkdir(parents=True, exist_ok=True)
    for row, record in zip(result.rows[-len(result.records) :], result.records, strict=False):
        name = f"{row['deal']:06d}-{'ab'[row['first_seat']]}.txt"
        (folder / name).write_text(format_game(record), encoding="utf-8")
    result.records.clear()


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
    regions: NDArray[np.int16] = ((inner == own) & empty).sum(axis=(-2, -1)).astype(np.int16)
    return regions
