"""The worked examples of the rulebook, and the rulings about what it leaves open."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import IllegalActionError
from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.cards import DYE
from tests.quilt_show.arranging import (
    act,
    can,
    enter,
    expose,
    give_cards,
    give_tiles,
    lay_out,
    open_show,
    settle,
    start,
    tile,
)


def runner(pattern: int, first_color: int, points: int = 5) -> list[int]:
    """Three tiles of a pattern and of equal points."""
    return [tile(pattern, first_color + k, points) for k in range(3)]


# --- prizes ---


def test_three_tied_quilts_share_8_6_and_5_thousand() -> None:
    games = start(2)
    quilts = [(0, runner(0, 0)), (1, runner(1, 0)), (0, runner(0, 3))]
    for player, tiles in quilts:
        give_tiles(games, player, tiles)
    open_show(games, [8, 6, 5])
    enter(games, 0, runner(0, 0))
    enter(games, 0, runner(0, 3))
    act(games, "done")
    enter(games, 1, runner(1, 0))
    act(games, "done")
    # Shares go by quilts, not by players: two of the three are player 0's.
    assert games.money[0].tolist() == [12, 6]


def test_two_quilts_share_the_last_4_thousand() -> None:
    games = start(2)
    give_tiles(games, 0, runner(0, 0) + runner(1, 0, 3))
    give_tiles(games, 1, runner(2, 0) + runner(3, 0, 3))
    give_tiles(games, 1, [tile(3, 3, 5), tile(3, 4, 5), tile(3, 5, 5)])
    open_show(games, [10, 9, 4])
    enter(games, 0, runner(0, 0), chip=3)  # 18
    enter(games, 1, runner(1, 0, 3))  # 9
    act(games, "done")
    enter(games, 3, [tile(3, 3, 5), tile(3, 4, 5), tile(3, 5, 5)], chip=2)  # 17
    enter(games, 3, runner(3, 0, 3))  # 9
    act(games, "done")
    assert games.money[0].tolist() == [10 + 2, 9 + 2]
    assert games.game(0).quilts == ()


def test_one_player_with_two_of_three_tied_quilts_gets_two_thirds() -> None:
    games = start(3)
    give_tiles(games, 0, runner(0, 0) + runner(0, 3))
    give_tiles(games, 2, runner(1, 0))
    open_show(games, [12, 9, 6, 5, 4])
    enter(games, 0, runner(0, 0))
    enter(games, 0, runner(0, 3))
    act(games, "done")
    act(games, "done")
    enter(games, 1, runner(1, 0))
    act(games, "done")
    assert games.money[0].tolist() == [18, 0, 9]


def test_a_share_of_nothing_still_counts_as_a_win() -> None:
    games = start(2)
    colors = [runner(pattern, 0, 2) for pattern in range(4)] + [runner(pattern, 3, 2) for pattern in range(4)]
    for number, tiles in enumerate(colors):
        give_tiles(games, number % 2, tiles)
    open_show(games, [3, 2, 1])  # six thousand for eight quilts
    for player in range(2):
        for number in range(player, 8, 2):
            enter(games, number % 4, colors[number])
        act(games, "done")
    assert games.money[0].tolist() == [0, 0]
    assert games.game(0).quilts == ()


def test_prizes_go_in_order_and_what_is_left_over_goes_to_nobody() -> None:
    games = start(2)
    give_tiles(games, 1, runner(0, 0))
    open_show(games, [13, 9, 6])
    act(games, "done")
    enter(games, 0, runner(0, 0))
    act(games, "done")
    assert games.money[0].tolist() == [0, 13]
    assert games.game(0).markers == 17
    assert games.game(0).prizes == ()


def test_chip_of_3_takes_a_quilt_from_13_to_16() -> None:
    tiles = [tile(0, 0, 5), tile(0, 1, 5), tile(0, 2, 3)]
    games = start(2)
    give_tiles(games, 0, tiles)
    open_show(games, [8, 7, 6])
    act(games, "start", 0)
    for number in tiles:
        act(games, "add", number)
    saved = games.save(0)
    act(games, "finish")
    assert games.game(0).quilts[0].points == 13
    games.load(0, saved)
    act(games, "chip", 2)
    assert games.game(0).quilts[0].points == 16
    assert games.game(0).chips == ((1, 2), (1, 2, 3))


def test_only_one_chip_on_a_quilt_and_each_chip_once() -> None:
    games = start(2)
    give_tiles(games, 0, runner(0, 0) + runner(0, 3))
    open_show(games, [8, 7, 6])
    enter(games, 0, runner(0, 0), chip=2)
    act(games, "start", 0)
    for number in runner(0, 3):
        act(games, "add", number)
    assert [can(games, "chip", chip) for chip in range(3)] == [True, False, True]
    with pytest.raises(IllegalActionError, match="no 2-point chip"):
        act(games, "chip", 1)


def test_large_quilts_earn_a_point_for_every_tile() -> None:
    games = start(2, large_quilts=True)
    give_tiles(games, 0, runner(0, 0))
    open_show(games, [8, 7, 6])
    enter(games, 0, runner(0, 0), chip=1)
    assert games.game(0).quilts[0].points == 15 + 1 + 3


# --- quilts that do not win ---


def left_over_game(last_round: bool = False) -> tuple[int, ...]:
    """Three prizes and four quilts: player 1's weakest wins nothing. The money after the show."""
    games = start(2)
    for player, tiles in ((0, runner(0, 0)), (0, runner(0, 3)), (1, runner(1, 0)), (1, runner(1, 3, 2))):
        give_tiles(games, player, tiles)
    open_show(games, [13, 9, 6], last_round)
    enter(games, 0, runner(0, 0), chip=3)
    enter(games, 0, runner(0, 3))
    act(games, "done")
    enter(games, 1, runner(1, 0), chip=1)
    enter(games, 1, runner(1, 3, 2), chip=2)
    act(games, "done")
    if last_round:
        assert games.done[0]
        return games.game(0).money
    left = games.game(0).quilts
    assert [(quilt.owner, quilt.points, quilt.chip, quilt.is_open) for quilt in left] == [(1, 8, 2, True)]
    # The next show: nothing can be done to it, and it takes part by itself.
    open_show(games, [12, 9, 6])
    act(games, "done")
    assert not can(games, "start", 1)
    act(games, "done")
    assert games.game(0).quilts == ()
    assert games.game(0).chips[1] == (3,)
    return games.game(0).money


