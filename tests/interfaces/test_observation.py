"""The observation is complete: the game can be built again from it alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from patchwork_env import PatchworkBatch, load_edition
from patchwork_env.agents.random import RandomAgent
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.observation import SCALARS, observation_shapes, tensor_layout
from patchwork_env.games.patchwork.state import GAME
from tests.playing import EDITIONS, words


def rebuilt(edition: Edition, tensor: NDArray[np.float32], viewer: int) -> NDArray[Any]:
    """The record of a game, from what one player saw of it."""
    layout = tensor_layout(edition)
    other = 1 - viewer
    record = np.zeros((), GAME)
    quilts = tensor[layout.quilts].reshape(2, edition.rows, edition.columns)
    for side, player in enumerate((viewer, other)):
        record["quilts"][player] = words(edition, [(int(r), int(c)) for r, c in np.argwhere(quilts[side] > 0.5)])
    ranks = np.rint(tensor[layout.circle] / layout.scales[layout.circle]).astype(int)
    record["circle"] = -1
    for patch, rank in enumerate(ranks):
        if rank:
            record["circle"][rank - 1] = patch
    values = np.rint(tensor[layout.scalars] / layout.scales[layout.scalars]).astype(int)
    seen = dict(zip(SCALARS, values.tolist(), strict=True))
    for field, name in (("positions", "position"), ("buttons", "buttons"), ("incomes", "income")):
        record[field][viewer], record[field][other] = seen[f"own_{name}"], seen[f"opponent_{name}"]
    positions = record["positions"]
    if seen["game_over"]:
        # Who moved last cannot matter any more, except for a tie.
        record["to_play"] = -1
    else:
        record["to_play"] = viewer if seen["own_turn"] else other
        record["resolved"] = positions[record["to_play"]] - seen["spaces_to_resolve"]
    record["bonus_holder"] = viewer if seen["own_bonus_tile"] else other if seen["opponent_bonus_tile"] else -1
    home = [player for player in range(2) if positions[player] == edition.last_space]
    # Both home with a decision left: the mover has just arrived and places a special patch.
    record["first_home"] = -1 if not home else home[0] if len(home) == 1 else 1 - record["to_play"]
    for name in ("circle_size", "refilled", "decisions"):
        record[name] = seen[name]
    record["done"] = seen["game_over"]
    return record


@pytest.mark.parametrize("viewer", [0, 1])
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_game_can_be_rebuilt_from_the_tensor(edition: str, viewer: int) -> None:
    games = PatchworkBatch(64, edition, seed=3)
    games.reset()
    agent = RandomAgent(seed=3)
    specials_seen = 0
    for _ in range(90):
        tensors = games.observe_tensor(viewer)
        for i in range(0, 64, 7):
            record = rebuilt(games.edition, tensors[i], viewer)
            for field in GAME.names or ():
                np.testing.assert_array_equal(record[field], games.state[i][field], err_msg=field)
        specials_seen += int((games.state["resolved"] != games.positions[np.arange(64), games.to_play]).sum())
        games.step(agent.act(games, np.arange(64)))
    assert specials_seen > 50


@pytest.mark.parametrize("edition", EDITIONS)
def test_structured_arrays_have_the_promised_shapes(edition: str) -> None:
    games = PatchworkBatch(5, edition, seed=1)
    games.reset()
    observed = games.observe()
    for name, (shape, dtype) in observation_shapes(games.edition).items():
        assert observed[name].shape == (5, *shape)
        assert observed[name].dtype == dtype
    assert games.observe() is observed


def test_offered_patches_are_drawn_with_their_numbers() -> None:
    games = PatchworkBatch(1, seed=1)
    games.reset(circles=[[18, 20, *(p for p in range(33) if p not in (18, 20))]])
    patches = games.observe()["patches"][0]
    assert patches[0, :4].tolist() == [5, 4, 2, 5]
    assert patches[0, 4:].reshape(5, 5).tolist() == [
        [0, 1, 0, 0, 0],
        [1, 1, 1, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]
    assert patches[1, :4].tolist() == [10, 5, 3, 6]


def test_observing_ahead_of_time_gives_the_same() -> None:
    """A batch that is looked at after every step observes within the step; one that is not, when asked."""
    watched, asked = PatchworkBatch(300, seed=4), PatchworkBatch(300, seed=4)
    watched.reset()
    asked.reset()
    agent = RandomAgent(seed=1)
    for _ in range(80):
        watched.observe()
        actions = agent.act(watched, np.arange(300))
        watched.step(actions)
        asked.step(actions)
    for name, array in watched.observe().items():
        np.testing.assert_array_equal(array, asked.observe()[name])
    watched.reset()
    asked.reset()
    blob = watched.save(7)
    watched.load(3, blob)
    asked.load(3, blob)
    for name, array in watched.observe().items():
        np.testing.assert_array_equal(array, asked.observe()[name])


@pytest.mark.parametrize("player", [2, -1, 0.5, [0, 1], "me"])
def test_wrong_viewers_are_told(player: Any) -> None:
    games = PatchworkBatch(3, seed=1)
    games.reset()
    with pytest.raises(ValueError, match=r"player must be 0, 1|broadcast"):
        games.observe(player)


def test_tensors_stay_in_bounds_for_house_editions(tmp_path: Any) -> None:
    house = tmp_path / "odd.yaml"
    house.write_text(
        "extends: stack_n_stuff\nname: odd\nquilt: {rows: 6, columns: 9}\n"
        "patches: {3: {cost: 0, time: 0, income: 9}}\nbonus_tile: {square: 3, points: 4}\n"
    )
    games = PatchworkBatch(32, str(house), seed=2)
    games.reset()
    layout = tensor_layout(load_edition(str(house)))
    agent = RandomAgent(seed=1)
    for _ in range(80):
        tensors = games.observe_tensor()
        assert (tensors >= layout.low - 1e-6).all()
        assert (tensors <= layout.high + 1e-6).all()
        games.step(agent.act(games, np.arange(32)))
