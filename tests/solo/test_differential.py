"""The solo engine against the plain reference: every decision of many random games."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from patchwork_env import SoloBatch
from patchwork_env.games.patchwork.automa import deck_names, level_names
from patchwork_env.games.patchwork.reward import MARGIN_SCALE
from tests.playing import EDITIONS, meanings
from tests.reference.automa import ReferenceSoloGame
from tests.reference.components import AUTOMA_DECKS, AutomaCard
from tests.reference.components import EDITIONS as RULES
from tests.solo.helpers import card_order, refill_order


def reference_of(games: SoloBatch) -> ReferenceSoloGame:
    """The same game, just set up."""
    cards = AUTOMA_DECKS[games.deck]
    shuffles = 1

    def shuffled() -> list[AutomaCard]:
        return [cards[k] for k in card_order(games, shuffles)]

    def reshuffle(deck: list[AutomaCard]) -> list[AutomaCard]:
        nonlocal shuffles
        assert len(deck) == 12
        shuffles += 1
        return shuffled()

    rules = RULES[games.edition.name]
    later = refill_order(games)
    return ReferenceSoloGame(
        rules,
        list(games.game(0).circle),
        shuffled(),
        games.level,
        reshuffle,
        draw_refill=(lambda _: later) if rules.refill_when_left else None,
    )


def compare_games(edition: str, level: str, deck: str, games_to_play: int, seed: int) -> tuple[int, int]:
    """Play random games through both; the decisions compared, and the shuffles of the deck."""
    generator = random.Random(seed)
    games = SoloBatch(1, edition, seed, auto_reset=False, reward="margin", level=level, deck=deck)
    game = games.game(0)
    decisions = shuffles = 0
    for _ in range(games_to_play):
        games.reset()
        reference = reference_of(games)
        thrifty = generator.random()  # a human who passes often lets the Automa have many turns
        while not game.done:
            named = meanings(games)
            assert set(named) == reference.legal_actions()
            key = generator.choice(sorted(named, key=lambda name: named[name]))
            if ("advance",) in named and generator.random() < thrifty:
                key = ("advance",)
            result = games.step(np.array([named[key]]))
            reference.play(key)
            compare_states(games, reference)
            margin = (reference.scores()[0] - reference.scores()[1]) / MARGIN_SCALE if reference.done else 0.0
            assert result.rewards[0].tolist() == pytest.approx([margin, -margin])
            decisions += 1
        assert game.winner == reference.winner()
        assert result.final_scores[0].tolist() == reference.scores()
        shuffles += int(games.automas[0]["shuffles"])
    return decisions, shuffles


def compare_states(games: SoloBatch, reference: ReferenceSoloGame) -> None:
    game = games.game(0)
    assert list(game.positions) == reference.positions
    assert list(game.buttons) == reference.buttons
    assert list(game.incomes) == reference.incomes
    assert list(game.circle) == reference.circle
    assert game.bonus_holder == reference.bonus_holder
    assert game.done == reference.done
    assert list(game.scores) == games.scores[0].tolist() == reference.scores()
    assert game.automa_patches == len(reference.automa_patches)
    assert len(game.cards_seen) == reference.card_index
    seen = Counter(AUTOMA_DECKS[games.deck][k] for k in game.cards_seen)
    assert seen == Counter(reference.deck[: reference.card_index])
    if not reference.done:
        assert game.to_play == reference.to_play == 0
        assert game.special_pending == reference.pending_special
        assert list(game.specials_left) == sorted(reference.special_spaces_left)
    quilt = [[int(cell is not None) for cell in row] for row in reference.quilts[0]]
    assert quilt == game.quilts[0].tolist()


@pytest.mark.parametrize("deck", deck_names())
@pytest.mark.parametrize("level", level_names())
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_solo_game_is_played_like_the_reference(edition: str, level: str, deck: str) -> None:
    games = 8
    decisions, shuffles = compare_games(edition, level, deck, games, seed=len(level) + len(deck))
    assert decisions > 80
    if edition != "stack_n_stuff":
        assert shuffles > 1.5 * games  # the deck is used up in most games


@pytest.mark.soak
@pytest.mark.parametrize("deck", deck_names())
@pytest.mark.parametrize("level", level_names())
@pytest.mark.parametrize("edition", EDITIONS)
def test_the_solo_game_is_played_like_the_reference_for_long(edition: str, level: str, deck: str) -> None:
    decisions, _ = compare_games(edition, level, deck, 400, seed=1_000)
    assert decisions > 5_000
