"""The arena as an instrument: it finds a small difference that was planted, and none where there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, make_agent
from training.arena import play_pairs


class Careless:
    """Greedy, but now and then it plays a random legal action instead."""

    def __init__(self, carelessness: float, seed: int) -> None:
        self.carelessness = carelessness
        self.generator = np.random.default_rng(seed)
        self.greedy = make_agent("greedy")
        self.random = make_agent("random", seed)

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        careless = self.generator.random(len(indices)) < self.carelessness
        actions = self.greedy.act(games, indices)
        actions[careless] = self.random.act(games, indices[careless])
        return actions


def test_equal_agents_are_reported_as_equal() -> None:
    equal = 0
    for seed in range(4):
        result = play_pairs(Careless(0.1, 2 * seed), Careless(0.1, 2 * seed + 1), 500, seed=seed)
        equal += result.verdict == "no difference shown"
        assert 0.46 < result.win_rate < 0.54
    assert equal >= 3  # one in twenty matches between equals may claim a difference


def test_a_52_percent_agent_is_told_from_an_equal_one() -> None:
    """Over 20,000 games the less careless agent won 52.0% (51.4 to 52.6%)."""
    result = play_pairs(Careless(0.10, 1), Careless(0.12, 2), 5000, seed=11)
    assert result.interval.low > 0.5
    assert 0.505 < result.win_rate < 0.535
    assert result.interval.half_width < 0.01
    few = play_pairs(Careless(0.10, 1), Careless(0.12, 2), 100, seed=11)
    assert few.verdict == "no difference shown"  # 200 games cannot tell them apart, and do not pretend to
