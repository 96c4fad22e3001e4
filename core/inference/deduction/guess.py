"""Pick a cell to guess from a board of probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import kernel
from sweepstakes.game.codes import COVERED, FLAG, WITHHELD

EQUAL = 1e-9
"""Probabilities that differ by at most this count as equal."""


@kernel(allocates=False)
def least_probable(
    shown: npt.NDArray[np.int8],
    probability: npt.NDArray[np.float64],
    below: float,
    frontier: bool,
    flags: bool,
) -> tuple[int, float]:
    """Pick the covered cell that is least likely a mine: (flat index, probability), or (-1, inf) without one.

    Ties go to the cell with the fewest covered neighbours, then to the first row by row. Only cells with a probability
    less than `below` are considered, with `frontier` only those next to a clue. With `flags`, flagged cells count as
    covered.
    """
    rows, cols = shown.shape
    best, chance, fewest = -1, np.inf, 9
    for r in range(rows):
        for c in range(cols):
            if shown[r, c] != COVERED and not (flags and shown[r, c] == FLAG):
                continue
            p = probability[r, c]
            if not p < below or p > chance + EQUAL:
                continue
            sees = False
            covered = -1
            for y in range(max(r - 1, 0), min(r + 2, rows)):
                for x in range(max(c - 1, 0), min(c + 2, cols)):
                    code = shown[y, x]
                    covered += code == COVERED or (flags and code == FLAG)
                    sees = sees or 0 <= code < WITHHELD
            if frontier and not sees:
                continue
            if p < chance - EQUAL or covered < fewest:
                best, chance, fewest = r * cols + c, p, covered
    return best, chance
