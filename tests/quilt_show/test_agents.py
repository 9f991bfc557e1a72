"""Agents by name, what they know, and how strong they are."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from patchwork_env import QuiltShowBatch, make_agent
from patchwork_env.agents.base import AGENTS_OF, UnknownAgentError
from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.quilt_show.cards import VARIANTS
from tests.quilt_show.arranging import random_states
from tests.quilt_show.test_hidden import change_everything_hidden
from training.cli import main
from training.rotations import clustered_interval, play_rotations

SETTINGS = [(2, {}), (3, {"large_quilts": True, "two_shows": True}), (4, {"block_swaps": True, "color_sorting": True})]


def test_each_game_has_its_own_names() -> None:
    assert set(AGENTS_OF["quilt_show"]) == {"random", "greedy", "ismcts", "checkpoint", "pretrained"}
    assert type(make_agent("greedy")).__module__ != type(make_agent("greedy", game="quilt_show")).__module__
    with pytest.raises(UnknownAgentError, match=r"unknown agent 'mcts:10' \(did you mean 'ismcts'\?\)"):
        make_agent("mcts:10", game="quilt_show")
    with pytest.raises(UnknownAgentError, match="number of simulations must be from 1"):
        make_agent("ismcts:0", game="quilt_show")
    with pytest.raises(UnknownAgentError, match="unknown weight 'greed'"):
        make_agent("greedy:greed=2", game="quilt_show")
    with pytest.raises(ValueError, match="unknown game 'chess'; known are patchwork, quilt_show"):
        make_agent("greedy", game="chess")


@pytest.mark.parametrize("name", ["greedy", "ismcts:6"])
@pytest.mark.parametrize(("players", "variants"), SETTINGS, ids=str)
def test_agents_always_find_a_legal_action(name: str, players: int, variants: dict[str, bool]) -> None:
    """Also in states that they would not have come to by themselves."""
    agent = make_agent(name, seed=1, game="quilt_show")
    for games in random_states(16, steps=600, every=20, num_players=players, seed=11, **variants):
        actions = agent.act(games, np.arange(16))
        assert games.action_mask[np.arange(16), actions].all()


@pytest.mark.parametrize("name", ["greedy", "ismcts:12"])
def test_agents_do_not_look_at_what_is_hidden(name: str) -> None:
    chooser = random.Random(1)
    agent = make_agent(name, seed=1, game="quilt_show")
    for games in random_states(24, steps=500, every=10, num_players=3, seed=12):
        twin = games.copy(seed=1)
        twin.episodes[:] = games.episodes
        for index in range(24):
            change_everything_hidden(twin, index, int(games.to_play[index]), chooser)
        twin.state["decisions"] = games.state["decisions"]  # it seeds the search, and tells the mover nothing new
        twin.state["draws"] = games.state["draws"]
        assert (agent.act(games, np.arange(24)) == agent.act(twin, np.arange(24))).all()


def test_search_does_not_depend_on_threads_or_company() -> None:
    agent = make_agent("ismcts:20", seed=3, game="quilt_show")
    for games in random_states(12, steps=200, every=50, num_players=2, seed=5):
        alone = [int(agent.act(games, np.array([index]))[0]) for index in range(12)]
        games.threads = 3
        assert agent.act(games, np.arange(12)).tolist() == alone
        games.threads = 1


def test_rotations_give_every_agent_every_seat_of_a_deal() -> None:
    result = play_rotations(["random", "greedy", "random"], 5, seed=3, two_shows=True)
    assert result.games == 15
    assert result.shares.shape == (5, 3, 3)
    ended = ~result.truncated
    assert np.allclose(result.shares.sum(axis=2)[ended], 1)
    again = play_rotations(["random", "greedy", "random"], 3, seed=3, two_shows=True, threads=1)
    assert (again.money == result.money[:3]).all()  # a longer match continues a shorter one
    # Three times the same player: a deal goes the same way whoever sits where, so everybody has the same result.
    same = play_rotations(["greedy"] * 3, 4, seed=3)
    assert np.allclose(same.win_rates, 1 / 3)


def test_interval_of_rates() -> None:
    certain = clustered_interval(np.ones(100))
    assert 0.95 < certain.low < 0.98
    assert certain.high == pytest.approx(1)
    generator = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        deals = generator.binomial(2, generator.choice([0.4, 0.8], 60)) / 2  # games of a deal go together
        covered += clustered_interval(deals).contains(0.6)
    assert 0.92 <= covered / 400 <= 0.98


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quilt-show", "greedy", "random", "--deals", "10", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["games"] == 20
    assert figures["interval"][0] <= figures["win_rate"] <= figures["interval"][1]
    assert main(["quilt-show", "greedy", "random", "random", "--deals", "2", "--two-shows"]) == 0
    assert "Quilt Show, 3 players with two_shows: 6 games" in capsys.readouterr().out
    assert main(["quilt-show", "greedy"]) == 2
    assert "name two to four agents, got 1" in capsys.readouterr().err


def test_greedy_beats_random() -> None:
    result = play_rotations(["greedy", "random"], 150, seed=1)
    assert result.win_rates[0] >= 0.95


@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_wins_more_than_its_share_with_every_variant(variant: str) -> None:
    result = play_rotations(["greedy", "random", "random"], 20, seed=2, **{variant: True})
    assert result.win_rates[0] > 0.6


def test_search_is_better_than_greedy_already_with_few_simulations() -> None:
    result = play_rotations(["ismcts:40", "greedy"], 24, seed=1)
    assert result.win_rates[0] > 0.5


@pytest.mark.strength
@pytest.mark.parametrize(("others", "least"), [(1, 0.6), (2, 0.45), (3, 0.35)])
def test_search_beats_greedy(others: int, least: float) -> None:
    result = play_rotations(["ismcts:200", *["greedy"] * others], 60, seed=5)
    assert result.interval(0).low > 1 / (others + 1)
    assert result.win_rates[0] >= least


def test_random_games_have_the_same_length_in_any_company() -> None:
    lengths = []
    for size in (1, 7):
        games = QuiltShowBatch(size, 2, seed=9, threads=1, auto_reset=False)
        games.reset()
        agent = RandomAgent(seed=2)
        while not games.done[0]:
            games.step(agent.act(games, np.arange(1)), np.arange(1))
        lengths.append(games.game(0).decisions)
    assert lengths[0] == lengths[1]
