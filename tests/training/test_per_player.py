"""Returns for any number of players, each with a chain of its own decisions, against games worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from training.ppo import per_player_advantages


def column(*values: float) -> NDArray[np.float32]:
    return np.array(values, np.float32)[:, None]


def test_a_game_for_three_with_repeated_turns_worked_out_by_hand() -> None:
    """Decisions of A A B C A B; A is paid for B's move, all are paid at the end, which B brings about."""
    movers = np.array([0, 0, 1, 2, 0, 1])[:, None]
    values = column(0.2, 0.5, -0.1, 0.3, 0.4, 0.1)
    rewards = np.zeros((6, 1, 3), np.float32)
    rewards[2, 0] = [0.25, 0, -0.25]  # while B moves, before C has decided anything: nobody's decision for C
    rewards[5, 0] = [-0.5, 1, -0.5]
    ended = column(0, 0, 0, 0, 0, 1)
    advantages = per_player_advantages(rewards, values, ended, movers, np.full((1, 3), 9, np.float32), 1.0, 0.5)
    # A decides at 0, 1 and 4. Its last reward comes with B's final move, the one before with B's first.
    a4 = -0.5 - 0.4  # -0.9
    a1 = (0.25 + 0.4 - 0.5) + 0.5 * a4  # 0.15 - 0.45 = -0.3
    a0 = (0 + 0.5 - 0.2) + 0.5 * a1  # 0.3 - 0.15 = 0.15
    # B decides at 2 and 5, C only at 3 and is paid by the end that B brings about.
    b5 = 1 - 0.1  # 0.9
    b2 = (0 + 0.1 - -0.1) + 0.5 * b5  # 0.2 + 0.45 = 0.65
    c3 = -0.5 - 0.3  # -0.8
    np.testing.assert_allclose(advantages[:, 0], [a0, a1, b2, c3, a4, b5], rtol=1e-5)
    np.testing.assert_allclose(advantages[:, 0], [0.15, -0.3, 0.65, -0.8, -0.9, 0.9], rtol=1e-5)


def test_a_cut_off_game_is_continued_by_each_players_own_value() -> None:
    movers = np.array([0, 1, 0])[:, None]
    values = column(0.1, 0.2, 0.3)
    rewards = np.zeros((3, 1, 3), np.float32)
    rewards[2, 0] = [0.5, -1, 0.5]
    last = np.array([[0.6, -0.4, 7.0]], np.float32)  # the third player has decided nothing in these steps
    advantages = per_player_advantages(rewards, values, column(0, 0, 0), movers, last, 0.9, 0.0)
    np.testing.assert_allclose(
        advantages[:, 0], [0.9 * 0.3 - 0.1, -1 + 0.9 * -0.4 - 0.2, 0.5 + 0.9 * 0.6 - 0.3], rtol=1e-5
    )


def test_the_next_game_is_nobodys_future() -> None:
    """What comes after the end changes nothing before it, for none of the players."""
    movers = np.array([0, 1, 2, 0, 1])[:, None]
    ended = column(0, 1, 0, 0, 0)
    values = column(0.1, 0.2, 0.3, 0.4, 0.5)
    rewards = np.random.default_rng(1).normal(size=(5, 1, 3)).astype(np.float32)
    other = rewards.copy()
    other[2:] += 5
    before, after = (
        per_player_advantages(some, values, ended, movers, np.full((1, 3), last, np.float32), 1.0, 0.95)
        for some, last in ((rewards, 0.0), (other, 8.0))
    )
    np.testing.assert_array_equal(before[:2], after[:2])
    assert (before[2:] != after[2:]).all()


def test_with_lambda_one_the_return_is_all_that_a_player_is_still_paid() -> None:
    generator = np.random.default_rng(2)
    steps, games, players = 40, 6, 4
    movers = generator.integers(players, size=(steps, games))
    rewards = generator.normal(size=(steps, games, players)).astype(np.float32)
    values = generator.normal(size=(steps, games)).astype(np.float32)
    ended = (generator.random((steps, games)) < 0.1).astype(np.float32)
    last = generator.normal(size=(games, players)).astype(np.float32)
    returns = values + per_player_advantages(rewards, values, ended, movers, last, 1.0, 1.0)
    for game in range(games):
        for step in range(steps):
            player = movers[step, game]
            expected, now = 0.0, step
            while True:
                expected += rewards[now, game, player]
                if ended[now, game]:
                    break
                now += 1
                if now == steps:
                    expected += last[game, player]
                    break
            assert returns[step, game] == pytest.approx(expected, abs=1e-4)


def test_one_player_alone_gets_the_ordinary_estimate() -> None:
    generator = np.random.default_rng(3)
    rewards, values = (generator.normal(size=(5, 3)).astype(np.float32) for _ in range(2))
    ended = (generator.random((5, 3)) < 0.2).astype(np.float32)
    last = generator.normal(size=(3, 1)).astype(np.float32)
    ours = per_player_advantages(rewards[..., None], values, ended, np.zeros((5, 3), int), last, 0.9, 0.8)
    following, next_value = np.zeros(3), last[:, 0]
    for step in reversed(range(5)):
        alive = 1 - ended[step]
        following = rewards[step] + 0.9 * alive * next_value - values[step] + 0.72 * alive * following
        next_value = values[step]
        np.testing.assert_allclose(ours[step], following, rtol=1e-4, atol=1e-5)
