"""What a few neighbouring equations prove together: all their solutions, and what those have in common."""

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
"""The most clues that a window can have: one bit each."""

LIMIT = 1 << 14
"""How many steps the search of one window may take before it is left undecided."""


@kernel
def windows(grid: Grid, around: Line, proof: Line, length: int, patterns: bool) -> bool:
    """Solve the window of every clue until no window proves another cell.

    Returns False if clues contradicted each other and were discarded.

    The window of a clue is the clue and the next ones in breadth-first order over clues that share unknown cells, those
    that share most first. Cells in the same equations of a window are alike, so its solutions are counted by how many
    mines each such group holds. A window whose search takes too long sets GAVE_UP.
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
    """Fill the window of a clue; how many clues it has."""
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
    """List the window's cells and put those in the same equations together: (cells, groups).

    A line of `groups`: its equations as bits, its size, whether it can hold a mine, whether it can hold a safe cell.
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
    """Search the solutions of a window and mark what each group can hold.

    Returns 1 when all is known, which is as soon as every group can hold both, 0 if there is no solution, -1 over the
    limit.
    """
    need, room, mines, most = work[0], work[1], work[2], work[3]
    for i in range(count):
        need[i] = grid[NEED, window[i]]
        room[i] = 0
        for g in range(n):
            if (groups[0, g] >> i) & 1 == 1:
                room[i] += groups[1, g]
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
            mines[g], most[g] = _enter(groups, g, count, need, room)
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
                    room[i] += groups[1, g]
            if g == 0:
                return solved
            g -= 1


@inner
def _mark(groups: Numbers, mines: Numbers, n: int) -> int:
    """Mark what a solution puts into each group; how many questions are open then."""
    questions = 0
    for h in range(n):
        if mines[h] > 0:
            groups[2, h] = 1
        if mines[h] < groups[1, h]:
            groups[3, h] = 1
        questions += 2 - groups[2, h] - groups[3, h]
    return questions


@inner
def _enter(groups: Numbers, g: int, count: int, need: Numbers, room: Numbers) -> tuple[int, int]:
    """Subtract a group's size from the capacity of its equations: (its fewest mines less one, its most mines)."""
    low, high = 0, groups[1, g]
    for i in range(count):
        if (groups[0, g] >> i) & 1 == 1:
            room[i] -= groups[1, g]
            low = max(low, need[i] - room[i])
            high = min(high, need[i])
    for i in range(count):
        if (groups[0, g] >> i) & 1 == 1:
            need[i] -= low - 1
    return low - 1, high
