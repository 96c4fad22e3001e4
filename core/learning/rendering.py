"""A view as a picture in an array: cells of 16 x 16 pixels in the classic colours."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.game.view import View

SIDE = 16
"""Pixels on each side of a cell."""
_COLOURS = {
    1: (0, 0, 255),
    2: (0, 128, 0),
    3: (255, 0, 0),
    4: (0, 0, 128),
    5: (128, 0, 0),
    6: (0, 128, 128),
    7: (0, 0, 0),
    8: (96, 96, 96),
    WITHHELD: (128, 0, 128),
    FLAG: (192, 0, 0),
    DETONATED: (0, 0, 0),
}
_SHAPES = {
    1: "..#.. .##.. ..#.. ..#.. ..#.. ..#.. .###.",
    2: ".###. #...# ....# ...#. ..#.. .#... #####",
    3: ".###. #...# ....# ..##. ....# #...# .###.",
    4: "...#. ..##. .#.#. #..#. ##### ...#. ...#.",
    5: "##### #.... ####. ....# ....# #...# .###.",
    6: ".###. #.... #.... ####. #...# #...# .###.",
    7: "##### ....# ...#. ..#.. ..#.. ..#.. ..#..",
    8: ".###. #...# #...# .###. #...# #...# .###.",
    WITHHELD: ".###. #...# ....# ...#. ..#.. ..... ..#..",
    FLAG: "#.... ###.. ##### ###.. #.... #.... #....",
    DETONATED: "#.#.# .###. ##### ##### .###. #.#.# .....",
}
"""The shapes of the marks, seven rows of five."""
_COVERED, _OPEN, _EDGE, _LIGHT, _BLAST = (
    (192, 192, 192),
    (222, 222, 222),
    (128, 128, 128),
    (255, 255, 255),
    (255, 64, 64),
)


def draw(view: View) -> npt.NDArray[np.uint8]:
    """Return the view as an RGB picture [16 x rows, 16 x cols, 3]."""
    tiles = _tiles()[view.shown - DETONATED]
    rows, cols = view.rows, view.cols
    return np.ascontiguousarray(tiles.transpose(0, 2, 1, 3, 4)).reshape(rows * SIDE, cols * SIDE, 3)


@cache
def _tiles() -> npt.NDArray[np.uint8]:
    """Return the picture of a cell for every code, from DETONATED to WITHHELD."""
    return np.stack([_tile(code) for code in range(DETONATED, WITHHELD + 1)])


def _tile(code: int) -> npt.NDArray[np.uint8]:
    tile = np.empty((SIDE, SIDE, 3), np.uint8)
    if code in (COVERED, FLAG):
        tile[:] = _EDGE
        tile[:-1, :-1] = _LIGHT
        tile[2:-2, 2:-2] = _COVERED
    else:
        tile[:] = _EDGE
        tile[1:, 1:] = _BLAST if code == DETONATED else _OPEN
    if code in _SHAPES:
        shape = np.array([[mark == "#" for mark in row] for row in _SHAPES[code].split()])
        tile[5:12, 6:11][shape] = _COLOURS[code]
    return tile
