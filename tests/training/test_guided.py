"""Search that a network guides: what it adds up, what it may know, and that it finds what the policy misses."""

from __future__ import annotations

import dataclasses
import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, SoloBatch, edition_names, make_agent
from patchwork_env.agents.base import UnknownAgentError
from patchwork_env.agents.tree import NONE, ROOT
from tests.networks import save_untrained, untrained
from tests.playing import ticking
from training import guided
from training.agent import PolicyAgent, policy_of
from training.checkpoint import CheckpointError, save_checkpoint
from training.guided import CheckpointSearch, GuidedAgent
from training.policy import CandidateNetwork

ONE = np.zeros(1, np.int64)


def searching(budget: int | str, edition: str = "revised", seed: int = 5, **settings: float) -> GuidedAgent:
    return GuidedAgent(policy_of(untrained(edition)), budget, seed, **settings)


def under_way(count: int = 1, edition: str = "revised", decisions: int = 0, seed: int = 3) -> PatchworkBatch:
    """Games after so many decisions of greedy players."""
    games = PatchworkBatch(count, edition, seed=seed, threads=1, auto_reset=False)
    games.reset()
    greedy = make_agent("greedy")
    for _ in range(decisions):
        games.step(greedy.act(games, np.arange(count)))
    return games


def last_purchase(mover: int = 0) -> PatchworkBatch:
    """The mover, one space before the end, wins with the patch of six cells for two buttons and loses otherwise."""
    games = under_way()
    game = games.state[0]
    cheap = 29  # six cells, two buttons, one space
    game["circle"][:33] = [14, 20, cheap, *(patch for patch in range(33) if patch not in (cheap, 14, 20))]
    game["positions"] = (52, 53) if mover == 0 else (53, 52)
    game["resolved"] = 52
    game["buttons"] = (6, 12) if mover == 0 else (12, 6)
    game["first_home"] = 1 - mover
    game["to_play"] = mover
    games.load(0, games.save(0))
    return games


def positions_of(agent: GuidedAgent, games: PatchworkBatch) -> Iterator[tuple[Any, PatchworkBatch, list[int]]]:
    """Every node of the first game's tree, with its position (played anew from the root) and its children."""
    heads, trees, all_lists = agent._trees
    nodes, lists = trees[0, : heads[0]["nodes"]], all_lists[0]
    waiting: list[tuple[int, PatchworkBatch]] = [(ROOT, games.copy(seed=0))]
    while waiting:
        number, position = waiting.pop()
        children: list[int] = []
        if nodes[number]["choices"] != NONE:
            choices = lists[nodes[number]["choices"]]
            assert np.isclose(choices["priors"][: choices["count"]].sum(), 1, atol=1e-4)
            for action, child in zip(choices["actions"], choices["children"][: choices["count"]], strict=False):
                if child != NONE:
                    after = position.copy(seed=0)
                    after.step(np.array([action], np.int64))
                    waiting.append((int(child), after))
                    children.append(int(child))
        yield nodes[number], position, children


def first_result(policy: PolicyAgent, position: PatchworkBatch) -> float | None:
    """What a node adds of its own, as player 0 sees it: the end, or the critic's word; None where a step is forced."""
    if position.done[0]:
        margin = float(position.scores[0, 0]) - float(position.scores[0, 1])
        won = 1.0 if position.game(0).winner == 0 else -1.0
        return 0.5 * won + 0.5 * float(np.tanh(margin / 20))
    view = policy.listed(position, ONE)
    if view.counts[0] == 1:
        return None
    _, values = policy.judged(view, ONE)
    return float(values[0].clamp(-1, 1)) * (1 if position.to_play[0] == 0 else -1)


@pytest.mark.parametrize("leaves", [1, 8])
@pytest.mark.parametrize(
    "games", [under_way(), under_way(decisions=39), under_way(decisions=40, seed=11), last_purchase(1)], ids=range(4)
)
def test_results_and_visits_add_up(games: PatchworkBatch, leaves: int) -> None:
    """Every node has the visits and results of its children and its own first one, with the sign of whoever is to move.

    Late in a game one player moves several times in a row, and many results are real ends.
    """
    agent = searching(120, leaves=leaves)
    agent.act(games, ONE)
    nodes = agent._trees[1][0]
    assert nodes[ROOT]["visits"] == 120
    ends = 0
    for node, position, children in positions_of(agent, games):
        result = first_result(agent.policy, position)
        assert node["to_play"] == position.to_play[0]
        visits, total = nodes["visits"][children].sum(), nodes["total"][children].sum()
        if position.done[0]:
            ends += 1
            assert node["total"] / node["visits"] == pytest.approx(result)
        else:
            assert node["visits"] == visits + (result is not None)
            assert node["total"] == pytest.approx(total + (result or 0.0), abs=1e-4)
    assert ends or games.positions.max() == 0


