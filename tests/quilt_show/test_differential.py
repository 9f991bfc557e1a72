"""The engine against the plain reading of the rulebook: same legal actions and same state after every decision."""

from __future__ import annotations

import random

import pytest

from patchwork_env.games.quilt_show import layout
from patchwork_env.games.quilt_show.cards import VARIANTS
from tests.quilt_show.mirror import Mirror, variant_sets

COMBINATIONS = [(players, variants) for players in (2, 3, 4) for variants in variant_sets(players)]
SOAK_GAMES = 1000  # for each number of players and each variant alone


def test_there_are_all_combinations() -> None:
    assert len(COMBINATIONS) == 16 + 32 + 32


@pytest.mark.parametrize(("players", "variants"), COMBINATIONS, ids=str)
def test_random_games_of_every_combination(players: int, variants: tuple[str, ...]) -> None:
    mirror = Mirror(players, variants, seed=COMBINATIONS.index((players, variants)))
    assert mirror.play_to_the_end(random.Random(players)) > 100
    assert mirror.reference.over or mirror.reference.truncated


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_in_which_cards_run_out(players: int) -> None:
    for seed in range(2):
        mirror = Mirror(players, ("color_sorting",), seed=seed)
        decisions = mirror.play_to_the_end(random.Random(seed), hoard=0.97, check_every=5)
        assert decisions > 300


def test_a_game_without_end_is_cut_off() -> None:
    mirror = Mirror(3, ("block_swaps",), seed=1)
    chooser = random.Random(1)
    while legal := mirror.legal():
        assert not mirror.games.truncated[0]
        mirror.play(chooser.choice([action for action in legal if action >= layout.PROPOSE]))
    mirror.check()
    assert mirror.reference.decisions == 2000
    assert mirror.reference.truncated
    assert mirror.games.truncated[0]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_in_which_colors_run_out(players: int) -> None:
    removed = traded = 0
    for seed in range(12):
        chooser = random.Random(seed)
        mirror = Mirror(players, ("color_sorting",), seed=seed)
        mirror.thin_out(chooser, largest=12)
        while legal := mirror.legal():
            trades = [action for action in legal if layout.TRADE <= action < layout.PROPOSE]
            traded += len(trades)
            mirror.play(chooser.choice(trades or legal))
            mirror.check()
        removed += len(mirror.reference.removed)
    assert removed > 100
    assert traded > 10


SINGLE = [
    (players, variants)
    for players in (2, 3, 4)
    for variants in [(), *((name,) for name in VARIANTS if name != "block_swaps" or players > 2)]
]


@pytest.mark.soak
@pytest.mark.parametrize(("players", "variants"), SINGLE, ids=str)
def test_thousands_of_random_games(players: int, variants: tuple[str, ...]) -> None:
    chooser = random.Random(players * 100 + len(variants))
    for game in range(SOAK_GAMES):
        Mirror(players, variants, seed=10_000 + game).play_to_the_end(chooser, check_every=7)


@pytest.mark.soak
def test_thousands_of_random_games_of_combinations() -> None:
    chooser = random.Random(5)
    for game in range(SOAK_GAMES):
        players, variants = COMBINATIONS[game % len(COMBINATIONS)]
        Mirror(players, variants, seed=20_000 + game).play_to_the_end(chooser, check_every=7)
