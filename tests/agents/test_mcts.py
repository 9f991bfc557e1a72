"""The search tree: what it keeps, what it spends, and what it makes of a budget in time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.agents import mcts
from patchwork_env.agents.mcts import MctsAgent, read_budget
from patchwork_env.agents.tree import NONE, ROOT, plant
from patchwork_env.games.patchwork.state import GAME
from tests.playing import ticking

ONE = np.zeros(1, np.int64)


def new_game(edition: str = "revised", seed: int = 3) -> PatchworkBatch:
    games = PatchworkBatch(1, edition, seed=seed, threads=1, auto_reset=False)
    games.reset()
    return games


def tree_of(agent: MctsAgent) -> tuple[Any, Any, Any]:
    """The part of the first game's tree that is in use."""
    heads, nodes, lists = agent._trees
    return heads[0], nodes[0, : heads[0]["nodes"]], lists[0, : heads[0]["lists"]]


def check_tree(agent: MctsAgent) -> None:
    """Children follow their parents, and nobody was visited more often than its parent."""
    _, nodes, lists = tree_of(agent)
    assert nodes[ROOT]["parent"] == NONE
    for number, node in enumerate(nodes[1:], start=1):
        assert 0 <= node["parent"] < number
        assert abs(node["total"]) <= node["visits"] + 1e-6
    for position, choices in enumerate(lists):
        assert nodes[choices["node"]]["choices"] == position
        children = choices["children"][: choices["count"]]
        tried = children[children != NONE]
        assert (nodes["parent"][tried] == choices["node"]).all()
        assert nodes["visits"][tried].sum() <= nodes[choices["node"]]["visits"]
        assert np.isclose(choices["priors"][: choices["count"]].sum(), 1, atol=1e-4)


def test_the_root_is_visited_once_a_simulation() -> None:
    games = new_game()
    agent = MctsAgent(50, seed=1)
    agent.act(games, ONE)
    _, nodes, _ = tree_of(agent)
    assert nodes[ROOT]["visits"] == 50
    check_tree(agent)


def test_what_was_found_is_kept_for_the_next_decision() -> None:
    games = new_game()
    agent = MctsAgent(300, seed=1)
    for _ in range(6):
        games.step(agent.act(games, ONE))
        heads, nodes, lists = agent._trees
        work = games.state[:1].copy()
        words = work.view(np.int64).reshape(1, GAME.itemsize // 8)
        plant(games.tables[0], heads[0], nodes[0], lists[0], work[0], words[0], np.zeros(nodes.shape[1], np.int32))
        check_tree(agent)
        kept = int(nodes[0, ROOT]["visits"])
        assert 0 < kept < 300 * 6
        agent.act(games, ONE)
        if games.action_mask[0].sum() > 1:
            assert nodes[0, ROOT]["visits"] == kept + 300
        check_tree(agent)


def test_a_single_legal_action_costs_nothing() -> None:
    games = new_game()
    games.state["buttons"][0] = 0, 0
    games.load(0, games.save(0))
    while games.action_mask[0].sum() != 1:
        games.step(np.zeros(1, np.int64))
    agent = MctsAgent(1000, seed=1)
    assert agent.act(games, ONE)[0] == np.flatnonzero(games.action_mask[0])[0]
    assert tree_of(agent)[0]["nodes"] == 0


def test_a_full_tree_is_still_searched() -> None:
    """When there is no room for more nodes, simulations go on from those there are."""
    games = new_game()
    agent = MctsAgent(40, seed=1)
    agent.act(games, ONE)
    for _ in range(12):
        agent.act(games, ONE)
        check_tree(agent)
    assert tree_of(agent)[1][ROOT]["visits"] == 13 * 40


@pytest.mark.parametrize("edition", ["revised", "stack_n_stuff"])
def test_trees_of_earlier_games_do_no_harm(edition: str) -> None:
    """Resets, other batches and other editions in between: every step stays legal."""
    agent = MctsAgent(20, seed=1)
    games = PatchworkBatch(3, edition, seed=5, auto_reset=True)
    games.reset()
    other = new_game("original", seed=9)
    for step in range(70):
        games.step(agent.act(games, np.arange(3)))
        if step % 20 == 7:
            games.reset(indices=[step % 3])
        if step % 25 == 11:
            agent.act(other, ONE)
    assert games.episodes.max() > 0


def test_a_decision_does_not_depend_on_the_other_games() -> None:
    many = PatchworkBatch(5, "revised", seed=4)
    many.reset()
    together = MctsAgent(30, seed=2).act(many, np.arange(5))
    alone = [int(MctsAgent(30, seed=2).act(many, np.array([index]))[0]) for index in range(5)]
    assert together.tolist() == alone


def test_other_seeds_search_otherwise() -> None:
    games = new_game()
    trees = []
    for seed in (1, 2):
        agent = MctsAgent(60, seed=seed)
        agent.act(games, ONE)
        trees.append(tree_of(agent)[1]["total"].tolist())
    assert trees[0] != trees[1]


@pytest.mark.parametrize(
    ("budget", "simulations", "seconds"),
    [(400, 400, None), ("200ms", 200 * 60 + 16, 0.2), ("1.5s", 1500 * 60 + 16, 1.5)],
)
def test_budgets(budget: int | str, simulations: int, seconds: float | None) -> None:
    assert read_budget(budget) == (simulations, seconds)


def test_a_time_budget_ends_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that moves on by 10 ms at every look, 55 ms are five or six pieces of simulations a game."""
    monkeypatch.setattr(mcts.time, "perf_counter", ticking(0.01))
    games = new_game()
    agent = make_agent("mcts:55ms", seed=1)
    assert isinstance(agent, MctsAgent)
    action = agent.act(games, ONE)
    games.step(action)
    pieces = tree_of(agent)[1][ROOT]["visits"] / mcts.TIMED_PIECE
    assert pieces in (5, 6)
