"""Pictures as pixels, and as a GIF with a picture for each frame."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from sweepstakes.drawing.glyphs import CELL, Path
from sweepstakes.drawing.picture import Layer, Picture, Text
from sweepstakes.drawing.theme import THEMES
from sweepstakes.errors import PositionError, brief, did_you_mean

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw

FINER = 3
"""A picture is painted so many times as large and then reduced, which smooths its edges."""
WIDEST = 2400
"""Pixels that a picture may be wide or high: cells are smaller where it would be more."""
PIECES = 6
"""Lines that a curve is painted with."""
COLOURS = 128
"""Colours of a GIF."""


def gif(pictures: Sequence[Picture], theme: str = "light", cell: int = 24, seconds: float = 0.5) -> bytes:
    """Pictures one after the other, each for some seconds and the last for four times as long, again and again."""
    from PIL.Image import Dither

    frames = images(pictures, theme, cell)
    palette = _palette(frames)
    painted = [frame.quantize(palette=palette, dither=Dither.NONE) for frame in frames]
    times = [round(1000 * seconds)] * (len(frames) - 1) + [round(4000 * seconds)]
    file = io.BytesIO()
    first, *others = painted
    first.save(file, "GIF", save_all=True, append_images=others, duration=times, loop=0, disposal=1)
    return file.getvalue()


def images(pictures: Sequence[Picture], theme: str, cell: int) -> list[Image]:
    """Pictures as images of one size; `cell` is the side of a cell in pixels."""
    from PIL import Image as Images

    width, height = max(picture.width for picture in pictures), max(picture.height for picture in pictures)
    scale = min(cell / CELL, WIDEST / max(width, height))
    size = (max(round(scale * width), 1), max(round(scale * height), 1))
    if theme not in THEMES:
        raise PositionError(f"theme {brief(theme)}: unknown{did_you_mean(str(theme), THEMES)}")
    colours = THEMES[theme]
    painted = []
    for picture in pictures:
        large = Images.new("RGB", (FINER * size[0], FINER * size[1]), colours["page"])
        _paint(large, picture, colours, FINER * scale)
        painted.append(large.reduce(FINER))
    return painted


def _palette(frames: Sequence[Image]) -> Image:
    """The colours of the first, the middle and the last frame."""
    from PIL import Image as Images

    chosen = [frames[0], frames[len(frames) // 2], frames[-1]]
    width, height = frames[0].size
    sheet = Images.new("RGB", (width, 3 * height))
    for place, frame in enumerate(chosen):
        sheet.paste(frame, (0, place * height))
    return sheet.quantize(COLOURS)


def _paint(large: Image, picture: Picture, colours: dict[str, str], scale: float) -> None:
    from PIL import ImageDraw

    draw = ImageDraw.Draw(large)
    for layer in picture.layers:
        _paint_layer(draw, layer, colours[layer.colour], scale)
    for text in picture.texts:
        _paint_text(draw, text, colours[text.colour], scale)


def _paint_layer(draw: ImageDraw, layer: Layer, colour: str, scale: float) -> None:
    width = max(scale * layer.width, 1)
    for path in layer.paths:
        points = [(scale * x, scale * y) for x, y in _points(path)]
        if not layer.width:
            # Pillow paints the last pixel of a polygon too: neighbours would overlap by one.
            draw.polygon([(round(x) - (x > points[0][0]), round(y) - (y > points[0][1])) for x, y in points], colour)
            continue
        for start, end in pairwise(points):
            draw.line([start, end], colour, round(width))
        for x, y in points:
            draw.ellipse([x - width / 2, y - width / 2, x + width / 2, y + width / 2], colour)


def _points(path: Path) -> Iterable[tuple[float, float]]:
    """The points of a path, curves being lines between points."""
    x, y = path[0]
    yield x, y
    for step in path[1:]:
        if len(step) == 2:
            x, y = step
            yield x, y
            continue
        via_x, via_y, to_x, to_y = step
        for place in range(1, PIECES + 1):
            t = place / PIECES
            a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t * t
            yield a * x + b * via_x + c * to_x, a * y + b * via_y + c * to_y
        x, y = to_x, to_y


def _paint_text(draw: ImageDraw, text: Text, colour: str, scale: float) -> None:
    from pathlib import Path as File

    import matplotlib
    from PIL import ImageFont

    name = "DejaVuSans-Bold.ttf" if text.bold else "DejaVuSans.ttf"
    font = ImageFont.truetype(str(File(matplotlib.get_data_path()) / "fonts" / "ttf" / name), scale * text.size)
    draw.text((scale * text.x, scale * text.y), text.text, colour, font, anchor="ms" if text.centred else "ls")
