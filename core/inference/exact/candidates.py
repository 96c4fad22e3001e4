"""Which cells to consider where nothing is certain."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import MINE, PAD, UNKNOWN
from sweepstakes.inference.exact.influence import BOX, fifty_fifty, inside_cell, is_on_board, missing_of
from sweepstakes.inference.exact.marginals import EQUAL

# Columns of the table of candidates; the features come behind them.
CELL = 0  # padded
SAFETY = 1
INFLUENCE = 2
SCORE = 3
STATE = 4
VALUES = 5
AROUND = 6  # covered neighbours
BOUND = 7  # what the score cannot exceed
FEATURE = 8

MOST = 16
"""Candidates on the frontier."""
FREE_EACH = 3
FORCED_MOST = 8
TABLE = MOST + 2 * FREE_EACH + FORCED_MOST
NEAR = 0.9
"""Share of the best safety that a candidate on the frontier needs."""
NEAR_FREE = 0.95
SMALL = 8
"""Covered regions with fewer cells can wait."""


@inner
def safety_of(p, rest_safety, base):
    """The probability that an unknown cell is no mine."""
    g = base.group_at[p]
    return 1.0 - base.room.chance[g] if g >= 0 else rest_safety


@inner
def covered_around(p, base):
    """(covered neighbours that are not known mines, those of them on the frontier)."""
    covered = 0
    frontier = 0
    for i in range(8):
        q = p + base.around[i]
        if base.kind[q] == UNKNOWN:
            covered += 1
            if base.group_at[q] >= 0:
                frontier += 1
    return covered, frontier


@inner
def is_small_region(p, base):
    """Whether the covered region around a cell has fewer than SMALL cells; regions go on across a revealed cell."""
    queue = base.extra.marked
    queue[0] = p
    count = 1
    head = 0
    while head < count and count < SMALL:
        at = queue[head]
        head += 1
        for i in range(8):
            q = at + base.around[i]
            if base.kind[q] == UNKNOWN:
                count = enqueue(q, queue, count)
            elif base.kind[q] != MINE and is_on_board(q, base):
                for k in range(8):
                    o = q + base.around[k]
                    if base.kind[o] == UNKNOWN:
                        count = enqueue(o, queue, count)
                    if count >= SMALL:
                        break
            if count >= SMALL:
                break
    return count < SMALL


@inner
def enqueue(p, queue, count):
    """Append a cell that is not in the queue; its length then."""
    for i in range(count):
        if queue[i] == p:
            return count
    queue[count] = p
    return count + 1


@inner
def add_candidate(p, n, safety, told, base):
    """Put a cell into the table of candidates unless it is there; how many there are then."""
    for i in range(n):
        if told[i, CELL] == p:
            return n
    told[n, CELL] = p
    told[n, SAFETY] = safety
    told[n, AROUND] = covered_around(p, base)[0]
    return n + 1


@inner(shared=True)
def find_frontier(best, told, base):
    """List the frontier cells that are nearly as safe as the best, the safest first; how many."""
    extra = base.extra
    n = 0
    for g in range(base.group_count):
        safety = 1.0 - base.room.chance[g]
        if safety < NEAR * best:
            continue
        for k in range(extra.first_cell[g], extra.first_cell[g + 1]):
            p = extra.cell_list[k]
            around = covered_around(p, base)[0]
            if around == 0:
                continue
            # By safety, then fewest covered neighbours, then row by row.
            i = n
            while i > 0 and comes_before(safety, around, p, i - 1, told):
                i -= 1
            if i >= MOST:
                continue
            if n < MOST:
                n += 1
            for j in range(n - 1, i, -1):
                told[j, CELL] = told[j - 1, CELL]
                told[j, SAFETY] = told[j - 1, SAFETY]
                told[j, AROUND] = told[j - 1, AROUND]
            told[i, CELL] = p
            told[i, SAFETY] = safety
            told[i, AROUND] = around
    return n


@inner
def comes_before(safety, around, p, i, told):
    """Whether a cell goes before candidate i."""
    if abs(safety - told[i, SAFETY]) > EQUAL:
        return safety > told[i, SAFETY]
    if around != told[i, AROUND]:
        return around < told[i, AROUND]
    return p < told[i, CELL]


@inner(shared=True)
def find_off_frontier(n, safety, told, base):
    """Add cells that no clue sees: three with the fewest covered neighbours, three with the most on the frontier."""
    extra = base.extra
    chosen = extra.marked
    for way in range(2):
        for i in range(2 * FREE_EACH):
            chosen[i] = -1
        for k in range(extra.first_cell[base.group_count], extra.first_cell[base.group_count + 1]):
            p = extra.cell_list[k]
            covered, frontier = covered_around(p, base)
            if way == 0:
                worth = 8 - covered
            elif frontier > 0:
                worth = frontier
            else:
                continue
            # The worths lie behind the cells; equal ones stay in order.
            i = FREE_EACH
            while i > 0 and (chosen[i - 1] < 0 or chosen[FREE_EACH + i - 1] < worth):
                i -= 1
            if i == FREE_EACH:
                continue
            for j in range(FREE_EACH - 1, i, -1):
                chosen[j] = chosen[j - 1]
                chosen[FREE_EACH + j] = chosen[FREE_EACH + j - 1]
            chosen[i] = p
            chosen[FREE_EACH + i] = worth
        for i in range(FREE_EACH):
            if chosen[i] >= 0:
                n = add_candidate(np.int64(chosen[i]), n, safety, told, base)
    return n


@inner
def drop_small_regions(n, told, base):
    """Leave out candidates in small covered regions if others are left; how many are left."""
    kept = 0
    for i in range(n):
        told[i, SCORE] = 1.0 if is_small_region(np.int64(told[i, CELL]), base) else 0.0
        kept += 1 if told[i, SCORE] == 0.0 else 0
    if kept == 0:
        return n
    kept = 0
    for i in range(n):
        if told[i, SCORE] == 0.0:
            for k in (CELL, SAFETY, AROUND, SCORE):
                told[kept, k] = told[i, k]
            kept += 1
    return kept


@inner(shared=True)
def find_forced(cols, rest_safety, table, logarithm, told, base):
    """List the cells that are a mine only as a part of a 50/50, which must be guessed sooner or later; how many."""
    width = cols + 2 * PAD
    n = 0
    for g in range(base.group_count + 1):
        for k in range(base.extra.first_cell[g], base.extra.first_cell[g + 1]):
            p = np.int64(base.extra.cell_list[k])
            for form in range(3):
                if missing_of(p, form, 1, cols, base) < 0:
                    continue
                chance = fifty_fifty(p, form, cols, table, logarithm, base)
                if chance == 0.0:
                    continue
                for i in range(4 if form == BOX else 2):
                    q = inside_cell(p, form, i, width)
                    safety = safety_of(q, rest_safety, base)
                    if abs(1.0 - safety - chance) <= EQUAL and n < FORCED_MOST:
                        n = add_candidate(q, n, safety, told, base)
    return n
