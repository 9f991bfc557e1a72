"""Chances to win, as the page's analysis and graph show them."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents.analysis import evaluate, opinion, win_probabilities
from tests.render.games import EDITIONS


@pytest.mark.parametrize("edition", EDITIONS)
def test_candidates_are_legal_sorted_and_repeatable(edition: str) -> None:
    games = PatchworkBatch(1, edition, seed=3, threads=1, auto_reset=False)
    games.reset()
    agent = make_agent("greedy")
    view = games.game(0)
    while not view.done:
        before = games.save(0)
        found = evaluate(games, 0, playouts=4)
        assert games.save(0) == before
        assert found == evaluate(games, 0, playouts=4)
        assert found
        assert len({action for action, _ in found}) == len(found)
        assert all(games.action_mask[0, action] for action, _ in found)
        assert [chance for _, chance in found] == sorted((chance for _, chance in found), reverse=True)
        games.step(agent.act(games, np.array([0])))
    assert evaluate(games, 0) == []
    assert win_probabilities(games)[0] == (view.winner == 0)


def test_the_chances_foretell_who_wins() -> None:
    count = 60
    games = PatchworkBatch(count, seed=5, threads=1, auto_reset=False)
    games.reset()
    agent = make_agent("greedy")
    for _ in range(24):
        playing = np.flatnonzero(~games.done)
        games.step(agent.act(games, playing), playing)
    chances = win_probabilities(games, playouts=32)
    while not games.done.all():
        playing = np.flatnonzero(~games.done)
        games.step(agent.act(games, playing), playing)
    won = np.array([games.game(i).winner == 0 for i in range(count)])
    sure = np.abs(chances - 0.5) > 0.3
    assert sure.sum() > count // 3
    assert ((chances > 0.5) == won)[sure].mean() > 0.8


def test_an_agent_without_an_opinion_is_helped_out() -> None:
    games = PatchworkBatch(1, seed=3, threads=1, auto_reset=False)
    games.reset()
    found, source = opinion(make_agent("random", seed=1), games, 0)
    assert source == "playouts"
    assert found == evaluate(games, 0)
