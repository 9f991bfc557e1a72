"""Each rule of the Automa in a position made for it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from patchwork_env import SoloBatch
from patchwork_env.games.patchwork.automa import (
    FILTERS,
    NO_CARD,
    automa_data,
    automa_tables,
    deck_names,
    level_names,
    new_automas,
)
from patchwork_env.games.patchwork.automa_rules import slot_to_take, take_turn, turn_card
from patchwork_env.games.patchwork.edition import load_edition
from patchwork_env.games.patchwork.rules import ADVANCE
from tests.playing import all_cells, arrange, play
from tests.reference.components import AUTOMA_DECKS, AUTOMA_LEVELS
from tests.solo.helpers import card_order


def solo(level: str = "legend", edition: str = "revised", **settings: Any) -> SoloBatch:
    games = SoloBatch(1, edition, **{"seed": 5, "auto_reset": False, "threads": 1, "level": level, **settings})
    games.reset()
    return games


def with_card(buttons: int, income: int, *filters: str) -> np.ndarray[Any, Any]:
    """Tables of a deck whose cards are all alike."""
    tables = automa_tables(load_edition("revised"), "legend", "normal").copy()
    tables["buttons"], tables["income"], tables["filters"] = buttons, income, 0
    tables["filters"][0, :, : len(filters)] = [FILTERS[name] for name in filters]
    return tables


def test_the_cards_are_the_printed_ones() -> None:
    """The package's data and the reference's were typed from the printed cards independently of each other."""
    data = automa_data()
    for name, cards in AUTOMA_DECKS.items():
        assert [tuple(card) for card in data.decks[name]] == [
            (card.virtual_buttons, card.income, card.filters) for card in cards
        ]
    assert {name: level.tile_before_end for name, level in data.levels.items()} == AUTOMA_LEVELS
    assert level_names() == ["intern", "apprentice", "fellow", "master", "legend"]
    assert deck_names() == ["normal", "tactical"]


# Patches: 5 is #####, 7 buttons, 1 space, 1 income; 14 has 5 cells, 10, 3, 2; 11 has 4 cells, 7, 6, 3;
# 6 has 4 cells, 6, 5, 2; 32 has 8 cells, 5, 3, 1; 30 has 7 cells, 2, 3, 0.


@pytest.mark.parametrize(
    ("circle", "buttons", "filters", "automa_behind", "slot"),
    [
        ([5, 14, 11], 4, ("largest",), 0, -1),  # too dear, all of them
        ([5, 14, 11], 7, (), 0, 2),  # 5 and 11 can be had: the one furthest from the token
        ([5, 32, 14], 6, ("most_buttons",), 0, 1),  # one can be had
        ([32, 30, 6], 10, ("largest",), 0, 0),  # 8 cells against 7 and 4
        ([11, 6, 32], 10, ("most_buttons", "largest"), 0, 0),  # 3 income
        ([6, 14, 5], 10, ("most_buttons", "largest"), 0, 1),  # 2 income each, then 5 cells against 4
        ([14, 6, 5], 10, ("most_buttons",), 0, 1),  # tied at 2 income: the further one
        ([5, 6, 11], 10, ("no_overtake", "most_buttons"), 1, 0),  # only the 1 space of patch 5 stays behind
        ([6, 11, 14], 10, ("no_overtake", "most_buttons"), 2, 1),  # none stays behind: the filter is ignored
        ([14, 32, 11], 10, ("no_overtake", "largest"), 3, 1),  # 14 and 32 reach the human's space, 8 cells win
        ([11, 5, 6], 10, ("most_buttons", "no_overtake"), 1, 0),  # the order of filters counts
        ([30], 2, ("largest",), 0, 0),  # fewer than three left
        ([], 10, ("largest",), 0, -1),  # none left
    ],
)
def test_choosing(circle: list[int], buttons: int, filters: tuple[str, ...], automa_behind: int, slot: int) -> None:
    games = solo()
    arrange(games, circle=circle, positions=(10 + automa_behind, 10))
    assert slot_to_take(games.tables[0], with_card(buttons, 0, *filters)[0], games.state[0], 0) == slot


def test_at_the_end_nobody_is_overtaken() -> None:
    """The human stands on the last space: any move ends there at most."""
    games = solo()
    arrange(games, circle=[5, 11, 14], positions=(53, 50))
    assert slot_to_take(games.tables[0], with_card(10, 0, "no_overtake", "most_buttons")[0], games.state[0], 0) == 1


def automa_turn(games: SoloBatch, tables: np.ndarray[Any, Any], **fields: Any) -> Any:
    """Let the Automa have a turn in a position; its record of the game."""
    arrange(games, **fields)
    games.state[0]["to_play"], games.state[0]["resolved"] = 1, games.state[0]["positions"][1]
    take_turn(games.tables[0], tables[0], games.state[0], games.automas[0], games._seed, 0, 0)
    return games.state[0]


def test_taking_a_patch_moves_the_token_and_adds_its_income() -> None:
    games = solo()
    record = automa_turn(
        games, with_card(10, 4, "most_buttons"), circle=[5, 14, 11, 30], positions=(9, 3), buttons=(5, 2)
    )
    assert record["positions"].tolist() == [9, 9]
    assert record["incomes"].tolist() == [0, 3]
    assert record["buttons"].tolist() == [5, 2 + 4]  # one income space, 5, on the way from 3 to 9
    assert games.automas[0]["patches"] == 1
    assert games.game(0).circle == (30, 5, 14)  # the skipped ones go behind all others
    assert record["to_play"] == 1  # it landed on the human's space: it moves again


def test_without_a_patch_it_advances_for_the_cards_income_only() -> None:
    games = solo()
    record = automa_turn(games, with_card(0, 5), circle=[5, 14, 11], positions=(12, 3), buttons=(5, 2))
    assert record["positions"].tolist() == [12, 13]
    assert record["buttons"].tolist() == [5, 2 + 5 + 5]  # spaces 5 and 11; nothing for the ten spaces moved
    assert games.game(0).circle == (5, 14, 11)
    assert games.automas[0]["patches"] == 0
    assert record["to_play"] == 0


def test_it_advances_no_further_than_the_last_space() -> None:
    games = solo()
    record = automa_turn(games, with_card(0, 1), circle=[5], positions=(53, 52), first_home=0)
    assert record["positions"].tolist() == [53, 53]
    assert record["done"] == 1
    assert record["buttons"][1] == 1


def test_special_patches_that_it_passes_are_gone() -> None:
    games = solo()
    automa_turn(games, with_card(0, 0), circle=[5], positions=(32, 20))
    assert games.game(0).positions == (32, 33)
    assert games.game(0).specials_left == (38, 44, 50)
    games = solo()
    arrange(games, positions=(25, 30), to_play=0, circle=[0, 1, 2])  # 26 went to the Automa
    play(games, "buy", 0)
    assert games.game(0).positions[0] == 26
    assert not games.game(0).special_pending


@pytest.mark.parametrize("level", level_names())
def test_each_level_takes_the_tile_at_its_space(level: str) -> None:
    space = 53 - AUTOMA_LEVELS[level]
    for start, taken in ((space - 3, True), (space, False), (space - 8, False)):
        games = solo(level)
        tables = games.automa_tables.copy()
        tables["buttons"], tables["filters"] = 10, 0
        record = automa_turn(games, tables, circle=[32], positions=(0, start), bonus_holder=-1)
        assert record["positions"][1] == min(start + 3, 53)
        assert (record["bonus_holder"] == 1) == taken
    games = solo(level)
    record = automa_turn(games, games.automa_tables, circle=[], positions=(space, space - 1), bonus_holder=0)
    assert record["bonus_holder"] == 0  # the human has it


def test_no_tile_where_the_edition_has_none() -> None:
    games = solo("intern", edition="stack_n_stuff")
    record = automa_turn(games, games.automa_tables, circle=[], positions=(29, 1), first_home=0)
    assert record["positions"][1] == 29
    assert record["bonus_holder"] == -1


@pytest.mark.parametrize(
    ("level", "points"),
    [("intern", 7), ("apprentice", 7 + 9), ("fellow", 7 + 9 + 4), ("master", 7 + 9 + 6), ("legend", 7 + 9 + 4 + 6)],
)
def test_each_level_scores_what_it_should(level: str, points: int) -> None:
    games = solo(level)
    arrange(games, buttons=(0, 9), incomes=(0, 6), bonus_holder=1)
    games.automas[0]["patches"] = 4
    assert games.game(0).scores == (-162, points)
    assert games.scores[0].tolist() == [-162, points]
    arrange(games, buttons=(0, 9), incomes=(0, 6), bonus_holder=0)
    games.automas[0]["patches"] = 4
    assert games.game(0).scores == (-155, points - 7)


@pytest.mark.parametrize(("buttons", "winner"), [(19, 1), (20, 0), (21, 0)])
@pytest.mark.parametrize("reward", ["outcome", "margin"])
def test_a_tie_is_the_humans(buttons: int, winner: int, reward: str) -> None:
    games = solo("apprentice", reward=reward)
    arrange(
        games,
        positions=(52, 53),
        buttons=(buttons - 1, 20),  # the last space pays one for the move
        quilts=[all_cells(games.edition), all_cells(games.edition)],
        first_home=1,
    )
    result = games.step(np.array([ADVANCE]))
    game = games.game(0)
    assert game.done
    assert game.scores == (buttons, 20)
    assert game.winner == winner
    won = 1.0 if winner == 0 else -1.0
    assert result.rewards[0, 0] == pytest.approx(won if reward == "outcome" else (buttons - 20) / 50)
    assert result.rewards[0, 1] == -result.rewards[0, 0]


def test_the_start() -> None:
    games = solo()
    game = games.game(0)
    assert game.buttons == (5, 0)
    assert game.to_play == 0
    assert game.card is None
    assert game.cards_seen == ()
    assert game.scores == (5 - 162, 0)
    assert game.quilts[1].all()


def test_ten_cards_are_turned_then_all_twelve_are_shuffled() -> None:
    games = solo()
    first, second = card_order(games, 1), card_order(games, 2)
    assert sorted(first) == sorted(second) == list(range(12))
    assert first != second
    automa = games.automas[0]
    turned = [int(turn_card(games.automa_tables[0], automa, games._seed, 0, 0)) for _ in range(20)]
    assert turned == first[:10] + second[:10]
    assert automa["shuffles"] == 2


def test_every_card_is_as_likely_at_every_place() -> None:
    count = 6000
    automas = new_automas(count)
    tables = automa_tables(load_edition("revised"), "legend", "normal")
    places = np.array([[turn_card(tables[0], automas[i], np.uint64(3), i, 0) for _ in range(10)] for i in range(count)])
    for place in range(10):
        counts = Counter(places[:, place].tolist())
        assert all(abs(counts[card] - count / 12) < 5 * (count / 12) ** 0.5 for card in range(12))
    pairs = Counter(zip(places[:, 0].tolist(), places[:, 1].tolist(), strict=True))
    assert len(pairs) == 12 * 11
    assert all(len(set(row)) == 10 for row in places.tolist())


def test_names_are_checked() -> None:
    with pytest.raises(ValueError, match="unknown Automa level 'boss'; known are intern"):
        SoloBatch(1, level="boss")
    with pytest.raises(ValueError, match="unknown Automa deck 'big'; known are normal, tactical"):
        SoloBatch(1, deck="big")
    with pytest.raises(ValueError, match="unknown reward 'shaped'; the solo game has outcome, margin"):
        SoloBatch(1, reward="shaped")
    with pytest.raises(ValueError, match="player_0, begins"):
        SoloBatch(1).reset(first_players="player_1")
    assert new_automas(1)[0]["card"] == NO_CARD
