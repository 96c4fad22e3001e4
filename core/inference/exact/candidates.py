"""The kernel of `best_guess`: which cells to consider where nothing is certain, and the score of each."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference.exact.base import WORK, list_cells, prepare, sum_again
from sweepstakes.inference.exact.influence import (
    BOX,
    begin_influence,
    exact_influence,
    fifty_fifty,
    inside_cell,
    is_on_board,
    missing_of,
    product_influence,
)
from sweepstakes.inference.exact.layout import MINE, OK, OVER, UNKNOWN
from sweepstakes.inference.exact.marginals import EQUAL
from sweepstakes.inference.exact.opening import (
    BEST,
    CERTAIN,
    CLUE,
    LIVING,
    PROBABILITY,
    SECOND,
    UNDECIDED,
    VARIANCE,
    open_cell,
)

# How the 50/50 influence is computed.
NO_INFLUENCE = 0
BY_PRODUCT = 1
EXACTLY = 2

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

# Features, in the order of the weights.
LOG_SAFETY = 0
LOG_BEST = 1
LOG_SECOND = 2
PROGRESS = 3
CERTAIN_CELLS = 4
NO_FURTHER_MINE = 5
BLANK = 6
ENTROPY = 7
COVERED = 8
OFF_FRONTIER = 9
FRONTIER_NEIGHBOURS = 10
INFLUENCE_SHARE = 11
SMALL_SPACE = 12
EDGE = 13
CORNER = 14
CLUES = 15
FRONTIER_VARIANCE = 16
UNDECIDED_GROUPS = 17
BEST_VARIANCE = 18
LIKELIEST_CLUE = 19
CLUE_VALUES = 20
FEW_COVERED = 21
BLANK_COVERED = 22
TOUCHED = 23
LOG_RISK = 24
FEATURES = 25

# What became of a candidate.
SCORED = 0
PRUNED = 1  # it cannot become the best
DEAD = 2  # its clue is known: it tells nothing
TOO_LARGE = 3

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
REACH = 0.3
"""What a score may exceed the logarithm of safety and risk by."""
RISK = 0.9
WORK_LIMIT = 400_000
"""States that the lookahead of one guess may visit."""


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
def is_small_region(p, rows, cols, base):
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
            elif base.kind[q] != MINE and is_on_board(q, rows, cols):
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
    for g in range(base.count):
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
        for k in range(extra.first_cell[base.count], extra.first_cell[base.count + 1]):
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
def drop_small_regions(n, rows, cols, told, base):
    """Leave out candidates in small covered regions if others are left; how many are left."""
    kept = 0
    for i in range(n):
        told[i, SCORE] = 1.0 if is_small_region(np.int64(told[i, CELL]), rows, cols, base) else 0.0
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
def find_forced(rows, cols, rest_safety, table, logarithm, told, base):
    """List the cells that are a mine only as a part of a 50/50, which must be guessed sooner or later; how many."""
    width = cols + 2
    n = 0
    for g in range(base.count + 1):
        for k in range(base.extra.first_cell[g], base.extra.first_cell[g + 1]):
            p = np.int64(base.extra.cell_list[k])
            for form in range(3):
                if missing_of(p, form, 1, rows, cols, base) < 0:
                    continue
                chance = fifty_fifty(p, form, rows, cols, table, logarithm, base)
                if chance == 0.0:
                    continue
                for i in range(4 if form == BOX else 2):
                    q = inside_cell(p, form, i, width)
                    safety = safety_of(q, rest_safety, base)
                    if abs(1.0 - safety - chance) <= EQUAL and n < FORCED_MOST:
                        n = add_candidate(q, n, safety, told, base)
    return n


@inner(shared=True)
def weigh_influence(i, rows, cols, how, rest_safety, table, logarithm, weights, told, base):
    """Write a candidate's influence and the bound of its score."""
    p = np.int64(told[i, CELL])
    safety = told[i, SAFETY]
    influence = 0.0
    if how == EXACTLY:
        influence = exact_influence(p, rows, cols, table, logarithm, base)
    elif how == BY_PRODUCT:
        influence = product_influence(p, rows, cols, 1.0 - rest_safety, base)
    influence = min(influence, safety, 1.0 - safety)
    told[i, INFLUENCE] = influence
    told[i, BOUND] = math.log(safety) + math.log(1.0 + RISK * influence / safety) + REACH


