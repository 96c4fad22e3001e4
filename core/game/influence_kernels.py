"""Compiled search for connected clues."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED


@kernel
def longest_frontier(shown: npt.NDArray[np.int8]) -> int:
    """Return the size of the largest set of connected clues. Two clues are connected if they share a covered cell."""
    return frontier_sizes(shown)[0]


@kernel
def frontier_sizes(shown: npt.NDArray[np.int8]) -> tuple[int, int]:
    """Return the number of clues in the largest connected set, and in all sets together."""
    rows, cols = shown.shape
    seen = np.zeros((rows, cols), np.bool_)
    stack = np.empty(rows * cols, np.int64)
    most, whole = 0, 0
    for start in range(rows * cols):
        if not _speaks(shown, start // cols, start % cols) or seen[start // cols, start % cols]:
            continue
        seen[start // cols, start % cols] = True
        stack[0] = start
        height, size = 1, 0
        while height > 0:
            height -= 1
            row, col = stack[height] // cols, stack[height] % cols
            size += 1
            for r in range(max(row - 2, 0), min(row + 3, rows)):
                for c in range(max(col - 2, 0), min(col + 3, cols)):
                    if not seen[r, c] and _speaks(shown, r, c) and _share(shown, row, col, r, c):
                        seen[r, c] = True
                        stack[height] = r * cols + c
                        height += 1
        most = max(most, size)
        whole += size
    return most, whole


@inner
def _speaks(shown: npt.NDArray[np.int8], row: int, col: int) -> bool:
    """Return whether the cell shows a clue and has a covered neighbour."""
    if shown[row, col] < 1 or shown[row, col] > 8:
        return False
    return _share(shown, row, col, row, col)


@inner
def _share(shown: npt.NDArray[np.int8], row: int, col: int, r: int, c: int) -> bool:
    """Return whether two cells have a covered neighbour in common."""
    rows, cols = shown.shape
    for y in range(max(row, r) - 1, min(row, r) + 2):
        for x in range(max(col, c) - 1, min(col, c) + 2):
            if 0 <= y < rows and 0 <= x < cols and shown[y, x] == COVERED:
                return True
    return False
