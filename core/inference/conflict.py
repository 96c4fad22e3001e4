"""Which clue of an impossible position cannot hold."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.cell import Cell
from sweepstakes.inference._layout import IGNORED
from sweepstakes.inference.posterior import Status, posterior


def conflict(
    shown: npt.NDArray[np.int8], *, noise: npt.NDArray[np.float64] | None = None, trust_flags: bool = True
) -> Cell | None:
    """The first clue, row by row, that no layout satisfies together with those before it.

    None if the clues agree with each other: what cannot be is then the mine count.
    """
    clues = [Cell(int(row), int(col)) for row, col in np.argwhere(shown >= 0)]

    def possible(count: int) -> bool:
        position = shown.copy()
        for clue in clues[count:]:
            position[clue] = IGNORED
        found = posterior(position, None, noise=noise, trust_flags=trust_flags)
        return found.status is not Status.INCONSISTENT

    if possible(len(clues)):
        return None
    fine, broken = 0, len(clues)  # with fewer clues there are more layouts, so halving finds the first that breaks
    while broken - fine > 1:
        middle = (fine + broken) // 2
        if possible(middle):
            fine = middle
        else:
            broken = middle
    return clues[broken - 1]
