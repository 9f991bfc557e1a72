"""What the learner is told of the answers to its moves, checked by making the move and the answer."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import PatchworkBatch
from patchwork_env.agents.outline import KINDS
from patchwork_env.agents.replies import REPLY_FEATURES
from tests.playing import EDITIONS, arrange, start
from training.candidates import CandidateView


def named(row: np.ndarray) -> dict[str, float]:
    return dict(zip(REPLY_FEATURES, row.tolist(), strict=True))


@pytest.mark.parametrize("edition", EDITIONS)
def test_replies_tell_where_both_players_stand_after_them(edition: str) -> None:
    games = PatchworkBatch(64, edition, seed=3, auto_reset=False)
    games.reset()
    view = CandidateView(games, 1)
    generator = np.random.default_rng(1)
    cells, last = games.edition.cells, games.edition.last_space
    checked = {"own": 0, "opponent": 0, "refused": 0}
    told: dict[int, tuple[np.ndarray, int]] = {}  # game -> answers to the move that was made, and who made it
    for _ in range(60):
        live = np.flatnonzero(~games.done)
        if not live.size:
            break
        view.update()
        before, rows = games.state.copy(), view.replies.copy()
        chosen = np.argmax(generator.random(view.mask.shape) * view.mask, axis=1)
        for i in [i for i in told if games.done[i] or games.game(int(i)).special_pending]:
            del told[i]
        for i, (answers, mover) in told.items():
            if games.to_play[i] != mover:  # its quilt is as it was, so what it can do is known exactly
                np.testing.assert_array_equal(answers[:, 0] == 1, view.mask[i])
                checked["refused"] += not view.mask[i].all()
        games.step(view.actions[np.arange(64), chosen][live], live)
        for i, (answers, mover) in told.items():
            row = named(answers[chosen[i]])
            if row["possible"] == 0 or row["specials_reached"] or games.state["refilled"][i] != before["refilled"][i]:
                continue
            own = before["to_play"][i] == mover
            checked["own" if own else "opponent"] += 1
            assert row["own"] == (1 if own else -1)
            for who, player in (("own", mover), ("opponent", 1 - mover)):
                assert row[f"{who}_buttons"] == pytest.approx(games.state["buttons"][i, player] * 0.05, abs=1e-5)
                assert row[f"{who}_income"] == pytest.approx(games.state["incomes"][i, player] * 0.1, abs=1e-5)
                left = (last - games.state["positions"][i, player]) / last
                assert row[f"{who}_track_left"] == pytest.approx(left, abs=1e-5)
                empty = int((games.observe(0)["quilts"][i, player] == 0).sum())
                assert row[f"{who}_empty_cells"] == pytest.approx(empty / cells, abs=1e-5)
            if games.state["done"][i]:
                assert row["next_decider"] == 0
                continue
            assert row["next_decider"] == (1 if games.state["to_play"][i] == mover else -1)
            offered = games.state["circle"][i][: min(3, int(games.state["circle_size"][i]))]
            costs = [games.edition.patches[patch].cost for patch in offered]
            assert [row[f"next_{k}_cost"] * 10 for k in range(len(costs))] == pytest.approx(costs, abs=1e-5)
        told = {
            int(i): (rows[i, chosen[i]], int(before["to_play"][i]))
            for i in live
            if not games.state["done"][i]
            and rows[i].any()
            and games.state["refilled"][i] == before["refilled"][i]
            and not games.game(int(i)).special_pending
        }
    assert min(checked.values()) > 20


def test_nothing_is_told_of_answers_while_a_special_patch_waits() -> None:
    games = PatchworkBatch(32, seed=4, auto_reset=False)
    games.reset()
    view = CandidateView(games, 1)
    waited = 0
    for _ in range(40):
        view.update()
        for i in np.flatnonzero(~games.done):
            waits = games.game(int(i)).special_pending
            assert view.replies[i].any() != waits
            waited += waits
        live = np.flatnonzero(~games.done)
        games.step(view.actions[np.arange(32), view.mask.argmax(axis=1)][live], live)
    assert waited > 0


def test_a_patch_that_was_bought_is_not_offered_again() -> None:
    games = start()
    arrange(games, circle=[3, 1, 6], buttons=(20, 20), to_play=0, positions=(0, 0))
    view = CandidateView(games, 1)
    view.update()
    assert view.replies.shape[1:] == (KINDS, KINDS, len(REPLY_FEATURES))
    bought, then = named(view.replies[0, 1, 1]), named(view.replies[0, 1, 3])
    assert bought["possible"] == 1
    assert then["possible"] == 0
    assert bought["next_0_cells"] > 0
    assert bought["next_1_cells"] == 0
