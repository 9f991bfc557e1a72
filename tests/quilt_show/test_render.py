"""Pictures: all modes and views draw, and a player's own view shows nothing that is hidden from her."""

from __future__ import annotations

import random
from typing import Any

import gymnasium
import numpy as np
import pytest

from patchwork_env import quilt_show_v0
from patchwork_env.render.ansi import COLUMNS, visible_length
from patchwork_env.render.quilt_show_ansi import to_text
from patchwork_env.render.quilt_show_renderer import pixels
from patchwork_env.render.quilt_show_scene import OPEN, make_scene
from tests.quilt_show.arranging import act, enter, give_cards, give_tiles, open_show, random_states, settle, start, tile
from tests.quilt_show.test_hidden import change_everything_hidden


def test_own_view_does_not_change_with_what_is_hidden() -> None:
    chooser = random.Random(1)
    for games in random_states(4, steps=500, every=25, num_players=3, seed=4):
        twin = games.copy(seed=1)
        for index in range(4):
            change_everything_hidden(twin, index, 1, chooser)
            before, after = make_scene(games, index, 1), make_scene(twin, index, 1)
            assert before == after
            assert to_text(before, colour=False) == to_text(after, colour=False)


def test_views_show_hands_and_entries_to_whom_they_belong() -> None:
    games = start(3)
    give_cards(games, 0, [0, 0, 12])
    give_cards(games, 1, [4, 7])
    tiles = [tile(1, color, 5) for color in range(3)]
    give_tiles(games, 0, tiles)
    settle(games)
    open_show(games, [12, 10, 8, 7, 6])
    enter(games, 1, tiles, chip=2)
    act(games, "done")
    own, other, everybody = (make_scene(games, 0, view) for view in (0, 1, OPEN))
    assert own.players[0].hand == (0, 0, 12)
    assert own.players[1].hand is None
    assert [quilt.points for quilt in own.players[0].quilts] == [17]
    assert other.players[0].hand is None
    assert other.players[0].quilts == ()
    assert other.players[0].tiles == tuple(tiles)
    assert other.players[0].chips == (1, 2, 3)
    assert [len(player.hand or ()) for player in everybody.players] == [3, 2, 4]
    assert [quilt.points for quilt in everybody.players[0].quilts] == [17]
    assert "boston beauty scrap quilt of 3: 17 points, chip 2 (entered)" in to_text(own, colour=False)
    assert "scrap quilt" not in to_text(other, colour=False)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_text_fits_and_colours_change_nothing_else(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    for games in random_states(2, steps=600, every=60, num_players=players, seed=6, color_sorting=players == 3):
        scene = make_scene(games, 0, OPEN)
        plain, coloured = to_text(scene, colour=False), to_text(scene, colour=True)
        assert "\x1b" not in plain
        assert all(len(line) <= COLUMNS for line in plain.splitlines())
        assert [visible_length(line) for line in coloured.splitlines()] == [len(line) for line in plain.splitlines()]


@pytest.mark.parametrize("players", [2, 4])
def test_pixels(players: int) -> None:
    heights = set()
    for games in random_states(1, steps=500, every=100, num_players=players, seed=6):
        own, everybody = pixels(make_scene(games, 0, 0)), pixels(make_scene(games, 0, OPEN))
        assert own.dtype == np.uint8
        assert own.shape == everybody.shape
        assert own.shape[1:] == (1000, 3)
        assert not np.array_equal(own, everybody)  # the other hands lie open
        heights.add(own.shape[0])
    assert len(heights) == 1


def test_environments_draw() -> None:
    env: Any = quilt_show_v0.env(render_mode="ansi", render_view="open")
    env.reset(seed=1)
    assert env.render().count("hand") == 2
    env = quilt_show_v0.env(render_mode="rgb_array", render_view="player_1")
    env.reset(seed=1)
    assert env.render().shape[2] == 3
    single = gymnasium.make("patchwork_env/QuiltShow-v0", render_mode="ansi", seat=1)
    single.reset(seed=1)
    text = str(single.render())
    assert "as player_1 sees it" in text
    assert text.count("hand") == 1


def test_bad_modes_and_views_are_named() -> None:
    with pytest.raises(ValueError, match="unknown render_mode 'oil'; known are ansi, rgb_array"):
        quilt_show_v0.env(render_mode="oil")
    with pytest.raises(ValueError, match="unknown render_view 'player_2'; known are own, open, player_0, player_1"):
        quilt_show_v0.env(render_mode="ansi", render_view="player_2")
    env = quilt_show_v0.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without a render_mode"):
        env.render()
