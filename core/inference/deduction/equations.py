"""A position as equations, and what single equations prove.

Every clue says: of my unknown neighbours so many are mines. One array `grid` holds a row for everything that is known
of a padded cell; a clue's set of unknown cells is also kept as bits (OWN), which makes set arithmetic with the clues
nearby a matter of shifts.

Whatever proves a cell notes which clues did. When an equation can no longer hold, as happens under clue noise, the
clues involved are discarded, and the reading starts anew without them.
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

# Rows of `grid`.
KIND = 0  # what a cell is
CLUE = 1  # 1: a clue stands here and counts
LEFT = 2  # unknown neighbours of a clue
NEED = 3  # mines among them
OWN = 4  # the unknown neighbours as bits, as `unknown_around` gives them
CHANGED = 5  # when the equation changed last
SILENT = 6  # 1: the clue here is left out
PROOF = 7  # which clues prove the cell: -1 - clue, or where in `proof` they are listed; NONE
STACK = 8  # clues that decide all their cells
FOUND = 9  # cells found, in order
CLUES = 10  # clues that count, row by row
STATE = 11  # the numbers below
SCRATCH = 12  # zeros between two uses, like the next two
LISTED = 13
REASON = 14  # under an assumption: the clue that decided a cell
TRAIL = 15  # under an assumption: the cells decided, in order
BECAUSE = 16  # and the clue that decided each
ROWS = 17

# Columns of STATE.
N_FOUND, TOP, N_CLUES, N_PROOF, TICK, N_UNKNOWN, GAVE_UP = range(7)

NONE = -(1 << 30)


@kernel(allocates=False)
def read(shown: npt.NDArray[np.int8], grid: Grid, around: Line) -> None:
    """Write the equations of a position; a clue that contradicts what is known already is discarded at once."""
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
    """Put what an unknown cell is into every equation; a clue that then cannot hold, or -1."""
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
        grid[OWN, s] &= ~(1 << BIT[7 - i])
        grid[CHANGED, s] = state[TICK]
        if need < 0 or need > left:
            bad = s
        elif left > 0 and not decided and (need == 0 or need == left):
            grid[STACK, state[TOP]] = s
            state[TOP] += 1
    return bad


@kernel(allocates=False)
def singles(grid: Grid, around: Line, proof: Line) -> bool:
    """Solve every equation that says all or none, until none does.

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
    """Silence a clue that cannot hold and all clues that proved something about its cells."""
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
    """List clues that together prove something; what to put into PROOF."""
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
    """Settle the cells that are set as bits in the frame around `centre`; False as `singles`."""
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
    """List the cells found to be mines, or to be safe, as flat indices row by row; how many there are."""
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
    """The flat index of the unknown cell number `which`, row by row; -1 if there are fewer."""
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
    """The unknown cells with the least local probability, in `out` as flat indices; how many, and the probability.

    A clue gives each of its unknown cells its missing mines / its unknown cells. A cell takes the largest of what its
    clues give, or the sum with `accumulate`. Only cells that a clue sees count.
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
    """Of the flat indices the first that has the fewest unknown neighbours."""
    best, fewest = -1, 9
    for at in range(count):
        p = row_start(cells[at] // cols, cols) + cells[at] % cols
        unknown = 0
        for i in range(8):
            unknown += grid[KIND, p + around[i]] == UNKNOWN
        if unknown < fewest:
            best, fewest = int(cells[at]), unknown
    return best
