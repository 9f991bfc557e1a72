"""Pictures as pixels, drawn with Pillow.

Areas and strokes are drawn several times too large and reduced, which smooths their edges; text is set at the
final size, where its own smoothing is crispest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from patchwork_env.render.extras import imported
from patchwork_env.render.shapes import Disc, Label, Line, Picture, Polygon, Rect

if TYPE_CHECKING:
    from PIL import Image

_OVERSAMPLING = {1: 3, 2: 2}  # scale -> how much too large; above that 1 suffices


def to_array(picture: Picture, scale: int = 1) -> NDArray[np.uint8]:
    """(height * scale, width * scale, 3) RGB."""
    return np.asarray(to_image(picture, scale)).copy()


def to_image(picture: Picture, scale: int = 1) -> Image.Image:
    """The picture as a Pillow image."""
    if scale < 1 or scale != int(scale):
        raise ValueError(f"scale must be a whole number from 1 on, got {scale!r}")
    module, draw_module = imported("PIL.Image", "render"), imported("PIL.ImageDraw", "render")
    larger = _OVERSAMPLING.get(scale, 1)
    unit = scale * larger
    image = module.new("RGB", (picture.width * unit, picture.height * unit), picture.background)
    canvas = draw_module.Draw(image)
    for shape in picture.shapes:
        drawer = _DRAWERS.get(type(shape))
        if drawer is not None:
            drawer(canvas, shape, unit)
    image = image.reduce(larger) if larger > 1 else image
    canvas = draw_module.Draw(image)
    for shape in picture.shapes:
        if isinstance(shape, Label):
            _label(canvas, shape, scale)
    result: Image.Image = image
    return result


def _rect(canvas: Any, shape: Rect, unit: int) -> None:
    # Whole pixels on both sides of a shared edge, so that neighbours leave no gap.
    box = (
        round(shape.x * unit),
        round(shape.y * unit),
        round((shape.x + shape.width) * unit) - 1,
        round((shape.y + shape.height) * unit) - 1,
    )
    width = max(1, round(shape.stroke_width * unit)) if shape.stroke else 0
    if shape.radius:
        canvas.rounded_rectangle(box, shape.radius * unit, shape.fill, shape.stroke, width)
    else:
        canvas.rectangle(box, shape.fill, shape.stroke, width)


def _polygon(canvas: Any, shape: Polygon, unit: int) -> None:
    canvas.polygon([(x * unit, y * unit) for x, y in shape.points], shape.fill)


def _line(canvas: Any, shape: Line, unit: int) -> None:
    points = [(x * unit, y * unit) for x, y in shape.points]
    width = max(1, round(shape.stroke_width * unit))
    canvas.line(points, shape.stroke, width)
    if width > 2:
        radius = (width - 1) / 2
        for x, y in points:
            canvas.ellipse((x - radius, y - radius, x + radius, y + radius), shape.stroke)


def _disc(canvas: Any, shape: Disc, unit: int) -> None:
    radius = shape.radius * unit
    x, y = shape.x * unit, shape.y * unit
    width = max(1, round(shape.stroke_width * unit)) if shape.stroke else 0
    canvas.ellipse((x - radius, y - radius, x + radius, y + radius), shape.fill, shape.stroke, width)


def _label(canvas: Any, shape: Label, scale: int) -> None:
    size = shape.size * scale
    stroke = size / 38 if shape.bold else 0
    canvas.text(
        (shape.x * scale, shape.y * scale),
        shape.text,
        shape.fill,
        font=_font(size),
        anchor=f"{shape.anchor}m",
        stroke_width=stroke,
        stroke_fill=shape.fill,
    )


@functools.lru_cache(maxsize=64)
def _font(size: float) -> Any:
    return imported("PIL.ImageFont", "render").load_default(size)


_DRAWERS: dict[type, Callable[[Any, Any, int], None]] = {Rect: _rect, Polygon: _polygon, Line: _line, Disc: _disc}