@pytest.mark.parametrize("mover", [0, 1])
def test_the_search_finds_the_win_that_the_policy_misses(mover: int) -> None:
    games = last_purchase(mover)
    policy = policy_of(untrained())
    assert isinstance(policy.network, CandidateNetwork)
    with torch.no_grad():
        policy.network.greediness.fill_(-2.0)  # the worst step looks best
    assert games.game(0).describe(int(policy.act(games, ONE)[0])).kind == "advance"
    chosen = GuidedAgent(policy, 400, seed=1).act(games, ONE)
    games.step(chosen)
    assert games.game(0).winner == mover


def test_one_simulation_plays_the_policys_choice() -> None:
    games = under_way(12, decisions=15)
    everyone = np.arange(12)
    agent = searching(1)
    assert np.array_equal(agent.act(games, everyone), agent.policy.act(games, everyone))


@pytest.mark.parametrize(
    ("edition", "kind"),
    [*((edition, "candidates") for edition in edition_names()), ("revised", "attention"), ("stack_n_stuff", "flat")],
)
def test_every_step_is_legal_in_every_edition_and_view(edition: str, kind: str) -> None:
    games = under_way(6, edition)
    agent = GuidedAgent(policy_of(untrained(edition, kind=kind)), 24, seed=5)
    steps = 0
    while not games.done.all():
        playing = np.flatnonzero(~games.done)[::-1]
        if len(playing) > 1 and steps % 3 == 0:
            playing = playing[::2]
        games.step(agent.act(games, np.ascontiguousarray(playing)), playing)  # raises if one is illegal
        steps += 1


def test_the_same_seed_searches_the_same_and_changes_no_game() -> None:
    games = under_way(5, "stack_n_stuff", decisions=9)
    before = games.state.tobytes(), games.action_mask.tobytes(), games.episodes.tobytes()
    agent = searching(60, "stack_n_stuff")
    first = agent.act(games, np.arange(5))
    searched = games.action_mask.sum(axis=1) > 1
    totals = agent._trees[1]["total"][searched, ROOT].copy()
    agent.reseed(5)
    assert np.array_equal(agent.act(games, np.arange(5)), first)
    assert np.array_equal(agent._trees[1]["total"][searched, ROOT], totals)
    assert (games.state.tobytes(), games.action_mask.tobytes(), games.episodes.tobytes()) == before


