"""Choose the cells that are worth a lookahead when no cell is certain."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import MINE, PAD, UNKNOWN
from sweepstakes.inference.exact.influence import BOX, fifty_fifty, inside_cell, is_on_board, missing_of
from sweepstakes.inference.exact.marginals import EQUAL

# Columns of the table of candidates.
CELL = 0  # padded index
SAFETY = 1  # probability that it is no mine
INFLUENCE = 2  # 50/50 influence
SCORE = 3
STATE = 4  # whether it was scored, and if not, why: see `scoring`
VALUES = 5  # number of clues that it may show
AROUND = 6  # number of covered neighbours that are not known mines
BOUND = 7  # upper bound of the score
FEATURE = 8  # first feature

MAX_FRONTIER = 16
"""The maximum number of candidates on the frontier."""
FREE_EACH = 3
"""The maximum number of candidates off the frontier, for each of two criteria."""
MAX_FORCED = 8
"""The maximum number of candidates in forced 50/50s."""
MAX_CANDIDATES = MAX_FRONTIER + 2 * FREE_EACH + MAX_FORCED
NEAR = 0.9
"""A candidate on the frontier needs at least this share of the best safety."""
NEAR_FREE = 0.95
"""The same for candidates off the frontier."""
SMALL = 8
"""Covered regions with fewer cells can wait."""


@inner
def safety_of(p, rest_safety, base):
    """Return the probability that an unknown cell is safe. `rest_safety` is that of free cells."""
    g = base.group_at[p]
    return 1.0 - base.buffers.chance[g] if g >= 0 else rest_safety


@inner
def covered_around(p, base):
    """Count a cell's covered neighbours: (those that are not known mines, those of them on the frontier)."""
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
    """Return whether the covered region around a cell has fewer than SMALL cells.

    Two unknown cells belong to the same region if they are neighbours or if a revealed cell has both as neighbours.
    """
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
    """Append a cell to the queue unless it is already there. Return the new length."""
    for i in range(count):
        if queue[i] == p:
            return count
    queue[count] = p
    return count + 1


@inner
def add_candidate(p, n, safety, candidates, base):
    """Append a cell to the table of candidates unless it is already there. Return the new number of candidates."""
    for i in range(n):
        if candidates[i, CELL] == p:
            return n
    candidates[n, CELL] = p
    candidates[n, SAFETY] = safety
    candidates[n, AROUND] = covered_around(p, base)[0]
    return n + 1


@inner(shared=True)
def find_frontier(best, candidates, base):
    """List the frontier cells that are nearly as safe as the best cell, the safest first. Return their number."""
    extra = base.extra
    n = 0
    for g in range(base.group_count):
        safety = 1.0 - base.buffers.chance[g]
        if safety < NEAR * best:
            continue
        for k in range(extra.first_cell[g], extra.first_cell[g + 1]):
            p = extra.cell_list[k]
            around = covered_around(p, base)[0]
            if around == 0:
                continue
            # Insertion sort: by safety, then by fewest covered neighbours, then row by row.
            i = n
            while i > 0 and comes_before(safety, around, p, i - 1, candidates):
                i -= 1
            if i >= MAX_FRONTIER:
                continue
            if n < MAX_FRONTIER:
                n += 1
            for j in range(n - 1, i, -1):
                candidates[j, CELL] = candidates[j - 1, CELL]
                candidates[j, SAFETY] = candidates[j - 1, SAFETY]
                candidates[j, AROUND] = candidates[j - 1, AROUND]
            candidates[i, CELL] = p
            candidates[i, SAFETY] = safety
            candidates[i, AROUND] = around
    return n


@inner
def comes_before(safety, around, p, i, candidates):
    """Return whether a cell is sorted before candidate i."""
    if abs(safety - candidates[i, SAFETY]) > EQUAL:
        return safety > candidates[i, SAFETY]
    if around != candidates[i, AROUND]:
        return around < candidates[i, AROUND]
    return p < candidates[i, CELL]


@inner(shared=True)
def find_off_frontier(n, safety, candidates, base):
    """Add free cells: three with the fewest covered neighbours and three with the most neighbours on the frontier.

    Returns the new number of candidates.
    """
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
            # `chosen` holds the best cells, then their worths. Cells of equal worth stay in order.
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
                n = add_candidate(np.int64(chosen[i]), n, safety, candidates, base)
    return n


@inner
def drop_small_regions(n, candidates, base):
    """Remove candidates in small covered regions, unless all are. Return the number of candidates left."""
    kept = 0
    for i in range(n):
        candidates[i, SCORE] = 1.0 if is_small_region(np.int64(candidates[i, CELL]), base) else 0.0
        kept += 1 if candidates[i, SCORE] == 0.0 else 0
    if kept == 0:
        return n
    kept = 0
    for i in range(n):
        if candidates[i, SCORE] == 0.0:
            for k in (CELL, SAFETY, AROUND, SCORE):
                candidates[kept, k] = candidates[i, k]
            kept += 1
    return kept


@inner(shared=True)
def find_forced(cols, rest_safety, table, logarithm, candidates, base):
    """List the cells that can be a mine only as part of a 50/50. Return their number.

    Such a 50/50 has to be guessed sooner or later.
    """
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
                    if abs(1.0 - safety - chance) <= EQUAL and n < MAX_FORCED:
                        n = add_candidate(q, n, safety, candidates, base)
    return n
