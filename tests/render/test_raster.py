from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from patchwork_env.render.extras import imported
from patchwork_env.render.layout import HEIGHT, WIDTH, lay_out
from patchwork_env.render.raster import to_array, to_image
from patchwork_env.render.scene import Scene
from patchwork_env.render.shapes import Label

from .games import EDITIONS, scene_after

GOLDEN = Path(__file__).parent / "golden"
POSITIONS = {"original": 24, "revised": 30, "halloween": -1, "stack_n_stuff": 14, "bonus": -1}


def _difference(first: NDArray[np.uint8], second: NDArray[np.uint8]) -> tuple[float, float]:
    """Mean difference of a channel (0 to 255), and the share of pixels that differ plainly."""
    apart = np.abs(first.astype(np.int16) - second.astype(np.int16))
    return float(apart.mean()), float((apart.max(axis=2) > 48).mean())


def _half(scene: Scene) -> NDArray[np.uint8]:
    return np.asarray(to_image(lay_out(scene)).reduce(2))


@pytest.mark.parametrize("edition", POSITIONS)
def test_golden_image(edition: str) -> None:
    path = GOLDEN / f"{edition}.png"
    drawn = _half(scene_after(edition, POSITIONS[edition]))
    if os.environ.get("UPDATE_GOLDEN"):
        Image.fromarray(drawn).save(path, optimize=True)
    with Image.open(path) as stored:
        mean, share = _difference(drawn, np.asarray(stored.convert("RGB")))
    # Another version of Pillow or of its font may smooth edges differently.
    assert mean < 1.0
    assert share < 0.004


def test_the_tolerance_notices_a_moved_token_and_a_changed_number() -> None:
    scene = scene_after("revised", 30)
    drawn = _half(scene)
    assert _difference(drawn, _half(scene_after("revised", 29)))[1] > 0.004
    track = list(scene.track)
    home = next(space.number for space in track if 0 in space.tokens)
    track[home] = dataclasses.replace(track[home], tokens=())
    track[2] = dataclasses.replace(track[2], tokens=(0,))
    assert _difference(drawn, _half(dataclasses.replace(scene, track=tuple(track))))[1] > 0.001


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_scales(scale: int) -> None:
    pixels = to_array(lay_out(scene_after("stack_n_stuff", 5)), scale)
    assert pixels.shape == (HEIGHT * scale, WIDTH * scale, 3)
    assert pixels.dtype == np.uint8


def test_twice_the_size_is_the_same_picture() -> None:
    picture = lay_out(scene_after("revised", 30))
    small = to_array(picture, 1)
    reduced = np.asarray(to_image(picture, 2).reduce(2))
    assert _difference(small, reduced)[0] < 4
    assert _difference(small, to_array(lay_out(scene_after("revised", 10))))[0] > 8


@pytest.mark.parametrize("scale", [0, -1, 1.5])
def test_bad_scale(scale: float) -> None:
    with pytest.raises(ValueError, match="scale must be a whole number"):
        to_image(lay_out(scene_after("revised", 0)), scale)  # type: ignore[arg-type]


@pytest.mark.parametrize("edition", EDITIONS)
def test_everything_stays_inside_the_picture(edition: str) -> None:
    for moves in (0, 9, 20, -1):
        scene = scene_after(edition, moves)
        for shape in lay_out(scene).shapes:
            if isinstance(shape, Label):
                assert 0 < shape.x < WIDTH
                assert 0 < shape.y < HEIGHT
        edge = to_array(lay_out(scene))
        background = np.array([int(scene.palette.background[k : k + 2], 16) for k in (1, 3, 5)])
        for side in (edge[:8], edge[-8:], edge[:, :8], edge[:, -8:]):
            assert (side == background).all()


def test_the_numbers_are_in_the_picture() -> None:
    scene = scene_after("revised", 20)
    texts = [shape.text for shape in lay_out(scene).shapes if isinstance(shape, Label)]
    for side in scene.players:
        assert side.name in texts
        assert str(side.score) in texts
        assert f"income {side.income}" in texts
        assert str(side.buttons) in texts
    for offer in scene.offers:
        assert str(offer.patch.cost) in texts
        assert str(offer.patch.time) in texts
    assert scene.headline in texts
    assert f"special patches left: {scene.specials_left}" in texts
    assert "+7" in texts


def test_the_bonus_tile_moves_to_its_holder() -> None:
    scene = scene_after("revised", 20)
    players = (dataclasses.replace(scene.players[0], has_bonus=True), scene.players[1])
    held = dataclasses.replace(scene, bonus_holder=0, players=players)
    texts = [shape.text for shape in lay_out(held).shapes if isinstance(shape, Label)]
    assert "tile taken by" in texts
    assert "+7" not in texts


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'patchwork-env\[human\]'"):
        imported("no_such_package_at_all", "human")