def test_left_over_quilt_enters_the_next_show_unchanged() -> None:
    assert left_over_game() == (13 + 6, 9 + 12)


def test_unsold_quilt_brings_one_thousand_at_the_end() -> None:
    assert left_over_game(last_round=True) == (13 + 6, 9 + 1)


# --- the end ---


def end_of_game(cards: tuple[int, int]) -> tuple[tuple[int, ...], list[float]]:
    games = start(2)
    give_tiles(games, 0, runner(0, 0))
    give_tiles(games, 1, runner(1, 0))
    for player in range(2):
        give_cards(games, player, [player] * cards[player])
    open_show(games, [10, 8, 6], last_round=True)
    enter(games, 0, runner(0, 0))
    act(games, "done")
    enter(games, 1, runner(1, 0))
    rewards = act(games, "done").rewards[0].tolist()
    assert games.game(0).money == (9, 9)
    return games.game(0).winners, rewards


def test_tie_is_broken_by_cards_in_hand() -> None:
    assert end_of_game((5, 4)) == ((0,), [1.0, -1.0])
    assert end_of_game((0, 1)) == ((1,), [-1.0, 1.0])


def test_equal_cards_share_the_victory() -> None:
    assert end_of_game((3, 3)) == ((0, 1), [0.0, 0.0])


@pytest.mark.parametrize(("two_shows", "rounds"), [(False, 3), (True, 2)])
def test_number_of_shows(two_shows: bool, rounds: int) -> None:
    games = start(2, two_shows=two_shows)
    for show in range(rounds):
        assert not games.done[0]
        open_show(games, [10, 8, 6])
        assert games.game(0).round == show
        act(games, "done")
        act(games, "done")
    assert games.done[0]
    assert not games.truncated[0]


