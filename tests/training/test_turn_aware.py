"""Returns that know whose turn it is, against a game worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from training.ppo import turn_aware_advantages


def column(*values: float) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, np.float32)[:, None]


def test_a_game_with_repeated_turns_worked_out_by_hand() -> None:
    """Decisions of players A A B A; A wins with the last one. Values are each mover's own."""
    rewards = column(0, 0, 0, 1)
    values = column(0.2, 0.4, -0.3, 0.6)
    signs = column(+1, -1, -1, +1)
    ended = column(0, 0, 0, 1)
    advantages = turn_aware_advantages(rewards, values, ended, signs, np.array([9.0], np.float32), 1.0, 0.5)
    last = 1 - 0.6  # 0.4
    third = (0 - 0.6 - -0.3) + 0.5 * -1 * last  # B: -0.3 - 0.2 = -0.5
    second = (0 - -0.3 - 0.4) + 0.5 * -1 * third  # A, B follows: -0.1 + 0.25 = 0.15
    first = (0 + 0.4 - 0.2) + 0.5 * +1 * second  # A, A follows: 0.2 + 0.075 = 0.275
    np.testing.assert_allclose(advantages[:, 0], [first, second, third, last], rtol=1e-6)
    np.testing.assert_allclose(advantages[:, 0], [0.275, 0.15, -0.5, 0.4], rtol=1e-6)


def test_with_lambda_one_the_return_is_the_outcome_from_the_movers_side() -> None:
    movers = [0, 0, 1, 1, 0, 1]
    signs = column(*[1 if a == b else -1 for a, b in zip(movers, [*movers[1:], 0], strict=True)])
    rewards = column(0, 0, 0, 0, 0, -1)  # player 1 loses with its last move
    values = np.random.default_rng(1).normal(size=(6, 1)).astype(np.float32)
    ended = column(0, 0, 0, 0, 0, 1)
    advantages = turn_aware_advantages(rewards, values, ended, signs, np.zeros(1, np.float32), 1.0, 1.0)
    np.testing.assert_allclose((advantages + values)[:, 0], [1, 1, -1, -1, 1, -1], atol=1e-6)


def test_a_cut_off_game_is_continued_by_the_value_of_the_last_state() -> None:
    """The next decision is the opponent's, who thinks it is worth 0.7: that is -0.7 for the mover."""
    advantages = turn_aware_advantages(
        column(0), column(0.1), column(0), column(-1), np.array([0.7], np.float32), 1.0, 0.95
    )
    assert advantages[0, 0] == pytest.approx(-0.8)


def test_without_signs_it_is_the_ordinary_estimate() -> None:
    generator = np.random.default_rng(2)
    rewards, values = (generator.normal(size=(5, 3)).astype(np.float32) for _ in range(2))
    ended = (generator.random((5, 3)) < 0.2).astype(np.float32)
    last = generator.normal(size=3).astype(np.float32)
    ours = turn_aware_advantages(rewards, values, ended, np.ones((5, 3), np.float32), last, 0.9, 0.8)
    expected = np.zeros((5, 3))
    for game in range(3):
        following, next_value = 0.0, float(last[game])
        for step in reversed(range(5)):
            alive = 1 - ended[step, game]
            following = rewards[step, game] + 0.9 * alive * next_value - values[step, game] + 0.72 * alive * following
            expected[step, game] = following
            next_value = float(values[step, game])
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-5)
