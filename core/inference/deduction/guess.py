"""Picking a cell to guess from a board of probabilities."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import kernel
from sweepstakes.game.codes import COVERED, FLAG, WITHHELD

EQUAL = 1e-9
"""Probabilities this near count as equal."""


@kernel(allocates=False)
def least_probable(
    shown: npt.NDArray[np.int8],
    probability: npt.NDArray[np.float64],
    below: float,
    frontier: bool,
    flags: bool,
) -> tuple[int, float]:
    """The covered cell least likely a mine, then with the fewest covered neighbours, then row by row; -1 if none.

    Only cells with a probability under `below` count; with `frontier` only those that see a clue; with `flags` also
    those under a flag.
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
