from __future__ import annotations

import itertools

import numpy as np
import pytest

from training.ratings import PairCounts, anchor_of, rate


def simulated(strengths: dict[str, float], pairs: int, seed: int) -> dict[tuple[str, str], PairCounts]:
    """Results of players whose ratings are known, every game for itself."""
    generator = np.random.default_rng(seed)
    results = {}
    for one, other in itertools.combinations(strengths, 2):
        chance = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
        wins = generator.binomial(2, chance, pairs)
        results[one, other] = (int((wins == 2).sum()), int((wins == 1).sum()), int((wins == 0).sum()))
    return results


def test_known_ratings_are_found() -> None:
    strengths = {"random": 0.0, "weak": 150.0, "good": 400.0, "best": 520.0}
    ratings = {entry.name: entry for entry in rate(list(strengths), simulated(strengths, 2000, seed=1))}
    assert list(ratings) == ["best", "good", "weak", "random"]
    for name, strength in strengths.items():
        assert ratings[name].rating == pytest.approx(strength, abs=25)


def test_intervals_cover_as_often_as_they_say() -> None:
    strengths = {"random": 0.0, "weak": 150.0, "good": 400.0}
    covered = []
    for seed in range(30):
        for entry in rate(list(strengths), simulated(strengths, 200, seed), redraws=150):
            if entry.name != "random":
                assert entry.interval is not None
                covered.append(entry.interval.contains(strengths[entry.name]))
    assert 0.85 <= np.mean(covered) < 1.0  # nor simply too wide


def test_the_scale() -> None:
    """Ten wins for each loss are 400 points."""
    best, anchor = rate(["random", "other"], {("other", "random"): (10_000, 0, 1_000)})
    assert (best.name, anchor.name) == ("other", "random")
    assert best.rating == pytest.approx(400, abs=1)
    assert anchor.rating == 0


def test_a_clean_sweep_is_finite_and_uncertain() -> None:
    best, _ = rate(["random", "other"], {("other", "random"): (500, 0, 0)})
    assert best.rating is not None
    assert best.interval is not None
    assert 400 < best.rating < 2000
    assert best.interval.high - best.interval.low > 100
    longer, _ = rate(["random", "other"], {("other", "random"): (5000, 0, 0)})
    assert longer.rating is not None
    assert longer.rating > best.rating


def test_the_intervals_count_pairs() -> None:
    """Deals that decide the game say much of equal strength; results that come twice count once."""
    reach = []
    for counts in ((0, 500, 0), (250, 0, 250)):
        intervals = {entry.name: entry.interval for entry in rate(["random", "other"], {("other", "random"): counts})}
        other = intervals["other"]
        assert other is not None
        assert other.contains(0)
        reach.append(other.half_width)
    assert 0 < reach[0] < reach[1] / 3


def test_who_has_not_met_the_anchor_is_not_rated() -> None:
    ratings = rate(["random", "a", "b", "c"], {("a", "random"): (5, 3, 2), ("b", "c"): (1, 1, 1)})
    assert [entry.name for entry in ratings if entry.rating is None] == ["b", "c"]
    assert {entry.name for entry in ratings if entry.rating is not None} == {"a", "random"}


def test_chains_of_games_suffice() -> None:
    ratings = rate(["random", "a", "b"], {("a", "random"): (50, 30, 20), ("b", "a"): (50, 30, 20)})
    points = {entry.name: entry.rating for entry in ratings}
    assert points["a"] is not None
    assert points["b"] == pytest.approx(2 * points["a"])


def test_the_anchor() -> None:
    assert anchor_of(["greedy", "random"]) == "random"
    assert anchor_of(["greedy", "advance"]) == "greedy"
