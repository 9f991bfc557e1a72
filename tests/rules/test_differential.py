"""The engine against the plain reference: every decision of many random games of every edition."""

from __future__ import annotations

import random

import numpy as np
import pytest

from patchwork_env import PatchworkBatch
from patchwork_env.games.patchwork.reward import MARGIN_SCALE
from tests.playing import EDITIONS, meanings
from tests.reference.components import EDITIONS as RULES
from tests.reference.patchwork import ReferenceGame


def compare_games(edition: str, games_to_play: int, seed: int) -> int:
    """Play random games through both; the number of decisions compared."""
    rules = RULES[edition]
    generator = random.Random(seed)
    games = PatchworkBatch(1, edition, seed=seed, auto_reset=False, reward="margin", first_player="random")
    game = games.game(0)
    drawn: list[int] = []
    decisions = 0
    for _ in range(games_to_play):
        games.reset()
        reference = ReferenceGame(
            rules, list(game.circle), game.to_play, draw_refill=(lambda _: drawn) if rules.refill_when_left else None
        )
        while not game.done:
            named = meanings(games)
            assert set(named) == reference.legal_actions()
            key = generator.choice(sorted(named, key=lambda name: named[name]))
            before = set(game.circle)
            result = games.step(np.array([named[key]]))
            drawn[:] = [patch for patch in game.circle if patch not in before]
            reference.play(key)
            compare_states(games, reference)
            margin = (reference.scores()[0] - reference.scores()[1]) / MARGIN_SCALE if reference.done else 0.0
            assert result.rewards[0].tolist() == pytest.approx([margin, -margin])
            decisions += 1
        assert game.winner == reference.winner()
        assert result.final_scores[0].tolist() == reference.scores()
    return decisions


def compare_states(games: PatchworkBatch, reference: ReferenceGame) -> None:
    game = games.game(0)
    assert list(game.positions) == reference.positions
    assert list(game.buttons) == reference.buttons
    assert list(game.incomes) == reference.incomes
    assert list(game.circle) == reference.circle
    assert game.bonus_holder == reference.bonus_holder
    assert game.done == reference.done
    assert list(game.scores) == reference.scores()
    if not reference.done:
        assert game.to_play == reference.to_play
        assert game.special_pending == reference.pending_special
        assert list(game.specials_left) == sorted(reference.special_spaces_left)
    for player in range(2):
        quilt = [[int(cell is not None) for cell in row] for row in reference.quilts[player]]
        assert quilt == game.quilts[player].tolist()


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("edition", EDITIONS)
def test_engine_plays_like_the_reference(edition: str, part: int) -> None:
    assert compare_games(edition, 250, seed=part) > 7_500


@pytest.mark.soak
@pytest.mark.parametrize("part", range(8))
@pytest.mark.parametrize("edition", EDITIONS)
def test_engine_plays_like_the_reference_for_long(edition: str, part: int) -> None:
    assert compare_games(edition, 2_000, seed=1_000 + part) > 50_000
