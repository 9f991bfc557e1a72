"""What every agent must do, whatever its strength."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patchwork_env import PatchworkBatch, edition_names, load_edition, make_agent
from patchwork_env.agents.base import AGENTS, UnknownAgentError

AGENT_TEXTS = ["random", "advance", "greedy", "lookahead:2", "mcts:12"]
SEARCHES = ["lookahead:3", "mcts:25"]
HOUSE_EDITION = """
extends: revised
name: narrow_house
title: A narrow quilt and a short track
provenance: made for a test
quilt: {rows: 8, columns: 6}
track: {last_space: 40, income_spaces: [6, 12, 18, 24, 30, 36], special_spaces: [9, 15, 33]}
bonus_tile: {square: 5, points: 4}
special_patch_may_be_declined: true
"""


@pytest.fixture(scope="session")
def house_edition(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("editions") / "narrow_house.yaml"
    path.write_text(HOUSE_EDITION, encoding="utf-8")
    return str(path)


def play_to_the_end(games: PatchworkBatch, text: str, seed: int = 3) -> list[list[int]]:
    """The actions of one agent in both seats, by step; `step` raises if one is illegal."""
    agent = make_agent(text, seed=seed)
    history: list[list[int]] = []
    while not games.done.all():
        # Half of the games at a time, in falling order: an agent may not assume that it sees all of them.
        playing = np.flatnonzero(~games.done)[::-1]
        if len(playing) > 1 and len(history) % 3 == 0:
            playing = playing[::2]
        actions = agent.act(games, np.ascontiguousarray(playing))
        games.step(actions, playing)
        history.append(actions.tolist())
    return history


@pytest.mark.parametrize("text", AGENT_TEXTS)
@pytest.mark.parametrize("edition", [*edition_names(), "house"])
def test_every_step_is_legal_in_every_edition(text: str, edition: str, house_edition: str) -> None:
    games = PatchworkBatch(6, house_edition if edition == "house" else edition, seed=5, auto_reset=False)
    games.reset()
    play_to_the_end(games, text)
    assert games.done.all()


@pytest.mark.parametrize("text", AGENT_TEXTS)
def test_the_same_seed_plays_the_same(text: str) -> None:
    histories = []
    for _ in range(2):
        games = PatchworkBatch(4, "stack_n_stuff", seed=8, auto_reset=False)
        games.reset()
        histories.append(play_to_the_end(games, text))
    assert histories[0] == histories[1]


@pytest.mark.parametrize("text", ["random", *SEARCHES])
def test_reseed_plays_the_same_again(text: str) -> None:
    games = PatchworkBatch(4, "revised", seed=8)
    games.reset()
    agent = make_agent(text, seed=1)
    chosen = np.arange(4)
    first = agent.act(games, chosen)
    agent.reseed(1)  # type: ignore[attr-defined]
    assert np.array_equal(agent.act(games, chosen), first)


@pytest.mark.parametrize("text", AGENT_TEXTS)
def test_acting_changes_no_game(text: str) -> None:
    games = PatchworkBatch(5, "stack_n_stuff", seed=2, auto_reset=False)
    games.reset()
    for _ in range(12):
        games.step(make_agent("random", seed=4).act(games, np.arange(5)))
    before = games.state.tobytes(), games.action_mask.tobytes(), games.episodes.tobytes()
    make_agent(text, seed=1).act(games, np.array([4, 0, 2]))
    assert (games.state.tobytes(), games.action_mask.tobytes(), games.episodes.tobytes()) == before


@pytest.mark.parametrize("text", ["greedy", *SEARCHES])
def test_what_is_yet_to_be_drawn_is_not_known(text: str) -> None:
    """Games that look the same but will draw another order of the later patches get the same step."""
    games = PatchworkBatch(32, "stack_n_stuff", seed=2, auto_reset=False)
    games.reset()
    mover = make_agent("greedy")
    checked = 0
    while not games.state["refilled"].any():
        near = np.flatnonzero((games.state["circle_size"] <= 7) & ~games.done)
        if near.size:
            others = PatchworkBatch(32, "stack_n_stuff", seed=77, auto_reset=False)
            others.reset()
            for index in near:
                others.load(int(index), games.save(int(index)))
            ours, theirs = (make_agent(text, seed=6).act(batch, near) for batch in (games, others))
            assert np.array_equal(ours, theirs)
            checked += len(near)
        games.step(mover.act(games, np.arange(32)))
    assert checked >= 10


@pytest.mark.parametrize("text", ["greedy", "lookahead:1", "mcts:64"])
def test_the_last_purchase_that_brings_points_is_made(text: str) -> None:
    """One space before the end, a patch of six cells for two buttons is worth ten points; to advance is worth one."""
    games = PatchworkBatch(1, "revised", seed=0, auto_reset=False)
    games.reset()
    cheap = 29  # six cells, two buttons, one space
    game = games.state[0]
    rest = [patch for patch in range(33) if patch not in (cheap, 14, 20)]
    game["circle"][:33] = [14, 20, cheap, *rest]  # the other two cost ten buttons
    game["positions"] = 52, 53
    game["resolved"] = 52
    game["buttons"] = 6, 10
    game["first_home"] = 1
    blob = games.save(0)
    games.load(0, blob)
    action = int(make_agent(text, seed=0).act(games, np.zeros(1, np.int64))[0])
    info = games.game(0).describe(action)
    assert info.kind == "buy"
    assert info.patch == cheap


@pytest.mark.parametrize("text", ["greedy", "lookahead:2", "mcts:64"])
def test_a_special_patch_fills_the_lone_hole(text: str) -> None:
    """Two empty regions: one cell that nothing else can fill, and plenty of room."""
    games = PatchworkBatch(1, "revised", seed=0, auto_reset=False)
    games.reset()
    game = games.state[0]
    covered = (1 << 45) - 1 & ~(1 << 20)  # the first five rows but for one cell
    game["quilts"][0] = covered, 0
    game["positions"] = 26, 20
    game["resolved"] = 25
    games.load(0, games.save(0))
    action = int(make_agent(text, seed=0).act(games, np.zeros(1, np.int64))[0])
    assert games.game(0).describe(action).cells == ((2, 2),)


def test_advance_never_buys() -> None:
    games = PatchworkBatch(8, "revised", seed=1, auto_reset=False)
    games.reset()
    play_to_the_end(games, "advance")
    assert (games.state["circle_size"] == 33).all()


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("greedi", "did you mean 'greedy'"),
        ("lookahead:0", "depth must be a whole number from 1 to"),
        ("lookahead:deep", "depth must be a whole number"),
        ("mcts:0", "number of simulations"),
        ("mcts:fast", "a time such as 200ms"),
        ("mcts:0ms", "a time such as 200ms"),
        ("mcts:10,seed=-1", "seed must be a whole number"),
        ("mcts:10,speed=3", "unknown setting 'speed'"),
        ("mcts:10,noise=loud", "noise must be a number"),
        ("greedy:5", "agent 'greedy:5'"),
    ],
)
def test_a_bad_text_is_told_plainly(text: str, part: str) -> None:
    with pytest.raises(UnknownAgentError, match=part):
        make_agent(text)


@pytest.mark.parametrize("name", ["random", "advance", "greedy", "lookahead", "mcts"])
def test_every_scripted_agent_can_be_made_by_its_bare_name(name: str) -> None:
    assert name in AGENTS
    assert callable(make_agent(name, seed=0).act)


def test_greedy_beats_random_clearly() -> None:
    """120 games in both seats; a greedy player that lost its way would not win 114 of them."""
    won = 0
    for seat in range(2):
        games = PatchworkBatch(60, "revised", seed=4, auto_reset=False)
        games.reset()
        agents = [make_agent("greedy"), make_agent("random", seed=1)]
        while not games.done.all():
            for which, agent in enumerate(agents):
                own = np.flatnonzero(~games.done & (games.to_play == (which ^ seat)))
                if own.size:
                    games.step(agent.act(games, own), own)
        won += int((games.scores[:, seat] > games.scores[:, 1 - seat]).sum())
    assert won >= 114


def test_editions_without_weights_of_their_own_have_some(house_edition: str) -> None:
    from patchwork_env.agents.position import position_network
    from patchwork_env.agents.prior import prior_network
    from patchwork_env.agents.valuation import WEIGHTS, tuned_weights

    for name in [*edition_names(), house_edition]:
        assert tuned_weights(load_edition(name)).shape == (len(WEIGHTS), 2)
    for network in (position_network, prior_network):
        assert network(load_edition("original")).size
        assert not network(load_edition(house_edition)).size
