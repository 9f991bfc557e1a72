"""Ratings of many agents from the games between them: Bradley-Terry on an Elo-like scale.

The model says that A beats B with odds ``10 ** ((rating A - rating B) / 400)``, so 100 points are 64%, 200 are 76%
and 400 are 91%. Only differences mean anything; the scale is anchored by giving one agent (``random``, where it
plays) the rating 0. It is fitted with the `choix` library.

Nobody is rated infinitely high: to the pairs of games of every pairing half a pair of each kind (won twice, split,
lost twice) is added. The intervals come from fitting the model again to redrawn results, where what is drawn are
the pairs of games, not the games, from the Dirichlet distribution that the counted pairs suggest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import choix
import numpy as np
from numpy.typing import NDArray

from training.intervals import Interval

ANCHOR = "random"
POINTS_PER_LOGIT = 400 / math.log(10)
PRIOR_PAIRS = 0.5
REDRAWS = 400

PairCounts = tuple[int, int, int]  # pairs won twice, split and lost twice by the agent named first
_WINS = np.array([2.0, 1.0, 0.0])  # that it has in each kind of pair


@dataclass(frozen=True)
class Rating:
    """How strong an agent is; both are None while no chain of games leads to the anchor."""

    name: str
    rating: float | None
    interval: Interval | None


def anchor_of(names: Sequence[str]) -> str:
    """The agent whose rating is 0: `random`, or the first one where that does not play."""
    return ANCHOR if ANCHOR in names else names[0]


def rate(
    names: Sequence[str], pairings: Mapping[tuple[str, str], PairCounts], seed: int = 0, redraws: int = REDRAWS
) -> list[Rating]:
    """The ratings of all agents, best first; ``pairings`` may lack some."""
    place = {name: k for k, name in enumerate(names)}
    played = {(place[a], place[b]): counts for (a, b), counts in pairings.items() if sum(counts)}
    anchor = place[anchor_of(names)]
    members = sorted(_connected(anchor, list(played)))
    generator = np.random.default_rng(seed)
    points = _fitted(played, members, anchor, None)
    draws = np.array([_fitted(played, members, anchor, generator) for _ in range(redraws)])
    low, high = np.percentile(draws, [2.5, 97.5], axis=0)
    rated = {
        names[member]: Rating(names[member], float(points[k]), Interval(float(low[k]), float(high[k])))
        for k, member in enumerate(members)
    }
    ratings = [rated.get(name, Rating(name, None, None)) for name in names]
    return sorted(ratings, key=lambda entry: -math.inf if entry.rating is None else entry.rating, reverse=True)


def _fitted(
    played: Mapping[tuple[int, int], PairCounts],
    members: list[int],
    anchor: int,
    redraw: np.random.Generator | None,
) -> NDArray[np.float64]:
    """Ratings of the members from the results, or from results that were drawn like them."""
    wins = np.zeros((len(members), len(members)))
    row = {member: k for k, member in enumerate(members)}
    for (one, other), counts in played.items():
        if one not in row:
            continue
        pairs = np.array(counts) + PRIOR_PAIRS
        if redraw is not None:
            pairs = redraw.dirichlet(pairs) * pairs.sum()
        won = float(pairs @ _WINS)
        wins[row[one], row[other]] += won
        wins[row[other], row[one]] += 2 * float(pairs.sum()) - won
    if len(members) == 1:
        return np.zeros(1)
    strengths: NDArray[np.float64] = choix.ilsr_pairwise_dense(wins, max_iter=1000)
    return np.asarray(POINTS_PER_LOGIT * (strengths - strengths[row[anchor]]))


def _connected(start: int, links: list[tuple[int, int]]) -> set[int]:
    """All that a chain of links leads to."""
    found = {start}
    while True:
        more = {end for link in links if found.intersection(link) for end in link} - found
        if not more:
            return found
        found |= more
