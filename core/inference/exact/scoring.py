"""The kernel of `best_guess`: score every candidate by looking ahead from it."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import MINE, PAD, UNKNOWN
from sweepstakes.inference.exact.base import WORK, list_cells, prepare, sum_again
from sweepstakes.inference.exact.candidates import (
    AROUND,
    BOUND,
    CELL,
    FEATURE,
    INFLUENCE,
    NEAR_FREE,
    SAFETY,
    SCORE,
    STATE,
    VALUES,
    covered_around,
    drop_small_regions,
    find_forced,
    find_frontier,
    find_off_frontier,
    is_small_region,
)
from sweepstakes.inference.exact.influence import begin_influence, exact_influence, is_on_board, product_influence
from sweepstakes.inference.exact.layout import OK, OVER
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

# Features, in the order of the weights. `best_guess.FEATURE_NAMES` describes them.
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

# Whether a candidate was scored, and if not, why.
SCORED = 0
PRUNED = 1  # not scored, since it cannot be the best
DEAD = 2  # not scored, since its clue is already known
TOO_LARGE = 3  # looking ahead from it takes too many states

REACH = 0.3
"""An upper bound of the sum of all terms of a score other than those of safety and risk."""
RISK = 0.9
"""Weight of the influence in the term of risk."""
WORK_LIMIT = 400_000
"""States that the lookahead of one guess may visit."""


@inner(shared=True)
def weigh_influence(i, cols, how, rest_safety, table, logarithm, candidates, base):
    """Write a candidate's influence and the upper bound of its score."""
    p = np.int64(candidates[i, CELL])
    safety = candidates[i, SAFETY]
    influence = 0.0
    if how == EXACTLY:
        influence = exact_influence(p, cols, table, logarithm, base)
    elif how == BY_PRODUCT:
        influence = product_influence(p, cols, 1.0 - rest_safety, base)
    influence = min(influence, safety, 1.0 - safety)
    candidates[i, INFLUENCE] = influence
    candidates[i, BOUND] = math.log(safety) + math.log(1.0 + RISK * influence / safety) + REACH


@inner
def write_place(p, rows, cols, feature):
    """Write the features that depend on the place of a cell on the board."""
    width = cols + 2 * PAD
    r = p // width - PAD
    c = p % width - PAD
    sides = (1 if r == 0 or r == rows - 1 else 0) + (1 if c == 0 or c == cols - 1 else 0)
    feature[EDGE] = 1.0 if sides == 1 else 0.0
    feature[CORNER] = 1.0 if sides >= 2 else 0.0


@inner
def write_values(values, mines, before, feature, base):
    """Write the features that depend on the clues a cell may show: expectations, given that the cell is safe.

    `mines` are the known mines around the cell, and `before` is the frontier variance of the position.
    """
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
def score_candidate(i, rows, cols, table, before, weights, candidates, base):
    """Look ahead from candidate i, and write its features, state and score."""
    p = np.int64(candidates[i, CELL])
    answer, values, touched = open_cell(p, 0, 2, table, base)
    candidates[i, VALUES] = values
    candidates[i, STATE] = SCORED
    if answer != OK:
        candidates[i, STATE] = TOO_LARGE
        return answer
    if values < 2:
        candidates[i, STATE] = DEAD
        return answer
    safety = candidates[i, SAFETY]
    influence = candidates[i, INFLUENCE]
    covered, frontier = covered_around(p, base)
    mines = 0
    clues = 0
    for k in range(8):
        q = p + base.around[k]
        if base.kind[q] == MINE:
            mines += 1
        elif base.kind[q] != UNKNOWN and is_on_board(q, base):
            clues += 1
    feature = candidates[i, FEATURE:]
    write_place(p, rows, cols, feature)
    write_values(values, mines, before, feature, base)
    feature[LOG_SAFETY] = math.log(safety)
    feature[COVERED] = covered / 8.0
    feature[OFF_FRONTIER] = 1.0 if base.group_at[p] < 0 else 0.0
    feature[FRONTIER_NEIGHBOURS] = frontier / 8.0
    feature[INFLUENCE_SHARE] = influence / safety
    feature[SMALL_SPACE] = 1.0 if is_small_region(p, base) else 0.0
    feature[CLUES] = clues / 8.0
    feature[FEW_COVERED] = 1.0 if covered <= 1 else 0.0
    feature[BLANK_COVERED] = feature[BLANK] * covered / 8.0
    feature[TOUCHED] = touched / 3.0
    feature[LOG_RISK] = math.log(1.0 + RISK * influence / safety)
    score = 0.0
    for k in range(FEATURES):
        score += weights[k] * feature[k]
    candidates[i, SCORE] = score
    return answer


