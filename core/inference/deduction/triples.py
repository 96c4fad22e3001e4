"""Deduction from three equations: differences, and differences of differences."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import CENTRE, count_bits
from sweepstakes.inference.deduction.equations import (
    CHANGED,
    CLUE,
    CLUES,
    LEFT,
    N_CLUES,
    N_FOUND,
    NEED,
    OWN,
    SILENT,
    STATE,
    TICK,
    Grid,
    Line,
    conclude,
    note,
    singles,
)
from sweepstakes.inference.deduction.pairs import pairs

Sets = npt.NDArray[np.int64]
"""One row for each set of cells: its cells as bits, its size, and the fewest and the most mines in it."""

PARTNERS = 24
"""Clues that may share cells with a clue."""


@kernel
def triples(grid: Grid, around: Line, proof: Line) -> bool:
    """Combine every clue with any two clues that share cells with it, until nothing new is proven.

    Pairs are tried first, since they are cheaper. Returns False if clues contradicted each other and were discarded.
    """
    state = grid[STATE]
    width = around[6]
    partner = np.empty(PARTNERS + 1, np.int32)
    equation = np.empty((PARTNERS + 1, 4), np.int64)
    sets = np.empty((9, 4), np.int64)
    three = np.empty(3, np.int32)
    last = 0
    while True:
        if not pairs(grid, around, proof, False):
            return False
        state[TICK] += 1
        begun = state[TICK]
        before = state[N_FOUND]
        at = 0
        while at < state[N_CLUES]:
            p = grid[CLUES, at]
            at += 1
            if grid[LEFT, p] == 0:
                continue
            newest = grid[CHANGED, p]
            partner[0] = p
            _write(equation, 0, np.int64(grid[OWN, p]) << CENTRE, grid[LEFT, p], grid[NEED, p], grid[NEED, p])
            count = 1
            for step in range(25):
                down, right = step // 5 - 2, step % 5 - 2
                q = p + down * width + right
                if q == p or grid[CLUE, q] == 0 or grid[LEFT, q] == 0:
                    continue
                cells = np.int64(grid[OWN, q]) << (CENTRE + 7 * down + right)
                if cells & equation[0, 0] != 0:
                    newest = max(newest, grid[CHANGED, q])
                    partner[count] = q
                    _write(equation, count, cells, grid[LEFT, q], grid[NEED, q], grid[NEED, q])
                    count += 1
            if newest < last:
                continue
            safe, mines, i, j = _search(equation, count, sets)
            if i < 0:
                continue
            three[0] = p
            three[1] = partner[i]
            three[2] = partner[j]
            if safe == -1:
                for k in range(3):
                    grid[SILENT, three[k]] = 1
                return False
            entry = note(grid, proof, three, 3)
            if not (
                conclude(grid, around, proof, p, safe, 0, entry)
                and conclude(grid, around, proof, p, mines, 1, entry)
                and singles(grid, around, proof)
            ):
                return False
            at -= 1  # try the same clue again, since its equation has changed
        if state[N_FOUND] == before:
            return True
        last = begun


@inner
def _search(equation: Sets, count: int, sets: Sets) -> tuple[int, int, int, int]:
    """Find two partners of equation 0 that prove something: (safe cells, mines, partner, partner).

    The cells are bits. The partners are -1 if nothing was found. The safe cells are -1 if the three equations
    contradict each other.
    """
    for i in range(1, count):
        _write(sets, 0, equation[0, 0], equation[0, 1], equation[0, 2], equation[0, 3])
        _write(sets, 1, equation[i, 0], equation[i, 1], equation[i, 2], equation[i, 3])
        third = 2
        for k in range(2):
            third = _subtract(sets, k, 1 - k, third)
        for j in range(i + 1, count):
            _write(sets, third, equation[j, 0], equation[j, 1], equation[j, 2], equation[j, 3])
            n = third + 1
            for k in range(2):
                n = _subtract(sets, k, third, n)
                n = _subtract(sets, third, k, n)
            if n == 3:
                continue  # no difference has bounds that give information
            for a in range(n):
                for b in range(n):
                    common = sets[a, 0] & sets[b, 0]
                    cells = sets[a, 0] & ~sets[b, 0]
                    if a == b or common == 0 or cells == 0:
                        continue
                    size = count_bits(cells)
                    shared = sets[a, 1] - size
                    fewest = sets[a, 2] - min(sets[b, 3], shared)
                    most = sets[a, 3] - max(0, sets[b, 2] - (sets[b, 1] - shared))
                    if fewest > size or most < 0 or fewest > most:
                        return -1, 0, i, j
                    if most == 0:
                        return cells, 0, i, j
                    if fewest == size:
                        return 0, cells, i, j
    return 0, 0, -1, -1


@inner
def _subtract(sets: Sets, a: int, b: int, n: int) -> int:
    """Write the cells of set a that are not in set b, with bounds on their mines, to row n. Return the next free row.

    They have the mines of a, less those in the common cells. The common cells have at most the mines of b, and at least
    the mines of b that do not fit into its other cells. A set whose bounds give no information is not written.
    """
    common = sets[a, 0] & sets[b, 0]
    cells = sets[a, 0] & ~sets[b, 0]
    if common == 0 or cells == 0:
        return n
    size = count_bits(cells)
    shared = sets[a, 1] - size
    fewest = max(0, sets[a, 2] - min(sets[b, 3], shared))
    most = min(size, sets[a, 3] - max(0, sets[b, 2] - (sets[b, 1] - shared)))
    if fewest == 0 and most == size:
        return n
    _write(sets, n, cells, size, fewest, most)
    return n + 1


@inner
def _write(sets: Sets, n: int, cells: int, size: int, fewest: int, most: int) -> None:
    """Write the row of a set."""
    sets[n, 0] = cells
    sets[n, 1] = size
    sets[n, 2] = fewest
    sets[n, 3] = most
