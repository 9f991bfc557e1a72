"""The render modes of Quilt Show's environments, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.interfaces.quilt_show_batch import QuiltShowBatch
from patchwork_env.render.quilt_show_scene import OPEN, Scene, make_scene

OWN = "own"  # as a view: that of the player who decides, or of the learner


class Renderer:
    """Draws one game in one mode and one view: `OWN`, `OPEN`, or a player's name."""

    def __init__(self, mode: str, view: str, players: int) -> None:
        views = (OWN, OPEN, *(f"player_{player}" for player in range(players)))
        if mode not in MODES:
            raise ValueError(f"unknown render_mode {mode!r}; known are {', '.join(MODES)}")
        if view not in views:
            raise ValueError(f"unknown render_view {view!r}; known are {', '.join(views)}")
        self.mode = mode
        self.view = view

    def draw(self, games: QuiltShowBatch, own: int, names: Sequence[str] | None = None) -> Any:
        """A text (``ansi``) or an array of pixels (``rgb_array``); ``own`` is the player of the view `OWN`."""
        views: dict[str, int | str] = {OWN: own, OPEN: OPEN}
        view = views.get(self.view, int(self.view[-1]) if self.view[-1].isdecimal() else OPEN)
        return MODES[self.mode](make_scene(games, 0, view, names))


def _ansi(scene: Scene) -> str:
    from patchwork_env.render.quilt_show_ansi import to_text

    return to_text(scene)


def pixels(scene: Scene) -> NDArray[np.uint8]:
    """(height, width, 3) RGB."""
    from patchwork_env.render.quilt_show_picture import to_picture
    from patchwork_env.render.raster import to_array

    return to_array(to_picture(scene))


MODES: dict[str, Callable[[Scene], Any]] = {"ansi": _ansi, "rgb_array": pixels}
