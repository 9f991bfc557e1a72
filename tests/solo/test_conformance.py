"""The solo game through PettingZoo and Gymnasium."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, seed_test
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from patchwork_env import SoloBatch, patchwork_solo_v0
from tests.playing import EDITIONS

ID = "patchwork_env/PatchworkSolo-v0"

pytestmark = pytest.mark.filterwarnings("ignore:unknown reset option:UserWarning")


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize("entry", [patchwork_solo_v0.env, patchwork_solo_v0.raw_env])
@pytest.mark.parametrize("edition", EDITIONS)
def test_pettingzoo(edition: str, entry: Any) -> None:
    api_test(entry(edition=edition, level="legend", deck="tactical"), num_cycles=200)


def test_pettingzoo_seeds() -> None:
    seed_test(lambda: patchwork_solo_v0.env(level="master"), num_cycles=200)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("edition", EDITIONS)
def test_gymnasium(edition: str) -> None:
    env = gymnasium.make(ID, edition=edition, level="fellow", deck="tactical")
    check_env(env.unwrapped)
    sb3_check_env(env.unwrapped)


@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_all_interfaces_play_the_same_games(reward: str) -> None:
    settings: dict[str, Any] = {"level": "master", "deck": "tactical", "reward": reward}
    single = gymnasium.make(ID, **settings)
    aec = patchwork_solo_v0.raw_env(**settings)
    batch = SoloBatch(1, seed=11, auto_reset=False, **settings)
    observation, info = single.reset(seed=11)
    aec.reset(seed=11)
    batch.reset()
    generator = np.random.default_rng(2)
    assert aec.agents == ["player_0"]
    while True:
        seen = aec.observe("player_0")
        assert np.array_equal(seen["observation"], observation)
        assert np.array_equal(batch.observe_tensor()[0], observation)
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        assert np.array_equal(batch.action_mask[0], info["action_mask"])
        action = int(generator.choice(np.flatnonzero(info["action_mask"])))
        observation, paid, terminated, truncated, info = single.step(action)
        aec.step(action)
        result = batch.step([action])
        assert paid == aec.rewards["player_0"] == pytest.approx(float(result.rewards[0, 0]))
        assert terminated == aec.terminations["player_0"] == result.done[0]
        assert not truncated
        if terminated:
            break
    game = single.unwrapped.game  # type: ignore[attr-defined]
    assert info["scores"] == game.scores == aec.game.scores == tuple(result.final_scores[0])
    assert (paid > 0) or game.winner == 1 or game.scores[0] == game.scores[1]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_the_vector_environment(mode: AutoresetMode) -> None:
    envs: Any = gymnasium.make_vec(
        ID, num_envs=6, level="legend", vectorization_mode="vector_entry_point", autoreset_mode=mode
    )
    observations, info = envs.reset(seed=4)
    assert observations.shape == envs.observation_space.shape
    generator = np.random.default_rng(0)
    ended = 0
    for _ in range(80):
        masks = envs.action_masks()
        actions = np.array([generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        observations, rewards, terminated, truncated, info = envs.step(actions)
        assert envs.observation_space.contains(observations)
        assert np.array_equal(info["action_mask"].astype(bool), envs.action_masks())
        for i in np.flatnonzero(terminated):
            ended += 1
            human, automa = info["scores"][i]
            assert rewards[i] == (1 if human >= automa else -1)
        assert (rewards[~terminated] == 0).all()
        assert not truncated.any()
    assert ended > 6


def test_a_known_circle_and_bad_options() -> None:
    env = patchwork_solo_v0.raw_env()
    circle = [*range(1, 33), 0]
    env.reset(options={"circle": circle})
    assert env.game.circle == tuple(circle)
    with pytest.raises(ValueError, match="begins"):
        env.reset(options={"first_player": "player_1"})
    with pytest.raises(ValueError, match="render_mode"):
        patchwork_solo_v0.raw_env(render_mode="human")
