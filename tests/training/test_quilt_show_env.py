"""Self-play of Quilt Show: real choices, whose reward, the league, and the values that continue a rollout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from patchwork_env import make_agent
from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from tests.quilt_show.test_hidden import SETTINGS
from training.policy import NetworkPolicy
from training.ppo import PerPlayerPPO, per_player_advantages
from training.quilt_show_env import QuiltShowVecEnv
from training.quilt_show_network import ChoiceNetwork
from training.self_play import SELF_PLAY


class Watched(QuiltShowVecEnv):
    """Keeps how games ended: (game, money, shares of the win)."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self.endings: list[tuple[int, list[int], list[float]]] = []
        super().__init__(*arguments, **settings)

    def _win_shares(self, result: Any, ended: NDArray[np.int64]) -> NDArray[np.float32]:
        shares = super()._win_shares(result, ended)
        for index, share in zip(ended.tolist(), shares.tolist(), strict=True):
            assert self.games.game(index).winners == tuple(np.flatnonzero(share))
            self.endings.append((index, result.final_money[index].tolist(), share))
        return shares


def made(*arguments: Any, **settings: Any) -> Any:
    """The environment, untyped: SB3 declares observations of every possible kind."""
    return Watched(*arguments, **settings)


def chosen(env: Any, generator: np.random.Generator) -> NDArray[np.int64]:
    masks = env.action_masks()
    return np.argmax(generator.random(masks.shape) * masks, axis=1)


@pytest.mark.parametrize(("players", "variants"), SETTINGS, ids=str)
def test_every_step_is_a_real_choice_told_from_the_movers_side(players: int, variants: dict[str, bool]) -> None:
    env = made(16, players, seed=1, **variants)
    observation = env.reset()
    generator = np.random.default_rng(1)
    for _ in range(120):
        masks = env.action_masks()
        assert (masks.sum(axis=1) > 1).all()
        movers = env.games.to_play.copy()
        np.testing.assert_array_equal(observation["state"], env.view.everyones_situations()[np.arange(16), movers])
        for name, space in env.observation_space.spaces.items():
            assert observation[name].shape == (16, *space.shape)
            assert observation[name].dtype == np.float32
        observation, rewards, _, _ = env.step(chosen(env, generator))
        np.testing.assert_array_equal(env.movers, movers)
        np.testing.assert_array_equal(rewards, env.player_rewards[np.arange(16), movers])


@pytest.mark.parametrize(("players", "share"), [(2, 1.0), (3, 0.0), (4, 0.25)])
def test_players_are_paid_by_outcome_and_money_whoever_moves(players: int, share: float) -> None:
    env = made(12, players, seed=2, outcome_share=share, reward_sign=-1.0, two_shows=True)
    env.reset()
    generator = np.random.default_rng(3)
    paid = np.zeros((12, players))
    checked = 0
    while checked < 12:
        env.endings.clear()
        _, _, done, _ = env.step(chosen(env, generator))
        paid += env.player_rewards
        assert np.allclose(env.player_rewards.sum(axis=1), 0, atol=1e-5)
        assert sorted(index for index, _, _ in env.endings) == np.flatnonzero(done).tolist()
        for index, money, shares in env.endings:
            others = (sum(money) - np.array(money)) / (players - 1)
            lead = (np.array(money) - others) / 20
            losers = players - int(np.count_nonzero(shares))
            outcome = np.where(np.array(shares) > 0, shares, -1.0 / losers) if losers else np.zeros(players)
            np.testing.assert_allclose(paid[index], -(share * outcome + (1 - share) * lead), atol=1e-4)
            paid[index] = 0
            checked += 1


