"""What the learner is told of a position and of each kind of move, checked by making the move."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import PatchworkBatch
from patchwork_env.agents.outline import KINDS
from patchwork_env.agents.situation import MOVE_FEATURES, UPCOMING
from patchwork_env.games.patchwork.actions import describe
from tests.playing import EDITIONS, arrange, random_actions, start
from training.candidates import FEATURES, CandidateView


def kind_of(place: int, placements: int) -> int:
    return (place + placements - 1) // placements


@pytest.mark.parametrize("edition", EDITIONS)
def test_moves_tell_what_comes_of_them(edition: str) -> None:
    games = PatchworkBatch(16, edition, seed=5, auto_reset=False)
    games.reset()
    view = CandidateView(games, 4)
    generator = np.random.default_rng(2)
    seen = set()
    for _ in range(40):
        live = np.flatnonzero(~games.done)
        if not live.size:
            break
        view.update()
        chosen = np.argmax(generator.random(view.mask.shape) * view.mask, axis=1)
        before = games.state.copy()
        told = view.moves[np.arange(16), [kind_of(place, 4) for place in chosen]].copy()
        actions = view.actions[np.arange(16), chosen]
        games.step(actions[live], live)
        for i in live:
            info = describe(games.edition, before[i], int(actions[i]))
            row = dict(zip(MOVE_FEATURES, told[i].tolist(), strict=True))
            assert row[info.kind] == 1
            seen.add(info.kind)
            player = before[i]["to_play"]
            special_waits = not games.state["done"][i] and games.game(int(i)).special_pending
            if not special_waits and info.kind in ("advance", "buy"):
                assert row["buttons_after"] == pytest.approx(games.state["buttons"][i, player] * 0.05, abs=1e-5)
            assert row["income_after"] == pytest.approx(games.state["incomes"][i, player] * 0.1, abs=1e-5)
            if info.kind not in ("advance", "buy"):
                continue
            moved = games.state["positions"][i, player] - before[i]["positions"][player]
            assert row["spaces_moved"] == pytest.approx(moved * 0.1, abs=1e-5)
            assert row["specials_reached"] >= special_waits
            if not games.state["done"][i] and not special_waits:
                assert row["keeps_turn"] == (games.state["to_play"][i] == player)
                offered = min(3, int(games.state["circle_size"][i]))
                if games.state["refilled"][i] == before[i]["refilled"]:
                    coming = [games.edition.patches[patch].cost for patch in games.state["circle"][i][:UPCOMING]]
                    assert [row[f"next_{k}_cost"] * 10 for k in range(offered)] == pytest.approx(coming[:offered])
                if games.state["to_play"][i] != player:
                    # What the opponent can buy is what its mask allows: its own quilt is as it was.
                    blocks = games.action_mask[i][1 + games.edition.cells : -1].reshape(3, -1).any(axis=1)
                    for k in range(offered):
                        can = bool(row[f"next_{k}_opponent_affordable"]) and row[f"next_{k}_opponent_ways"] > 0
                        assert can == blocks[k]
    assert {"advance", "buy", "special"} <= seen


def test_moves_that_cannot_be_made_are_told_as_nothing() -> None:
    games = start()
    arrange(games, circle=[14, 5, 28, *range(6, 12)], buttons=(5, 5), to_play=0)  # they cost 10, 7 and 0
    view = CandidateView(games, 2)
    view.update()
    assert [bool(row.any()) for row in view.moves[0]] == [True, False, False, True]


def test_a_better_offer_to_the_opponent_is_told() -> None:
    values = []
    for following in (1, 6):  # patch 1 costs 1 button for 3 cells; patch 6 is 4 cells with income 2 for 6 buttons
        games = start()
        arrange(games, circle=[3, following, following + 1, 9, 10, 11], buttons=(9, 9), to_play=0, positions=(0, 1))
        view = CandidateView(games, 2)
        view.update()
        values.append(view.moves[0, 1, MOVE_FEATURES.index("reply_best")])
    assert values[0] != values[1]


def _turned(cells: set[tuple[int, int]], quarter_turns: int, mirrored: bool) -> set[tuple[int, int]]:
    board = np.zeros((9, 9), bool)
    for cell in cells:
        board[cell] = True
    board = np.rot90(np.fliplr(board) if mirrored else board, quarter_turns)
    return {(int(row), int(column)) for row, column in np.argwhere(board)}


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("quarter_turns", [0, 1, 2, 3])
def test_the_eight_pictures_of_a_quilt_are_told_alike(quarter_turns: int, mirrored: bool) -> None:
    generator = np.random.default_rng(3)
    played = PatchworkBatch(1, seed=11, auto_reset=False)
    played.reset()
    for _ in range(18):
        played.step(random_actions(played, generator))
    quilts = [{(int(r), int(c)) for r, c in np.argwhere(quilt)} for quilt in played.game(0).quilts]
    rows = []
    for turn in (False, True):
        games = start()
        shown = [_turned(quilt, quarter_turns, mirrored) if turn else quilt for quilt in quilts]
        arrange(games, quilts=tuple(shown), circle=[12, 20, 30, *range(3, 9)], buttons=(12, 9), to_play=0)
        view = CandidateView(games, 648)
        view.update()
        told = view.features[0, view.mask[0]]
        told = np.delete(told, FEATURES.index("rank"), axis=1).round(5)
        rows.append((view.state[0], view.moves[0], view.replies[0], told[np.lexsort(told.T)], view.mask[0]))
    for one, other in zip(*rows, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert rows[0][1].shape == (KINDS, len(MOVE_FEATURES))
