"""Pictures as an animated GIF, drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path as File
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sweepstakes.drawing.glyphs import CELL, Path
from sweepstakes.drawing.picture import Layer, Picture
from sweepstakes.drawing.theme import THEMES
from sweepstakes.errors import PositionError, brief, did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch
    from matplotlib.path import Path as Curve

MAX_PIXELS = 2400
"""The largest width or height of a picture: its cells shrink to fit."""
_DPI = 72
"""Resolution at which a point, matplotlib's unit of line widths and letters, is one pixel."""


def gif(pictures: Sequence[Picture], theme: str = "light", cell: int = 24, seconds: float = 0.5) -> bytes:
    """Show each picture for `seconds`, and the last for four times as long, in a loop."""
    from matplotlib.animation import PillowWriter

    writer = PillowWriter()
    writer.fps = 1 / (max(seconds, 0.01) + 0.0005)  # type: ignore[assignment]  # the writer rounds milliseconds down
    with TemporaryDirectory() as folder:
        file = File(folder, "frames.gif")
        frames = figures([*pictures, *[pictures[-1]] * 3], theme, cell)
        writer.setup(frames[0], file, _DPI)
        for writer.fig in frames:
            writer.grab_frame()
        writer.finish()
        return file.read_bytes()


def figures(pictures: Sequence[Picture], theme: str, cell: int) -> list[Figure]:
    """Return figures of one size; `cell` is the side of a cell in pixels."""
    if theme not in THEMES:
        raise PositionError(f"theme {brief(theme)}: unknown{did_you_mean(str(theme), THEMES)}")
    width, height = max(picture.width for picture in pictures), max(picture.height for picture in pictures)
    scale = min(cell / CELL, MAX_PIXELS / max(width, height))
    return [_figure(picture, THEMES[theme], width, height, scale) for picture in pictures]


def _figure(picture: Picture, colours: dict[str, str], width: float, height: float, scale: float) -> Figure:
    from matplotlib.figure import Figure

    size = (max(round(scale * width), 1) / _DPI, max(round(scale * height), 1) / _DPI)
    figure = Figure(size, _DPI, facecolor=colours["page"])
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    for layer in picture.layers:
        axes.add_patch(_patch(layer, colours[layer.colour], scale))
    for text in picture.texts:
        anchor, weight = "center" if text.centred else "left", "bold" if text.bold else "normal"
        look: dict[str, Any] = {
            "fontsize": scale * text.size,
            "family": "DejaVu Sans",
            "weight": weight,
            "parse_math": False,
        }
        axes.text(text.x, text.y, text.text, color=colours[text.colour], ha=anchor, va="baseline", **look)
    return figure


def _patch(layer: Layer, colour: str, scale: float) -> Patch:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Curve

    path = Curve.make_compound_path(*(_curve(path) for path in layer.paths))
    if not layer.width:
        return PathPatch(path, facecolor=colour, linewidth=0, snap=True)
    width = scale * layer.width
    return PathPatch(path, fill=False, edgecolor=colour, linewidth=width, capstyle="round", joinstyle="round")


def _curve(path: Path) -> Curve:
    """Convert a path. A dot becomes a very short oblique line, since matplotlib does not draw a line of length 0."""
    from matplotlib.path import Path as Curve

    points = [step[i : i + 2] for step in path for i in range(0, len(step), 2)]
    codes = [code for step in path for code in [Curve.LINETO if len(step) == 2 else Curve.CURVE3] * (len(step) // 2)]
    if points[-1] == points[0] and len(path) == 2:
        points[-1] = (points[0][0] + 0.01, points[0][1] + 0.01)
    return Curve(points, [Curve.MOVETO, *codes[1:]])
