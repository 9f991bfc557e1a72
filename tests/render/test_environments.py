from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.test.render_test import render_test

from patchwork_env import IllegalActionError, patchwork_v0
from patchwork_env.render.layout import HEIGHT, WIDTH

from .games import EDITIONS


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


@pytest.mark.parametrize("edition", EDITIONS)
def test_pettingzoo_render_test(edition: str) -> None:
    class Uncapped(patchwork_v0.raw_env):
        """The same without waiting between pictures."""

        def __init__(self, **settings: Any) -> None:
            super().__init__(**settings)
            if self._renderer is not None:
                self._renderer.window.fps = 0

    make: Any = lambda **settings: Uncapped(edition=edition, **settings)  # noqa: E731
    render_test(make)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_mode_of_the_turn_by_turn_environment(edition: str) -> None:
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        env = patchwork_v0.env(edition=edition, render_mode=mode)
        env.reset(seed=3)
        for _ in range(8):
            observation: Any = env.observe(env.agent_selection)
            env.step(int(np.flatnonzero(observation["action_mask"])[-1]))
        drawn = env.render()
        assert isinstance(drawn, kind)
        if isinstance(drawn, np.ndarray):
            assert drawn.shape == (HEIGHT, WIDTH, 3)
        env.close()


def test_a_new_game_forgets_the_old_one() -> None:
    env = patchwork_v0.raw_env(render_mode="ansi")
    env.reset(seed=3)
    fresh = env.render()
    env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"])[-1]))
    assert env.render() != fresh
    env.reset(seed=3)
    assert env.render() == fresh


def test_an_illegal_action_leaves_the_picture_alone() -> None:
    env = patchwork_v0.raw_env(render_mode="ansi")
    env.reset(seed=3)
    before = env.render()
    with pytest.raises(IllegalActionError):
        env.step(1)
    assert env.render() == before
    env.step(0)
    assert "advance from 0 to 1" in env.render()


@pytest.mark.parametrize("seat", [0, 1])
def test_gymnasium_draws_both_sides(seat: int) -> None:
    env = gymnasium.make("patchwork_env/Patchwork-v0", render_mode="ansi", seat=seat)
    env.reset(seed=5)
    while True:
        _, _, done, _, info = env.step(env.action_space.sample())
        if done:
            break
    text = env.render()
    assert isinstance(text, str)
    assert "#" not in text  # every cell of both quilts belongs to a known patch
    line = next(line for line in text.splitlines() if "(0)" in line)
    assert (line.index("learner") < line.index("random")) == (seat == 0)
    assert str(info["scores"][0]) in text
    env.close()


def test_gymnasium_records_frames() -> None:
    env = gymnasium.make("patchwork_env/Patchwork-v0", render_mode="rgb_array", render_scale=2)
    env.reset(seed=5)
    frame: Any = env.render()
    assert frame.shape == (2 * HEIGHT, 2 * WIDTH, 3)
    env.close()


def test_a_window_opens_and_closes() -> None:
    env = patchwork_v0.raw_env(render_mode="human")
    assert env._renderer is not None
    env._renderer.window.fps = 0
    env.reset(seed=1)
    assert env._renderer.window.is_open
    assert env.render() is None
    env.close()
    assert not env._renderer.window.is_open


def test_closing_the_window_by_hand_does_not_end_the_game() -> None:
    import pygame

    env = patchwork_v0.raw_env(render_mode="human")
    assert env._renderer is not None
    env._renderer.window.fps = 0
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(0)
    assert not env._renderer.window.is_open
    env.step(0)
    assert not env._renderer.window.is_open


def test_rendering_without_a_mode_warns() -> None:
    env = patchwork_v0.raw_env()
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"render_mode": "svg"}, "unknown render_mode 'svg'; known are human, ansi, rgb_array"),
        ({"render_mode": "ansi", "render_scale": 0}, "render_scale must be a whole number from 1 to 4, got 0"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        patchwork_v0.raw_env(**settings)


def test_nothing_of_it_is_imported_before_it_is_used() -> None:
    code = (
        "import sys; from patchwork_env import patchwork_v0; e = patchwork_v0.env(); e.reset(); e.step(0);"
        "print([m for m in ('PIL', 'pygame', 'fastapi', 'patchwork_env.render.scene') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
