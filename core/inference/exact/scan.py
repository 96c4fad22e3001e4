"""Reading a position, and single-clue propagation to its fixed point, in linear time."""

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
    """Read a view into the workspace and resolve every cell that one clue after another decides.

    Returns (cells unknown at first, known mines at first, cells found safe, mines found, flat index of a clue
    that cannot hold or -1). The finds are listed in order in SAFE_LIST and MINE_LIST. A clue goes on the
    stack once, when it becomes decided, and a cell is resolved once: the work is linear in the board. `table`
    is flat.
    """
    unknown, mines = read_kinds(shown, trust_flags, cells[KIND])
    top, bad = read_clues(shown, table, noisy, cells)
    if bad >= 0:
        return unknown, mines, 0, 0, bad
    safe, found, bad = propagate(cells, top)
    return unknown, mines, safe, found, bad


@inner
def read_clues(shown, table, noisy, cells):
    """Write what every clue allows, and stack those that are decided: (height of the stack, broken clue or -1)."""
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
            total = sum_around(kind, p, width)
            if not noisy and total == np.int64(shown[r, c]) << 4:
                continue
            u = total & 15
            m = total >> 4
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
    """Resolve the cells of every decided clue until the stack is empty: (safe cells, mines, broken clue or -1)."""
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
        mine = 0 if mask[p] == 1 else 1
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
            top, bad = tell_clues(q, mine, around, cells[LEFT], mask, cells[KNOWN], stack, top)
            if bad >= 0:
                return safe, found, flat[bad]
    return safe, found, -1


@inner
def tell_clues(q, mine, around, left, mask, known, stack, top):
    """Put a resolved cell into the clues around it: (height of the stack, clue that cannot hold or -1)."""
    for i in range(8):
        s = q + around[i]
        bits = mask[s]
        if bits == 0:
            continue
        u = left[s]
        decided = bits == 1 or bits == 1 << u
        u -= 1
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
