"""What a learner of Quilt Show chooses from and is told: legal, complete enough, and nothing that is hidden."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from patchwork_env import make_agent
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.actions import action_number, kind_of
from tests.quilt_show.arranging import (
    act,
    give_cards,
    give_tiles,
    lay_out,
    open_show,
    random_states,
    settle,
    start,
    tile,
)
from tests.quilt_show.test_hidden import SETTINGS, change_everything_hidden
from tests.quilt_show.test_spec import SPEC
from training.quilt_show_choices import PLACES, ChoiceView
from training.quilt_show_features import FEATURES, GREEDY, NUM_FEATURES
from training.quilt_show_network import ChoiceNetwork
from training.quilt_show_situation import BLOCKS, SITUATION_SIZE


def listed(view: ChoiceView, index: int = 0) -> list[int]:
    return view.actions[index, view.mask[index]].tolist()


def feature(view: ChoiceView, action: int, name: str) -> float:
    return float(view.features[0, listed(view).index(action), FEATURES.index(name)])


@pytest.mark.parametrize(("players", "variants"), SETTINGS, ids=str)
def test_choices_are_legal_distinct_and_hold_what_greedy_does(players: int, variants: dict[str, bool]) -> None:
    greedy = make_agent("greedy", game="quilt_show")
    everyone = np.arange(24)
    view = None
    kinds = set()
    for games in random_states(24, steps=700, every=7, num_players=players, seed=4, **variants):
        view = view or ChoiceView(games)
        view.update()
        wanted = greedy.act(games, everyone)
        assert (view.counts == view.mask.sum(axis=1)).all()
        assert not view.features[~view.mask].any()
        assert np.isfinite(view.features).all()
        assert np.abs(view.features).max() < 20
        for i in everyone:
            actions = listed(view, i)
            assert 1 <= len(set(actions)) == len(actions) <= PLACES
            assert games.action_mask[i, actions].all()
            assert [action for action in actions if view.features[i, actions.index(action), GREEDY]] == [wanted[i]]
            for place, action in enumerate(actions):
                assert view.features[i, place, FEATURES.index(kind_of(action)[0])] == 1
                kinds.add(kind_of(action)[0])
            if games.phases[i] == layout.IN_DRAW:
                cards = {int(games.state["face_up"][i, action]) for action in actions if action < layout.DECK}
                legal = np.flatnonzero(games.action_mask[i, : layout.DECK])
                assert cards == {int(games.state["face_up"][i, place]) for place in legal}
            if games.phases[i] in (layout.IN_MAKE, layout.IN_ENTER, layout.IN_ANSWER):
                assert sorted(actions) == np.flatnonzero(games.action_mask[i]).tolist()
    assert {"take", "deck", "make", "pay", "stop", "start", "add", "chip", "finish", "done"} <= kinds
    if "block_swaps" in variants:
        assert {"propose", "swap_tile", "swap_card", "ask", "offer", "accept", "decline"} <= kinds


@pytest.mark.parametrize(("players", "variants"), SETTINGS, ids=str)
def test_nothing_hidden_is_told(players: int, variants: dict[str, bool]) -> None:
    """Neither to who is to move, nor to those who wait and whose value a rollout asks for at its end."""
    chooser = random.Random(players)
    for games in random_states(16, steps=900, every=9, num_players=players, seed=6, **variants):
        twin = games.copy(seed=1)
        viewers = [int(player) for player in games.to_play]
        for index in range(16):
            change_everything_hidden(twin, index, viewers[index], chooser)
        views = [ChoiceView(games), ChoiceView(twin)]
        for view in views:
            view.update()
        for name, array in views[0].observation().items():
            np.testing.assert_array_equal(array, views[1].observation()[name])
        np.testing.assert_array_equal(views[0].actions[views[0].mask], views[1].actions[views[1].mask])
        waiting = games.copy(seed=1)
        viewer = chooser.randrange(players)
        for index in range(16):
            change_everything_hidden(waiting, index, viewer, chooser)
        np.testing.assert_array_equal(
            views[0].everyones_situations()[:, viewer], ChoiceView(waiting).everyones_situations()[:, viewer]
        )


def test_everyone_sees_the_game_from_their_own_side() -> None:
    phases = slice(0, BLOCKS["phase"])
    for games in random_states(16, steps=300, every=30, num_players=3, seed=7):
        view = ChoiceView(games)
        view.update()
        everyones = view.everyones_situations()
        assert everyones.shape == (16, 3, SITUATION_SIZE)
        assert np.abs(everyones).max() < 10
        choosing = view.counts > 1
        movers = games.to_play[choosing]
        np.testing.assert_array_equal(everyones[choosing, movers], view.situations[choosing])
        flags = everyones[:, :, phases].sum(axis=2)
        assert (flags.sum(axis=1) == 1).all()  # only who is to move has a phase
        assert (flags[np.arange(16), games.to_play] == 1).all()


def test_an_untrained_network_plays_like_greedy() -> None:
    torch.manual_seed(3)
    network = ChoiceNetwork(32, 32)
    for games in random_states(32, steps=200, every=20, num_players=2, seed=8):
        view = ChoiceView(games)
        view.update()
        observation = {name: torch.from_numpy(array) for name, array in view.observation().items()}
        with torch.no_grad():
            logits, values = network(observation, torch.from_numpy(view.mask))
        chosen = view.actions[np.arange(32), logits.argmax(dim=1)]
        assert (chosen == make_agent("greedy", game="quilt_show").act(games, np.arange(32))).all()
        assert torch.isinf(logits[~torch.from_numpy(view.mask)]).all()
        assert values.shape == (32,)


def test_a_card_that_completes_a_tile_is_told() -> None:
    games = start()
    give_cards(games, 0, [0])  # one red card
    lay_out(games, [0, 0, 3, 3, 4, 12])
    games.state[0]["exposed"][:] = -1
    games.state[0]["face_down"][:4] = (1 << 18) - 1
    games.state[0]["exposed"][0] = 1  # a red tile of 3 points takes two cards
    games.state[0]["face_down"][0] &= ~2
    settle(games)
    view = ChoiceView(games)
    view.update()
    red, green, blue, dye = (action_number("take", place) for place in (0, 2, 4, 5))
    assert set(listed(view)) == {red, green, blue, dye, layout.DECK}
    assert feature(view, red, "card_completes") == feature(view, dye, "card_completes") == 0.5
    assert feature(view, green, "card_completes") == feature(view, blue, "card_serves") == 0
    assert feature(view, red, "card_owned") == 0.25


def test_sewing_offers_the_best_quilt_of_every_size_and_ways_to_finish() -> None:
    games = start()
    tiles = [tile(0, 0, 2), tile(0, 1, 5), tile(0, 2, 3), tile(0, 3, 5), tile(0, 4, 5)]
    give_tiles(games, 0, tiles)
    open_show(games, [13, 9, 6])
    view = ChoiceView(games)
    view.update()
    assert set(listed(view)) == {action_number("start", 0), layout.DONE}
    assert feature(view, action_number("start", 0), "quilt_three") == pytest.approx(1.0)  # 5 + 5 + 5
    assert feature(view, action_number("start", 0), "quilt_four") == pytest.approx(18 / 15)
    act(games, "start", 0)
    view.update()
    assert listed(view) == [action_number("add", 1 * 3 + 2)]  # the first of the best three and the best four
    act(games, "add", 1 * 3 + 2)
    view.update()
    three, four = action_number("add", 3 * 3 + 2), action_number("add", 2 * 3 + 1)
    assert set(listed(view)) == {three, four}
    assert feature(view, three, "add_3") == feature(view, four, "add_4") == 1
    assert feature(view, three, "add_4") == feature(view, four, "add_3") == 0
    act(games, "add", 3 * 3 + 2)
    act(games, "add", 4 * 3 + 2)
    view.update()
    assert set(listed(view)) == {action_number("chip", chip) for chip in range(3)} | {layout.FINISH}
    assert feature(view, action_number("chip", 1), "end_points") == pytest.approx(17 / 15)
    assert feature(view, layout.FINISH, "end_prize") == pytest.approx(13 / 15)


def test_the_specification_has_these_numbers() -> None:
    learning = SPEC.split("## 9. Learning it")[1]
    assert f"{SITUATION_SIZE} numbers from one player's side" in learning
    assert f"at most {PLACES} a decision with {NUM_FEATURES} features each" in learning


def test_updating_some_games_leaves_the_others() -> None:
    for games in random_states(6, steps=40, every=39, num_players=2, seed=9):
        view = ChoiceView(games)
        view.update()
        kept = view.observation()
        games.step(make_agent("greedy", game="quilt_show").act(games, np.arange(6)))
        view.update(np.array([1, 4]))
        others = [0, 2, 3, 5]
        for name, array in view.observation().items():
            np.testing.assert_array_equal(array[others], kept[name][others])
            np.testing.assert_array_equal(view.observation(np.array([4]))[name], array[[4]])
    assert len(set(FEATURES)) == NUM_FEATURES
