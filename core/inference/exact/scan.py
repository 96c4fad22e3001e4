"""Read a position and resolve every cell that follows from single clues, in linear time."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import (
    MINE,
    OPEN,
    PAD,
    UNKNOWN,
    possible_counts,
    read_kinds,
    row_start,
    sum_around,
)
from sweepstakes.inference.exact.layout import AROUND, FLAT, KIND, KNOWN, LEFT, MASK, MINE_LIST, SAFE_LIST, STACK


@kernel(allocates=False)
def scan(shown, table, noisy, trust_flags, cells):
    """Read a view into the workspace and resolve every cell that follows from single clues.

    A clue is decided if its unknown neighbours must all be safe or must all be mines. Once these cells are resolved,
    other clues around them may be decided too. Each clue goes on the stack once, when it becomes decided, and each
    cell is resolved once, so the time is linear in the size of the board.

    `table` is the flat likelihood table of the clue noise. Returns (cells unknown at first, known mines at first, cells
    found safe, mines found, flat index of a clue that cannot be true, or -1). SAFE_LIST and MINE_LIST list the resolved
    cells in order.
    """
    unknown, mines = read_kinds(shown, trust_flags, cells[KIND])
    top, bad = read_clues(shown, table, noisy, cells)
    if bad >= 0:
        return unknown, mines, 0, 0, bad
    safe, found, bad = propagate(cells, top)
    return unknown, mines, safe, found, bad


@inner
def read_clues(shown, table, noisy, cells):
    """Write what every clue allows, and put decided clues on the stack: (height of the stack, broken clue or -1)."""
    rows, cols = shown.shape
    width = cols + 2 * PAD
    kind = cells[KIND]
    left = cells[LEFT]
    mask = cells[MASK]
    known = cells[KNOWN]
    stack = cells[STACK]
    top = 0
    for r in range(rows):
        start = row_start(r, cols)
        for c in range(cols):
            p = start + c
            mask[p] = 0
            counts = possible_counts(shown, r, c, table, noisy)
            if counts == 0:
                continue
            total = sum_around(kind, p, width)  # unknown neighbours in the low four bits, known mines above
            # No unknown neighbours, and as many known mines as the clue says: nothing is left to find out.
            if not noisy and total == np.int64(shown[r, c]) << 4:
                continue
            u = total & 15
            m = total >> 4
            # Bit v: the clue allows m + v mines in all, hence v among the u unknown neighbours.
            bits = (counts >> m) & ((2 << u) - 1)
            if bits == 0:
                return top, r * cols + c
            left[p] = u
            mask[p] = bits
            known[p] = m
            if u > 0 and (bits == 1 or bits == 1 << u):
                stack[top] = p
                top += 1
    return top, -1


@inner
def propagate(cells, top):
    """Resolve the cells of all decided clues until the stack is empty: (safe cells, mines, broken clue or -1)."""
    around = cells[AROUND]
    kind = cells[KIND]
    mask = cells[MASK]
    stack = cells[STACK]
    flat = cells[FLAT]
    safe_list = cells[SAFE_LIST]
    mine_list = cells[MINE_LIST]
    safe = 0
    found = 0
    while top > 0:
        top -= 1
        p = stack[top]
        mine = 0 if mask[p] == 1 else 1  # a decided clue allows 0 more mines, or as many as it has unknown cells
        for i in range(8):
            q = p + around[i]
            if kind[q] != UNKNOWN:
                continue
            if mine == 1:
                kind[q] = MINE
                mine_list[found] = flat[q]
                found += 1
            else:
                kind[q] = OPEN
                safe_list[safe] = flat[q]
                safe += 1
            top, bad = update_clues(q, mine, around, cells[LEFT], mask, cells[KNOWN], stack, top)
            if bad >= 0:
                return safe, found, flat[bad]
    return safe, found, -1


@inner
def update_clues(q, mine, around, left, mask, known, stack, top):
    """Update the clues around cell q, which is now resolved: (height of the stack, clue that cannot be true or -1)."""
    for i in range(8):
        s = q + around[i]
        bits = mask[s]
        if bits == 0:
            continue
        u = left[s]
        decided = bits == 1 or bits == 1 << u
        u -= 1
        # One cell fewer. If it is a mine, each remaining count is one less than before.
        bits = (bits >> mine) & ((2 << u) - 1)
        left[s] = u
        mask[s] = bits
        known[s] += mine
        if bits == 0:
            return top, s
        if u > 0 and not decided and (bits == 1 or bits == 1 << u):
            stack[top] = s
            top += 1
    return top, -1
