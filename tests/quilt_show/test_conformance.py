"""PettingZoo's and Gymnasium's own checks, for every number of players and every variant."""

from __future__ import annotations

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test.api_test import api_test
from pettingzoo.test.seed_test import seed_test

from patchwork_env import IllegalActionError, quilt_show_v0
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.cards import VARIANTS

CASES: list[tuple[int, str | None]] = [
    (players, variant)
    for players in (2, 3, 4)
    for variant in (None, *VARIANTS)
    if variant != "block_swaps" or players > 2
]


def switches(variant: str | None) -> dict[str, Any]:
    return {} if variant is None else {variant: True}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("players", "variant"), CASES)
def test_api(players: int, variant: str | None) -> None:
    api_test(quilt_show_v0.env(num_players=players, **switches(variant)), num_cycles=300)
    api_test(quilt_show_v0.raw_env(num_players=players, **switches(variant)), num_cycles=300)


@pytest.mark.parametrize(("players", "variant"), CASES)
def test_seed(players: int, variant: str | None) -> None:
    seed_test(lambda: quilt_show_v0.env(num_players=players, **switches(variant)), num_cycles=200)


def play(env: Any, generator: np.random.Generator, prefer: int | None = None) -> int:
    """Random play to the end; the number of decisions."""
    decisions = 0
    for agent in env.agent_iter(max_iter=100_000):
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        assert env.observation_space(agent).contains(observation)
        legal = np.flatnonzero(observation["action_mask"])
        if prefer is not None and (legal >= prefer).any():
            legal = legal[legal >= prefer]
        env.step(int(generator.choice(legal)))
        decisions += 1
    return decisions


@pytest.mark.parametrize("players", [2, 3, 4])
def test_everybody_learns_of_the_end(players: int) -> None:
    env: Any = quilt_show_v0.raw_env(num_players=players)
    env.reset(seed=players)
    rewards: dict[str, float] = dict.fromkeys(env.agents, 0.0)
    generator = np.random.default_rng(players)
    ended: dict[str, tuple[bool, bool]] = {}
    for agent in env.agent_iter(max_iter=100_000):
        observation, reward, terminated, truncated, _ = env.last()
        assert observation is not None
        rewards[agent] += reward
        if terminated or truncated:
            ended[agent] = (terminated, truncated)
            env.step(None)
        else:
            others = [other for other in env.agents if other != agent]
            assert not any(env.observe(other)["action_mask"].any() for other in others)
            env.step(int(generator.choice(np.flatnonzero(observation["action_mask"]))))
    assert set(ended.values()) == {(True, False)}
    assert len(ended) == players
    winners = env.unwrapped.game.winners
    if len(winners) < players:
        assert all(rewards[f"player_{winner}"] == pytest.approx(1 / len(winners)) for winner in winners)
    assert sum(rewards.values()) == pytest.approx(0, abs=1e-6)


def test_game_over_2000_decisions_is_truncated_not_terminated() -> None:
    env: Any = quilt_show_v0.env(num_players=3, block_swaps=True)
    env.reset(seed=1)
    generator = np.random.default_rng(1)
    assert play(env, generator, prefer=layout.PROPOSE) == 2000
    raw = env.unwrapped
    assert raw.game.truncated
    assert raw.game.winners == ()


def test_illegal_action_through_each_interface() -> None:
    raw = quilt_show_v0.raw_env()
    raw.reset(seed=1)
    with pytest.raises(IllegalActionError, match="has to begin a turn"):
        raw.step(layout.DONE)
    with pytest.raises(TypeError, match="whole number"):
        raw.step(0.5)  # type: ignore[arg-type]
    env = quilt_show_v0.env()
    env.reset(seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(layout.DONE)
    assert all(env.unwrapped.terminations.values())
    single = gymnasium.make("patchwork_env/QuiltShow-v0")
    single.reset(seed=1)
    with pytest.raises(IllegalActionError, match="out of range"):
        single.unwrapped.step(layout.NUM_ACTIONS)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_players": 3, "seat": "random", "large_quilts": True},
        {"num_players": 4, "opponent": ["random", "random", "random"], "block_swaps": True, "reward": "money"},
        {"two_shows": True, "all_patterns": True, "color_sorting": True, "seat": 1},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_gymnasium_checker(settings: dict[str, Any]) -> None:
    env = gymnasium.make("patchwork_env/QuiltShow-v0", **settings)
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_vector_environment_plays_the_games_of_the_batch(mode: str) -> None:
    envs = gymnasium.make_vec(
        "patchwork_env/QuiltShow-v0", num_envs=5, num_players=3, seat="random", two_shows=True,
        autoreset_mode=mode,
    )  # fmt: skip
    observation, info = envs.reset(seed=3)
    generator = np.random.default_rng(1)
    ended = np.zeros(5, bool)
    for _ in range(600):
        masks = info["action_mask"]
        actions = [int(generator.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in masks]
        observation, reward, terminated, truncated, info = envs.step(np.array(actions))
        assert envs.observation_space.contains(observation)
        now = terminated | truncated
        ended |= now
        assert (reward[~now] == 0).all()
        if mode == "Disabled" and now.any():
            observation, info = envs.reset(options={"reset_mask": now})
    assert ended.all()


def test_first_player_option() -> None:
    env = quilt_show_v0.env(num_players=4)
    for player in env.possible_agents:
        env.reset(seed=1, options={"first_player": player})
        assert env.agent_selection == player
    with pytest.raises(ValueError, match="unknown first_player 'me'"):
        env.reset(options={"first_player": "me"})
    with pytest.raises(ValueError, match="there is no player_3 in a game of 2"):
        quilt_show_v0.env(num_players=2, first_player="player_3")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_players": 5}, "num_players must be 2, 3 or 4"),
        ({"big_quilts": True}, "unknown variant 'big_quilts'; known are large_quilts"),
        ({"large_quilts": 1}, "large_quilts must be True or False"),
        ({"reward": "fame"}, "unknown reward 'fame'; known are outcome, money"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quilt_show_v0.env(**settings)
