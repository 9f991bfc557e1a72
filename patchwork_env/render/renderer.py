"""The render modes of the environments, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.interfaces.game import GameView
from patchwork_env.render.history import History
from patchwork_env.render.human import Window
from patchwork_env.render.scene import PLAYER_NAMES, Scene, make_scene


class Renderer:
    """Draws one environment's game in one mode, and keeps the history that the picture needs."""

    def __init__(self, mode: str, fps: float, scale: int = 1) -> None:
        if mode not in MODES:
            raise ValueError(f"unknown render_mode {mode!r}; known are {', '.join(MODES)}")
        if isinstance(scale, bool) or not isinstance(scale, int) or not 1 <= scale <= 4:
            raise ValueError(f"render_scale must be a whole number from 1 to 4, got {scale!r}")
        self.mode = mode
        self.scale = scale
        self.history = History()
        self.window = Window("Patchwork", fps)

    def draw(self, game: GameView, names: tuple[str, str] = PLAYER_NAMES) -> Any:
        """A text (``ansi``), an array of pixels (``rgb_array``), or None (``human``: it is on the screen)."""
        return MODES[self.mode](self, make_scene(game, self.history, names))

    def close(self) -> None:
        """Close the window if there is one."""
        self.window.close()


def pixels(scene: Scene, scale: int = 1) -> NDArray[np.uint8]:
    """(height, width, 3) RGB."""
    from patchwork_env.render.layout import lay_out
    from patchwork_env.render.raster import to_array

    return to_array(lay_out(scene), scale)


def _ansi(renderer: Renderer, scene: Scene) -> str:
    from patchwork_env.render.ansi import to_text

    return to_text(scene)


def _rgb_array(renderer: Renderer, scene: Scene) -> NDArray[np.uint8]:
    return pixels(scene, renderer.scale)


def _human(renderer: Renderer, scene: Scene) -> None:
    renderer.window.show(pixels(scene, renderer.scale))


MODES: dict[str, Callable[[Renderer, Scene], Any]] = {
    "human": _human,
    "ansi": _ansi,
    "rgb_array": _rgb_array,
}
