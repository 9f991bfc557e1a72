"""Checks of the reference itself: the rulebooks' worked examples, the rulings, and random games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import pytest

from .automa import ReferenceSoloGame
from .components import AUTOMA_DECKS, AUTOMA_LEVELS, EDITIONS, AutomaCard, EditionRules, Patch
from .patchwork import Action, PatchworkTable, ReferenceGame, orientations, shape_cells

GAMES_PER_EDITION = 30
SOLO_GAMES_PER_LEVEL = 4

Item = TypeVar("Item")


def circle_in_order(rules: EditionRules) -> list[int]:
    """The circle with ascending ids, the start patch last."""
    return [*range(1, rules.patches_at_start), rules.start_patch]


def new_game(edition: str, circle: list[int] | None = None, first_player: int = 0) -> ReferenceGame:
    """A two-player game whose refill, if any, comes in ascending order of ids."""
    rules = EDITIONS[edition]
    return ReferenceGame(rules, circle or circle_in_order(rules), first_player, draw_refill=list)


def first_purchase(game: PatchworkTable, slot: int) -> Action:
    """Some legal purchase of the offered patch in this slot, the same one every time."""
    purchases = [action for action in game.legal_actions() if action[0] == "buy" and action[1] == slot]
    return min(purchases, key=lambda action: sorted(action[3]))


def fill_quilt(game: PatchworkTable, player: int, empty: int) -> None:
    """Cover the player's quilt by hand, except for its first cells in reading order."""
    side = game.rules.quilt_side
    for index in range(side * side):
        game.quilts[player][index // side][index % side] = None if index < empty else "special"


# Components


def test_counts_of_the_components() -> None:
    assert [len(EDITIONS[name].patches) for name in EDITIONS] == [33, 33, 33, 23]
    for rules in EDITIONS.values():
        starting = rules.patches[: rules.patches_at_start]
        sizes = [len(shape_cells(patch.shape)) for patch in starting]
        assert sizes.count(min(sizes)) == 1
        assert sizes.index(min(sizes)) == rules.start_patch
    assert all(len(deck) == 12 for deck in AUTOMA_DECKS.values())


@pytest.mark.parametrize(
    ("shape", "count"),
    [
        ("##", 2),
        ("##/##", 1),
        (".#./###/.#.", 1),
        ("##/#.", 4),
        ("##./.##", 4),
        ("###/##.", 8),
        ("###/#..", 8),
    ],
)
def test_orientations_that_look_the_same_count_once(shape: str, count: int) -> None:
    assert len(orientations(Patch(shape, 0, 0, 0))) == count


def test_placements_on_an_empty_quilt() -> None:
    game = new_game("original", circle=[0, 6, 3])
    game.buttons = [6, 6]
    counts = Counter(action[1] for action in game.legal_actions() if action[0] == "buy")
    assert counts == {0: 2 * 9 * 8, 1: 8 * 8, 2: 2 * 9 * 7}


# Worked examples of the rulebooks


@pytest.mark.parametrize(("edition", "lead"), [("original", 3), ("stack_n_stuff", 2)])
def test_advance_example(edition: str, lead: int) -> None:
    game = new_game(edition)
    game.positions = [0, lead]
    game.play(("advance",))
    assert game.positions == [lead + 1, lead]
    assert game.buttons == [5 + lead + 1, 5]
    assert game.to_play == 1


def test_player_three_spaces_behind_goes_again_after_three_spaces() -> None:
    # Patch 1 takes three spaces: it ends on the opponent's space, on top. Patch 15 takes four.
    for patch_id, next_player in ((2, 0), (1, 0), (15, 1)):
        game = new_game("original", circle=[patch_id])
        game.positions = [6, 9]
        game.play(first_purchase(game, 0))
        assert game.to_play == next_player


def test_token_that_lands_later_lies_on_top() -> None:
    game = new_game("original", circle=[2, 2, 3], first_player=1)
    assert game.to_play == 1
    game.play(first_purchase(game, 0))
    assert (game.positions, game.to_play) == ([0, 1], 0)
    game.play(first_purchase(game, 0))
    assert (game.positions, game.to_play) == ([1, 1], 0)
    game.play(("advance",))
    assert (game.positions, game.to_play) == ([2, 1], 1)


@pytest.mark.parametrize("edition", ["original", "revised", "halloween"])
def test_doris_and_andrea(edition: str) -> None:
    game = new_game(edition)
    fill_quilt(game, 0, empty=5)
    fill_quilt(game, 1, empty=2)
    game.buttons = [14, 18]
    game.bonus_holder = 0
    assert game.scores() == [11, 14]
    game.done = True
    assert game.winner() == 1


@pytest.mark.parametrize("first_to_finish", [0, 1])
def test_lily_and_max_tie(first_to_finish: int) -> None:
    game = new_game("stack_n_stuff")
    fill_quilt(game, 0, empty=4)
    fill_quilt(game, 1, empty=1)
    # One space is left for each of them and both take it by advancing, which pays one coin.
    game.buttons = [13, 7]
    game.positions = [28, 28]
    game.to_play = game.last_to_arrive = first_to_finish
    game.play(("advance",))
    assert not game.done
    assert game.to_play == 1 - first_to_finish
    game.play(("advance",))
    assert game.done
    assert game.scores() == [6, 6]
    assert game.winner() == first_to_finish
    assert game.legal_actions() == set()


@pytest.mark.parametrize("income", [2, 3])
def test_income_example(income: int) -> None:
    game = new_game("original")
    game.incomes[0] = income
    game.positions = [4, 4]
    game.play(("advance",))
    assert game.buttons[0] == 5 + 1 + income


# Rulings


def test_patch_just_placed_pays_in_the_same_move() -> None:
    game = new_game("original", circle=[6, 1, 2])
    game.buttons[0] = 6
    game.play(first_purchase(game, 0))
    assert game.positions[0] == 5
    assert game.buttons[0] == 6 - 6 + 2


def test_skipped_patches_go_behind_all_others() -> None:
    game = new_game("original", circle=[1, 2, 3, 4, 5])
    game.play(first_purchase(game, 2))
    assert game.circle == [4, 5, 1, 2]
    short = new_game("original", circle=[3, 2])
    assert {action[1] for action in short.legal_actions() if action[0] == "buy"} == {0, 1}


def test_advance_stops_on_the_last_space_and_pays_the_spaces_moved() -> None:
    game = new_game("original")
    game.positions = [50, 53]
    game.special_spaces_left = []
    game.first_to_finish = 1
    game.play(("advance",))
    assert game.positions == [53, 53]
    assert game.buttons[0] == 5 + 3
    assert game.done


def test_special_patch_comes_before_the_income_behind_it() -> None:
    game = new_game("original")
    game.positions = [18, 24]
    game.incomes[0] = 3
    game.play(("advance",))
    assert game.positions[0] == 25
    assert game.pending_special
    assert game.to_play == 0
    assert game.buttons[0] == 5 + 7
    assert {action[0] for action in game.legal_actions()} == {"special"}
    game.play(("special", (4, 4)))
    assert game.buttons[0] == 5 + 7 + 3
    assert not game.pending_special
    assert game.to_play == 1
    game.play(("advance",))
    assert game.special_spaces_left == [32, 44, 50]


def test_second_player_finds_no_special_patch() -> None:
    game = new_game("original")
    game.positions = [21, 19]
    game.special_spaces_left.remove(20)
    game.to_play = 1
    game.play(("advance",))
    assert not game.pending_special


@pytest.mark.parametrize(("edition", "may_decline"), [("revised", False), ("halloween", True)])
def test_only_some_editions_let_a_player_decline(edition: str, may_decline: bool) -> None:
    game = new_game(edition)
    game.positions = [25, 25]
    game.play(("advance",))
    assert (("decline",) in game.legal_actions()) == may_decline
    if may_decline:
        game.play(("decline",))
        assert len(game.empty_cells(0)) == 81
        assert 26 not in game.special_spaces_left
    else:
        with pytest.raises(ValueError, match="not a legal action"):
            game.play(("decline",))


def test_special_patch_fills_the_last_cell_and_the_next_one_is_removed() -> None:
    game = new_game("stack_n_stuff")
    fill_quilt(game, 0, empty=1)
    game.positions = [22, 27]
    game.special_spaces_left = [23, 27]
    game.play(("advance",))
    game.play(("special", (0, 0)))
    assert game.special_spaces_left == []
    assert not game.pending_special
    assert game.to_play == 1


def test_game_ends_after_the_last_special_patch_is_placed() -> None:
    game = new_game("original")
    game.positions = [49, 53]
    game.first_to_finish = 1
    game.incomes[0] = 2
    game.play(("advance",))
    assert (game.pending_special, game.done) == (True, False)
    game.play(("special", (0, 0)))
    assert (game.pending_special, game.done) == (False, True)
    assert game.buttons[0] == 5 + 4 + 2


def test_special_tile_goes_to_the_first_full_square_even_by_a_special_patch() -> None:
    game = new_game("original")
    for player in range(2):
        for row in range(2, 9):
            for column in range(2, 9):
                game.quilts[player][row][column] = "special"
    game.quilts[0][5][5] = None
    game.quilts[1][5][5] = None
    game.positions = [19, 19]
    game.play(("advance",))
    assert game.bonus_holder is None
    game.play(("special", (5, 5)))
    assert game.bonus_holder == 0
    game.positions[1] = 25
    game.to_play = 1
    game.positions[0] = 25
    game.play(("advance",))
    game.play(("special", (5, 5)))
    assert game.bonus_holder == 0


def test_stuff_tiles_join_last_before_the_box_is_decided() -> None:
    asked: list[list[int]] = []

    def draw_refill(waiting: list[int]) -> list[int]:
        asked.append(waiting)
        return waiting[::-1]

    game = ReferenceGame(EDITIONS["stack_n_stuff"], [1, 14, 2, 3, 4, 5], 0, draw_refill)
    game.positions = [6, 6]
    game.play(first_purchase(game, 1))
    assert game.pending_special
    assert asked == [list(range(15, 23))]
    assert game.circle == [2, 3, 4, 5, 1, *range(22, 14, -1)]


# The Automa


def solo_game(
    cards: list[AutomaCard], circle: list[int], level: str = "legend", edition: str = "original"
) -> ReferenceSoloGame:
    """A solo game whose deck begins with the given cards; a reshuffle turns the deck around."""
    deck = cards + [AutomaCard(0, 0, ())] * (12 - len(cards))
    return ReferenceSoloGame(EDITIONS[edition], circle, deck, level, reshuffle=lambda all_cards: all_cards[::-1])


@pytest.mark.parametrize(
    ("filters", "virtual_buttons", "taken"),
    [
        (("largest", "most_buttons"), 10, 32),
        (("most_buttons", "largest"), 10, 11),
        (("no_overtake", "most_buttons"), 10, 2),
        ((), 10, 2),
        ((), 6, 2),
        (("most_buttons",), 5, 32),
    ],
)
def test_automa_chooses_by_its_filters(filters: tuple[str, ...], virtual_buttons: int, taken: int) -> None:
    # Offered are 11 (4 cells, 7 buttons, time 6, income 3), 32 (8 cells, 5, 3, 1), 2 (3 cells, 3, 1, 0).
    game = solo_game([AutomaCard(virtual_buttons, 0, filters)], [11, 32, 2, 3, 4])
    game.play(("advance",))
    assert game.automa_patches[0] == taken


def test_automa_ignores_no_overtake_if_nothing_is_left_and_prefers_the_far_one() -> None:
    game = solo_game([AutomaCard(10, 0, ("no_overtake", "largest"))], [1, 3, 4, 15])
    game.play(("advance",))
    assert game.automa_patches == [4]
    tied = solo_game([AutomaCard(10, 0, ("largest", "most_buttons"))], [3, 1, 1, 15])
    tied.play(("advance",))
    assert tied.circle == [15, 3, 1]


def test_automa_without_a_patch_advances_for_card_income_only() -> None:
    game = solo_game([AutomaCard(0, 5, ())], [1, 2, 3, 4])
    game.positions = [3, 4]
    game.play(("advance",))
    assert game.positions == [5, 6]
    assert game.automa_buttons == 5
    assert (game.automa_patches, game.circle) == ([], [1, 2, 3, 4])
    assert game.card_index == 1


def test_automa_takes_special_patches_and_the_special_tile() -> None:
    game = solo_game([], [], level="apprentice")
    game.positions = [43, 43]
    game.play(("advance",))
    assert game.pending_special
    game.play(("special", (0, 0)))
    # The Automa went from 43 to 45 and so passed space 44, where its level lets it take the tile.
    assert game.positions == [44, 45]
    assert game.bonus_holder == 1
    assert game.scores()[1] == 7
    other = solo_game([], [], level="fellow")
    other.positions = [42, 42]
    other.play(("advance",))
    assert other.positions == [43, 44]
    assert other.special_spaces_left == [20, 26, 32, 50]
    assert other.bonus_holder is None


@pytest.mark.parametrize(
    ("level", "points"), [("intern", 7), ("apprentice", 11), ("fellow", 14), ("master", 16), ("legend", 19)]
)
def test_automa_scores_by_level(level: str, points: int) -> None:
    game = solo_game([], [], level=level)
    game.bonus_holder = 1
    game.buttons[1] = 4
    game.automa_patches = [11, 6, 1]
    assert game.scores()[1] == points


def test_tie_with_the_automa_is_the_humans() -> None:
    game = solo_game([], [], level="intern")
    fill_quilt(game, 0, empty=0)
    game.buttons[0] = 0
    game.done = True
    assert game.scores() == [0, 0]
    assert game.winner() == 0
    game.bonus_holder = 1
    assert game.winner() == 1


def test_used_up_deck_is_reshuffled_with_the_cards_set_aside() -> None:
    deck = [AutomaCard(0, number, ()) for number in range(12)]
    game = solo_game(deck, [])
    while game.card_index < 10:
        game.play(min(game.legal_actions(), key=repr))
    assert game.deck == deck
    while game.card_index == 10:
        game.play(min(game.legal_actions(), key=repr))
    assert game.deck == deck[::-1]
    assert game.card_index == 1


# Random games


def shuffled_circle(rules: EditionRules, generator: random.Random) -> list[int]:
    """A random circle, seen from the neutral token right after the start patch."""
    others = [patch_id for patch_id in range(rules.patches_at_start) if patch_id != rules.start_patch]
    generator.shuffle(others)
    return [*others, rules.start_patch]


def shuffler(generator: random.Random) -> Callable[[list[Item]], list[Item]]:
    """A function that returns a list in a random order."""

    def shuffled(items: list[Item]) -> list[Item]:
        return generator.sample(items, len(items))

    return shuffled


class Ledger:
    """Keeps its own account of the human players' money and cells, from the actions alone."""

    def __init__(self, rules: EditionRules) -> None:
        self.rules = rules
        self.money = [rules.start_money, rules.start_money]
        self.income = [0, 0]
        self.cells = [0, 0]
        self.bought: list[set[int]] = [set(), set()]
        self.declined = 0

    def note(self, player: int, action: Action, start: int, end: int) -> None:
        """Book one action of a player whose token went from start to end."""
        if action[0] == "buy":
            patch = self.rules.patches[action[2]]
            self.money[player] -= patch.cost
            self.income[player] += patch.income
            self.cells[player] += patch.shape.count("#")
            self.bought[player].add(action[2])
        elif action[0] == "advance":
            self.money[player] += end - start
        elif action[0] == "special":
            self.cells[player] += 1
        else:
            self.declined += 1
        # The income of a move is booked with the action that moved the token, so the account agrees
        # with the game's only when no special patch is pending.
        self.money[player] += self.income[player] * sum(start < space <= end for space in self.rules.income_spaces)

    def check(self, game: PatchworkTable, players: list[int]) -> None:
        """Compare the account with the game."""
        rules = self.rules
        for player in players:
            contents = Counter(content for line in game.quilts[player] for content in line)
            assert sum(contents.values()) == rules.quilt_side**2
            assert contents[None] == rules.quilt_side**2 - self.cells[player] == len(game.empty_cells(player))
            assert {content for content in contents if isinstance(content, int)} == self.bought[player]
            for patch_id in self.bought[player]:
                assert contents[patch_id] == rules.patches[patch_id].shape.count("#")
            assert game.incomes[player] == self.income[player]
            assert game.buttons[player] >= 0
            if not game.pending_special:
                assert game.buttons[player] == self.money[player]


def order_of_action(action: Action) -> list[tuple[int, int]]:
    """A key that sorts actions of one kind, none of which has the same cells and slot as another."""
    if action[0] == "buy":
        return [(action[1], action[2]), *sorted(action[3])]
    return [action[1]] if action[0] == "special" else []


def play_at_random(game: PatchworkTable, generator: random.Random, players: list[int]) -> Ledger:
    """Play to the end and compare the game with a ledger after every action."""
    ledger = Ledger(game.rules)
    while not game.done:
        player = game.to_play
        assert player in players
        assert game.pending_special or game.positions[player] <= game.positions[1 - player]
        # Sorted, because the order of a set with text in it changes from one run to the next.
        actions = game.legal_actions()
        kind = generator.choice(sorted({action[0] for action in actions}))
        of_that_kind = [action for action in actions if action[0] == kind]
        action = generator.choice(sorted(of_that_kind, key=order_of_action))
        start = game.positions[player]
        positions_before = list(game.positions)
        game.play(action)
        assert all(new >= old for new, old in zip(game.positions, positions_before, strict=True))
        ledger.note(player, action, start, game.positions[player])
        ledger.check(game, players)
    assert game.positions == [game.rules.last_space] * 2
    assert not game.pending_special
    assert game.special_spaces_left == []
    return ledger


@pytest.mark.parametrize("edition", list(EDITIONS))
def test_random_games(edition: str) -> None:
    rules = EDITIONS[edition]
    bought_in_all = 0
    refilled_games = 0
    for seed in range(GAMES_PER_EDITION):
        generator = random.Random(seed)
        circle = shuffled_circle(rules, generator)
        game = ReferenceGame(rules, circle, seed % 2, shuffler(generator))
        ledger = play_at_random(game, generator, players=[0, 1])
        bought = sorted(ledger.bought[0] | ledger.bought[1])
        assert len(bought) == len(ledger.bought[0]) + len(ledger.bought[1])
        refilled = any(patch_id >= rules.patches_at_start for patch_id in bought + game.circle)
        in_play = len(rules.patches) if refilled else rules.patches_at_start
        assert sorted(bought + game.circle) == list(range(in_play))
        placed = sum(line.count("special") for quilt in game.quilts for line in quilt)
        assert placed + ledger.declined == len(rules.special_spaces)
        for player in range(2):
            bonus = rules.bonus_points if game.bonus_holder == player else 0
            empty = rules.quilt_side**2 - ledger.cells[player]
            assert game.scores()[player] == ledger.money[player] + bonus - 2 * empty
        assert game.scores()[game.winner()] == max(game.scores())
        bought_in_all += len(bought)
        refilled_games += refilled
    # The games would check little if they were all advances, or never reached a refill.
    assert bought_in_all > 5 * GAMES_PER_EDITION
    assert (refilled_games > 0) == (rules.refill_when_left is not None)


@pytest.mark.parametrize("level", list(AUTOMA_LEVELS))
@pytest.mark.parametrize("deck_name", list(AUTOMA_DECKS))
def test_random_solo_games(deck_name: str, level: str) -> None:
    for seed in range(SOLO_GAMES_PER_LEVEL):
        generator = random.Random(seed)
        rules = EDITIONS[list(EDITIONS)[seed % len(EDITIONS)]]
        deck = generator.sample(AUTOMA_DECKS[deck_name], 12)
        circle = shuffled_circle(rules, generator)
        game = ReferenceSoloGame(rules, circle, deck, level, shuffler(generator), shuffler(generator))
        ledger = play_at_random(game, generator, players=[0])
        taken = sorted([*ledger.bought[0], *game.automa_patches, *game.circle])
        assert taken in (list(range(len(rules.patches))), list(range(rules.patches_at_start)))
        # Nobody can fill a 7x7 by playing at random, so the tile, if there is one, is the Automa's.
        assert game.bonus_holder == (None if rules.bonus_square is None else 1)
        assert len(game.empty_cells(1)) == rules.quilt_side**2
        assert game.winner() == (0 if game.scores()[0] >= game.scores()[1] else 1)
