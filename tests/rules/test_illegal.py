"""Illegal requests: an exception that names the game and the reason, and nothing is changed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from patchwork_env import IllegalActionError, PatchworkBatch, patchwork_v0
from patchwork_env.games.patchwork.actions import purchase, special
from tests.golden.test_turns import I3, I5, circle_with
from tests.playing import all_cells, arrange, play, start


def refused(games: PatchworkBatch, action: int, message: str) -> None:
    """The action raises with that message and leaves all bytes of the batch as they were."""
    before = games.state.tobytes(), games.action_mask.tobytes(), games.episodes.tobytes()
    with pytest.raises(IllegalActionError, match=message):
        games.step(np.array([action]))
    assert before == (games.state.tobytes(), games.action_mask.tobytes(), games.episodes.tobytes())
    assert games.game(0).why_illegal(action) is not None


def test_reasons_in_a_normal_turn() -> None:
    games = start()
    arrange(games, buttons=(6, 0), circle=circle_with(I5, I3, 6), to_play=0, quilts=({(0, 0)}, set()))
    edition = games.edition
    refused(games, purchase(edition, 0, 0, 0, 0), r"game 0: patch 5 costs 7 buttons, player_0 has 6")
    refused(games, purchase(edition, 1, 0, 0, 0), r"patch 3 would overlap cell \(row 0, column 0\) of player_0's quilt")
    refused(games, purchase(edition, 1, 0, 0, 7), r"patch 3 would reach over the edge from row 0, column 7")
    refused(games, purchase(edition, 2, 1, 0, 0), r"patch 6 has 1 orientations, there is no number 1")
    refused(games, special(edition, 4, 4), r"player_0 has no special patch to place")
    refused(games, 2026, r"player_0 has no special patch to place or decline")
    refused(games, 2027, r"action 2027 is out of range; there are 2027, 0 to 2026")
    refused(games, -1, r"action -1 is out of range")
    arrange(games, circle=[3], to_play=0)
    refused(games, purchase(edition, 1, 0, 0, 0), r"only 1 patches are left, there is none in slot 1")


def test_reasons_while_a_special_patch_waits() -> None:
    games = start()
    arrange(games, positions=(25, 25), to_play=0, quilts=({(3, 3)}, set()))
    play(games, "advance")
    refused(games, 0, r"player_0 must place a special patch before anything else")
    refused(games, special(games.edition, 3, 3), r"cell \(row 3, column 3\) of player_0's quilt is already covered")
    refused(games, 2026, r"edition 'revised' does not allow a special patch to be declined")


def test_the_currency_is_the_editions_own() -> None:
    games = start("stack_n_stuff")
    arrange(games, buttons=(0, 0), circle=[2, 1], to_play=0)
    refused(games, purchase(games.edition, 0, 0, 0, 0), r"patch 2 costs 6 coins, player_0 has 0")


def test_before_the_first_reset_and_after_the_end() -> None:
    games = PatchworkBatch(1, auto_reset=False)
    with pytest.raises(IllegalActionError, match=r"call reset\(\) before the first step"):
        games.step([0])
    games.reset()
    full = all_cells(games.edition)
    arrange(games, positions=(52, 53), first_home=1, to_play=0, quilts=(full, full))
    play(games, "advance")
    refused(games, 0, r"game 0: the game is over; reset it")
    assert not games.action_mask.any()


def test_one_illegal_action_among_many_stops_all() -> None:
    games = PatchworkBatch(600, seed=1, threads=2)
    games.reset()
    before = games.state.copy()
    actions = np.zeros(600, np.int64)
    actions[[17, 400]] = 2026
    with pytest.raises(IllegalActionError, match=r"game 17: .* \(and 1 more games\); no game was changed"):
        games.step(actions)
    np.testing.assert_array_equal(games.state, before)
    with pytest.raises(IllegalActionError, match="game 400"):
        games.step([0, 2026], indices=[3, 400])
    np.testing.assert_array_equal(games.state, before)


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        ([0.0, 0.0], TypeError, "whole numbers, got an array of float64"),
        ([True, False], TypeError, "got an array of bool"),
        (["a", "b"], TypeError, "whole numbers"),
        ([0], ValueError, r"shape \(2,\), one for each game, got \(1,\)"),
        (0, ValueError, r"shape \(2,\)"),
        ([[0, 0]], ValueError, r"got \(1, 2\)"),
    ],
)
def test_wrong_types_and_shapes(actions: Any, error: type[Exception], message: str) -> None:
    games = PatchworkBatch(2, seed=1)
    games.reset()
    before = games.state.tobytes()
    with pytest.raises(error, match=message):
        games.step(actions)
    assert games.state.tobytes() == before


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint16, np.int64])
def test_any_whole_number_type_is_taken(kind: type[np.integer[Any]]) -> None:
    games = PatchworkBatch(2, seed=1)
    games.reset()
    games.step(np.zeros(2, kind))
    assert games.positions.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize(
    ("indices", "error"), [([0, 0], ValueError), ([2], IndexError), ([-1], IndexError), ([0.5], TypeError)]
)
def test_wrong_indices(indices: list[Any], error: type[Exception]) -> None:
    games = PatchworkBatch(2, seed=1)
    games.reset()
    with pytest.raises(error):
        games.step(np.zeros(len(indices), int), indices=indices)
    with pytest.raises(error):
        games.reset(indices=indices)


def test_wrong_settings() -> None:
    for settings, message in (
        ({"num_games": 0}, "num_games must be at least 1"),
        ({"num_games": 1, "threads": 0}, "threads must be at least 1"),
        ({"num_games": 1, "reward": "outcom"}, "unknown reward 'outcom'; known are outcome, margin"),
        ({"num_games": 1, "first_player": "me"}, "unknown first_player 'me'"),
        ({"num_games": 1, "seed": -1}, "seed must be a whole number"),
        ({"num_games": 1, "seed": 1.5}, "seed must be a whole number"),
    ):
        with pytest.raises(ValueError, match=message):
            PatchworkBatch(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("circle", [[0] * 33, list(range(32)), [*range(32), 40], ["a"] * 33])
def test_wrong_circles(circle: list[Any]) -> None:
    games = PatchworkBatch(1, seed=1)
    games.reset()
    before = games.state.tobytes()
    with pytest.raises(ValueError, match="circle"):
        games.reset(circles=[circle])
    assert games.state.tobytes() == before


def test_damaged_and_foreign_blobs() -> None:
    games = start()
    other = start("stack_n_stuff")
    blob = games.save(0)
    before = games.state.tobytes()
    for bad, message in (
        (blob[:-1], "expected 129 bytes"),
        (b"\x07" + blob[1:], "not a saved game of this version"),
        (other.save(0), "another edition"),
        (blob[:9] + b"\xff" * (len(blob) - 9), "damaged"),
        (blob[:41] + bytes([blob[42]]) + blob[42:], "damaged"),  # a patch twice in the circle
    ):
        with pytest.raises(ValueError, match=message):
            games.load(0, bad)
        assert games.state.tobytes() == before
    with pytest.raises(IndexError, match="there is no game 1"):
        games.save(1)


def test_the_raw_aec_environment_raises_and_goes_on() -> None:
    env = patchwork_v0.raw_env()
    env.reset(seed=1)
    before = env.observe("player_0")["observation"]
    for action, error in ((2026, IllegalActionError), (9_999, IllegalActionError), (0.5, TypeError), (None, TypeError)):
        with pytest.raises(error):
            env.step(action)
    np.testing.assert_array_equal(env.observe("player_0")["observation"], before)
    env.step(0)
    assert env.agent_selection == "player_1"


@pytest.mark.filterwarnings("ignore")
def test_the_wrapped_aec_environment_ends_the_game() -> None:
    env = patchwork_v0.env()
    env.reset(seed=1)
    env.step(2026)
    assert all(env.terminations.values())
    assert env.rewards == {"player_0": -1.0, "player_1": 0}
    for _ in range(2):
        env.step(None)
    assert env.agents == []


def test_the_gymnasium_environment_raises_and_goes_on() -> None:
    env = gymnasium.make("patchwork_env/Patchwork-v0")
    env.reset(seed=1)
    for action, error in ((2026, IllegalActionError), (9_999, IllegalActionError), (0.5, TypeError)):
        with pytest.raises(error):
            env.step(action)
    env.step(0)


def test_the_vector_environment_raises_and_changes_nothing() -> None:
    env = gymnasium.make_vec("patchwork_env/Patchwork-v0", num_envs=3)
    env.reset(seed=1)
    games = env.unwrapped.games  # type: ignore[attr-defined]
    before = games.state.tobytes()
    with pytest.raises(IllegalActionError, match="game 2"):
        env.step(np.array([0, 0, 2026]))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        env.step(np.array([0, 0]))
    assert games.state.tobytes() == before
