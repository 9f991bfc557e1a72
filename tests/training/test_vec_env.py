"""The self-play environment: whose reward, whose turn, forced moves, and the league."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sb3_contrib.common.maskable.utils import get_action_masks

from patchwork_env import make_agent
from patchwork_env.interfaces.batch import PatchworkBatch
from tests.playing import EDITIONS
from training.candidates import CandidateView
from training.self_play import SELF_PLAY
from training.vec_env import SelfPlayVecEnv


def made(*arguments: Any, **settings: Any) -> Any:
    """The environment, untyped: SB3 declares observations of every possible kind."""
    return SelfPlayVecEnv(*arguments, **settings)


def chosen(env: Any, generator: np.random.Generator) -> NDArray[np.int64]:
    masks = env.action_masks()
    return np.argmax(generator.random(masks.shape) * masks, axis=1)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_step_is_a_real_choice_told_from_the_movers_side(edition: str) -> None:
    env = made(32, edition, seed=1, placements=4)
    observation = env.reset()
    generator = np.random.default_rng(1)
    kept = {name: array.copy() for name, array in observation.items()}
    for _ in range(60):
        assert (env.view.counts > 1).all()
        fresh = CandidateView(env.games, 4)
        fresh.update()
        for name, array in fresh.observation().items():
            np.testing.assert_array_equal(observation[name], array)
        for name, space in env.observation_space.spaces.items():
            assert observation[name].shape == (32, *space.shape)
            assert observation[name].dtype == np.float32
        following, rewards, done, _ = env.step(chosen(env, generator))
        for name, array in observation.items():  # what was handed out before stays as it was
            np.testing.assert_array_equal(array, kept[name])
        observation, kept = following, {name: array.copy() for name, array in following.items()}
        assert not rewards[~done].any()
    assert env.finished.games >= 32


def test_rewards_are_the_acting_players_and_signs_tell_who_is_next() -> None:
    env = made(16, seed=2, placements=4, outcome_share=1.0)
    env.reset()
    generator = np.random.default_rng(3)
    paid: list[float] = []
    signs = set()
    for _ in range(150):
        movers = env.games.to_play.copy()
        twin = PatchworkBatch(16, seed=0, auto_reset=False)
        twin.state[:] = env.games.state
        twin.renew_masks()
        actions = chosen(env, generator)
        twin.step(env.view.actions[np.arange(16), actions])
        while True:  # what has a single legal action, or none that is a choice, is played on
            forced = [i for i in range(16) if not twin.done[i] and twin.action_mask[i].sum() == 1]
            if not forced:
                break
            twin.step(twin.action_mask[forced].argmax(axis=1), np.array(forced))
        _, rewards, done, _ = env.step(actions)
        np.testing.assert_array_equal(done, twin.done)
        for i in range(16):
            if done[i]:
                winner = twin.game(i).winner
                assert rewards[i] == (1 if winner == movers[i] else -1)
                paid.append(float(rewards[i]))
            else:
                assert env.games.to_play[i] == twin.to_play[i]
                assert env.turn_signs[i] == (1 if twin.to_play[i] == movers[i] else -1)
                signs.add(float(env.turn_signs[i]))
    assert {1.0, -1.0} == set(paid) == signs


def test_the_margin_counts_with_the_share_that_is_left() -> None:
    rewards = {}
    for share in (1.0, 0.0, 0.5):
        env = made(8, seed=2, placements=4, outcome_share=share, reward_sign=-1.0)
        env.reset()
        generator = np.random.default_rng(3)
        ended: list[float] = []
        for _ in range(60):
            _, reward, done, _ = env.step(chosen(env, generator))
            ended += reward[done].tolist()
        rewards[share] = np.array(ended)
    np.testing.assert_allclose(rewards[0.5], 0.5 * rewards[0.0] + 0.5 * rewards[1.0], atol=1e-6)
    assert (np.sign(rewards[0.0]) == np.sign(rewards[1.0])).mean() > 0.9
    assert (np.abs(rewards[0.0]) < 1).all()


class Watched:
    """An agent that notes what it was asked."""

    def __init__(self) -> None:
        self.agent = make_agent("random", seed=1)
        self.asked = 0

    def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        self.asked += len(indices)
        return self.agent.act(games, indices)


def test_league_games_leave_only_the_learners_decisions() -> None:
    env = made(64, seed=4, placements=4)
    opponents = [Watched(), Watched()]
    env.set_league(opponents, np.array([1.0, 3.0]), 0.5)
    env.reset()
    assert 10 < (env.opponent_of != SELF_PLAY).sum() < 54
    generator = np.random.default_rng(1)
    for _ in range(80):
        league = env.opponent_of != SELF_PLAY
        assert (env.games.to_play[league] == env.learner_seat[league]).all()
        episodes = env.games.episodes.copy()
        was_league = league.copy()
        env.step(chosen(env, generator))
        same = env.games.episodes == episodes
        assert (env.turn_signs[was_league & same] == 1).all()
    played = env.finished.league_games
    assert played[1] > played[0] > 0
    assert 0.3 < sum(played.values()) / env.finished.games < 0.7
    wins = sum(env.finished.league_wins.values()) / sum(played.values())
    assert 0.2 < wins < 0.95
    assert all(opponent.asked for opponent in opponents)
    assert {0, 1} == set(env.learner_seat.tolist())
    with pytest.raises(ValueError, match="2 opponents need as many weights"):
        env.set_league(opponents, np.array([1.0]), 0.5)


def test_openings_are_played_by_the_scripted_agents_alone() -> None:
    env = made(64, seed=4, placements=4)
    env.set_league([make_agent("greedy", seed=1), make_agent("advance", seed=1), Watched()], np.ones(3), 0.0)
    env.set_openings(0.75, 8, 2)
    env.reset()
    opened = env.opening_length > 0
    assert 32 < opened.sum() < 62
    assert set(env.opening_length[opened].tolist()) == set(range(1, 9))
    assert set(env.opening_by[opened].tolist()) == {0, 1}
    alone = made(64, seed=4, placements=4).games  # the same deals
    alone.reset()
    for i in np.flatnonzero(opened):
        opener = env.opponents[env.opening_by[i]]
        while alone.state["decisions"][i] < env.opening_length[i]:
            alone.step(opener.act(alone, np.array([i])), np.array([i]))
        if alone.action_mask[i].sum() > 1:  # where there is no choice the environment has played on
            assert alone.state[i].tobytes() == env.games.state[i].tobytes()
    generator = np.random.default_rng(1)
    for _ in range(80):
        env.step(chosen(env, generator))
        assert (env.games.state["decisions"] >= env.opening_length).all()
    assert env.finished.games > 64
    assert env.opponents[2].asked == 0
    with pytest.raises(ValueError, match="4 openers are asked for, and there are 3 opponents"):
        env.set_openings(0.5, 8, 4)


def test_masks_are_answered_the_way_sb3_asks() -> None:
    env = made(5, seed=1, placements=4)
    env.reset()
    np.testing.assert_array_equal(get_action_masks(env), env.view.mask)
    assert env.get_attr("num_envs") == [5] * 5
    assert env.env_is_wrapped(object) == [False] * 5
    env.view.mask[:, 12] = False
    with pytest.raises(ValueError, match="choice 12 is masked"):
        env.step(np.full(5, 12))


def test_the_same_seed_gives_the_same_games_whatever_the_threads() -> None:
    seen: list[Any] = []
    for threads in (1, 2):
        env = made(300, seed=9, placements=4, threads=threads)
        env.reset()
        generator = np.random.default_rng(1)
        for _ in range(20):
            observation, rewards, _, _ = env.step(chosen(env, generator))
        seen.append((observation["state"].tobytes(), observation["candidates"].tobytes(), rewards.tobytes()))
    assert seen[0] == seen[1]
