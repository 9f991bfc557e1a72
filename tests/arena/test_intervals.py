from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from training.intervals import Interval, mean_interval, pair_count_interval, paired_rate_interval, rate_interval


def outcomes(pairs: int, won_twice: float, lost_twice: float, trials: int, seed: int) -> NDArray[np.int64]:
    """(trials, 3) counts of pairs won twice, split and lost twice."""
    split = 1 - won_twice - lost_twice
    return np.random.default_rng(seed).multinomial(pairs, [won_twice, split, lost_twice], size=trials)


@pytest.mark.parametrize(
    ("won_twice", "lost_twice"),
    [(0.25, 0.25), (0.1, 0.1), (0.45, 0.45), (0.27, 0.23), (0.55, 0.05), (0.98, 0.001), (0.0, 0.9)],
)
@pytest.mark.parametrize("pairs", [60, 500])
def test_the_interval_covers_the_truth_as_often_as_it_says(pairs: int, won_twice: float, lost_twice: float) -> None:
    truth = 0.5 + (won_twice - lost_twice) / 2
    counts = outcomes(pairs, won_twice, lost_twice, trials=2000, seed=pairs)
    covered = np.mean([pair_count_interval(pairs, int(b), int(c)).contains(truth) for b, _, c in counts])
    assert 0.93 <= covered <= 0.985


def test_counting_games_as_independent_would_be_wrong_in_both_directions() -> None:
    """Split pairs say that the deal decided; pairs won twice or lost twice count as little as one game."""
    deal_decides = pair_count_interval(500, 20, 20)
    repeats_itself = pair_count_interval(500, 250, 250)
    independent = 1.96 * (0.25 / 1000) ** 0.5
    assert deal_decides.half_width < 0.5 * independent
    assert repeats_itself.half_width == pytest.approx(2**0.5 * independent, rel=0.02)


@pytest.mark.parametrize("pairs", [1, 10, 1000])
def test_clean_sweeps_leave_room_for_doubt(pairs: int) -> None:
    won, lost = pair_count_interval(pairs, pairs, 0), pair_count_interval(pairs, 0, pairs)
    split = pair_count_interval(pairs, 0, 0)
    assert won.high == 1
    assert lost.low == 0
    assert won.low == pytest.approx(1 - lost.high)
    assert 0 < 1 - won.low < 4 / pairs
    assert split.low < 0.5 < split.high


def test_nothing_played_says_nothing() -> None:
    assert pair_count_interval(0, 0, 0) == Interval(0, 1)


def test_bounds_and_order() -> None:
    for pairs in (1, 2, 7):
        for won in range(pairs + 1):
            for lost in range(pairs - won + 1):
                interval = pair_count_interval(pairs, won, lost)
                assert 0 <= interval.low <= 0.5 + (won - lost) / (2 * pairs) <= interval.high <= 1


def test_a_worked_example_from_the_literature() -> None:
    """21 children examined twice, 1 and 7 of them with different findings: -0.517 to -0.026 by Tango's method."""
    interval = pair_count_interval(21, 1, 7)
    assert 2 * interval.low - 1 == pytest.approx(-0.517, abs=0.0005)
    assert 2 * interval.high - 1 == pytest.approx(-0.026, abs=0.0005)


def test_pairs_are_counted_from_games() -> None:
    wins = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [1, 1]])
    assert paired_rate_interval(wins) == pair_count_interval(5, 2, 1)
    with pytest.raises(ValueError, match="shape"):
        paired_rate_interval(np.ones(4))
    with pytest.raises(ValueError, match="do not fit"):
        pair_count_interval(3, 2, 2)


def test_a_52_percent_player_is_told_from_a_50_percent_one() -> None:
    """With 10,000 games nearly always, and an equal player is accused in one match of twenty."""
    stronger = outcomes(5000, 0.27, 0.23, trials=300, seed=1)
    equal = outcomes(5000, 0.25, 0.25, trials=1000, seed=2)
    found = np.mean([pair_count_interval(5000, int(b), int(c)).low > 0.5 for b, _, c in stronger])
    accused = np.mean([not pair_count_interval(5000, int(b), int(c)).contains(0.5) for b, _, c in equal])
    assert found > 0.97
    assert 0.03 < accused < 0.07


def test_mean_interval() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    interval = mean_interval(values)
    assert (interval.low + interval.high) / 2 == pytest.approx(2.5)
    assert interval.half_width == pytest.approx(1.96 * values.std(ddof=1) / 2, rel=1e-3)
    assert mean_interval(values.reshape(2, 2)) == mean_interval(np.array([1.5, 3.5]))
    assert mean_interval([1.0]).half_width == np.inf


@pytest.mark.parametrize("rate", [0.03, 0.5, 0.9])
def test_rates_of_single_games(rate: float) -> None:
    wins = np.random.default_rng(5).binomial(300, rate, 2000)
    assert 0.93 <= np.mean([rate_interval(int(count), 300).contains(rate) for count in wins]) <= 0.98
    assert rate_interval(0, 300).low == 0
    assert rate_interval(300, 300).high == 1
    assert rate_interval(0, 0) == Interval(0, 1)
    assert rate_interval(300, 300).low == pytest.approx(300 / (300 + 1.96**2), abs=1e-4)
