"""Deduction from two equations: subtract one from the other."""

from __future__ import annotations

import numpy as np

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


@kernel
def pairs(grid: Grid, around: Line, proof: Line, only_patterns: bool) -> bool:
    """Subtract every equation from every other that shares a cell with it, until nothing new is proven.

    Returns False if clues contradicted each other and were discarded.

    Let P and Q be the cells of two equations with p and q mines. Their difference is (mines only in P) - (mines only in
    Q) = p - q. If it is as large as it can be, the cells only in P are all mines and those only in Q are all safe. Any
    other difference is not used.

    With `only_patterns`, only the patterns that players know by heart are used: 3 cells with 2 mines that share two
    cells with 3 cells with 1 mine; and 2 cells with 1 mine inside 3 cells with 2 mines or inside any cells with 1 mine.
    """
    state = grid[STATE]
    width = around[6]
    two = np.empty(2, np.int32)
    last = 0
    while True:
        state[TICK] += 1
        begun = state[TICK]
        before = state[N_FOUND]
        for at in range(state[N_CLUES]):
            p = grid[CLUES, at]
            for step in range(3, 15):  # the other clues that come after p row by row, to take each pair once
                down, right = step // 5, step % 5 - 2
                q = p + down * width + right
                if grid[CLUE, q] == 0 or grid[LEFT, p] == 0 or grid[LEFT, q] == 0:
                    continue
                # Nothing new can follow if neither equation has changed since the last round began.
                if grid[CHANGED, p] < last and grid[CHANGED, q] < last:
                    continue
                ours = np.int64(grid[OWN, p]) << CENTRE
                theirs = np.int64(grid[OWN, q]) << (CENTRE + 7 * down + right)
                if ours & theirs == 0:
                    continue
                alone = ours & ~theirs
                other = theirs & ~ours
                difference = grid[NEED, p] - grid[NEED, q]
                most = count_bits(alone)
                least = -count_bits(other)
                if difference > most or difference < least:
                    grid[SILENT, p] = 1
                    grid[SILENT, q] = 1
                    return False
                if most == least or (difference != most and difference != least):
                    continue
                if only_patterns and not _is_pattern(
                    grid[LEFT, p], grid[NEED, p], grid[LEFT, q], grid[NEED, q], most, -least
                ):
                    continue
                two[0] = p
                two[1] = q
                entry = note(grid, proof, two, 2)
                mine = 1 if difference == most else 0
                if not (
                    conclude(grid, around, proof, p, alone, mine, entry)
                    and conclude(grid, around, proof, p, other, 1 - mine, entry)
                    and singles(grid, around, proof)
                ):
                    return False
        if state[N_FOUND] == before:
            return True
        last = begun


@inner
def _is_pattern(left: int, need: int, other_left: int, other_need: int, alone: int, other: int) -> bool:
    """Return whether two equations form one of the known patterns.

    `left` and `need` are the cells and mines of the first equation, `alone` the cells that only it has. `other_left`,
    `other_need` and `other` are those of the second.
    """
    if alone == 1 and other == 1:
        return left == 3 and other_left == 3 and need + other_need == 3
    if other == 0:
        return other_left == 2 and other_need == 1 and (need == 1 or (left == 3 and need == 2))
    if alone == 0:
        return left == 2 and need == 1 and (other_need == 1 or (other_left == 3 and other_need == 2))
    return False
