"""The review of a finished game: compiled, what `review.walk` and `review.game_review` do.

What needs no posterior is not repeated here: `review.review_kernels` and `review.arithmetic` are compiled as they are.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

from math import exp

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game import referee_kernels as referee
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.inference.exact.layout import IGNORED, INCONSISTENT, OK
from sweepstakes.review import arithmetic, game_review, luck
from sweepstakes.review import review_kernels as walking
from sweepstakes.web.engine.compiled import TABLE, carray, go_on, possible_clues, sum_up
from sweepstakes.web.engine.conflicts import distance
from sweepstakes.web.engine.explanations import prove_cell
from sweepstakes.web.engine.games import COUNTERS, protect
from sweepstakes.web.engine.positions import answer_position

FITTED = tuple(luck.FITTED)
MAX_FIRST = luck.MAX_FIRST
NEAREST = game_review.NEAREST
# The state of a walk: what `go_on` needs, and whether a first click is protected only as a neighbour of it.
STATE = walking.ENTRIES
# What `review_next` returns: the game is over, a decision is in `out`, or only luck was.
OVER, DECIDED, LUCK_ONLY = range(3)
# `out` of `review_next`: a decision as in `arithmetic`, its cell, its cost, the luck of the opening, and the excess
# risk of all openings so far, which goes from call to call.
CELL, COST, LUCK, EXCESS = range(arithmetic.DECISION, arithmetic.DECISION + 4)


@inner(allocates=True, shared=True)
def weigh_position(shown, table, noisy, mines):
    """Return the status of a position, the safety of its best cell and its log weight: as `weigh`, flags ignored."""
    nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
    status, safe, _, guess, chance, weight, _ = answer_position(shown, table, noisy, False, mines, False, nothing, none)
    return status, 1.0 if safe > 0 or guess < 0 else 1.0 - chance, weight


@inner
def write_known(shown, protected, cell, known):
    """Copy a position, with all cells but `cell` as open that only the rule on the first click makes safe."""
    rows, cols = shown.shape
    for row in range(rows):
        for col in range(cols):
            i = row * cols + col
            code = shown[row, col]
            known[row, col] = np.int8(IGNORED) if protected[i] and i != cell and code < 0 else code


@inner(allocates=True, shared=True)
def outlook_of(shown, planes, table, noisy, mines, sure, protected, cell, truth, weight):
    """Return what `Walk._outlook` does: the safety of the best cell after an opening, minus its expectation."""
    rows, cols = shown.shape
    known = np.empty((rows, cols), np.int8)
    write_known(shown, protected, cell, known)
    fewest, most = 0, 8
    height = min(cell // cols + 2, rows) - max(cell // cols - 1, 0)
    width = min(cell % cols + 2, cols) - max(cell % cols - 1, 0)
    around = height * width - 1
    if noisy:
        most = 9
    else:
        fewest, most = possible_clues(planes[: rows * cols], cols, sure, cell)
    outcome = 0.0
    expected = 0.0
    for clue in range(fewest, most + 1):
        if noisy:
            possible = False
            for count in range(around + 1):
                possible = possible or table[(around * 9 + count) * 10 + clue] > 0
            if not possible:
                continue
        known[cell // cols, cell % cols] = clue
        status, safety, after = weigh_position(known, table, noisy, mines)
        if status == INCONSISTENT:
            continue
        if status != OK:
            return 0.0
        expected += exp(after - weight) * safety
        if clue == truth:
            outcome = safety
    return outcome - expected


@inner
def value_of(planes, counters, mines, is_first, excess):
    """Return the value of an opening for `win`, and 0 once a mine went off."""
    cells = counters[referee.ROWS] * counters[referee.COLS]
    if counters[referee.MINES_DETONATED] > 0:
        return 0.0
    unknown = 0
    for i in range(cells):
        unknown += planes[i] == COVERED or planes[i] == FLAG
    density = mines / unknown
    return arithmetic.value_for_win(density, unknown - mines, is_first, excess, FITTED, MAX_FIRST)


@inner(allocates=True, shared=True)
def protect_first(shown, planes, counters, mines, first_click, noisy, table, sure, protected, cell):
    """Do what `Walk._protect` does with a dealt board. Return the luck in the first clue."""
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    listed = np.empty(9, np.int64)
    count = protect(rows, cols, first_click, cell, listed)
    for i in range(count):
        sure[listed[i]] = walking.SURELY_SAFE
        if noisy and listed[i] != cell:
            protected[listed[i]] = 1
    if count != 1:
        return 0.0
    known = np.empty((rows, cols), np.int8)
    write_known(shown, protected, cell, known)
    known[cell // cols, cell % cols] = IGNORED
    _, _, weight = weigh_position(known, table, noisy, mines)
    truth = planes[rows * cols + cell]
    found = outlook_of(shown, planes, table, noisy, mines, sure, protected, cell, truth, weight)
    return found * value_of(planes, counters, mines, True, 0.0)


@inner(allocates=True, shared=True)
def judge(shown, planes, counters, mines, claimed, noisy, table, at, sure, protected, out):
    """Judge the next decision. Return LUCK_ONLY if its cell is certain after all, else DECIDED with `out` filled."""
    rows, cols = shown.shape
    cells = rows * cols
    cell, flags = at[walking.CELL], out[arithmetic.FLAGS] != 0
    known = np.empty((rows, cols), np.int8)
    write_known(shown, protected, -1, known)
    probability, certain = np.full(cells, np.nan), np.zeros(cells, np.int8)
    status, safe, _, guess, chance, weight, _ = answer_position(
        known, table, noisy, False, mines, False, probability, certain
    )
    escape = safe > 0
    for i in range(cells):
        sure[i] = max(sure[i], certain[i])
        escape = escape or (protected[i] != 0 and planes[i] < 0)
    if sure[cell] == (walking.SURELY_MINE if flags else walking.SURELY_SAFE):
        return LUCK_ONLY
    mine = planes[cells + cell] < 0
    exact = status == OK
    risk = np.nan
    least = np.nan
    if at[walking.PENDING]:  # a flag before the first click: any cell can be opened safely
        exact, risk, least, escape = True, mines / cells, 0.0, True
    elif exact:
        least = 0.0 if escape else (chance if guess >= 0 else 1.0)
        risk = 0.0 if sure[cell] == walking.SURELY_SAFE else probability[cell]
        risk, least = min(risk, 1.0), min(least, 1.0)
    excess = 0.0 if flags else max(risk - least, 0.0)
    label = arithmetic.class_of(flags, mine, exact, claimed, escape, excess, arithmetic.INACCURACY, arithmetic.BLUNDER)
    out[arithmetic.CLASS], out[arithmetic.RISK], out[arithmetic.LEAST] = label, risk, least
    out[arithmetic.ESCAPE], out[arithmetic.AFTER] = escape, at[walking.CERTAIN]
    out[COST] = arithmetic.cost_of(flags, label, risk, least)
    at[walking.FORCE] = 1
    if exact and not flags:
        out[EXCESS] += excess
        if counters[referee.MINES_DETONATED] == 0:
            truth = planes[cells + cell]
            outlook = outlook_of(shown, planes, table, noisy, mines, sure, protected, cell, truth, weight)
            out[LUCK] = outlook * value_of(planes, counters, mines, risk == 0.0, out[EXCESS])
    return DECIDED


@inner(allocates=True)
def review_next(
    mines, first_click, noisy, turns, numbers,
    table_at, planes_at, counters_at, marks_at, numbers_at, state_at, found_at, left_at, sure_at, out_at,
):  # fmt: skip
    """Go on to the next decision about an uncertain cell, and judge it.

    `marks` and `numbers` are those of a log of turns. `planes` and `counters` belong to a game before its first turn
    whose board is dealt. `sure` has three parts of zeros: what is certain, what only the rule on the first click makes
    safe, and a mark for each turn. `state` begins with zeros but for `PENDING`, which is 1 if the rules protect the
    first click.
    """
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    planes, shown = carray(planes_at, 3 * cells), carray(planes_at, (rows, cols))
    marks, named = carray(marks_at, referee.MARKS * turns), carray(numbers_at, numbers)
    at, found, left = carray(state_at, STATE), carray(found_at, 2 * numbers), carray(left_at, turns)
    flags_of = carray(sure_at, 2 * cells + turns)
    sure, protected, opened = flags_of[:cells], flags_of[cells : 2 * cells], flags_of[2 * cells :]
    out, table = carray(out_at, EXCESS + 1), carray(table_at, TABLE)
    total = np.int64(mines)
    while True:
        stopped = go_on(planes, counters, sure, noisy == 0, marks, named, at, found, opened, left)
        if stopped == walking.OVER:
            return OVER
        turn, cell = at[walking.TURN], at[walking.CELL]
        out[arithmetic.TURN], out[CELL], out[LUCK] = turn, cell, 0.0
        out[arithmetic.FLAGS] = stopped == walking.JUDGE_FLAG
        if stopped == walking.FIRST:
            if cell < 0 or cell >= cells or planes[cell] != COVERED:
                return OVER
            at[walking.PENDING] = 0
            out[LUCK] = protect_first(
                shown, planes, counters, total, first_click, noisy != 0, table, sure, protected, cell
            )
            return LUCK_ONLY
        claimed = marks[referee.MARKS * turn] & referee.REASON == 0
        judged = judge(shown, planes, counters, total, claimed, noisy != 0, table, at, sure, protected, out)
        if judged == DECIDED:
            return DECIDED


@inner(allocates=True)
def review_end(
    turns, decisions, mines, ends, marks_at, state_at, found_at, left_at, counters_at, decisions_at, luck_at,
    turns_at, game_at,
):  # fmt: skip
    """Sum up a game: see `arithmetic.sum_up`."""
    counters, at = carray(counters_at, COUNTERS), carray(state_at, STATE)
    cells = counters[referee.ROWS] * counters[referee.COLS]
    marks = carray(marks_at, referee.MARKS * turns)
    claimed = np.zeros(turns, np.int64)
    for turn in range(turns):
        claimed[turn] = marks[referee.MARKS * turn] & referee.REASON == 0
    certain = carray(found_at, (at[walking.CERTAIN], 2))
    won = counters[referee.OPENED] == counters[referee.SAFE] and counters[referee.MINES_DETONATED] == 0
    sum_up(
        carray(decisions_at, (decisions, arithmetic.DECISION)), certain, claimed, carray(luck_at, turns),
        carray(left_at, turns), mines, cells, ends != 0, won,
        carray(turns_at, (turns + 1, arithmetic.OF_TURN)), carray(game_at, arithmetic.OF_GAME),
    )  # fmt: skip
    return arithmetic.OF_TURN


@inner(allocates=True)
def better_cell(rows, cols, mines, noisy, cell, shown_at, table_at, list_at):
    """Return the cell to open instead: a certain one near by with a simple proof, or the least risky; or -1.

    As `GameReview.missed_proof` and `least_risky`. The list begins with what `explain` returns for the cell, or -1 if
    the cell is not certain; the clues that prove it follow.
    """
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    listed = carray(list_at, rows * cols + 1)
    probability, certain = np.empty(rows * cols, np.float64), np.zeros(rows * cols, np.int8)
    listed[0] = -1
    _, safe, _, guess, _, _, _ = answer_position(
        shown, table, noisy != 0, False, np.int64(mines), False, probability, certain
    )
    if safe == 0:
        return guess
    best = np.int64(-1)
    clues = np.empty(rows * cols, np.int32)
    for _ in range(min(safe, NEAREST)):
        near = np.int64(-1)
        for other in range(rows * cols):
            if certain[other] == 1 and (near < 0 or distance(other, cell, cols) < distance(near, cell, cols)):
                near = np.int64(other)
        if near < 0:
            break
        certain[near] = 0
        answer = prove_cell(shown, table, noisy != 0, False, np.int64(mines), near, False, clues)
        counted, number = answer & 1, answer >> 1
        if best < 0 or counted < (listed[0] & 1) or (counted == (listed[0] & 1) and number < (listed[0] >> 1)):
            best = near
            listed[0] = answer
            for i in range(number):
                listed[i + 1] = clues[i]
    return best
