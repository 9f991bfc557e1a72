"""PettingZoo's own conformance tests, and what its users rely on, for every edition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from patchwork_env import patchwork_v0
from tests.playing import EDITIONS


@pytest.mark.filterwarnings("ignore:unknown reset option:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize("entry", [patchwork_v0.env, patchwork_v0.raw_env])
@pytest.mark.parametrize("edition", EDITIONS)
def test_api(edition: str, entry: Any) -> None:
    api_test(entry(edition=edition), num_cycles=500)


@pytest.mark.parametrize("first_player", ["player_0", "player_1", "random"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_seeds(edition: str, first_player: str) -> None:
    seed_test(lambda: patchwork_v0.env(edition=edition, first_player=first_player), num_cycles=300)


def play_out(env: Any, seed: int) -> dict[str, float]:
    """Rewards that each agent has been handed by the end of a random game."""
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    handed = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        handed[agent] += reward
        env.step(None if terminated else int(generator.choice(np.flatnonzero(observation["action_mask"]))))
    return handed


@pytest.mark.parametrize("reward", ["outcome", "margin", "shaped", "shaped_margin"])
def test_the_loser_learns_of_losing(reward: str) -> None:
    for seed in range(10):
        env = patchwork_v0.env(reward=reward)
        handed = play_out(env, seed)
        game = env.unwrapped.game
        assert sum(handed.values()) == pytest.approx(0, abs=1e-5)
        expected = 1.0 if "margin" not in reward else (game.scores[0] - game.scores[1]) / 50
        assert handed[f"player_{game.winner}"] == pytest.approx(abs(expected), abs=1e-5)


@pytest.mark.parametrize("edition", EDITIONS)
def test_only_the_mover_has_a_mask_and_observations_stay_in_their_space(edition: str) -> None:
    env = patchwork_v0.raw_env(edition=edition)
    generator = np.random.default_rng(1)
    for seed in range(5):
        env.reset(seed=seed)
        while not any(env.terminations.values()):
            mover = env.agent_selection
            for agent in env.possible_agents:
                observation = env.observe(agent)
                assert env.observation_space(agent).contains(observation)
                assert observation["action_mask"].dtype == np.int8
                assert observation["action_mask"].any() == (agent == mover)
            env.step(int(generator.choice(np.flatnonzero(env.observe(mover)["action_mask"]))))
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
            assert not env.observe(agent)["action_mask"].any()


def test_reset_options_set_up_a_known_game() -> None:
    env = patchwork_v0.env()
    circle = [*range(32, -1, -1)]
    env.reset(seed=1, options={"circle": circle, "first_player": "player_1"})
    assert env.unwrapped.game.circle == tuple(circle)
    assert env.agent_selection == "player_1"
    with pytest.raises(ValueError, match="unknown first_player 'nobody'"):
        env.reset(options={"first_player": "nobody"})
    with pytest.raises(ValueError, match="must name each patch"):
        env.reset(options={"circle": [1] * 33})
    with pytest.warns(UserWarning, match="unknown reset option 'circel' is ignored"):
        env.reset(options={"circel": circle})


def test_a_random_beginner_is_either() -> None:
    env = patchwork_v0.env(first_player="random")
    beginners = set()
    for seed in range(20):
        env.reset(seed=seed)
        beginners.add(env.agent_selection)
    assert beginners == {"player_0", "player_1"}


def test_resets_without_a_seed_go_on_with_other_games() -> None:
    env = patchwork_v0.env()
    env.reset(seed=1)
    first = env.unwrapped.game.circle
    env.reset()
    second = env.unwrapped.game.circle
    env.reset(seed=1)
    assert env.unwrapped.game.circle == first != second


def test_the_view_answers_what_it_promises() -> None:
    env = patchwork_v0.env()
    env.reset(seed=7)
    game = env.unwrapped.game
    assert (game.scores, game.positions, game.buttons, game.incomes) == ((-157, -157), (0, 0), (5, 5), (0, 0))
    assert game.quilts.shape == (2, 9, 9)
    assert len(game.circle) == 33
    assert (game.bonus_holder, game.to_play, game.done, game.winner) == (None, 0, False, None)
    actions = game.legal_actions()
    assert actions[0] == 0
    assert game.describe(0).kind == "advance"
    info = game.describe(int(actions[-1]))
    assert info.kind == "buy"
    assert info.patch == game.circle[info.slot]
    assert info.orientation is not None
    shape = game.edition.patches[info.patch].orientations[info.orientation]
    assert info.cells == tuple((info.row + row, info.column + column) for row, column in shape)
    assert game.describe(41).cells == ((4, 4),)
    assert game.describe(2026).kind == "decline"
    game.quilts[:] = 1
    assert not game.quilts.any()
    with pytest.raises(AttributeError):
        game.to_play = 1
    assert "player_0 to play" in repr(game)


def test_unknown_render_modes_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown render_mode 'hologram'"):
        patchwork_v0.env(render_mode="hologram")
