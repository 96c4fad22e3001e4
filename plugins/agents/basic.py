"""`basic`: one clue at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes._kernels import kernel
from sweepstakes.shown import COVERED, DETONATED, FLAG


class Basic(Agent):
    """Flags and opens what a single clue proves, else opens a random covered cell."""

    version = 1

    def act(self, view: View) -> Turn:
        """All that single clues prove, to the end of what follows from it; or any covered cell."""
        shown = view.shown
        found = single_clues(shown)
        mines, safe = np.flatnonzero(found == 1), np.flatnonzero(found == 2)
        if mines.size or safe.size:
            return Turn(open=safe, flag=mines, why="proof")
        covered = np.flatnonzero(shown == COVERED)
        if not covered.size:
            return Turn()  # noisy clues led to a flag on a safe cell: nothing is left to do
        pick = self.rng.below(len(covered))
        return Turn(open=covered[pick : pick + 1], why="random")


@kernel
def single_clues(shown: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """1 for each covered cell that single clues prove a mine, 2 for each that they prove safe, to a fixed point."""
    rows, cols = shown.shape
    found = np.zeros((rows, cols), np.int8)
    changed = True
    while changed:
        changed = False
        for row in range(rows):
            for col in range(cols):
                clue = shown[row, col]
                if (clue < 1 and clue != 0) or clue > 8:
                    continue
                mines, unknown = 0, 0
                for r in range(max(row - 1, 0), min(row + 2, rows)):
                    for c in range(max(col - 1, 0), min(col + 2, cols)):
                        there = shown[r, c]
                        if there == FLAG or there == DETONATED or found[r, c] == 1:
                            mines += 1
                        elif there == COVERED and found[r, c] == 0:
                            unknown += 1
                if unknown and (clue == mines or clue == mines + unknown):
                    changed = True
                    for r in range(max(row - 1, 0), min(row + 2, rows)):
                        for c in range(max(col - 1, 0), min(col + 2, cols)):
                            if shown[r, c] == COVERED and found[r, c] == 0:
                                found[r, c] = 2 if clue == mines else 1
    return found.reshape(-1)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `basic`."""
    return {"basic": Basic}