@pytest.mark.parametrize("leaves", [1, 8])
def test_a_decision_does_not_depend_on_the_other_games(leaves: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games together, in parts, on two threads, and each alone: the same trees."""

    def found(parts: list[NDArray[np.int64]]) -> tuple[list[int], list[int]]:
        agent = searching(80, leaves=leaves)
        actions = np.concatenate([agent.act(games, part) for part in parts])
        return actions.tolist(), agent._trees[1]["visits"][searched, 1:6].ravel().tolist()

    games = under_way(40, decisions=10)
    searched = games.action_mask.sum(axis=1) > 1
    everyone = np.arange(40)
    together = found([everyone])
    assert found([everyone[i : i + 1] for i in range(40)]) == together
    games.threads = 2
    assert found([everyone]) == together
    monkeypatch.setattr(guided, "MAX_LEAVES", 3 * leaves)
    assert found([everyone]) == together


def test_what_was_found_is_kept_for_the_next_decision() -> None:
    games = under_way()
    agent = searching(100)
    kept = 0
    for _ in range(25):
        agent.act(games, ONE)
        visits = agent._trees[1][0, ROOT]["visits"]
        if games.action_mask[0].sum() > 1:
            assert visits >= 100
            kept += visits > 100
        games.step(agent.act(games, ONE))
    assert kept > 10


@pytest.mark.parametrize("text", ["policy+mcts:25", "policy+mcts:25,leaves=1"])
def test_what_is_yet_to_be_drawn_is_not_known(text: str, tmp_path: Path) -> None:
    """Games that look the same but will draw another order of the later patches get the same step."""
    save_untrained(tmp_path / "policy", "stack_n_stuff")
    games = under_way(32, "stack_n_stuff", seed=2)
    greedy = make_agent("greedy")
    checked = 0
    while not games.state["refilled"].any():
        near = np.flatnonzero((games.state["circle_size"] <= 7) & ~games.done)
        if near.size:
            others = under_way(32, "stack_n_stuff", seed=77)
            for index in near.tolist():
                others.load(index, games.save(index))
            ours, theirs = (make_agent(f"{tmp_path}/{text}", seed=6).act(batch, near) for batch in (games, others))
            assert np.array_equal(ours, theirs)
            checked += len(near)
        games.step(greedy.act(games, np.arange(32)))
    assert checked >= 10


def test_positions_that_show_a_draw_are_not_branched() -> None:
    """Their value is the mean over many draws, so they are visited often and have no list."""
    games = under_way(16, "stack_n_stuff", seed=2)
    greedy = make_agent("greedy")
    while not (games.state["circle_size"] == 6).any():
        games.step(greedy.act(games, np.arange(16)))
    agent = searching(400, "stack_n_stuff")
    near = np.flatnonzero((games.state["circle_size"] == 6) & (games.state["refilled"] == 0))
    agent.act(games, near)
    heads, nodes, _ = agent._trees
    used = np.concatenate([nodes[i, : heads[i]["nodes"]] for i in near])
    often = used[(used["can_branch"] == 0) & (used["visits"] > 1)]
    assert often.size
    assert (often["choices"] == NONE).all()


def test_a_time_budget_ends_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that moves on by 10 ms at every look, 55 ms a game are 16 or 17 rounds for three games."""
    monkeypatch.setattr(guided.time, "perf_counter", ticking(0.01))
    agent = searching("55ms", leaves=1)
    agent.act(under_way(3), np.arange(3))
    assert (agent._trees[1][:, ROOT]["visits"] == 17).all()


def test_the_end_counts_as_the_critic_was_taught(tmp_path: Path) -> None:
    """A network that was trained on margins alone sees ends as margins alone."""
    games = last_purchase()
    save_checkpoint(tmp_path / "policy", dataclasses.replace(untrained(), config={"outcome_share": 0.0}))
    agent = CheckpointSearch(str(tmp_path / "policy"), 200, 1)
    agent.act(games, ONE)
    ends = [(node, position) for node, position, _ in positions_of(agent, games) if position.done[0]]
    assert ends
    for node, position in ends:
        margin = float(position.scores[0, 0]) - float(position.scores[0, 1])
        assert node["total"] / node["visits"] == pytest.approx(np.tanh(margin / 20))


def test_in_the_solo_game_the_policy_plays() -> None:
    games = SoloBatch(6, seed=1, auto_reset=False, level="legend")
    games.reset()
    agent = searching(50)
    for _ in range(20):
        chosen = agent.act(games, np.arange(6))
        assert np.array_equal(chosen, agent.policy.act(games, np.arange(6)))
        games.step(chosen)


@pytest.mark.parametrize(
    ("search", "message"),
    [
        ("mcts:0", "number of simulations"),
        ("mcts:40,leaves=0", "leaves must be a whole number from 1 to"),
        ("mcts:40,temperature=0", "temperature must be more than 0"),
        ("mcts:40,noise=1", "unknown setting 'noise'"),
        ("mctz:40", "did you mean 'checkpoint\\+mcts'"),
    ],
)
def test_a_bad_text_is_told_plainly(search: str, message: str, tmp_path: Path) -> None:
    path = save_untrained(tmp_path / "learning_rate=0.1,long")
    with pytest.raises(UnknownAgentError, match=message):
        make_agent(f"{path}+{search}")


def test_a_folder_may_have_any_name(tmp_path: Path) -> None:
    path = save_untrained(tmp_path / "learning_rate=0.1,a+b")
    assert isinstance(make_agent(path), PolicyAgent)
    agent = make_agent(f"{path}+mcts:30,leaves=2", seed=1)
    assert isinstance(agent, GuidedAgent)
    assert (agent.simulations, agent.leaves) == (30, 2)


def test_pytorchs_threads_are_left_as_they_were() -> None:
    before = torch.get_num_threads()
    searching(4).act(under_way(), ONE)
    assert torch.get_num_threads() == before


def test_a_game_of_another_edition_is_refused_each_time() -> None:
    agent = searching(4)
    for _ in range(2):
        with pytest.raises(CheckpointError, match="trained for edition 'revised', asked to play 'stack_n_stuff'"):
            agent.act(under_way(edition="stack_n_stuff"), ONE)
    agent.act(under_way(), ONE)


def test_batches_that_are_gone_are_forgotten() -> None:
    """A page asks about a new copy of its game at every move."""
    policy = policy_of(untrained())
    games = under_way()
    old = weakref.ref(games)
    policy.act(games, ONE)
    policy.act(under_way(), ONE)
    del games
    gc.collect()
    assert old() is None
