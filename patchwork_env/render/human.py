"""A window that shows pictures, with pygame."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.render.extras import imported


class Window:
    """Opens when the first picture is shown; the next ones replace it at most ``fps`` times a second."""

    def __init__(self, title: str, fps: float) -> None:
        self.title = title
        self.fps = fps
        self._pygame: Any = None
        self._surface: Any = None
        self._clock: Any = None
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether there is a window on the screen."""
        return self._surface is not None

    def show(self, pixels: NDArray[np.uint8]) -> None:
        """Show (height, width, 3) RGB pixels. Once the user has closed the window nothing more is shown."""
        if self._closed:
            return
        size = (pixels.shape[1], pixels.shape[0])
        if self._surface is None:
            self._pygame = imported("pygame", "human")
            self._pygame.display.init()
            self._surface = self._pygame.display.set_mode(size)
            self._pygame.display.set_caption(self.title)
            self._clock = self._pygame.time.Clock()
        for event in self._pygame.event.get():
            if event.type == self._pygame.QUIT:
                self.close()
                self._closed = True
                return
        self._surface.blit(self._pygame.surfarray.make_surface(pixels.transpose(1, 0, 2)), (0, 0))
        self._pygame.display.flip()
        self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window if there is one."""
        if self._surface is not None:
            self._pygame.display.quit()
            self._surface = None
