from __future__ import annotations

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pytest

from patchwork_env import EditionError, PatchworkBatch, load_edition, make_agent
from patchwork_env.games.patchwork.edition import MAX_PATCHES
from patchwork_env.games.patchwork.notation import NotationError
from patchwork_env.render.history import History, follow
from patchwork_env.render.scene import LETTERS, WEAVES, describe_move, make_scene, patch_scene, spiral
from patchwork_env.render.shapes import dashes, inset, luminance, mixed, outlines

from .games import EDITIONS, position, recorded, scene_after


def _area(loops: list[list[tuple[float, float]]]) -> float:
    """Signed area: positive for loops with the cloth to the right of each stroke (y grows downwards)."""
    return sum(
        sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(loop, loop[1:] + loop[:1], strict=True)) / 2
        for loop in loops
    )


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_cell_of_a_known_game_belongs_to_one_patch(edition: str) -> None:
    for game, history in follow(recorded(edition)):
        scene = make_scene(game, history)
        for player in range(2):
            cells = [cell for patch in scene.players[player].quilt for cell in patch.cells]
            assert len(cells) == len(set(cells))
            assert len(cells) == game.quilts[player].sum()
            assert all(game.quilts[player][cell] for cell in cells)
            assert all(patch.kind != "cloth" for patch in scene.players[player].quilt)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_scene_tells_what_the_game_says(edition: str) -> None:
    for game, history in follow(recorded(edition)):
        scene = make_scene(game, history)
        for player, side in enumerate(scene.players):
            assert (side.buttons, side.income, side.score, side.position) == (
                game.buttons[player],
                game.incomes[player],
                game.scores[player],
                game.positions[player],
            )
            assert side.has_bonus == (game.bonus_holder == player)
            assert side.empty_cells == game.edition.cells - game.quilts[player].sum()
            assert player in scene.track[side.position].tokens
        assert sum(side.to_play for side in scene.players) == (0 if game.done else 1)
        shown = [offer.patch.patch for offer in scene.offers] + [patch.patch for patch in scene.circle]
        assert tuple(shown) == game.circle
        assert {space.number for space in scene.track if space.special} == set(game.specials_left)
        assert {space.number for space in scene.track if space.income} == set(game.edition.income_spaces)
        buyable = {game.describe(action).slot for action in game.legal_actions().tolist()} - {None}
        if not game.special_pending and not game.done:
            assert {offer.slot for offer in scene.offers if offer.affordable and offer.fits} == buyable


def test_the_last_move_is_marked() -> None:
    game, history = position("revised", 1)
    scene = make_scene(game, history, ("Ada", "Bob"))
    move = history.moves[0]
    fresh = [patch for side in scene.players for patch in side.quilt if patch.fresh]
    assert [patch.cells for patch in fresh] == [move.action.cells]
    assert [space.number for space in scene.track if space.passed] == list(range(1, move.stop + 1))
    assert scene.last_move.startswith("Ada: buy patch ")
    assert make_scene(position("revised", 0)[0]).last_move == ""


def test_moves_account_for_every_button() -> None:
    for edition in EDITIONS:
        game, history = position(edition, -1)
        for player in range(2):
            changes = sum(move.buttons for move in history.moves if move.player == player)
            assert game.edition.start_buttons + changes == game.buttons[player]
            paid = [move for move in history.moves if move.player == player and move.income]
            for move in paid:
                passed = [space for space in game.edition.income_spaces if move.start <= space <= move.stop]
                assert passed or move.action.kind in ("special", "decline")
                assert move.income > 0
            lines = [describe_move(game.edition, move, ("a", "b")) for move in history.moves]
            assert all(len(line) < 90 for line in lines)


def test_a_bare_state_is_drawn_in_one_cloth() -> None:
    game, history = position("revised", 20)
    for bare in (make_scene(game), make_scene(game, History())):
        for side in bare.players:
            assert [patch.kind for patch in side.quilt] == ["cloth"]
    assert {patch.kind for patch in make_scene(game, history).players[0].quilt} != {"cloth"}


def test_settling_needs_an_announcement() -> None:
    with pytest.raises(RuntimeError, match="no move was announced"):
        History().settle(position("revised", 0)[0])


def test_a_record_that_breaks_the_rules_is_refused_with_its_line() -> None:
    record = recorded("revised")
    record.moves[3] = dataclasses.replace(record.moves[3], kind="buy", patch=32, orientation=0, row=0, column=0)
    with pytest.raises(NotationError, match="line 11: patch 32 is not offered"):
        list(follow(record))


