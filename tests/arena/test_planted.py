"""The arena as an instrument: it finds a small difference that was planted, and none where there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, make_agent
from training.arena import play_pairs


class Lazy:
    """Plays at random, but now and then it advances (or does the first legal thing) instead.

    Made of the two agents that nobody tunes, so that its strength stays what it is.
    """

    def __init__(self, laziness: float, seed: int) -> None:
        self.laziness = laziness
        self.generator = np.random.default_rng(seed)
        self.random = make_agent("random", seed)

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        lazy = self.generator.random(len(indices)) < self.laziness
        actions = self.random.act(games, indices)
        actions[lazy] = games.action_mask[indices[lazy]].argmax(axis=1)
        return actions


def test_equal_agents_are_reported_as_equal() -> None:
    equal = 0
    for seed in range(4):
        result = play_pairs(Lazy(0.1, 2 * seed), Lazy(0.1, 2 * seed + 1), 500, seed=seed)
        equal += result.verdict == "no difference shown"
        assert 0.46 < result.win_rate < 0.54
    assert equal >= 3  # one in twenty matches between equals may claim a difference


def test_a_52_percent_agent_is_told_from_an_equal_one() -> None:
    """Over 50,000 games the less lazy agent won 52.2% (51.8 to 52.7%)."""
    result = play_pairs(Lazy(0.10, 1), Lazy(0.14, 2), 5000, seed=11)
    assert result.interval.low > 0.5
    assert 0.51 < result.win_rate < 0.535
    assert result.interval.half_width < 0.01
    few = play_pairs(Lazy(0.10, 1), Lazy(0.14, 2), 100, seed=11)
    assert few.verdict == "no difference shown"  # 200 games cannot tell them apart, and do not pretend to