@inner
def frontier_variance(base):
    """Return the sum of p (1 - p) over the frontier cells, where p is the mine probability."""
    total = 0.0
    for g in range(base.group_count):
        size = base.extra.first_cell[g + 1] - base.extra.first_cell[g]
        total += size * base.buffers.chance[g] * (1.0 - base.buffers.chance[g])
    return total


@inner
def best_of(n, scored):
    """Return the candidate with the highest score, or -1 if none was scored.

    Of equal candidates, it is the one with the fewest covered neighbours, then the first row by row.
    """
    top = -1
    for i in range(n):
        if scored[i, STATE] != SCORED:
            continue
        if (
            top < 0
            or scored[i, SCORE] > scored[top, SCORE] + EQUAL
            or (
                abs(scored[i, SCORE] - scored[top, SCORE]) <= EQUAL
                and (
                    scored[i, AROUND] < scored[top, AROUND]
                    or (scored[i, AROUND] == scored[top, AROUND] and scored[i, CELL] < scored[top, CELL])
                )
            )
        ):
            top = i
    return top


@inner(shared=True)
def score_all(n, rows, cols, complete, table, before, weights, candidates, base):
    """Score the candidates in descending order of their bounds: (OK or OVER, best candidate or -1).

    Unless `complete`, it stops when the next bound is below the best score. While it runs, VALUES is 0 for a candidate
    that has not been tried.
    """
    for i in range(n):
        candidates[i, STATE] = PRUNED
        candidates[i, VALUES] = 0
    top = -math.inf
    over = False
    for _ in range(n):
        chosen = -1
        for i in range(n):
            if candidates[i, VALUES] == 0 and (chosen < 0 or candidates[i, BOUND] > candidates[chosen, BOUND] + EQUAL):
                chosen = i
        if candidates[chosen, BOUND] < top and not complete:
            break
        if base.extra.counters[WORK] > WORK_LIMIT:
            break
        candidates[chosen, VALUES] = -1
        answer = score_candidate(chosen, rows, cols, table, before, weights, candidates, base)
        over = over or answer == OVER
        if candidates[chosen, VALUES] == 0:
            candidates[chosen, VALUES] = -1
        if candidates[chosen, STATE] == SCORED:
            top = max(top, candidates[chosen, SCORE])
    return OVER if over else OK, best_of(n, candidates)


@kernel
def weigh_candidates(shape, numbers, table, arrays, how, complete, weights, candidates):
    """Write the table of candidates: (OK or OVER, number of candidates, index of the best or -1, is it forced).

    `how` says how influence is computed. With `complete`, candidates are scored even if others are better.
    """
    rows, cols = shape
    base = prepare(numbers, arrays)
    answer, logarithm, mine, safe = sum_again(base, table)
    if answer != OK:
        return answer, 0, -1, False
    list_cells(rows, cols, base)
    rest_safety = safe / (mine + safe) if base.free > 0 else 0.0
    free_cells = base.extra.first_cell[base.group_count + 1] - base.extra.first_cell[base.group_count]
    best = rest_safety if free_cells > 0 else 0.0
    for g in range(base.group_count):
        if base.extra.first_cell[g + 1] > base.extra.first_cell[g]:
            best = max(best, 1.0 - base.buffers.chance[g])
    before = frontier_variance(base)
    n = 0
    if how == EXACTLY:
        begin_influence(base)
        n = find_forced(cols, rest_safety, table, logarithm, candidates, base)
    if n > 0:
        for i in range(n):
            weigh_influence(i, cols, how, rest_safety, table, logarithm, candidates, base)
        answer, top = score_all(n, rows, cols, True, table, before, weights, candidates, base)
        if answer != OK or top >= 0:
            return answer, n, top, True
    n = find_frontier(best, candidates, base)
    if free_cells > 0 and rest_safety >= NEAR_FREE * best:
        n = find_off_frontier(n, rest_safety, candidates, base)
    n = drop_small_regions(n, candidates, base)
    for i in range(n):
        weigh_influence(i, cols, how, rest_safety, table, logarithm, candidates, base)
    answer, top = score_all(n, rows, cols, complete, table, before, weights, candidates, base)
    return answer, n, top, False
