"""Special patches, the bonus tile, scoring and ties."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patchwork_env import PatchworkBatch
from tests.golden.test_turns import I3, L3_FAST, circle_with
from tests.playing import all_cells, arrange, covered, meanings, play, start


def square(row: int, column: int, side: int = 7) -> set[tuple[int, int]]:
    return {(row + r, column + c) for r in range(side) for c in range(side)}


def place_anywhere(games: PatchworkBatch) -> None:
    play(games, *next(key for key in meanings(games) if key[0] == "special"))


def test_passing_a_special_space_asks_for_a_cell_before_anything_else() -> None:
    games = start()
    game = arrange(games, positions=(25, 26), buttons=(5, 5), to_play=0)
    play(games, "advance")  # to 27, past 26: but the opponent stands on 26 and has taken it
    assert not game.special_pending
    game = arrange(games, positions=(25, 25), buttons=(5, 5), to_play=0)
    play(games, "advance")
    assert game.special_pending
    assert game.to_play == 0
    assert set(meanings(games)) == {("special", cell) for cell in all_cells(games.edition)}
    play(games, "special", (4, 4))
    assert covered(games, 0) == {(4, 4)}
    assert game.to_play == 1
    assert game.specials_left == (32, 38, 44, 50)


def test_income_behind_a_special_patch_waits_until_it_is_placed() -> None:
    games = start()
    # patch 21 costs 1 button, moves 5 spaces and has income 1
    game = arrange(games, positions=(25, 25), buttons=(9, 0), incomes=(4, 0), circle=circle_with(21), to_play=0)
    play(games, "buy", 21)
    assert game.positions[0] == 30
    assert game.special_pending
    assert game.buttons[0] == 8  # the mark on 29 lies behind the special patch on 26
    place_anywhere(games)
    assert game.buttons[0] == 8 + 5


def test_one_move_may_take_two_special_patches_one_after_the_other(tmp_path: Path) -> None:
    house = tmp_path / "slow.yaml"
    house.write_text("extends: original\nname: slow\npatches: {3: {time: 9}}\n")
    games = start(str(house))
    game = arrange(games, positions=(18, 18), circle=circle_with(I3), to_play=0)
    play(games, "buy", 0, I3, frozenset({(8, 0), (8, 1), (8, 2)}))
    assert game.specials_left == (26, 32, 44, 50)
    play(games, "special", (0, 0))
    assert game.special_pending
    assert game.specials_left == (32, 44, 50)
    play(games, "special", (0, 1))
    assert not game.special_pending
    assert covered(games, 0) == {(0, 0), (0, 1), (8, 0), (8, 1), (8, 2)}
    assert game.to_play == 1


def test_a_special_patch_with_a_full_quilt_is_removed_without_a_decision() -> None:
    games = start()
    game = arrange(games, positions=(25, 25), to_play=0, quilts=(all_cells(games.edition), set()), bonus_holder=0)
    play(games, "advance")
    assert not game.special_pending
    assert game.to_play == 1
    arrange(games, positions=(26, 25), to_play=1)
    play(games, "advance")
    assert not game.special_pending  # it is gone for the opponent too


@pytest.mark.parametrize("edition", ["original", "revised"])
def test_a_special_patch_may_not_be_declined(edition: str) -> None:
    games = start(edition)
    arrange(games, positions=(25, 25), to_play=0)
    play(games, "advance")
    assert ("decline",) not in meanings(games)


@pytest.mark.parametrize(("edition", "space"), [("halloween", 26), ("stack_n_stuff", 7)])
def test_a_declined_special_patch_is_out_of_play(edition: str, space: int) -> None:
    games = start(edition)
    game = arrange(games, positions=(space - 1, space - 1), to_play=0)
    play(games, "advance")
    play(games, "decline")
    assert covered(games, 0) == set()
    assert game.to_play == 1
    play(games, "advance")
    assert not game.special_pending
    assert space not in game.specials_left


def test_a_purchase_that_fills_seven_by_seven_takes_the_tile() -> None:
    games = start()
    game = arrange(
        games,
        buttons=(9, 9),
        circle=circle_with(I3),
        to_play=0,
        quilts=(square(1, 2) - {(1, 2), (1, 3), (1, 4)}, set()),
    )
    play(games, "buy", 0, I3, frozenset({(1, 2), (1, 3), (1, 4)}))
    assert game.bonus_holder == 0
    assert game.scores[0] == 9 - 2 + 7 - 2 * (81 - 49)


def test_a_special_patch_can_complete_seven_by_seven() -> None:
    games = start()
    game = arrange(games, positions=(25, 25), to_play=0, quilts=(square(2, 2) - {(5, 5)}, set()))
    play(games, "advance")
    assert game.bonus_holder is None
    play(games, "special", (5, 5))
    assert game.bonus_holder == 0


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_every_seven_by_seven_counts(row: int, column: int) -> None:
    games = start()
    hole = (row + 3, column + 6)
    game = arrange(games, positions=(25, 25), to_play=0, quilts=(square(row, column) - {hole}, set()))
    play(games, "advance")
    play(games, "special", hole)
    assert game.bonus_holder == 0


def test_six_by_seven_is_not_enough() -> None:
    games = start()
    shape = {(row, column) for row in range(6) for column in range(9)} - {(0, 8)}
    game = arrange(games, positions=(25, 25), to_play=0, quilts=(shape, set()))
    play(games, "advance")
    play(games, "special", (0, 8))
    assert game.bonus_holder is None


def test_in_a_race_for_the_tile_the_first_keeps_it() -> None:
    games = start()
    ready = square(0, 0) - {(0, 0), (0, 1), (1, 0)}
    game = arrange(
        games,
        buttons=(9, 9),
        positions=(10, 10),
        circle=circle_with(L3_FAST, 1),
        to_play=0,
        quilts=(ready, ready),
    )
    play(games, "buy", 0, L3_FAST, frozenset({(0, 0), (0, 1), (1, 0)}))
    assert game.bonus_holder == 0
    assert game.to_play == 1
    play(games, "buy", 0, 1, frozenset({(0, 0), (0, 1), (1, 0)}))
    assert game.bonus_holder == 0


def test_stack_n_stuff_has_no_bonus_tile() -> None:
    games = start("stack_n_stuff")
    game = arrange(
        games, positions=(6, 6), to_play=0, quilts=(all_cells(games.edition, [(0, 0)]), set()), buttons=(4, 0)
    )
    play(games, "advance")
    play(games, "special", (0, 0))
    assert game.bonus_holder is None
    assert game.scores[0] == 5


def finish(
    games: PatchworkBatch,
    buttons: tuple[int, int],
    empty: tuple[int, int],
    bonus: int = -1,
    last_mover: int = 0,
) -> None:
    """End a game with these buttons and empty cells; the last mover advances from the space before the end."""
    edition = games.edition
    positions = [edition.last_space] * 2
    positions[last_mover] -= 1
    before = list(buttons)
    before[last_mover] -= 1  # the advance pays one
    cells = sorted(all_cells(edition))
    arrange(
        games,
        positions=positions,
        buttons=before,
        incomes=(0, 0),
        to_play=last_mover,
        first_home=1 - last_mover,
        bonus_holder=bonus,
        quilts=[set(cells[: len(cells) - count]) for count in empty],
    )


def test_the_scoring_example_of_the_rulebook() -> None:
    games = start()
    finish(games, buttons=(14, 18), empty=(5, 2), bonus=0)
    result = play(games, "advance")
    game = games.game(0)
    assert game.done
    assert game.scores == (14 + 7 - 10, 18 - 4) == (11, 14)
    assert game.winner == 1
    assert result.rewards[0].tolist() == [-1, 1]
    assert result.final_scores[0].tolist() == [11, 14]


@pytest.mark.parametrize("last_mover", [0, 1])
def test_a_tie_goes_to_who_reached_the_last_space_first(last_mover: int) -> None:
    games = start("stack_n_stuff")
    finish(games, buttons=(14, 8), empty=(4, 1), last_mover=last_mover)
    result = play(games, "advance")
    assert games.game(0).scores == (6, 6)
    assert games.game(0).winner == 1 - last_mover
    assert result.rewards[0, last_mover] == -1


def test_the_last_income_is_paid_on_the_last_space() -> None:
    games = start()
    finish(games, buttons=(1, 1), empty=(0, 0))
    games.state["incomes"][0] = (6, 6)
    play(games, "advance")
    assert games.game(0).buttons == (7, 1)


def test_a_special_patch_reached_with_the_last_move_is_still_placed() -> None:
    games = start()
    # patch 21 moves 5 spaces: past the special patch on 50, to the end
    game = arrange(games, positions=(49, 49), to_play=0, buttons=(5, 5), circle=circle_with(21))
    play(games, "buy", 21)
    assert game.positions[0] == 53
    assert game.special_pending
    place_anywhere(games)
    assert game.to_play == 1
    assert not game.done


def stack_game(seed: int) -> PatchworkBatch:
    games = start("stack_n_stuff", seed=seed)
    games.reset(circles=[[*range(1, 15), 0]])
    arrange(games, buttons=(60, 60), to_play=0)
    return games


def test_the_stuff_tiles_join_exactly_when_five_stack_tiles_are_left() -> None:
    games = stack_game(seed=1)
    game = games.game(0)
    for left in range(14, 4, -1):
        arrange(games, positions=(0, 28), buttons=(60, 60), quilts=(set(), set()), to_play=0)
        assert all(patch < 15 for patch in game.circle)
        skipped = game.circle[0]
        patch = game.circle[1]
        play(games, "buy", patch)
        if left > 5:
            assert len(game.circle) == left
            assert game.circle[-1] == skipped
    assert len(game.circle) == 5 + 8
    assert all(patch < 15 for patch in game.circle[:5])
    assert sorted(game.circle[5:]) == list(range(15, 23))


def test_the_order_of_the_stuff_tiles_is_not_to_be_seen_before_it_is_drawn() -> None:
    orders = set()
    for seed in range(6):
        games = stack_game(seed)
        for left in range(14, 4, -1):
            arrange(games, positions=(0, 28), buttons=(60, 60), quilts=(set(), set()), to_play=0)
            if left == 5:
                reference = stack_game(0)
                reference.load(0, games.save(0))
                for name, array in games.observe().items():
                    np.testing.assert_array_equal(array, reference.observe()[name])
            play(games, "buy", games.game(0).circle[0])
        orders.add(games.game(0).circle[5:])
    assert len(orders) > 1


def test_a_copy_does_not_reveal_the_order_of_the_stuff_tiles() -> None:
    games = stack_game(seed=1)
    for _ in range(9):
        arrange(games, positions=(0, 28), buttons=(60, 60), quilts=(set(), set()), to_play=0)
        play(games, "buy", games.game(0).circle[0])
    arrange(games, positions=(0, 28), buttons=(60, 60), quilts=(set(), set()), to_play=0)
    orders = set()
    for _ in range(8):
        twin = games.copy()
        play(twin, "buy", twin.game(0).circle[0])
        orders.add(twin.game(0).circle[5:])
    play(games, "buy", games.game(0).circle[0])
    assert len(orders) > 1
    assert orders != {games.game(0).circle[5:]}
