"""Worked examples of the rulebooks and hand-made positions: moving, paying, income and whose turn it is."""

from __future__ import annotations

import numpy as np
import pytest

from tests.playing import all_cells, arrange, covered, meanings, play, start

# Patches of the 9x9 editions that are easy to read: id -> (cost, time, income)
I2, L3_SLOW, L3_FAST, I3, I5 = 0, 1, 2, 3, 5


def circle_with(*first: int) -> list[int]:
    """A circle that begins with these patches."""
    return [*first, *(patch for patch in range(33) if patch not in first)]


def test_advancing_goes_one_space_past_the_opponent_and_pays_every_space() -> None:
    games = start()
    game = arrange(games, positions=(2, 5), buttons=(0, 0), to_play=0)
    play(games, "advance")
    assert game.positions == (6, 5)
    assert game.buttons == (4, 0)
    assert game.to_play == 1


def test_three_spaces_behind_a_short_move_keeps_the_turn() -> None:
    games = start()
    game = arrange(games, positions=(4, 7), circle=circle_with(I3), to_play=0)
    play(games, "buy", I3)
    assert game.positions == (6, 7)
    assert game.to_play == 0


def test_landing_on_the_opponent_means_moving_again() -> None:
    games = start()
    game = arrange(games, positions=(5, 7), circle=circle_with(I3), to_play=0)
    play(games, "buy", I3)
    assert game.positions == (7, 7)
    assert game.to_play == 0


def test_moving_past_the_opponent_hands_over_the_turn() -> None:
    games = start()
    game = arrange(games, positions=(6, 7), circle=circle_with(I3), to_play=0)
    play(games, "buy", I3)
    assert game.positions == (8, 7)
    assert game.to_play == 1


@pytest.mark.parametrize("beginner", [0, 1])
def test_the_beginner_lies_on_top_at_the_start(beginner: int) -> None:
    games = start(first_player=f"player_{beginner}")
    assert games.game(0).to_play == beginner
    play(games, "advance")
    assert games.game(0).positions[beginner] == 1
    assert games.game(0).to_play == 1 - beginner


def test_income_is_paid_for_every_mark_entered_or_passed() -> None:
    games = start()
    game = arrange(games, positions=(4, 11), buttons=(0, 0), incomes=(3, 0), to_play=0)
    play(games, "advance")
    # from 4 to 12: eight spaces moved, marks on 5 and 11
    assert game.buttons[0] == 8 + 3 + 3


def test_income_is_not_paid_for_the_mark_one_already_stands_on() -> None:
    games = start()
    game = arrange(games, positions=(5, 6), buttons=(0, 0), incomes=(3, 0), to_play=0)
    play(games, "advance")
    assert game.buttons[0] == 2


def test_only_the_mover_gets_income() -> None:
    games = start()
    game = arrange(games, positions=(4, 4), buttons=(0, 0), incomes=(2, 9), to_play=0)
    play(games, "advance")
    assert game.buttons == (1 + 2, 0)


def test_the_patch_just_bought_pays_income_in_the_same_move() -> None:
    games = start()
    game = arrange(games, positions=(4, 10), buttons=(7, 0), circle=circle_with(I5), to_play=0)
    play(games, "buy", I5)  # costs 7, moves 1 onto the mark on 5, income 1
    assert game.positions[0] == 5
    assert game.buttons[0] == 1
    assert game.incomes[0] == 1


def test_buying_needs_the_whole_price() -> None:
    games = start()
    arrange(games, buttons=(6, 0), circle=circle_with(I5), to_play=0)
    assert not any(key[0] == "buy" and key[2] == I5 for key in meanings(games))
    arrange(games, buttons=(7, 0), to_play=0)
    assert any(key[0] == "buy" and key[2] == I5 for key in meanings(games))


@pytest.mark.parametrize(
    ("slot", "rest"), [(0, [1, 2, 3, 4]), (1, [2, 3, 4, 0]), (2, [3, 4, 0, 1])], ids=["first", "second", "third"]
)
def test_skipped_patches_go_behind_all_others(slot: int, rest: list[int]) -> None:
    games = start()
    game = arrange(games, buttons=(20, 0), circle=[0, 1, 2, 3, 4], to_play=0)
    play(games, "buy", slot)
    assert game.circle == tuple(rest)


def test_with_fewer_than_three_patches_only_those_are_offered() -> None:
    games = start()
    arrange(games, buttons=(20, 0), circle=[9, 3], to_play=0)
    assert {key[2] for key in meanings(games) if key[0] == "buy"} == {9, 3}
    assert not games.action_mask[0, 82 + 2 * 8 * 81 : 2026].any()
    play(games, "buy", 3)
    assert games.game(0).circle == (9,)


def test_with_an_empty_circle_one_can_only_advance() -> None:
    games = start()
    game = arrange(games, buttons=(20, 20), circle=[], to_play=0)
    assert set(meanings(games)) == {("advance",)}
    while not game.done:
        named = meanings(games)
        play(games, *(("advance",) if ("advance",) in named else next(iter(named))))
    assert game.positions == (53, 53)


def test_a_move_stops_on_the_last_space() -> None:
    games = start()
    game = arrange(games, positions=(52, 53), first_home=1, buttons=(20, 0), circle=circle_with(I3), to_play=0)
    play(games, "buy", I3)
    assert game.positions == (53, 53)
    assert game.done


def test_advancing_with_the_opponent_on_the_last_space_pays_the_spaces_really_moved() -> None:
    games = start()
    game = arrange(
        games, positions=(49, 53), first_home=1, buttons=(3, 0), to_play=0, quilts=(all_cells(games.edition), set())
    )
    play(games, "advance")
    assert game.positions == (53, 53)
    assert game.buttons[0] == 3 + 4
    assert game.done


def test_a_player_on_the_last_space_takes_no_more_turns() -> None:
    games = start()
    game = arrange(
        games, positions=(46, 53), first_home=1, buttons=(20, 20), circle=circle_with(L3_FAST, I2), to_play=0
    )
    play(games, "buy", L3_FAST)
    assert game.to_play == 0
    play(games, "buy", I2)
    assert game.to_play == 0
    assert not game.done


def test_the_circle_is_not_revealed_to_be_anything_but_the_deal() -> None:
    games = start(seed=3)
    assert sorted(games.game(0).circle) == list(range(33))
    assert games.game(0).circle[-1] == 0  # the start patch


def test_a_purchase_covers_just_its_cells() -> None:
    games = start()
    arrange(games, circle=circle_with(L3_FAST), to_play=0)
    play(games, "buy", 0, L3_FAST, frozenset({(3, 3), (3, 4), (4, 3)}))
    assert covered(games, 0) == {(3, 3), (3, 4), (4, 3)}
    assert covered(games, 1) == set()


def test_orientations_that_look_alike_are_one_action() -> None:
    games = start()
    arrange(games, buttons=(20, 0), circle=[6, 3, 18], to_play=0)
    placements = {slot: sum(key[0] == "buy" and key[1] == slot for key in meanings(games)) for slot in range(3)}
    # a square in 64 places, three in a row in 2 * 63, a plus in 49
    assert placements == {0: 64, 1: 126, 2: 49}
    assert np.count_nonzero(games.action_mask[0]) == 1 + 64 + 126 + 49
