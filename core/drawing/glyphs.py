"""Figures and signs as strokes, so that they look the same in every viewer, whatever fonts it has.

A glyph is a tuple of paths around the centre of a cell, which is 40 units wide. A path is a start point, followed by
lines (two numbers: the end) and quadratic curves (four: the control point and the end).
"""

from __future__ import annotations

Step = tuple[float, ...]
Path = tuple[Step, ...]
Glyph = tuple[Path, ...]

CELL = 40
"""The side of a cell."""

DIGITS: dict[str, Glyph] = {
    "0": (((0, -10), (6, -10, 6, 0), (6, 10, 0, 10), (-6, 10, -6, 0), (-6, -10, 0, -10)),),
    "1": (((-4, -6), (1, -10), (1, 10)),),
    "2": (((-6, -5), (-6, -10, 0, -10), (6, -10, 6, -5), (6, -1, 1, 3), (-6, 10), (6, 10)),),
    "3": (((-5, -10), (5, -10), (-1, -2), (6, -2, 6, 4), (6, 10, 0, 10), (-4, 10, -6, 7)),),
    "4": (((3, 10), (3, -10), (-7, 4), (7, 4)),),
    "5": (((5, -10), (-4, -10), (-5, -1), (-3, -3, 0, -3), (6, -3, 6, 3), (6, 10, 0, 10), (-4, 10, -6, 7)),),
    "6": (((4, -10), (-6, -8, -6, 3), (-6, 10, 0, 10), (6, 10, 6, 4), (6, -2, 0, -2), (-5, -2, -6, 3)),),
    "7": (((-6, -10), (6, -10), (-2, 10)),),
    "8": (
        ((0, -1), (-5, -1, -5, -6), (-5, -10, 0, -10), (5, -10, 5, -6), (5, -1, 0, -1)),
        ((0, -1), (-6, -1, -6, 5), (-6, 10, 0, 10), (6, 10, 6, 5), (6, -1, 0, -1)),
    ),
    "9": (((-4, 10), (6, 8, 6, -3), (6, -10, 0, -10), (-6, -10, -6, -4), (-6, 2, 0, 2), (5, 2, 6, -3)),),
}
ADVANCE = 17
"""Distance between the centres of two digits."""
QUESTION: Glyph = (((-5, -6), (-5, -10, 0, -10), (5, -10, 5, -5), (5, -1, 0, 0), (0, 3)), ((0, 9), (0, 9)))
TICK: Glyph = (((-7, 1), (-2, 6), (7, -6)),)
CROSS: Glyph = (((-7, -7), (7, 7)), ((7, -7), (-7, 7)))
DICE: Glyph = (((-6, 6), (-6, 6)), ((0, 0), (0, 0)), ((6, -6), (6, -6)))
SPIKES: Glyph = (((-12, 0), (12, 0)), ((0, -12), (0, 12)), ((-8, -8), (8, 8)), ((-8, 8), (8, -8)))
DOT: Glyph = (((0, 0), (0, 0)),)
GLINT: Glyph = (((-3, -3), (-3, -3)),)
POLE: Glyph = (((-5, -11), (-5, 12)),)
PENNANT: Glyph = (((-4, -12), (10, -6), (-4, 0)),)
SQUARE: Glyph = (((-15, -15), (15, -15), (15, 15), (-15, 15), (-15, -15)),)
DIAMOND: Glyph = (((0, -17), (17, 0), (0, 17), (-17, 0), (0, -17)),)
CIRCLE: Glyph = (
    (
        (14, 0),
        (14, 5.8, 9.9, 9.9),
        (5.8, 14, 0, 14),
        (-5.8, 14, -9.9, 9.9),
        (-14, 5.8, -14, 0),
        (-14, -5.8, -9.9, -9.9),
        (-5.8, -14, 0, -14),
        (5.8, -14, 9.9, -9.9),
        (14, -5.8, 14, 0),
    ),
)
RING: Glyph = (((-17, -17), (17, -17), (17, 17), (-17, 17), (-17, -17)),)


def placed(glyph: Glyph, x: float, y: float, scale: float = 1) -> list[Path]:
    """Return the paths of a glyph around a point."""
    return [tuple(tuple(_moved(step, x, y, scale)) for step in path) for path in glyph]


def number(text: str, x: float, y: float, scale: float) -> list[Path]:
    """Return the paths of a number whose centre is a point."""
    step = ADVANCE * scale
    left = x - step * (len(text) - 1) / 2
    return [path for i, digit in enumerate(text) for path in placed(DIGITS[digit], left + step * i, y, scale)]


def _moved(step: Step, x: float, y: float, scale: float) -> list[float]:
    return [scale * value + (y if place % 2 else x) for place, value in enumerate(step)]