class Asked:
    """An agent that notes how often it was asked."""

    def __init__(self) -> None:
        self.agent = make_agent("random", seed=1, game="quilt_show")
        self.asked = 0

    def act(self, games: QuiltShowBatch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        self.asked += len(indices)
        return self.agent.act(games, indices)


@pytest.mark.parametrize("players", [2, 4])
def test_league_games_leave_only_the_learners_decisions(players: int) -> None:
    env = made(64, players, seed=4, two_shows=True)
    opponents = [Asked(), Asked()]
    env.set_league(opponents, np.array([1.0, 3.0]), 0.5)
    env.reset()
    assert 10 < (env.opponent_of != SELF_PLAY).sum() < 54
    assert set(env.learner_seat[env.opponent_of != SELF_PLAY].tolist()) == set(range(players))
    generator = np.random.default_rng(1)
    self_play_movers = set()
    while env.finished.games < 100:
        league = env.opponent_of != SELF_PLAY
        assert (env.games.to_play[league] == env.learner_seat[league]).all()
        self_play_movers |= set(env.games.to_play[~league].tolist())
        env.step(chosen(env, generator))
    assert self_play_movers == set(range(players))
    played = env.finished.league_games
    assert played[1] > played[0] > 0
    figures = env.finished.figures()
    assert figures["games"] == env.finished.games
    assert 5 < figures["money"] < 60
    assert all(opponent.asked for opponent in opponents)
    # The learner plays about as badly as its opponents, so it wins about its share.
    assert 0 < sum(env.finished.league_wins.values()) / sum(played.values()) < 2.5 / players


def test_the_same_seed_gives_the_same_games_whatever_the_threads() -> None:
    seen: list[Any] = []
    for threads in (1, 2):
        env = made(300, 3, seed=9, threads=threads)
        env.reset()
        generator = np.random.default_rng(1)
        for _ in range(20):
            observation, rewards, _, _ = env.step(chosen(env, generator))
        seen.append((observation["state"].tobytes(), observation["choices"].tobytes(), rewards.tobytes()))
    assert seen[0] == seen[1]


def test_kept_games_go_on_as_they_were() -> None:
    env, twin = made(8, 3, seed=5), made(8, 3, seed=5)
    env.reset()
    generator = np.random.default_rng(1)
    for _ in range(200):
        env.step(chosen(env, generator))
    twin.reset()
    twin.restore(env.kept())
    for _ in range(80):
        actions = chosen(env, generator)
        one, other = env.step(actions), twin.step(actions)
        for name, array in one[0].items():
            np.testing.assert_array_equal(array, other[0][name])
        np.testing.assert_array_equal(env.player_rewards, twin.player_rewards)


def test_a_rollout_is_continued_by_what_every_player_thinks_of_the_last_state() -> None:
    torch.manual_seed(1)
    env = QuiltShowVecEnv(8, 3, seed=3, outcome_share=0.5)
    settings: dict[str, Any] = {"n_steps": 16, "batch_size": 64, "n_epochs": 1, "gamma": 0.99, "device": "cpu"}
    model = PerPlayerPPO(NetworkPolicy, env, policy_kwargs={"make_network": ChoiceNetwork}, seed=1, **settings)
    kept: dict[str, Any] = {}
    buffer: Any = model.rollout_buffer
    compute = buffer.compute_returns_and_advantage

    def watched(last_values: torch.Tensor, dones: NDArray[np.bool_]) -> None:
        with torch.no_grad():
            situations = torch.from_numpy(env.view.everyones_situations()).reshape(24, -1)
            everyones = model.policy.predict_values({"state": situations}).reshape(8, 3).numpy()
        ended = np.concatenate([buffer.episode_starts[1:], dones.astype(np.float32)[None]])
        kept["expected"] = per_player_advantages(
            buffer.player_rewards, buffer.values, ended, buffer.movers, everyones, 0.99, 0.95
        )
        kept["movers"] = last_values.flatten().numpy()
        kept["everyones"] = everyones
        compute(last_values, dones)
        kept["computed"] = buffer.advantages.copy()

    buffer.compute_returns_and_advantage = watched
    model.learn(128)
    everyones = kept["everyones"]
    np.testing.assert_allclose(everyones[np.arange(8), env.games.to_play], kept["movers"], rtol=1e-5, atol=1e-6)
    assert len(set(everyones[0].tolist())) == 3  # each has an opinion of its own
    np.testing.assert_array_equal(kept["computed"], kept["expected"])
    assert {0, 1, 2} == set(buffer.movers.flatten().tolist())
