"""Games as animated GIFs: from pictures one by one, from a recorded game, or from an environment as it is played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseWrapper

from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.notation import GameRecord
from patchwork_env.render.extras import imported
from patchwork_env.render.history import follow
from patchwork_env.render.layout import lay_out, swatches
from patchwork_env.render.raster import to_image
from patchwork_env.render.scene import PLAYER_NAMES, make_scene

if TYPE_CHECKING:
    from PIL import Image

COLOURS = 192
UNCHANGED = 255  # the colour number that lets the picture before shine through
LAST_PICTURE = 4.0  # seconds for which the end is shown


class Film:
    """Pictures of one game. They are kept in few colours, so that even a long game takes little memory."""

    def __init__(self, edition: Edition, fps: float = 2, width: int | None = None) -> None:
        if not 0.1 <= fps <= 50:
            raise ValueError(f"fps must be between 0.1 and 50, got {fps}")
        if width is not None and not 100 <= width <= 4000:
            raise ValueError(f"width must be between 100 and 4000 pixels, got {width}")
        self.fps = fps
        self.width = width
        self.pictures: list[Image.Image] = []
        self._edition = edition
        self._palette: Image.Image | None = None

    def add(self, pixels: NDArray[np.uint8]) -> None:
        """Append a picture of (height, width, 3) RGB pixels."""
        image: Image.Image = imported("PIL.Image", "render").fromarray(pixels)
        if self.width is not None and self.width != image.width:
            height = round(image.height * self.width / image.width)
            image = image.resize((self.width, height), imported("PIL.Image", "render").Resampling.LANCZOS)
        if self._palette is None:
            self._palette = self._common_palette(image)
        self.pictures.append(image.quantize(palette=self._palette, dither=imported("PIL.Image", "render").Dither.NONE))

    def save(self, path: str | Path) -> None:
        """Write what was added so far as an animated GIF."""
        path = Path(path)
        if path.suffix.lower() != ".gif":
            raise ValueError(f"films are written as GIF: expected a name ending in .gif, got {path.name!r}")
        if not self.pictures:
            raise ValueError("the film has no pictures")
        pause = round(1000 / self.fps)
        pauses = [pause] * (len(self.pictures) - 1) + [max(pause, round(LAST_PICTURE * 1000))]
        path.parent.mkdir(parents=True, exist_ok=True)
        first, *others = self._differences()
        first.save(
            path,
            save_all=True,
            append_images=others,
            duration=pauses,
            loop=0,
            optimize=False,
            transparency=UNCHANGED,
            disposal=1,
        )

    def _differences(self) -> list[Image.Image]:
        """The first picture, and of the others only what is new in them: that makes the file small."""
        module = imported("PIL.Image", "render")
        shown = np.asarray(self.pictures[0])
        result = [self.pictures[0]]
        for picture in self.pictures[1:]:
            pixels = np.asarray(picture)
            image = module.fromarray(np.where(pixels == shown, np.uint8(UNCHANGED), pixels), "P")
            image.putpalette(picture.getpalette())
            result.append(image)
            shown = pixels
        return result

    def _common_palette(self, image: Image.Image) -> Image.Image:
        """Colours that serve the whole film: those of its first picture and of every patch in full size."""
        module = imported("PIL.Image", "render")
        patches = to_image(swatches(self._edition))
        sheet = module.new("RGB", (max(image.width, patches.width), image.height + patches.height))
        sheet.paste(image, (0, 0))
        sheet.paste(patches, (0, image.height))
        palette: Image.Image = sheet.quantize(COLOURS, method=module.Quantize.MEDIANCUT)
        return palette


def film_of(record: GameRecord, fps: float = 2, width: int | None = None) -> Film:
    """The film of a recorded game, one picture a position."""
    film = Film(record.edition, fps, width)
    for game, history in follow(record):
        scene = make_scene(game, history, record.players or PLAYER_NAMES)
        film.add(np.asarray(to_image(lay_out(scene))))
    return film


def cubes_then_thousands(episode: int) -> bool:
    """Whether an episode is filmed by default: 0, 1, 8, 27, ... 729, then every thousandth."""
    return episode % 1000 == 0 if episode >= 1000 else round(episode ** (1 / 3)) ** 3 == episode


class _EpisodeFilms:
    """What both wrappers share: which episodes are filmed, and where their films go."""

    def __init__(
        self, env: Any, folder: str | Path, episode_trigger: Callable[[int], bool] | None, name_prefix: str
    ) -> None:
        if env.render_mode != "rgb_array":
            raise ValueError(f"recording needs render_mode='rgb_array', the environment has {env.render_mode!r}")
        self.env = env
        self.folder = Path(folder)
        self.trigger = episode_trigger or cubes_then_thousands
        self.prefix = name_prefix
        self.episode = -1
        self.film: Film | None = None

    def begin(self) -> None:
        """A new episode has been set up."""
        self.finish()
        self.episode += 1
        if self.trigger(self.episode):
            self.film = Film(self.env.unwrapped.game.edition, self.env.metadata["render_fps"])
            self.shoot()

    def shoot(self) -> None:
        """Film the present position."""
        if self.film is not None:
            self.film.add(self.env.render())

    def finish(self) -> None:
        """Write the film of the episode, if there is one."""
        if self.film is not None:
            self.film.save(self.folder / f"{self.prefix}-episode-{self.episode}.gif")
            self.film = None


class RecordEpisodes(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Films episodes of a Gymnasium environment, as Gymnasium's ``RecordVideo`` does, into ``folder``.

    ``episode_trigger`` says which episodes (by default 0, 1, 8, 27, ... and every thousandth). The film of an
    episode is written when it ends, or when the environment is closed or reset before.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        folder: str | Path,
        episode_trigger: Callable[[int], bool] | None = None,
        name_prefix: str = "patchwork",
    ) -> None:
        super().__init__(env)
        self._films = _EpisodeFilms(env, folder, episode_trigger, name_prefix)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Reset the environment and begin a film if this episode is to have one."""
        result = super().reset(seed=seed, options=options)
        self._films.begin()
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Step the environment and film what came of it."""
        result = super().step(action)
        self._films.shoot()
        if result[2] or result[3]:
            self._films.finish()
        return result

    def close(self) -> None:
        """Write what was filmed and close the environment."""
        self._films.finish()
        super().close()


class RecordGames(BaseWrapper[str, Any, Any]):
    """The same for the turn-by-turn environment of PettingZoo."""

    def __init__(
        self,
        env: Any,
        folder: str | Path,
        episode_trigger: Callable[[int], bool] | None = None,
        name_prefix: str = "patchwork",
    ) -> None:
        super().__init__(env)
        self._films = _EpisodeFilms(env, folder, episode_trigger, name_prefix)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Reset the environment and begin a film if this episode is to have one."""
        super().reset(seed=seed, options=options)
        self._films.begin()

    def step(self, action: Any) -> None:
        """Step the environment and film what came of it."""
        dead = self.env.terminations[self.env.agent_selection] or self.env.truncations[self.env.agent_selection]
        super().step(action)
        if dead:
            return
        self._films.shoot()
        if any(self.env.terminations.values()) or any(self.env.truncations.values()):
            self._films.finish()

    def close(self) -> None:
        """Write what was filmed and close the environment."""
        self._films.finish()
        super().close()
