"""A position as equations, and what single equations prove.

Every clue is an equation: the sum over its unknown neighbours is its number of missing mines. The array `grid` has a
row for each property of a padded cell. The unknown neighbours of a clue are also kept as bits (OWN), so that the sets
of two nearby clues can be combined after a shift.

For each proven cell it is recorded which clues proved it. When an equation can no longer hold, as happens under clue
noise, the clues involved are discarded, and `Knowledge` reads the position again without them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import WITHHELD
from sweepstakes.inference._positions import (
    BIT,
    MINE,
    OPEN,
    PAD,
    UNKNOWN,
    read_kinds,
    row_start,
    sum_around,
    unknown_around,
)

Grid = npt.NDArray[np.int32]
Line = npt.NDArray[np.int32]

# Rows of `grid`. Those up to PROOF and those from SCRATCH to REASON are indexed by padded cell, the others are lists.
KIND = 0  # OPEN, UNKNOWN or MINE
CLUE = 1  # 1: this cell shows a clue that is used
LEFT = 2  # number of unknown neighbours of a clue
NEED = 3  # number of mines among them
OWN = 4  # the unknown neighbours as bits, see `unknown_around`
CHANGED = 5  # value of TICK when the equation changed last
SILENT = 6  # 1: the clue here is discarded or ignored
PROOF = 7  # the clues that prove the cell: -1 - clue, or the index in `proof` at which they are listed, or NONE
STACK = 8  # clues whose unknown cells are all safe or all mines
FOUND = 9  # proven cells, in order
CLUES = 10  # clues that are used, row by row
STATE = 11  # the numbers below
SCRATCH = 12  # this row and the next two are all zeros when they are not in use
LISTED = 13
REASON = 14  # under an assumption: the clue that decided a cell
TRAIL = 15  # under an assumption: the decided cells, in order
BECAUSE = 16  # for each of them, the clue that decided it
ROWS = 17

# Columns of STATE: numbers of proven cells, entries of STACK, entries of CLUES and entries of `proof`; the round of the
# deduction (TICK); the number of cells unknown at first; and 1 if a search has reached its limit (GAVE_UP).
N_FOUND, TOP, N_CLUES, N_PROOF, TICK, N_UNKNOWN, GAVE_UP = range(7)

NONE = -(1 << 30)


@kernel(allocates=False)
def read(shown: npt.NDArray[np.int8], grid: Grid, around: Line) -> None:
    """Write the equations of a position. A clue that contradicts known mines is discarded at once."""
    rows, cols = shown.shape
    width = around[6]
    kind, clue, state = grid[KIND], grid[CLUE], grid[STATE]
    unknown, _ = read_kinds(shown, True, kind)
    grid[PROOF] = NONE
    top = 0
    clues = 0
    for r in range(rows):
        p = row_start(r, cols)
        for c in range(cols):
            code = shown[r, c]
            clue[p] = 0
            if 0 <= code < WITHHELD and grid[SILENT, p] == 0:
                total = sum_around(kind, p, width)
                left = total & 15
                need = code - (total >> 4)
                if need < 0 or need > left:
                    grid[SILENT, p] = 1
                elif left > 0:
                    clue[p] = 1
                    grid[LEFT, p] = left
                    grid[NEED, p] = need
                    grid[OWN, p] = unknown_around(kind, p, around)
                    grid[CHANGED, p] = 0
                    grid[CLUES, clues] = p
                    clues += 1
                    if need == 0 or need == left:
                        grid[STACK, top] = p
                        top += 1
            p += 1
    state[N_FOUND] = 0
    state[TOP] = top
    state[N_CLUES] = clues
    state[N_PROOF] = 0
    state[TICK] = 0
    state[N_UNKNOWN] = unknown
    state[GAVE_UP] = 0


@inner(shared=True)
def settle(grid: Grid, around: Line, q: int, mine: int) -> int:
    """Settle cell q as a mine or as safe in every equation. Return an equation that cannot hold any more, or -1."""
    state = grid[STATE]
    grid[KIND, q] = MINE if mine == 1 else OPEN
    grid[FOUND, state[N_FOUND]] = q
    state[N_FOUND] += 1
    bad = -1
    for i in range(8):
        s = q + around[i]
        if grid[CLUE, s] == 0:
            continue
        left, need = grid[LEFT, s], grid[NEED, s]
        decided = need == 0 or need == left
        left -= 1
        need -= mine
        grid[LEFT, s] = left
        grid[NEED, s] = need
        grid[OWN, s] &= ~(1 << BIT[7 - i])  # seen from the clue, the cell is in the opposite direction
        grid[CHANGED, s] = state[TICK]
        if need < 0 or need > left:
            bad = s
        elif left > 0 and not decided and (need == 0 or need == left):
            grid[STACK, state[TOP]] = s
            state[TOP] += 1
    return bad


@kernel(allocates=False)
def singles(grid: Grid, around: Line, proof: Line) -> bool:
    """Settle the cells of all equations whose cells are all safe or all mines, until there are no more of them.

    Returns False if clues contradicted each other and were discarded.
    """
    state = grid[STATE]
    while state[TOP] > 0:
        state[TOP] -= 1
        p = grid[STACK, state[TOP]]
        mine = 1 if grid[NEED, p] > 0 else 0
        for i in range(8):
            q = p + around[i]
            if grid[KIND, q] == UNKNOWN:
                grid[PROOF, q] = -1 - p
                bad = settle(grid, around, q, mine)
                if bad >= 0:
                    blame(grid, around, proof, bad)
                    return False
    return True


@inner(shared=True)
def blame(grid: Grid, around: Line, proof: Line, bad: int) -> None:
    """Discard an equation that cannot hold, and all clues that proved something about its cells."""
    grid[SILENT, bad] = 1
    for i in range(8):
        entry = grid[PROOF, bad + around[i]]
        if entry >= 0:
            for at in range(entry + 1, entry + 1 + proof[entry]):
                grid[SILENT, proof[at]] = 1
        elif entry != NONE:
            grid[SILENT, -1 - entry] = 1


@inner(shared=True)
def note(grid: Grid, proof: Line, clues: Line, count: int) -> int:
    """List the first `count` of `clues` as a proof. Return the entry for PROOF."""
    state = grid[STATE]
    entry = state[N_PROOF]
    if count == 1 or entry + count + 1 > proof.size:
        return int(-1 - clues[0])
    proof[entry] = count
    for i in range(count):
        proof[entry + 1 + i] = clues[i]
    state[N_PROOF] = entry + count + 1
    return int(entry)


@inner
def conclude(grid: Grid, around: Line, proof: Line, centre: int, cells: int, mine: int, entry: int) -> bool:
    """Settle the cells whose bits are set in the frame around `centre`. Return False as `singles` does."""
    width = around[6]
    at = 0
    while cells >> at != 0:
        if (cells >> at) & 1 == 1:
            q = centre + (at // 7 - 3) * width + at % 7 - 3
            if grid[KIND, q] == UNKNOWN:
                grid[PROOF, q] = entry
                bad = settle(grid, around, q, mine)
                if bad >= 0:
                    blame(grid, around, proof, bad)
                    return False
        at += 1
    return True


@kernel(allocates=False)
def collect(grid: Grid, cols: int, mine: int, out: npt.NDArray[np.int64]) -> int:
    """List the proven mines, or the cells proven safe, as flat indices. Return their number."""
    width = cols + 2 * PAD
    wanted = MINE if mine == 1 else OPEN
    count = 0
    for i in range(grid[STATE, N_FOUND]):
        q = grid[FOUND, i]
        if grid[KIND, q] == wanted:
            out[count] = (q // width - PAD) * cols + q % width - PAD
            count += 1
    return count


@kernel(allocates=False)
def pick_unknown(grid: Grid, rows: int, cols: int, which: int) -> int:
    """Return the flat index of the unknown cell number `which`, counted row by row, or -1 if there are fewer."""
    for r in range(rows):
        p = row_start(r, cols)
        for c in range(cols):
            if grid[KIND, p + c] == UNKNOWN:
                if which == 0:
                    return r * cols + c
                which -= 1
    return -1


@kernel(allocates=False)
def least_ratio(
    grid: Grid, around: Line, rows: int, cols: int, accumulate: bool, out: npt.NDArray[np.int64]
) -> tuple[int, float]:
    """Write to `out` the flat indices of the unknown cells with the least local probability: (number, probability).

    By a clue, the probability of each of its unknown cells is its missing mines / its unknown cells. The local
    probability of a cell is the largest of these, or their sum with `accumulate`. Cells that no clue sees are ignored.
    """
    count = 0
    least = np.inf
    for r in range(rows):
        p = row_start(r, cols) - 1
        for c in range(cols):
            p += 1
            if grid[KIND, p] != UNKNOWN:
                continue
            chance = -1.0
            for i in range(8):
                s = p + around[i]
                if grid[CLUE, s] == 1:
                    share = grid[NEED, s] / grid[LEFT, s]
                    if chance < 0.0:
                        chance = share
                    elif accumulate:
                        chance += share
                    else:
                        chance = max(chance, share)
            if chance < 0.0 or chance > least + 1e-9:
                continue
            if chance < least - 1e-9:
                count = 0
                least = chance
            out[count] = r * cols + c
            count += 1
    return count, least


@kernel(allocates=False)
def fewest_unknown_around(grid: Grid, around: Line, cols: int, cells: npt.NDArray[np.int64], count: int) -> int:
    """Return the first of `count` flat indices that has the fewest unknown neighbours."""
    best, fewest = -1, 9
    for at in range(count):
        p = row_start(cells[at] // cols, cols) + cells[at] % cols
        unknown = 0
        for i in range(8):
            unknown += grid[KIND, p + around[i]] == UNKNOWN
        if unknown < fewest:
            best, fewest = int(cells[at]), unknown
    return best
