"""Deduction by contradiction: a cell that cannot be a mine is safe, and a cell that cannot be safe is a mine."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import MINE, OPEN, UNKNOWN
from sweepstakes.inference.deduction.equations import (
    BECAUSE,
    CLUE,
    CLUES,
    KIND,
    LEFT,
    LISTED,
    N_CLUES,
    N_FOUND,
    NEED,
    PROOF,
    REASON,
    SCRATCH,
    STACK,
    STATE,
    TRAIL,
    Grid,
    Line,
    blame,
    note,
    settle,
    singles,
)

ASSUMED = -1


@kernel(allocates=False)
def contradictions(grid: Grid, around: Line, proof: Line, one_sided: bool) -> bool:
    """Assume that each cell is a mine (and that it is safe, unless `one_sided`), until nothing new is proven.

    Cells with few clues are tried first. Returns False if clues contradicted each other and were discarded.
    """
    state = grid[STATE]
    involved = grid[SCRATCH]  # number of clues that see a cell
    while True:
        before = state[N_FOUND]
        for at in range(state[N_CLUES]):
            p = grid[CLUES, at]
            if grid[LEFT, p] > 0:
                for i in range(8):
                    q = p + around[i]
                    if grid[KIND, q] == UNKNOWN:
                        involved[q] += 1
        consistent = True
        for wanted in range(1, 9):
            for at in range(state[N_CLUES]):
                p = grid[CLUES, at]
                for i in range(8):
                    q = p + around[i]
                    if involved[q] != wanted:
                        continue
                    involved[q] = 0
                    if consistent and grid[KIND, q] == UNKNOWN:
                        consistent = _try(grid, around, proof, q, one_sided)
        if not consistent:
            return False
        if state[N_FOUND] == before:
            return True


@inner
def _try(grid: Grid, around: Line, proof: Line, q: int, one_sided: bool) -> bool:
    """Assume that cell q is a mine, then that it is safe. Settle it if an assumption breaks an equation.

    Returns False as `singles` does.
    """
    for value in (1, 0):
        if value == 0 and one_sided:
            break
        entry = _assume(grid, around, proof, q, value)
        if entry != 0:
            grid[PROOF, q] = entry - 1 if entry > 0 else entry
            bad = settle(grid, around, q, 1 - value)
            if bad >= 0:
                blame(grid, around, proof, bad)
                return False
            return bool(singles(grid, around, proof))
    return True


@inner
def _assume(grid: Grid, around: Line, proof: Line, q: int, value: int) -> int:
    """Propagate an assumption through single equations, then undo all changes.

    Returns 0 if no equation breaks. Otherwise returns the entry for PROOF of the clues that refute the assumption, plus
    1 if the entry is not negative, so that it differs from 0.
    """
    trail, because, reason, stack = grid[TRAIL], grid[BECAUSE], grid[REASON], grid[STACK]
    trail[0] = q
    because[0] = ASSUMED
    count = 1
    top: Any = np.int64(0)  # numba would compile a function once more for a literal
    bad = -1
    read = 0
    grid[KIND, q] = MINE if value == 1 else OPEN
    while True:
        while read < count and bad < 0:
            reason[trail[read]] = because[read]
            top, bad = _assume_cell(grid, around, trail[read], stack, top)
            read += 1
        if bad >= 0 or top == 0:
            break
        top -= 1
        s = stack[top]
        kind = MINE if grid[NEED, s] > 0 else OPEN
        for i in range(8):
            cell = s + around[i]
            if grid[KIND, cell] == UNKNOWN:
                grid[KIND, cell] = kind
                trail[count] = cell
                because[count] = s
                count += 1
    entry = 0
    if bad >= 0:
        entry = _refutation(grid, around, proof, bad)
        if entry >= 0:
            entry += 1
    for at in range(count):
        if at < read:
            _undo_cell(grid, around, trail[at])
        grid[KIND, trail[at]] = UNKNOWN
        reason[trail[at]] = 0
    return int(entry)


@inner
def _assume_cell(grid: Grid, around: Line, cell: int, stack: Line, top: int) -> tuple[int, int]:
    """Settle an assumed cell in every equation: (height of the stack, equation that cannot hold or -1)."""
    bad = -1
    mine = 1 if grid[KIND, cell] == MINE else 0
    for i in range(8):
        s = cell + around[i]
        if grid[CLUE, s] == 0:
            continue
        left, need = grid[LEFT, s], grid[NEED, s]
        decided = need == 0 or need == left
        left -= 1
        need -= mine
        grid[LEFT, s] = left
        grid[NEED, s] = need
        if need < 0 or need > left:
            bad = s
        elif left > 0 and not decided and (need == 0 or need == left):
            stack[top] = s
            top += 1
    return top, bad


@inner
def _undo_cell(grid: Grid, around: Line, cell: int) -> None:
    """Undo `_assume_cell`: make the cell unknown again in every equation."""
    mine = 1 if grid[KIND, cell] == MINE else 0
    for i in range(8):
        s = cell + around[i]
        if grid[CLUE, s] == 1:
            grid[LEFT, s] += 1
            grid[NEED, s] += mine


@inner
def _refutation(grid: Grid, around: Line, proof: Line, bad: int) -> int:
    """List the broken clue and every clue that led to it as a proof. Return the entry for PROOF."""
    reason, clues, listed = grid[REASON], grid[STACK], grid[LISTED]
    clues[0] = bad
    listed[bad] = 1
    count = 1
    read = 0
    while read < count:
        s = clues[read]
        read += 1
        for i in range(8):
            why = reason[s + around[i]]
            if why > 0 and listed[why] == 0:
                listed[why] = 1
                clues[count] = why
                count += 1
    for at in range(count):
        listed[clues[at]] = 0
    return int(note(grid, proof, clues, count))
