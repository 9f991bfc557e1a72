from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from patchwork_env import load_edition, patchwork_v0
from patchwork_env.render.film import Film, RecordEpisodes, RecordGames, cubes_then_thousands, film_of

from .games import recorded


def _frames(path: Path) -> list[NDArray[np.uint8]]:
    with Image.open(path) as film:
        frames = []
        for number in range(film.n_frames):
            film.seek(number)
            frames.append(np.asarray(film.convert("RGB")))
    return frames


def test_a_film_shows_every_position(tmp_path: Path) -> None:
    record = recorded("stack_n_stuff")
    film = film_of(record, fps=4, width=400)
    film.save(tmp_path / "game.gif")
    frames = _frames(tmp_path / "game.gif")
    assert len(frames) == len(record.moves) + 1
    assert all(frame.shape == (259, 400, 3) for frame in frames)
    for frame, picture in zip(frames, film.pictures, strict=True):
        assert (frame == np.asarray(picture.convert("RGB"))).all()
    with Image.open(tmp_path / "game.gif") as saved:
        assert saved.info["duration"] == 250
    assert (tmp_path / "game.gif").stat().st_size < 600_000


def test_the_common_colours_are_true(tmp_path: Path) -> None:
    from patchwork_env.render.layout import lay_out
    from patchwork_env.render.raster import to_array

    from .games import scene_after

    film = Film(load_edition("revised"))
    for moves in (0, 30):
        film.add(to_array(lay_out(scene_after("revised", moves))))
    apart = np.abs(
        np.asarray(film.pictures[1].convert("RGB")).astype(int) - to_array(lay_out(scene_after("revised", 30)))
    )
    assert apart.mean() < 2
    assert (apart.max(axis=2) > 60).mean() < 0.002


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"fps": 0}, "fps must be"), ({"fps": 99}, "fps must be"), ({"width": 3}, "width must be")],
)
def test_bad_settings(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Film(load_edition("revised"), **settings)  # type: ignore[arg-type]


def test_a_film_needs_pictures_and_a_known_kind(tmp_path: Path) -> None:
    film = Film(load_edition("revised"))
    with pytest.raises(ValueError, match="the film has no pictures"):
        film.save(tmp_path / "x.gif")
    with pytest.raises(ValueError, match=r"expected a name ending in \.gif, got 'x\.avi'"):
        film.save(tmp_path / "x.avi")


def test_which_episodes_are_filmed() -> None:
    filmed = [episode for episode in range(3001) if cubes_then_thousands(episode)]
    assert filmed == [0, 1, 8, 27, 64, 125, 216, 343, 512, 729, 1000, 2000, 3000]


def test_recording_a_gymnasium_environment(tmp_path: Path) -> None:
    env = RecordEpisodes(
        gymnasium.make("patchwork_env/Patchwork-v0", edition="stack_n_stuff", render_mode="rgb_array"),
        tmp_path / "films",
        episode_trigger=lambda episode: episode != 1,
        name_prefix="test",
    )
    steps = []
    for seed in (1, 2):
        env.reset(seed=seed)
        steps.append(0)
        done = False
        while not done:
            _, _, done, _, _ = env.step(env.action_space.sample())
            steps[-1] += 1
    env.reset(seed=3)
    env.step(0)
    env.close()  # an unfinished episode is written, too
    assert sorted(path.name for path in (tmp_path / "films").iterdir()) == ["test-episode-0.gif", "test-episode-2.gif"]
    assert len(_frames(tmp_path / "films" / "test-episode-0.gif")) == steps[0] + 1
    assert len(_frames(tmp_path / "films" / "test-episode-2.gif")) == 2


def test_recording_a_turn_by_turn_environment(tmp_path: Path) -> None:
    env = RecordGames(patchwork_v0.env(edition="stack_n_stuff", render_mode="rgb_array"), tmp_path)
    env.reset(seed=1)
    decisions = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        assert observation is not None
        legal = np.flatnonzero(observation["action_mask"])
        decisions += not terminated
        env.step(None if terminated or truncated else int(legal[-1]))
        assert agent in ("player_0", "player_1")
    env.close()
    assert len(_frames(tmp_path / "patchwork-episode-0.gif")) == decisions + 1


def test_recording_needs_pixels(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs render_mode='rgb_array', the environment has 'ansi'"):
        RecordGames(patchwork_v0.env(render_mode="ansi"), tmp_path)