def test_the_winner_is_named_and_a_tie_explained() -> None:
    assert scene_after("revised", -1).headline == "player_0 wins 24 to -5"
    tied = scene_after("stack_n_stuff", -1)
    assert tied.headline.endswith("wins 6 to 6 (a tie: first to the last space)")
    assert sum(side.winner for side in tied.players) == 1


def test_tokens_on_one_space_lie_in_the_order_of_turns() -> None:
    games = PatchworkBatch(1, seed=1, auto_reset=False)
    agent = make_agent("random", seed=1)
    seen = 0
    games.reset()
    view = games.game(0)
    while not view.done:
        if view.positions[0] == view.positions[1]:
            scene = make_scene(view)
            assert scene.track[view.positions[0]].tokens[-1] == view.to_play
            seen += 1
        games.step(agent.act(games, np.array([0])))
    assert seen


@pytest.mark.parametrize("count", [2, 3, 9, 10, 30, 54, 201])
def test_the_spiral_is_one_unbroken_path(count: int) -> None:
    places, side = spiral(count)
    assert len(places) == len(set(places)) == count
    assert all(0 <= row < side and 0 <= column < side for row, column in places)
    for (row, column), (next_row, next_column) in itertools.pairwise(places):
        assert abs(row - next_row) + abs(column - next_column) == 1


def test_no_two_patches_look_alike() -> None:
    for name in EDITIONS:
        edition = load_edition(name)
        looks = {
            (scene.colour, scene.weave)
            for scene in (patch_scene(edition, patch) for patch in range(len(edition.patches)))
        }
        assert len(looks) == len(edition.patches)
    assert len(set(LETTERS)) == len(LETTERS) >= MAX_PATCHES
    assert len(set(WEAVES)) == 8


@pytest.mark.parametrize("edition", EDITIONS)
def test_patches_stand_out_from_the_board_in_grey(edition: str) -> None:
    palette = load_edition(edition).palette
    seam = luminance(palette.seam)
    assert all(abs(luminance(colour) - seam) > 0.15 for colour in palette.cloth)
    assert abs(luminance(palette.ink) - luminance(palette.panel)) > 0.6
    assert abs(luminance(palette.muted) - luminance(palette.panel)) > 0.35
    assert abs(luminance(palette.players[0]) - luminance(palette.panel)) > 0.3


def test_outlines_go_around_cloth_and_holes() -> None:
    ring = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    assert len(outlines(ring)) == 2
    assert _area(outlines(ring)) == 8
    diagonal = [(0, 0), (1, 1)]
    assert len(outlines(diagonal)) == 2
    assert len(outlines([(0, 0), (0, 1)])[0]) == 4  # no corner in the middle of a side
    for edition in EDITIONS:
        for patch in load_edition(edition).patches:
            assert _area(outlines(patch.shape)) == len(patch.shape)


def test_inset_moves_towards_the_cloth() -> None:
    (loop,) = outlines([(0, 0)])
    assert _area([inset(loop, 0.1)]) == pytest.approx(0.64)
    corner = outlines([(0, 0), (1, 0), (1, 1)])
    assert _area([inset(corner[0], 0.1)]) == pytest.approx(3 - 8 * 0.1 + 4 * 0.01)


def test_stitches_begin_and_end_at_corners() -> None:
    stitches = dashes([(0, 0), (1, 0), (1, 1), (0, 1)], 0.2, 0.1)
    assert ((0, 0)) in [begin for begin, _ in stitches]
    assert any(end == pytest.approx((1, 0)) for _, end in stitches)


def test_mixing_colours() -> None:
    assert mixed("#000000", "#FFFFFF", 0.5) == "#808080"
    assert mixed("#123456", "#FFFFFF", 0) == "#123456"


@pytest.mark.parametrize(
    ("palette", "message"),
    [
        ("[1]", "palette: expected a mapping"),
        ("{inks: '#000000'}", "palette: unknown field 'inks' \\(did you mean 'ink'"),
        ("{ink: black}", "palette: ink: expected a colour like '#3C6FA8', got 'black'"),
        ("{cloth: []}", "palette: cloth: expected at least one"),
        ("{players: ['#000000']}", "palette: players: expected two colours, got 1"),
    ],
)
def test_a_bad_palette_is_named(tmp_path: Path, palette: str, message: str) -> None:
    path = tmp_path / "house.yaml"
    path.write_text(f"extends: revised\nname: house\npalette: {palette}\n")
    with pytest.raises(EditionError, match=message):
        load_edition(path)


def test_a_house_palette_changes_colours_and_not_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "house.yaml"
    path.write_text("extends: revised\nname: house\npalette: {ink: '#010203'}\n")
    house, parent = load_edition(path), load_edition("revised")
    assert house.palette.ink == "#010203"
    assert house.palette.board == parent.palette.board
    assert house.fingerprint == parent.fingerprint
