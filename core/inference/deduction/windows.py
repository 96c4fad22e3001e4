"""Deduction from a few neighbouring equations: enumerate their solutions and find what these have in common."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import CENTRE, UNKNOWN, count_bits
from sweepstakes.inference.deduction.equations import (
    CHANGED,
    CLUE,
    CLUES,
    GAVE_UP,
    KIND,
    LEFT,
    N_CLUES,
    N_FOUND,
    NEED,
    OWN,
    PROOF,
    SCRATCH,
    SILENT,
    STATE,
    TICK,
    Grid,
    Line,
    blame,
    note,
    settle,
    singles,
)
from sweepstakes.inference.deduction.pairs import pairs

Numbers = npt.NDArray[np.int64]

LONGEST = 30
"""Largest length of a window, since each clue of a window is one bit."""

LIMIT = 1 << 14
"""Steps after which the search of a window gives up."""


@kernel
def windows(grid: Grid, around: Line, proof: Line, length: int, patterns: bool) -> bool:
    """Solve the window of every clue until no window proves another cell.

    Returns False if clues contradicted each other and were discarded.

    The window of a clue is the clue itself and further clues in breadth-first order, where clues that share unknown
    cells are neighbours, and those that share most come first. Cells in the same equations of a window form a group, so
    a solution is a number of mines for each group. A window whose search takes too long sets GAVE_UP.
    """
    state = grid[STATE]
    window = np.empty(length, np.int32)
    cells = np.empty(8 * length, np.int32)
    group_of = np.empty(8 * length, np.int64)
    groups = np.empty((4, 8 * length), np.int64)
    work = np.empty((4, 8 * length), np.int64)
    shared = np.empty(25, np.int64)
    last = 0
    while True:
        if patterns and not pairs(grid, around, proof, True):
            return False
        state[TICK] += 1
        begun = state[TICK]
        before = state[N_FOUND]
        for at in range(state[N_CLUES]):
            if grid[LEFT, grid[CLUES, at]] == 0:
                continue
            count = _gather(grid, around, grid[CLUES, at], window, shared)
            newest = 0
            for i in range(count):
                newest = max(newest, grid[CHANGED, window[i]])
            if newest < last or count == 1:
                continue
            size, n = _group(grid, around, window, count, cells, group_of, groups)
            verdict = _solve(grid, window, count, groups, n, work)
            if verdict < 0:
                state[GAVE_UP] = 1
                continue
            if verdict == 0:
                for i in range(count):
                    grid[SILENT, window[i]] = 1
                return False
            entry = -1
            for i in range(size):
                g = group_of[i]
                if grid[KIND, cells[i]] != UNKNOWN or groups[2, g] + groups[3, g] == 2:
                    continue
                if entry < 0:
                    entry = note(grid, proof, window, count)
                grid[PROOF, cells[i]] = entry
                bad = settle(grid, around, cells[i], groups[2, g])
                if bad >= 0:
                    blame(grid, around, proof, bad)
                    return False
            if not singles(grid, around, proof):
                return False
        if state[N_FOUND] == before:
            return True
        last = begun


@inner
def _gather(grid: Grid, around: Line, start: int, window: Line, shared: Numbers) -> int:
    """Fill the window of the clue `start`. Return the number of its clues."""
    width = around[6]
    window[0] = start
    count = 1
    read = 0
    while read < count < window.size:
        p = window[read]
        read += 1
        ours = np.int64(grid[OWN, p]) << CENTRE
        for step in range(25):
            down, right = step // 5 - 2, step % 5 - 2
            q = p + down * width + right
            shared[step] = 0
            if grid[CLUE, q] == 0 or grid[LEFT, q] == 0:
                continue
            theirs = np.int64(grid[OWN, q]) << (CENTRE + 7 * down + right)
            if ours & theirs != 0:
                shared[step] = count_bits(ours & theirs)
                for i in range(count):
                    if window[i] == q:
                        shared[step] = 0
        while count < window.size:
            best = 0
            for step in range(1, 25):
                if shared[step] > shared[best]:
                    best = step
            if shared[best] == 0:
                break
            shared[best] = 0
            window[count] = p + (best // 5 - 2) * width + best % 5 - 2
            count += 1
    return count


@inner
def _group(
    grid: Grid,
    around: Line,
    window: Line,
    count: int,
    cells: Line,
    group_of: Numbers,
    groups: Numbers,
) -> tuple[int, int]:
    """List the cells of a window and group those in the same equations: (number of cells, number of groups).

    Column g of `groups` has the equations of group g as bits, its size, 1 if it can have a mine, and 1 if it can have a
    safe cell. `_solve` fills the last two.
    """
    seen = grid[SCRATCH]
    size = 0
    for i in range(count):
        for k in range(8):
            q = window[i] + around[k]
            if grid[KIND, q] == UNKNOWN:
                if seen[q] == 0:
                    cells[size] = q
                    size += 1
                seen[q] |= 1 << i
    n = 0
    for i in range(size):
        q = cells[i]
        g = 0
        while g < n and groups[0, g] != seen[q]:
            g += 1
        if g == n:
            groups[0, g] = seen[q]
            groups[1, g] = 0
            groups[2, g] = 0
            groups[3, g] = 0
            n += 1
        groups[1, g] += 1
        group_of[i] = g
    for i in range(size):
        seen[cells[i]] = 0
    return size, n


@inner
def _solve(grid: Grid, window: Line, count: int, groups: Numbers, n: int, work: Numbers) -> int:
    """Search the solutions of a window and mark which groups can have a mine and which can have a safe cell.

    This is a backtracking search: group after group, each possible number of mines is tried. Returns 0 if there is no
    solution, 1 if there is one, and -1 if it takes too long. It stops as soon as every group can have both.
    """
    need, unassigned, mines, most = work[0], work[1], work[2], work[3]
    for i in range(count):
        need[i] = grid[NEED, window[i]]
        unassigned[i] = 0
        for g in range(n):
            if (groups[0, g] >> i) & 1 == 1:
                unassigned[i] += groups[1, g]
    solved = 0
    steps = 0
    g = 0
    fresh = True
    while True:
        if fresh and g == n:
            solved = 1
            if _mark(groups, mines, n) == 0:
                return 1
            g -= 1
            fresh = False
        elif fresh:
            steps += 1
            if steps > LIMIT:
                return -1
            mines[g], most[g] = _enter(groups, g, count, need, unassigned)
            fresh = False
        elif mines[g] < most[g]:
            mines[g] += 1
            for i in range(count):
                if (groups[0, g] >> i) & 1 == 1:
                    need[i] -= 1
            g += 1
            fresh = True
        else:
            for i in range(count):
                if (groups[0, g] >> i) & 1 == 1:
                    need[i] += mines[g]
                    unassigned[i] += groups[1, g]
            if g == 0:
                return solved
            g -= 1


@inner
def _mark(groups: Numbers, mines: Numbers, n: int) -> int:
    """Mark what each group has in a solution. Return how many marks are still missing."""
    questions = 0
    for h in range(n):
        if mines[h] > 0:
            groups[2, h] = 1
        if mines[h] < groups[1, h]:
            groups[3, h] = 1
        questions += 2 - groups[2, h] - groups[3, h]
    return questions


@inner
def _enter(groups: Numbers, g: int, count: int, need: Numbers, unassigned: Numbers) -> tuple[int, int]:
    """Begin with a group, whose cells are then no longer unassigned: (its fewest mines less one, its most mines)."""
    low, high = 0, groups[1, g]
    for i in range(count):
        if (groups[0, g] >> i) & 1 == 1:
            unassigned[i] -= groups[1, g]
            low = max(low, need[i] - unassigned[i])
            high = min(high, need[i])
    for i in range(count):
        if (groups[0, g] >> i) & 1 == 1:
            need[i] -= low - 1
    return low - 1, high
