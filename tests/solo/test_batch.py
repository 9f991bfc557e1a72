"""The solo batch: streams, keeping, observing, and what must not leak."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from patchwork_env import IllegalActionError, SoloBatch, make_agent
from patchwork_env.games.patchwork.automa import AUTOMA, automa_data, deck_names, level_names
from patchwork_env.games.patchwork.observation import tensor_layout
from patchwork_env.interfaces.solo import automa_fields
from tests.playing import EDITIONS, random_actions


def played(count: int, decisions: int, seed: int = 3, **settings: object) -> SoloBatch:
    """Games some random decisions old."""
    games = SoloBatch(count, seed=seed, **settings)  # type: ignore[arg-type]
    games.reset()
    agent = make_agent("random", seed=1)
    for _ in range(decisions):
        games.step(agent.act(games, np.arange(count)))
    return games


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_game_goes_the_same_way_in_any_batch(edition: str) -> None:
    large = played(300, 60, edition=edition, threads=2)
    small = played(7, 60, edition=edition, threads=1)
    assert np.array_equal(large.state[:7], small.state)
    assert np.array_equal(large.automas[:7], small.automas)
    assert np.array_equal(large.episodes[:7], small.episodes)
    assert large.episodes.max() > 0  # games ended and were set up anew
    assert len(np.unique(large.state["circle"][:, 0])) > 5


def test_save_and_load_go_on_alike() -> None:
    games = played(4, 11, auto_reset=False)
    blob = games.save(2)
    other = SoloBatch(4, seed=3, auto_reset=False)
    other.reset()
    other.load(2, blob)
    assert other.save(2) == blob
    assert np.array_equal(other.action_mask[2], games.action_mask[2])
    agent = make_agent("random", seed=9)
    while not games.done[2]:
        action = agent.act(games, np.array([2]))
        games.step(action, [2])
        other.step(action, [2])
        assert other.save(2) == games.save(2)


def test_damaged_and_foreign_blobs_are_refused() -> None:
    games = played(1, 11, auto_reset=False)
    blob = games.save(0)
    for level, deck in (("legend", "normal"), ("apprentice", "tactical")):
        with pytest.raises(ValueError, match="not of edition 'revised', level"):
            SoloBatch(1, level=level, deck=deck).load(0, blob)
    with pytest.raises(ValueError, match="not a saved solo game"):
        games.load(0, blob[:-1])
    for field, value in (("card", 99), ("turned", 11), ("seen", 1 << 13), ("patches", -1)):
        automa = np.frombuffer(blob[-AUTOMA.itemsize :], AUTOMA).copy()
        automa[field] = value
        with pytest.raises(ValueError, match="damaged"):
            games.load(0, blob[: -AUTOMA.itemsize] + automa.tobytes())
        assert games.save(0) == blob


def test_copies_and_pickles() -> None:
    games = played(5, 9)
    for twin in (games.copy(), copy.deepcopy(games), pickle.loads(pickle.dumps(games))):
        assert isinstance(twin, SoloBatch)
        assert (twin.level, twin.deck) == (games.level, games.deck)
        assert [twin.save(i) for i in range(5)] == [games.save(i) for i in range(5)]
        assert np.array_equal(twin.action_mask, games.action_mask)
        assert np.array_equal(twin.observe_tensor(), games.observe_tensor())
    assert games.copy([4, 4, 1]).save(0) == games.save(4)


def test_a_copy_tells_nothing_of_the_cards_to_come() -> None:
    """Neither a copy nor a saved game that is played on elsewhere turns the cards that this batch will turn."""
    games = played(60, 3, auto_reset=False)
    twin = games.copy()
    elsewhere = SoloBatch(60, seed=99, auto_reset=False)
    elsewhere.reset()
    for i in range(60):
        elsewhere.load(i, games.save(i))
    agent = make_agent("random", seed=9)
    for _ in range(4):
        actions = agent.act(games, np.arange(60))
        games.step(actions)
        for other in (twin, elsewhere):
            other.step(
                np.where(other.action_mask[np.arange(60), actions] == 1, actions, other.action_mask.argmax(axis=1))
            )
    for other in (twin, elsewhere):
        same = games.automas["card"] == other.automas["card"]
        assert same.mean() < 0.5


@pytest.mark.parametrize("deck", deck_names())
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_observation_is_complete_and_in_its_space(edition: str, deck: str) -> None:
    games = SoloBatch(16, edition, seed=2, level="master", deck=deck)
    games.reset()
    layout = games.tensor_layout
    fields = automa_fields(deck)
    generator = np.random.default_rng(0)
    cards = automa_data().decks[deck]
    for _ in range(70):
        tensors = games.observe_tensor()
        assert tensors.shape == (16, layout.size)
        assert (tensors >= layout.low - 1e-6).all()
        assert (tensors <= layout.high + 1e-6).all()
        for i in range(16):
            numbers = dict(zip(fields, np.rint(tensors[i, layout.automa] / layout.scales[layout.automa]), strict=True))
            automa = games.automas[i]
            game = games.game(i)
            assert numbers["automa_score"] == game.scores[1]
            assert numbers["automa_patches"] == automa["patches"]
            assert numbers["shuffles"] == automa["shuffles"]
            assert numbers["cards_turned"] == automa["turned"]
            assert numbers["card"] == automa["card"]
            assert sum(int(numbers[f"card_{k}_seen"]) << k for k in range(12)) == automa["seen"]
            card = cards[automa["card"]] if automa["card"] >= 0 else None
            assert numbers["card_buttons"] == (card.buttons if card else -1)
            assert numbers["card_income"] == (card.income if card else -1)
            has_tile = games.edition.bonus_square is not None and game.bonus_holder is None
            assert numbers["tile_space"] == (53 - 15 if has_tile else -1)
            assert [name for name in level_names() if numbers[f"level_{name}"]] == ["master"]
            assert [name for name in deck_names() if numbers[f"deck_{name}"]] == [deck]
        games.step(random_actions(games, generator))


def test_the_front_of_the_tensor_is_the_two_player_one() -> None:
    games = played(8, 9)
    size = tensor_layout(games.edition).size
    assert games.tensor_layout.size == size + len(automa_fields("normal"))
    numbers = games.observe()
    scalars = (
        games.observe_tensor()[:, games.tensor_layout.scalars] / games.tensor_layout.scales[games.tensor_layout.scalars]
    )
    assert np.allclose(scalars, numbers["scalars"])
    assert numbers["quilts"][:, 1].all()  # the Automa's quilt counts as full
    with pytest.raises(ValueError, match="only player 0"):
        games.observe(1)


def test_the_observation_does_not_depend_on_what_is_to_be_drawn() -> None:
    """Two games in the same state whose streams differ look the same."""
    games = played(1, 9, seed=3, auto_reset=False)
    other = SoloBatch(1, seed=4, auto_reset=False)
    other.reset()
    other.load(0, games.save(0))
    assert np.array_equal(other.observe_tensor(), games.observe_tensor())


def test_illegal_actions_change_nothing() -> None:
    games = played(2, 5)
    before = [games.save(i) for i in range(2)]
    with pytest.raises(IllegalActionError, match="no game was changed"):
        games.step([0, 5000])
    assert before == [games.save(i) for i in range(2)]


def test_auto_reset_reports_the_end_and_begins_anew() -> None:
    games = SoloBatch(8, seed=1)
    games.reset()
    agent = make_agent("random", seed=1)
    ended = 0
    for _ in range(60):
        result = games.step(agent.act(games, np.arange(8)))
        for i in np.flatnonzero(result.done):
            ended += 1
            assert abs(result.rewards[i, 0]) == 1
            assert (result.rewards[i, 0] == 1) == (result.final_scores[i, 0] >= result.final_scores[i, 1])
            assert games.game(int(i)).positions == (0, 0)
            assert games.automas[i]["shuffles"] == 0
        assert not games.done.any()
        assert (result.rewards[~result.done] == 0).all()
    assert ended > 8


@pytest.mark.parametrize("agent", ["greedy", "lookahead:2", "mcts:20", "advance"])
@pytest.mark.parametrize("edition", ["revised", "stack_n_stuff"])
def test_scripted_agents_play_it(agent: str, edition: str) -> None:
    games = SoloBatch(4, edition, seed=1, auto_reset=False)
    games.reset()
    player = make_agent(agent, seed=1)
    while not games.done.all():
        waiting = np.flatnonzero(~games.done)
        games.step(player.act(games, waiting), waiting)
    assert (games.positions == games.edition.last_space).all()
