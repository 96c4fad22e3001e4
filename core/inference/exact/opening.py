"""Look ahead from opening a cell: the probability of each clue that it may show, and all marginals after that clue."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import MINE, PAD, UNKNOWN, row_start
from sweepstakes.inference.exact.base import SLOT, TABLE_END, group_of
from sweepstakes.inference.exact.conditional import (
    backward_under,
    couple_under,
    fill_table,
    marginals_of_the_rest,
    weight_of,
)
from sweepstakes.inference.exact.conditioned import COUNTED, SAFE, clear_marks, forward_under, mark_cell
from sweepstakes.inference.exact.layout import N_STATES, OK, OVER
from sweepstakes.inference.exact.summing import count_in

# Places of `Extra.value`: eight for each value of the clue. A cell is living if it has an undecided neighbour, so that
# opening it may give information.
CLUE = 0
PROBABILITY = 1  # of this clue, given that the cell is safe
BEST = 2  # safety of the safest living cell
SECOND = 3  # safety of the second safest
CERTAIN = 4  # number of cells that are then certainly safe
VARIANCE = 5  # sum of p (1 - p) over the frontier
UNDECIDED = 6  # number of groups with cells that are neither certainly safe nor certainly mines
LIVING = 7  # 1 if some certainly safe cell is living


@inner
def entry_of(p, base):
    """Return the index in `chance` and `sure` of an unknown cell under the condition."""
    return 2 * group_of(p, base) + (1 if base.extra.mark[p] == COUNTED else 0)


@inner
def is_living(p, base):
    """Return whether a cell has an undecided neighbour."""
    for i in range(8):
        q = p + base.around[i]
        if base.kind[q] == UNKNOWN and base.extra.mark[q] != SAFE and base.extra.sure[entry_of(q, base)] == 0:
            return True
    return False


@inner
def count_safe(known_safe, opened, base):
    """Count the cells known to be safe, without the opened one: (their number, number of living ones up to two)."""
    certain = 0
    living = 0
    for i in range(known_safe):
        p = padded(base.safe_list[i], base)
        if p == opened:
            continue
        certain += 1
        if living < 2 and is_living(p, base):
            living += 1
    return certain, living


@inner(shared=True)
def read_marginals(at, known_safe, opened, base):
    """Write BEST to LIVING for one value of the clue, at index `at` of `value`.

    If fewer than two cells are living, undecided cells that are not living take their place. If there are no undecided
    cells either, the safety is 1.
    """
    extra = base.extra
    value = extra.value
    other = -1.0
    another = -1.0
    variance = 0.0
    undecided = 0
    certain, living = count_safe(known_safe, opened, base)
    lives = 1 if living > 0 else 0
    best = 1.0 if living > 0 else -1.0
    second = 1.0 if living > 1 else -1.0
    for g in range(base.group_count + 1):
        begin = extra.first_cell[g]
        end = extra.first_cell[g + 1]
        if begin == end:
            continue
        counted = extra.part[4 * g + COUNTED]
        plain = end - begin - counted - extra.part[4 * g + SAFE]
        for inside in range(2):
            size = counted if inside == 1 else plain
            if size == 0:
                continue
            entry = 2 * g + inside
            sure = extra.sure[entry]
            if sure == 2:
                continue
            safety = 1.0
            if sure == 1:
                certain += size
            else:
                undecided += 1
                chance = extra.chance[entry]
                safety = 1.0 - chance
                if g < base.group_count or inside == 1:
                    variance += size * chance * safety
            if safety <= second:
                continue
            for k in range(begin, end):
                p = extra.cell_list[k]
                if extra.mark[p] == SAFE or (extra.mark[p] == COUNTED) != (inside == 1):
                    continue
                if is_living(p, base):
                    if sure == 1:
                        lives = 1
                    if safety > best:
                        second = best
                        best = safety
                    else:
                        second = safety
                    if second >= safety:
                        break
                elif sure == 0 and safety > another:
                    if safety > other:
                        another = other
                        other = safety
                    else:
                        another = safety
    if best < 0.0:
        best = other if other >= 0.0 else 1.0
        other = another
    if second < 0.0:
        second = other if other >= 0.0 else 1.0
    value[at + BEST] = best
    value[at + SECOND] = second
    value[at + CERTAIN] = certain
    value[at + VARIANCE] = variance
    value[at + UNDECIDED] = undecided
    value[at + LIVING] = lives


@inner
def padded(flat, base):
    """Return the padded index of a flat cell."""
    cols = base.around[6] - 2 * PAD
    return row_start(flat // cols, cols) + flat % cols


@inner
def mark_opened(p, base):
    """Mark a cell as safe and its neighbours as counted: (marked cells, known mines around the cell)."""
    n = 0
    mines = 0
    if base.kind[p] == UNKNOWN:
        n = mark_cell(p, SAFE, n, base)
    for i in range(8):
        q = p + base.around[i]
        if base.kind[q] == UNKNOWN:
            n = mark_cell(q, COUNTED, n, base)
        elif base.kind[q] == MINE:
            mines += 1
    return n, mines


@inner(shared=True)
def open_cell(p, known_safe, fewest, table, base):
    """Fill `value` for a cell that is opened and safe: (OK or OVER, number of values, number of touched components).

    With fewer than `fewest` values, only clues and probabilities are written, because a clue with a single possible
    value gives no information.
    """
    extra = base.extra
    n, mines = mark_opened(p, base)
    answer, main, steps, begin, _ = forward_under(n, True, table, base)
    values = 0
    if answer == OK:
        answer, untouched, _ = couple_under(begin, base)
        if answer == OK:
            everything = 0.0
            stop = base.states.used[N_STATES]
            for final in range(begin, stop):
                w = weight_of(final, base)
                if w > 0.0:
                    values += 1
                everything += w
            if values >= fewest and not tabulate_untouched(base):
                answer = OVER
            at = 0
            for final in range(begin, stop):
                w = weight_of(final, base)
                if w == 0.0 or answer != OK:
                    continue
                key0 = np.int64(base.states.key0[final])
                key1 = np.int64(base.states.key1[final])
                extra.value[at + CLUE] = mines + count_in(key0, key1, extra.counters[SLOT])
                extra.value[at + PROBABILITY] = w / everything
                if values >= fewest:
                    backward_under(final, main, steps, begin, base)
                    marginals_of_the_rest(final, untouched, base)
                    read_marginals(at, known_safe, p, base)
                at += 8
    clear_marks(n, base)
    touched = 0
    for component in range(base.number):
        if extra.touched[component] >= 0:
            touched += 1
    return answer, values, touched


@inner
def tabulate_untouched(base):
    """Tabulate the untouched components that have no table yet. Return False if there is not enough space."""
    extra = base.extra
    for component in range(base.number):
        if extra.touched[component] < 0 and extra.table_at[component] < 0:
            end = fill_table(component, extra.counters[TABLE_END], base)
            if end < 0:
                return False
            extra.counters[TABLE_END] = end
    return True
