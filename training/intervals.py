"""How sure a figure is: 95% intervals that know that games come in pairs.

A deal is played twice with the seats swapped, and the two games are not independent: a deal that suits whoever
begins gives each side one win. So the pair is what is counted. A player can win both games of it, one, or none,
which is the setting of two proportions measured on the same subjects, and Tango's score interval for their
difference (Statistics in Medicine 17, 1998) carries over: with ``b`` pairs won twice and ``c`` pairs lost twice of
``n``, the win rate is ``1/2 + (b - c) / 2n``. Unlike the usual estimate plus or minus two standard errors, it keeps
its promise near 0% and 100%, never leaves the range from 0 to 1, and is not of width 0 when every pair went the
same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

CONFIDENCE_Z = 1.959963984540054  # the normal distribution has 95% between minus and plus this
_BISECTIONS = 60  # halvings of an interval of at most 2: far below what a float can tell


class Interval(NamedTuple):
    """A lower and an upper end."""

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2

    def contains(self, value: float) -> bool:
        """Whether a value lies inside."""
        return self.low <= value <= self.high


def paired_rate_interval(wins: ArrayLike, z: float = CONFIDENCE_Z) -> Interval:
    """The interval of a win rate; ``wins`` is (pairs, 2), 1 for each game won."""
    games = np.asarray(wins)
    if games.ndim != 2 or games.shape[1] != 2:
        raise ValueError(f"wins must have shape (pairs, 2), got {games.shape}")
    in_pair = games.astype(np.int64).sum(axis=1)
    return pair_count_interval(len(games), int((in_pair == 2).sum()), int((in_pair == 0).sum()), z)


def pair_count_interval(pairs: int, won_twice: int, lost_twice: int, z: float = CONFIDENCE_Z) -> Interval:
    """The interval of a win rate from how many pairs there are and how many were won and lost twice."""
    if not 0 <= won_twice + lost_twice <= pairs or won_twice < 0 or lost_twice < 0:
        raise ValueError(f"{won_twice} pairs won twice and {lost_twice} lost twice do not fit {pairs} pairs")
    if pairs == 0:
        return Interval(0.0, 1.0)
    estimate = (won_twice - lost_twice) / pairs

    def deviation(difference: float) -> float:
        return _score_statistic(pairs, won_twice, lost_twice, difference)

    low = _crossing(-1.0, estimate, lambda difference: deviation(difference) > z)
    high = _crossing(1.0, estimate, lambda difference: deviation(difference) < -z)
    return Interval((1 + low) / 2, (1 + high) / 2)


def rate_interval(wins: int, games: int, z: float = CONFIDENCE_Z) -> Interval:
    """Wilson's interval of a win rate over games that have nothing to do with each other."""
    if games == 0:
        return Interval(0.0, 1.0)
    rate = wins / games
    shrunk = 1 + z * z / games
    middle = (rate + z * z / (2 * games)) / shrunk
    reach = z / shrunk * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    low, high = max(middle - reach, 0.0), min(middle + reach, 1.0)
    return Interval(0.0 if wins == 0 else low, 1.0 if wins == games else high)


def mean_interval(values: ArrayLike, z: float = CONFIDENCE_Z) -> Interval:
    """The interval of the mean of independent values; (pairs, 2) values count a pair as one.

    The normal approximation: what it is used for (scores, margins, empty cells) has hundreds of values.
    """
    numbers: NDArray[np.float64] = np.asarray(values, np.float64)
    if numbers.ndim == 2:
        numbers = numbers.mean(axis=1)
    if len(numbers) < 2:
        return Interval(-math.inf, math.inf)
    middle = float(numbers.mean())
    reach = z * float(numbers.std(ddof=1)) / math.sqrt(len(numbers))
    return Interval(middle - reach, middle + reach)


def _score_statistic(pairs: int, won_twice: int, lost_twice: int, difference: float) -> float:
    """How many standard errors the counts lie above what ``difference`` would make likely.

    The standard error is that of the likeliest trinomial distribution with exactly this difference.
    """
    gap = won_twice - lost_twice - pairs * difference
    linear = (2 * pairs - won_twice + lost_twice) * difference - won_twice - lost_twice
    constant = -lost_twice * difference * (1 - difference)
    root = math.sqrt(max(linear * linear - 8 * pairs * constant, 0.0))
    lost_rate = (root - linear) / (4 * pairs)
    variance = pairs * (2 * lost_rate + difference * (1 - difference))
    if variance <= 0:
        return 0.0 if gap == 0 else math.copysign(math.inf, gap)
    return gap / math.sqrt(variance)


def _crossing(outside: float, inside: float, is_outside: Callable[[float], bool]) -> float:
    """The border between the values that a test rejects, among them ``outside``, and those that it does not."""
    if not is_outside(outside):
        return outside
    for _ in range(_BISECTIONS):
        middle = (outside + inside) / 2
        if is_outside(middle):
            outside = middle
        else:
            inside = middle
    return inside
