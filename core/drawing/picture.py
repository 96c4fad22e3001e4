"""A picture: layers of paths and lines of text, from which SVG and pixels are made."""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.drawing.glyphs import Path


class Layer(NamedTuple):
    """Paths of one colour."""

    colour: str
    """The name of a colour of the theme."""
    width: float
    """The width of the stroke, with round ends and joints; 0 fills the paths."""
    paths: list[Path]


class Text(NamedTuple):
    """A line of text."""

    text: str
    x: float
    y: float
    """Where its baseline begins, or where the middle of the baseline is."""
    size: float
    """The height of its letters, as font sizes are counted."""
    colour: str
    centred: bool
    bold: bool = False


class Picture(NamedTuple):
    """Layers and texts from the bottom to the top. A cell is 40 units wide."""

    width: float
    height: float
    layers: list[Layer]
    texts: list[Text]
    title: str
    """A description of the picture for people who cannot see it."""


def rectangle(x: float, y: float, width: float, height: float) -> Path:
    """Return a rectangle to be filled."""
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


def segment(x: float, y: float, to_x: float, to_y: float) -> Path:
    """Return a straight line."""
    return (x, y), (to_x, to_y)
