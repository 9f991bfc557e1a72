"""The Monte-Carlo search in the solo game."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import SoloBatch, make_agent
from training.intervals import mean_interval
from training.solo import play_solo


def games_under_way(seed: int, level: str = "legend", decisions: int = 8) -> SoloBatch:
    games = SoloBatch(12, seed=seed, auto_reset=False, level=level)
    games.reset()
    agent = make_agent("greedy")
    for _ in range(decisions):
        games.step(agent.act(games, np.arange(12)))
    return games


def test_it_knows_the_automa_and_so_beats_it() -> None:
    settings = {"level": "fellow", "deck": "normal", "seed": 3}
    search, greedy = (play_solo(agent, 150, **settings) for agent in ("mcts:100", "greedy"))  # type: ignore[arg-type]
    assert search.interval.low > 0.5
    assert mean_interval(search.margins - greedy.margins).low > 2  # on the same deals


@pytest.mark.parametrize("edition", ["original", "halloween", "stack_n_stuff"])
def test_it_plays_every_edition(edition: str) -> None:
    result = play_solo("mcts:10", 8, level="master", deck="tactical", edition=edition)
    assert len(result.rows) == 8


def test_it_is_deterministic_and_does_not_touch_the_games() -> None:
    games = games_under_way(seed=1)
    before = [games.save(i) for i in range(12)]
    everyone = np.arange(12)
    first = make_agent("mcts:40,seed=5").act(games, everyone)
    assert before == [games.save(i) for i in range(12)]
    assert np.array_equal(first, make_agent("mcts:40,seed=5").act(games, everyone))
    part = make_agent("mcts:40,seed=5").act(games, everyone[3:6])
    assert np.array_equal(part, first[3:6])
    games.threads = 2
    assert np.array_equal(first, make_agent("mcts:40,seed=5").act(games, everyone))
    assert (games.action_mask[everyone, first] == 1).all()


def test_it_cannot_see_the_cards_to_come() -> None:
    """The same states in a batch with other streams: the same decisions."""
    games = games_under_way(seed=1)
    other = SoloBatch(12, seed=2, auto_reset=False, level="legend")
    other.reset()
    for i in range(12):
        other.load(i, games.save(i))
    everyone = np.arange(12)
    agents = [make_agent("mcts:40,seed=5") for _ in range(2)]
    assert np.array_equal(agents[0].act(games, everyone), agents[1].act(other, everyone))


def test_a_time_budget_works() -> None:
    games = games_under_way(seed=1)
    actions = make_agent("mcts:5ms").act(games, np.arange(3))
    assert (games.action_mask[np.arange(3), actions] == 1).all()