# --- blocks ---


@pytest.mark.parametrize(("points", "cost"), [(2, 1), (3, 2), (5, 3)])
def test_cost_of_a_block(points: int, cost: int) -> None:
    games = start(2)
    green = 3
    expose(games, 0, green * 3 + (2, 3, 5).index(points))
    give_cards(games, 0, [green] * (cost - 1))
    settle(games)
    assert not can(games, "make", 0)
    give_cards(games, 0, [green] * cost)
    settle(games)
    act(games, "make", 0)
    for _ in range(cost):
        assert games.game(0).phase == "pay"
        act(games, "pay", green)
    view = games.game(0)
    assert view.sewing_rooms[0] == (tile(0, green, points),)
    assert view.markers == 16
    assert view.hands[0] == ()
    assert view.exposed[0] is None  # no new tile before the turn is over
    act(games, "stop")
    assert games.game(0).exposed[0] is not None
    assert games.game(0).to_play == 1


def test_single_dual_and_dye_cards_pay_and_the_player_chooses() -> None:
    games = start(2)
    green, yellow_green, green_blue, blue = 3, 6 + 2, 6 + 3, 4
    expose(games, 0, green * 3 + 2)
    give_cards(games, 0, [green, yellow_green, green_blue, blue, DYE])
    settle(games)
    act(games, "make", 0)
    usable = [card for card in range(13) if can(games, "pay", card)]
    assert usable == [green, yellow_green, green_blue, DYE]
    with pytest.raises(IllegalActionError, match="blue card cannot be used"):
        act(games, "pay", blue)
    for card in (DYE, green_blue, green):
        act(games, "pay", card)
    assert games.game(0).hands[0] == (blue, yellow_green)
    assert games.game(0).discards_size == 3


def test_large_time_marker_ends_the_turn_at_once_and_the_left_neighbour_begins() -> None:
    games = start(3)
    for stack in (0, 1):
        expose(games, stack, stack * 3)
    give_cards(games, 0, [0, 1])
    games.state[0]["markers"] = 1
    settle(games)
    act(games, "make", 0)
    act(games, "pay", 0)
    view = games.game(0)
    assert (view.phase, view.to_play, view.markers) == ("enter", 1, 0)
    assert len(view.prizes) == 5
    for player in (1, 2, 0):
        assert games.game(0).to_play == player
        act(games, "done")
    assert (games.game(0).to_play, games.game(0).markers, games.game(0).phase) == (1, 23, "turn")


# --- drawing ---


def test_three_cards_are_drawn_and_each_is_replaced_before_the_next() -> None:
    games = start(2)
    lay_out(games, [0, 1, 2, 3, 4, 5])
    settle(games)
    before = len(games.game(0).hands[0])
    for pick in range(3):
        assert games.game(0).to_play == 0
        assert None not in games.game(0).face_up
        act(games, "take", pick)
    assert len(games.game(0).hands[0]) == before + 3
    assert games.game(0).to_play == 1


@pytest.mark.parametrize("first", [True, False])
def test_face_up_dye_card_ends_the_draw_at_two(first: bool) -> None:
    games = start(2)
    lay_out(games, [DYE, DYE, 2, 3, 4, 5])
    settle(games)
    before = len(games.game(0).hands[0])
    if first:
        act(games, "take", 0)
        assert not can(games, "take", 1)  # never a second one
        act(games, "take", 2)
    else:
        act(games, "take", 2)
        act(games, "take", 0)
    assert len(games.game(0).hands[0]) == before + 2
    assert games.game(0).to_play == 1


def test_face_up_dye_card_is_never_the_third_pick() -> None:
    games = start(2)
    lay_out(games, [DYE, DYE, 2, 3, 4, 5])
    settle(games)
    act(games, "take", 3)
    act(games, "take", 4)
    assert games.game(0).face_up[:2] == (DYE, DYE)
    assert not can(games, "take", 0)
    with pytest.raises(IllegalActionError, match="dye"):
        act(games, "take", 0)


