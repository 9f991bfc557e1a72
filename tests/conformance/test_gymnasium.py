"""Gymnasium's and SB3's checkers for every id and edition, the vector environment, and opponents."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from patchwork_env import PatchworkBatch
from patchwork_env.agents.base import AGENTS, UnknownAgentError, make_agent
from patchwork_env.agents.random import RandomAgent
from patchwork_env.registry import GYMNASIUM_IDS
from tests.playing import EDITIONS

ID = "patchwork_env/Patchwork-v0"
GAME_IDS = sorted(name for name in GYMNASIUM_IDS if "Patchwork" in name)  # the ids that have editions

pytestmark = pytest.mark.filterwarnings("ignore:unknown reset option:UserWarning")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", GAME_IDS)
@pytest.mark.parametrize("edition", EDITIONS)
def test_checkers(name: str, edition: str) -> None:
    env = gymnasium.make(name, edition=edition)
    check_env(env.unwrapped)
    sb3_check_env(env.unwrapped)


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_checkers_in_every_seat(seat: Any) -> None:
    env = gymnasium.make(ID, seat=seat, first_player="player_1")
    check_env(env.unwrapped)


@pytest.mark.parametrize("seat", [0, 1, "random"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_samples_are_legal_and_episodes_end_with_the_result(edition: str, seat: Any) -> None:
    env = gymnasium.make(ID, edition=edition, seat=seat, opponent="random")
    seats = set()
    for seed in range(12):
        _, info = env.reset(seed=seed)
        env.action_space.seed(seed)
        env.reset(seed=seed)
        total, terminated = 0.0, False
        game = env.unwrapped.game  # type: ignore[attr-defined]
        while not terminated:
            assert game.to_play == info["seat"]
            mask = env.unwrapped.action_masks()  # type: ignore[attr-defined]
            np.testing.assert_array_equal(mask, info["action_mask"].astype(bool))
            _, reward, terminated, truncated, info = env.step(env.action_space.sample())
            total += float(reward)
            assert not truncated
        assert total == (1 if game.winner == info["seat"] else -1)
        assert info["scores"] == game.scores
        seats.add(info["seat"])
    assert seats == ({0, 1} if seat == "random" else {seat})


def test_the_opponent_may_be_a_function_or_an_agent() -> None:
    asked = []

    def first_legal(observation: NDArray[np.float32], mask: NDArray[np.int8]) -> int:
        asked.append(observation.shape)
        return int(np.flatnonzero(mask)[0])

    class Advance:
        def act(self, games: PatchworkBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
            return games.action_mask[indices].argmax(axis=1)

    outcomes = []
    for opponent in (first_legal, Advance()):
        env = gymnasium.make(ID, opponent=opponent)
        env.reset(seed=3)
        env.action_space.seed(3)
        env.reset(seed=3)
        terminated, rewards = False, []
        while not terminated:
            _, reward, terminated, _, _ = env.step(env.action_space.sample())
            rewards.append(reward)
        outcomes.append(rewards)
    assert outcomes[0] == outcomes[1]
    assert asked


@pytest.mark.filterwarnings("ignore:.*render_mode:UserWarning")
@pytest.mark.parametrize("settings", [{"seat": 2}, {"seat": "left"}, {"seat": True}, {"render_mode": "hologram"}])
def test_wrong_settings_are_told(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(settings))):
        gymnasium.make(ID, **settings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("randm", r"unknown agent 'randm' \(did you mean 'random'\?\)"),
        ("random:3,4", "agent 'random:3,4'"),
        ("random:speed=2", "agent 'random:speed=2'"),
        ("random:seed=x", "seed must be a whole number"),
    ],
)
def test_wrong_agents_are_told(text: str, message: str) -> None:
    with pytest.raises(UnknownAgentError, match=message):
        make_agent(text)
    with pytest.raises(UnknownAgentError):
        make_agent(7)  # type: ignore[arg-type]


def test_every_named_agent_can_be_made() -> None:
    assert "random" in AGENTS
    assert isinstance(make_agent("random:seed=3"), RandomAgent)


def masked_actions(masks: NDArray[np.bool_], generator: np.random.Generator) -> NDArray[np.int64]:
    return np.argmax(generator.random(masks.shape) * masks, axis=1)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_vector_environment_plays_the_games_of_single_ones(edition: str) -> None:
    """Environment 0 of the batch is the single environment with the same seed."""
    vector = gymnasium.make_vec(ID, num_envs=7, edition=edition, seat="random")
    single = gymnasium.make(ID, edition=edition, seat="random")
    generator = np.random.default_rng(1)
    observations, _ = vector.reset(seed=5)
    observation, _ = single.reset(seed=5)
    ended = False
    for _ in range(120):
        np.testing.assert_array_equal(observations[0], observation)
        assert vector.observation_space.contains(observations)
        actions = masked_actions(vector.unwrapped.action_masks(), generator)  # type: ignore[attr-defined]
        observations, rewards, terminations, truncations, _ = vector.step(actions)
        if ended:
            observation, _ = single.reset()
            ended = False
            assert rewards[0] == 0
            continue
        observation, reward, ended, _, _ = single.step(int(actions[0]))
        assert (rewards[0], terminations[0]) == (reward, ended)
        assert not truncations.any()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_auto_reset_follows_gymnasium(mode: AutoresetMode) -> None:
    env = gymnasium.make_vec(ID, num_envs=32, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode
    generator = np.random.default_rng(2)
    env.reset(seed=2)
    games = env.unwrapped.games  # type: ignore[attr-defined]
    last = np.zeros(32, bool)
    ends = 0
    for _ in range(150):
        episodes = games.episodes.copy()
        actions = masked_actions(env.unwrapped.action_masks(), generator)  # type: ignore[attr-defined]
        observations, rewards, ended, _, info = env.step(actions)
        assert (np.abs(rewards[ended]) == 1).all()
        assert not rewards[~ended].any()
        restarted = last if mode is AutoresetMode.NEXT_STEP else ended
        np.testing.assert_array_equal(games.episodes, episodes + restarted)
        if ended.any():
            np.testing.assert_array_equal(info["_scores"], ended)
            winners = info["scores"][ended].argmax(axis=1)
            decided = info["scores"][ended, 0] != info["scores"][ended, 1]
            np.testing.assert_array_equal((rewards[ended] > 0)[decided], (winners == 0)[decided])
        if mode is AutoresetMode.SAME_STEP and ended.any():
            for i in np.flatnonzero(ended):
                assert info["final_obs"][i].shape == observations[i].shape
                assert not np.array_equal(info["final_obs"][i], observations[i])
        last = ended & ~last if mode is AutoresetMode.NEXT_STEP else ended
        ends += int(ended.sum())
    assert ends > 100


def test_part_of_the_vector_environment_can_be_reset() -> None:
    env = gymnasium.make_vec(ID, num_envs=4)
    env.reset(seed=2)
    games = env.unwrapped.games  # type: ignore[attr-defined]
    env.step(np.zeros(4, int))
    before = games.state.copy()
    env.reset(options={"reset_mask": np.array([True, False, False, True])})
    np.testing.assert_array_equal(games.state[[1, 2]], before[[1, 2]])
    assert games.episodes.tolist() == [1, 0, 0, 1]


def test_masks_are_what_sb3_asks_for() -> None:
    sb3 = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = gymnasium.make(ID)
    env.reset(seed=1)
    mask = sb3.get_action_masks(env)
    assert mask.dtype == bool
    assert mask.shape == (2027,)