@inner
def write_place(p, rows, cols, feature):
    """Write the features that follow from where a cell lies."""
    width = cols + 2
    r = p // width
    c = p - r * width
    sides = (1 if r == 1 or r == rows else 0) + (1 if c == 1 or c == cols else 0)
    feature[EDGE] = 1.0 if sides == 1 else 0.0
    feature[CORNER] = 1.0 if sides >= 2 else 0.0


@inner
def write_values(values, mines, before, feature, base):
    """Write the features that follow from the clues a cell may show: expectations given that it is safe."""
    value = base.extra.value
    best = 0.0
    best_squared = 0.0
    second = 0.0
    certain = 0.0
    variance = 0.0
    undecided = 0.0
    progress = 0.0
    entropy = 0.0
    likeliest = 0.0
    blank = 0.0
    no_further = 0.0
    for at in range(0, 8 * values, 8):
        w = value[at + PROBABILITY]
        best += w * value[at + BEST]
        best_squared += w * value[at + BEST] * value[at + BEST]
        second += w * value[at + SECOND]
        certain += w * min(value[at + CERTAIN], 10.0)
        variance += w * value[at + VARIANCE]
        undecided += w * value[at + UNDECIDED]
        progress += w * value[at + LIVING]
        entropy -= w * math.log(w)
        likeliest = max(likeliest, w)
        if value[at + CLUE] == 0:
            blank = w
        if value[at + CLUE] == mines:
            no_further = w
    feature[LOG_BEST] = math.log(best)
    feature[LOG_SECOND] = math.log(max(second, 1e-12))
    feature[PROGRESS] = progress
    feature[CERTAIN_CELLS] = certain / 10.0
    feature[NO_FURTHER_MINE] = no_further
    feature[BLANK] = blank
    feature[ENTROPY] = entropy
    feature[FRONTIER_VARIANCE] = (variance - before) / 3.0
    feature[UNDECIDED_GROUPS] = undecided / 10.0
    feature[BEST_VARIANCE] = max(best_squared - best * best, 0.0)
    feature[LIKELIEST_CLUE] = likeliest
    feature[CLUE_VALUES] = values / 5.0


@inner(shared=True)
def score_candidate(i, rows, cols, table, before, weights, told, base):
    """Look ahead from a candidate, and write its features and its score."""
    p = np.int64(told[i, CELL])
    answer, values, touched = open_cell(p, 0, 2, table, base)
    told[i, VALUES] = values
    told[i, STATE] = SCORED
    if answer != OK:
        told[i, STATE] = TOO_LARGE
        return answer
    if values < 2:
        told[i, STATE] = DEAD
        return answer
    safety = told[i, SAFETY]
    influence = told[i, INFLUENCE]
    covered, frontier = covered_around(p, base)
    mines = 0
    clues = 0
    for k in range(8):
        q = p + base.around[k]
        if base.kind[q] == MINE:
            mines += 1
        elif base.kind[q] != UNKNOWN and is_on_board(q, rows, cols):
            clues += 1
    feature = told[i, FEATURE:]
    write_place(p, rows, cols, feature)
    write_values(values, mines, before, feature, base)
    feature[LOG_SAFETY] = math.log(safety)
    feature[COVERED] = covered / 8.0
    feature[OFF_FRONTIER] = 1.0 if base.group_at[p] < 0 else 0.0
    feature[FRONTIER_NEIGHBOURS] = frontier / 8.0
    feature[INFLUENCE_SHARE] = influence / safety
    feature[SMALL_SPACE] = 1.0 if is_small_region(p, rows, cols, base) else 0.0
    feature[CLUES] = clues / 8.0
    feature[FEW_COVERED] = 1.0 if covered <= 1 else 0.0
    feature[BLANK_COVERED] = feature[BLANK] * covered / 8.0
    feature[TOUCHED] = touched / 3.0
    feature[LOG_RISK] = math.log(1.0 + RISK * influence / safety)
    score = 0.0
    for k in range(FEATURES):
        score += weights[k] * feature[k]
    told[i, SCORE] = score
    return answer


