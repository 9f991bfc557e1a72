"""The candidate view: legal, mapped back rightly, with features that say what happens."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import PatchworkBatch
from patchwork_env.agents.base import make_agent
from patchwork_env.games.patchwork.actions import describe
from tests.playing import EDITIONS, arrange, random_actions, start
from training.candidates import FEATURES, NUM_FEATURES, CandidateView


def feature(view: CandidateView, name: str) -> np.ndarray:  # type: ignore[type-arg]
    return view.features[:, :, FEATURES.index(name)]


@pytest.mark.parametrize("placements", [1, 8, 648])
@pytest.mark.parametrize("edition", EDITIONS)
def test_candidates_are_legal_distinct_and_complete_where_there_is_room(edition: str, placements: int) -> None:
    games = PatchworkBatch(24, edition, seed=3)
    games.reset()
    view = CandidateView(games, placements)
    assert view.size == 1 + 3 * placements
    generator = np.random.default_rng(1)
    rows = np.arange(24)
    for _ in range(70 if placements < 100 else 25):
        view.update()
        assert (view.counts == view.mask.sum(axis=1)).all()
        assert (view.counts > 0).all()
        assert not view.features[~view.mask].any()
        for i in rows:
            actions = view.actions[i, view.mask[i]]
            assert len(set(actions.tolist())) == len(actions)
            assert games.action_mask[i, actions].all()
            if placements == 648:
                assert len(actions) == games.action_mask[i].sum()
        games.step(random_actions(games, generator))


def test_the_value_feature_is_the_greedy_players() -> None:
    games = PatchworkBatch(64, seed=1)
    games.reset()
    view = CandidateView(games, 16)
    greedy = make_agent("greedy")
    everyone = np.arange(64)
    agreed = []
    for _ in range(60):
        view.update()
        value = np.where(view.mask, feature(view, "value"), -np.inf)
        choice = view.actions[everyone, value.argmax(axis=1)]
        actions = greedy.act(games, everyone)
        agreed.append((choice == actions).mean())
        games.step(actions)
    assert np.mean(agreed) > 0.95


def test_the_bonus_square_is_told() -> None:
    games = start()
    hole = {(0, 0), (0, 1), (0, 2)}
    square = {(row, column) for row in range(7) for column in range(7)} - hole
    arrange(games, quilts=(square, set()), circle=[3, *range(4, 20)], buttons=(9, 9), to_play=0)
    view = CandidateView(games, 8)
    view.update()
    best = int(feature(view, "completes_bonus")[0].argmax())
    info = describe(games.edition, games.state[0], int(view.actions[0, best]))
    assert set(info.cells) == hole
    assert feature(view, "completes_bonus")[0].sum() == 1


def test_updating_some_games_leaves_the_others() -> None:
    games = PatchworkBatch(6, seed=1)
    games.reset()
    view = CandidateView(games, 4)
    view.update()
    kept = view.features.copy()
    games.step(np.zeros(6, int))
    view.update(np.array([1, 4]))
    assert (view.features[[0, 2, 3, 5]] == kept[[0, 2, 3, 5]]).all()
    assert (view.features[[1, 4]] != kept[[1, 4]]).any()


def test_wrong_settings() -> None:
    with pytest.raises(ValueError, match="placements must be at least 1"):
        CandidateView(PatchworkBatch(1), 0)
    assert len(set(FEATURES)) == NUM_FEATURES
