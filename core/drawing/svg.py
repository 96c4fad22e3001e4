"""Positions as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Literal, get_args

import numpy.typing as npt

from sweepstakes.drawing.drawing import CellLike, Drawable, Proof, described
from sweepstakes.drawing.glyphs import CELL, Path
from sweepstakes.drawing.picture import Layer, Picture, Text
from sweepstakes.drawing.position_picture import position_picture
from sweepstakes.drawing.theme import THEMES
from sweepstakes.errors import PositionError, brief, did_you_mean

Theme = Literal["auto", "light", "dark"]
_FONT = "system-ui,'DejaVu Sans',Verdana,sans-serif"


def svg(
    position: Drawable,
    *,
    board: Drawable | None = None,
    heat: npt.ArrayLike | None = None,
    proof: Proof | None = None,
    marks: Mapping[Any, str] | None = None,
    path: Sequence[CellLike] | None = None,
    caption: str | None = None,
    coordinates: bool = True,
    numbers: bool = True,
    theme: Theme = "auto",
    cell: int = 24,
) -> str:
    """Return a position drawn as SVG: the same text for the same position.

    `position` is a board, view, game, replay, frame, solution or posterior. `board` reveals the mines, `heat` colours
    covered cells by their mine probabilities, `proof` maps cells to the clues that prove them (or is a list of clues),
    `marks` maps cells to `safe`, `mine`, `guess`, `random` or any short label, `path` joins cells by a line, `caption`
    is written below. The theme `auto` follows the reader's system. `cell` is the side of a cell in pixels.
    """
    if theme not in get_args(Theme):
        raise PositionError(f"theme {brief(theme)}: unknown{did_you_mean(str(theme), get_args(Theme))}")
    if not (isinstance(cell, int) and 1 <= cell <= 1000):
        raise PositionError(f"cell {brief(cell)}: expected 1 to 1000 pixels")
    drawing = described(position, board=board, heat=heat, proof=proof, marks=marks, path=path, caption=caption)
    return svg_of(position_picture(drawing, coordinates=coordinates, numbers=numbers), theme, cell)


def svg_of(picture: Picture, theme: Theme, cell: int) -> str:
    """Return a picture as SVG."""
    width, height = _number(10 * picture.width), _number(10 * picture.height)
    size = f'width="{round(picture.width * cell / CELL)}" height="{round(picture.height * cell / CELL)}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sweepstakes-{theme}" viewBox="0 0 {width} {height}" {size} '
        f'role="img"><title>{escape(picture.title)}</title>',
        _style(picture, theme),
        *map(_layer, picture.layers),
        *map(_text, picture.texts),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _style(picture: Picture, theme: Theme) -> str:
    """Return the colours. Their selectors name the theme: several pictures may be part of one page."""
    used = sorted({layer.colour for layer in picture.layers} | {text.colour for text in picture.texts})
    root = f".sweepstakes-{theme} "
    first = "light" if theme == "auto" else theme
    shape = f"{root}path{{stroke-linecap:round;stroke-linejoin:round}}{root}text{{font-family:{_FONT}}}"
    rules = shape + _rules(root, first, used)
    if theme == "auto":
        rules += f"\n@media(prefers-color-scheme:dark){{{_rules(root, 'dark', used)}}}"
    return f"<style>{rules}</style>"


def _rules(root: str, theme: str, names: Iterable[str]) -> str:
    colours = THEMES[theme]
    return "".join(f"{root}.{name}{{color:{colours[name]}}}" for name in names)


def _layer(layer: Layer) -> str:
    look = (
        f'fill="none" stroke="currentColor" stroke-width="{_number(10 * layer.width)}"'
        if layer.width
        else 'fill="currentColor"'
    )
    return f'<path class="{layer.colour}" {look} d="{"".join(map(_path, layer.paths))}"/>'


def _path(path: Path) -> str:
    """Return a path as SVG writes it, relative to its start."""
    at = [round(10 * value) for value in path[0]]
    parts = [f"M{_join(at)}"]
    for step in path[1:]:
        to = [round(10 * value) for value in step]
        moves = [value - at[place % 2] for place, value in enumerate(to)]
        if len(moves) == 4:
            parts.append(f"q{_join(moves)}")
        elif moves[1] == 0:
            parts.append(f"h{_number(moves[0])}")
        elif moves[0] == 0:
            parts.append(f"v{_number(moves[1])}")
        else:
            parts.append(f"l{_join(moves)}")
        at = to[-2:]
    return "".join(parts)


def _join(tenths: list[int]) -> str:
    """Join numbers, with a space only where it is needed."""
    words = [_number(value) for value in tenths]
    return words[0] + "".join(word if word.startswith("-") else f" {word}" for word in words[1:])


def _number(tenths: float) -> str:
    """Return a number of tenths as SVG writes it."""
    whole = round(tenths)
    sign, (units, rest) = "-" if whole < 0 else "", divmod(abs(whole), 10)
    return f"{sign}{units or (0 if not rest else '')}.{rest}" if rest else f"{sign}{units}"


def _text(text: Text) -> str:
    anchor = ' text-anchor="middle"' if text.centred else ""
    weight = ' font-weight="700"' if text.bold else ""
    place = f'x="{_number(10 * text.x)}" y="{_number(10 * text.y)}" font-size="{_number(10 * text.size)}"'
    return f'<text class="{text.colour}" fill="currentColor" {place}{anchor}{weight}>{escape(text.text)}</text>'