@inner
def frontier_variance(base):
    """The sum of p (1 - p) over the frontier."""
    total = 0.0
    for g in range(base.count):
        size = base.extra.first_cell[g + 1] - base.extra.first_cell[g]
        total += size * base.room.chance[g] * (1.0 - base.room.chance[g])
    return total


@inner
def best_of(n, told):
    """The scored candidate of the highest score, ties to the fewest covered neighbours, then row by row; -1 if none."""
    top = -1
    for i in range(n):
        if told[i, STATE] != SCORED:
            continue
        if top < 0 or told[i, SCORE] > told[top, SCORE] + EQUAL:
            top = i
        elif abs(told[i, SCORE] - told[top, SCORE]) <= EQUAL and (
            told[i, AROUND] < told[top, AROUND]
            or (told[i, AROUND] == told[top, AROUND] and told[i, CELL] < told[top, CELL])
        ):
            top = i
    return top


@inner(shared=True)
def score_all(n, rows, cols, complete, table, before, weights, told, base):
    """Score the candidates, the most promising first; (OK or OVER, the best or -1)."""
    for i in range(n):
        told[i, STATE] = PRUNED
        told[i, VALUES] = 0
    top = -math.inf
    over = False
    for _ in range(n):
        chosen = -1
        for i in range(n):
            if told[i, VALUES] == 0 and (chosen < 0 or told[i, BOUND] > told[chosen, BOUND] + EQUAL):
                chosen = i
        if told[chosen, BOUND] < top and not complete:
            break
        if base.extra.kept[WORK] > WORK_LIMIT:
            break
        told[chosen, VALUES] = -1
        answer = score_candidate(chosen, rows, cols, table, before, weights, told, base)
        over = over or answer == OVER
        if told[chosen, VALUES] == 0:
            told[chosen, VALUES] = -1
        if told[chosen, STATE] == SCORED:
            top = max(top, told[chosen, SCORE])
    return OVER if over else OK, best_of(n, told)


@kernel
def weigh_candidates(shape, numbers, table, arrays, how, complete, weights, told):
    """Score the cells worth guessing: (OK or OVER, candidates in `told`, index of the best or -1, whether it is forced).

    `how` says how influence is computed; with `complete` no candidate is left out because others are better.
    """
    rows, cols = shape
    base = prepare(numbers, arrays)
    answer, logarithm, mine, safe = sum_again(base, table)
    if answer != OK:
        return answer, 0, -1, False
    list_cells(rows, cols, base)
    rest_safety = safe / (mine + safe) if base.free > 0 else 0.0
    free_cells = base.extra.first_cell[base.count + 1] - base.extra.first_cell[base.count]
    best = rest_safety if free_cells > 0 else 0.0
    for g in range(base.count):
        if base.extra.first_cell[g + 1] > base.extra.first_cell[g]:
            best = max(best, 1.0 - base.room.chance[g])
    before = frontier_variance(base)
    n = 0
    if how == EXACTLY:
        begin_influence(base)
        n = find_forced(rows, cols, rest_safety, table, logarithm, told, base)
    if n > 0:
        for i in range(n):
            weigh_influence(i, rows, cols, how, rest_safety, table, logarithm, weights, told, base)
        answer, top = score_all(n, rows, cols, True, table, before, weights, told, base)
        if answer != OK or top >= 0:
            return answer, n, top, True
    n = find_frontier(best, told, base)
    if free_cells > 0 and rest_safety >= NEAR_FREE * best:
        n = find_off_frontier(n, rest_safety, told, base)
    n = drop_small_regions(n, rows, cols, told, base)
    for i in range(n):
        weigh_influence(i, rows, cols, how, rest_safety, table, logarithm, weights, told, base)
    answer, top = score_all(n, rows, cols, complete, table, before, weights, told, base)
    return answer, n, top, False