def test_dye_card_from_the_deck_is_an_ordinary_card() -> None:
    games = start(2)
    lay_out(games, [0, 1, 2, 3, 4, 5])
    record = games.state[0]
    record["discards"] += record["deck"]
    record["deck"] = 0
    record["deck"][DYE] = 3
    record["discards"][DYE] -= 3
    settle(games)
    for _ in range(3):
        assert games.game(0).to_play == 0
        act(games, "deck")
    assert games.game(0).hands[0].count(DYE) >= 3
    assert games.game(0).to_play == 1


def test_three_open_dye_cards_make_all_six_be_replaced() -> None:
    games = start(2)
    lay_out(games, [DYE, DYE, 2, 3, 4, 5])
    record = games.state[0]
    record["discards"] += record["deck"]  # the next card is a dye card; after it the discards are shuffled in
    record["deck"] = 0
    record["deck"][DYE] = 1
    record["discards"][DYE] -= 1
    settle(games)
    act(games, "take", 5)
    view = games.game(0)
    assert view.face_up.count(DYE) < 3
    assert None not in view.face_up
    assert view.discards_size == 0  # the six went into the new deck, together with all discards
    assert view.deck_size == 96 - 6 - len(view.hands[0]) - len(view.hands[1])


def test_dye_cards_stay_when_there_is_nothing_else_to_lay_out() -> None:
    games = start(2)
    lay_out(games, [DYE, DYE, DYE, DYE, 4, 5])
    record = games.state[0]
    give_cards(games, 1, [DYE])
    others = [card for card in range(DYE) for _ in range(record["deck"][card])]
    record["hands"][0] += np.bincount(others, minlength=13).astype(np.int8)
    record["deck"][:DYE] = 0
    settle(games)
    act(games, "take", 5)
    assert games.game(0).face_up.count(DYE) == 5


def test_draw_ends_early_when_no_card_is_left_and_then_players_pass() -> None:
    games = start(2)
    record = games.state[0]
    record["hands"][0] += record["deck"]
    record["deck"] = 0
    for place in range(6):
        if place > 0:
            record["hands"][0, record["face_up"][place]] += 1
            record["face_up"][place] = -1
    give_cards(games, 1, [])
    record["hands"][0] += record["deck"]
    record["deck"] = 0
    settle(games)
    act(games, "take", 0)
    assert games.game(0).to_play == 1
    assert games.game(0).legal_actions().tolist() == [layout.PASS]
    act(games, "pass")
    assert games.game(0).to_play == 0


def test_nobody_may_pass_who_can_do_something() -> None:
    games = start(2)
    with pytest.raises(IllegalActionError, match="passing is not allowed"):
        act(games, "pass")


# --- sewing ---


def test_permitted_sizes() -> None:
    games = start(2)
    tiles = [tile(0, color, points) for color in range(6) for points in (2, 3, 5)][:13]
    give_tiles(games, 0, tiles)
    open_show(games, [10, 9, 8])
    act(games, "start", 0)
    finishable = []
    for size, number in enumerate(tiles[:12], 1):
        act(games, "add", number)
        if can(games, "finish"):
            finishable.append(size)
    assert finishable == [3, 4, 6, 9, 12]
    assert not any(can(games, "add", bit) for bit in range(18))


def test_a_quilt_is_never_left_without_a_permitted_size() -> None:
    games = start(2)
    give_tiles(games, 0, [tile(0, color, 2) for color in range(5)])
    open_show(games, [10, 9, 8])
    act(games, "start", 0)
    for color in range(4):
        act(games, "add", color * 3)
    assert not can(games, "add", 12)  # five tiles are no quilt, and there is no sixth
    assert can(games, "finish")


def test_sampler_quilt_has_one_color() -> None:
    games = start(2)
    tiles = [tile(pattern, 2, 5) for pattern in range(3)]
    give_tiles(games, 0, [*tiles, tile(3, 1, 5)])
    open_show(games, [10, 9, 8])
    assert can(games, "start", 6 + 2)
    assert not can(games, "start", 6 + 1)
    enter(games, 6 + 2, tiles)
    quilt = games.game(0).quilts[0]
    assert (quilt.style, quilt.key, quilt.points) == ("sampler", 2, 15)


# --- set-up ---


@pytest.mark.parametrize(("players", "markers", "stacks", "prizes"), [(2, 17, 4, 3), (3, 23, 5, 5), (4, 28, 6, 6)])
def test_set_up(players: int, markers: int, stacks: int, prizes: int) -> None:
    games = start(players)
    view = games.game(0)
    assert view.markers == markers
    assert [size for size in view.stack_sizes if size] == [17] * stacks
    assert len([shown for shown in view.exposed if shown is not None]) == stacks
    assert all(len(hand) == 4 for hand in view.hands)
    assert view.chips == ((1, 2, 3),) * players
    assert view.deck_size + view.discards_size == 96 - 6 - 4 * players
    assert games.settings.prizes_per_show == prizes
    assert sum(start(players, all_patterns=True).game(0).stack_sizes) == 6 * 17
    assert sum(start(players, color_sorting=True).game(0).stack_sizes) == 6 * 17


def test_prizes_come_from_the_pool_of_the_players() -> None:
    for players, pool in ((2, range(6, 14)), (3, range(5, 15)), (4, range(4, 16))):
        seen = set()
        for seed in range(60):
            games = start(players, seed=seed)
            games.state[0]["markers"] = 1
            expose(games, 0, 0)
            give_cards(games, 0, [0])
            settle(games)
            act(games, "make", 0)
            act(games, "pay", 0)
            prizes = games.game(0).prizes
            assert list(prizes) == sorted(set(prizes), reverse=True)
            seen |= set(prizes)
        assert seen == set(pool)


# --- swaps ---


def test_swap_of_tiles_cards_and_money() -> None:
    games = start(3, block_swaps=True)
    give_tiles(games, 0, [tile(0, 0, 5)])
    give_tiles(games, 2, [tile(1, 1, 3)])
    give_cards(games, 0, [0, 0, 1])
    give_cards(games, 2, [DYE, 5])
    games.state[0]["money"][:3] = (7, 3, 2)
    settle(games)
    act(games, "propose", 1)  # two seats to the left: player 2
    act(games, "swap_tile", tile(0, 0, 5))
    act(games, "swap_card", 0)
    act(games, "swap_coin")
    act(games, "ask")
    act(games, "swap_tile", tile(1, 1, 3))
    act(games, "swap_card", DYE)
    act(games, "offer")
    assert games.game(0).to_play == 2
    act(games, "accept")
    view = games.game(0)
    assert view.sewing_rooms == ((tile(1, 1, 3),), (), (tile(0, 0, 5),))
    assert view.hands[0] == (0, 1, DYE)
    assert view.hands[2] == (0, 5)
    assert view.money == (6, 3, 3)
    assert (view.to_play, view.phase) == (1, "turn")  # the proposer's turn is spent


def test_declined_swap_spends_the_turn_too_and_cards_that_are_missing_cannot_be_promised() -> None:
    games = start(3, block_swaps=True)
    give_cards(games, 1, [5])
    settle(games)
    before = games.game(0).hands
    act(games, "propose", 0)
    act(games, "ask")
    act(games, "swap_card", DYE)  # nobody knows player 1's cards, so asking is allowed
    assert not can(games, "swap_card", DYE)  # but player 1 has one card only
    act(games, "offer")
    assert games.game(0).to_play == 1
    assert not can(games, "accept")
    act(games, "decline")
    assert games.game(0).hands == before
    assert games.game(0).to_play == 1


def test_swaps_need_three_players() -> None:
    with pytest.raises(ValueError, match="block_swaps needs 3 or 4 players"):
        start(2, block_swaps=True)
    assert not can(start(3), "propose", 0)
