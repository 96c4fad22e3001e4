"""Probabilities and certain cells of a position: compiled counterpart of `inference.posterior` and `under_rules`."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game.codes import ANY_CLICK, COVERED, DETONATED
from sweepstakes.inference.exact.layout import (
    APPROXIMATE,
    ARCS_PER_STATE,
    AROUND,
    BY_LAYOUTS,
    BY_ODDS,
    CELL_ROWS,
    CLUE_AT,
    DROPPED,
    FLAT,
    INCONSISTENT,
    MIN_ROW_LENGTH,
    NARROW_ROWS,
    OK,
    OVER,
    SCRATCH_ROWS,
    USED,
    VALUES_PER_STATE,
)
from sweepstakes.inference.exact.workspace import FIRST_CAPACITY, MIN_BUDGET
from sweepstakes.web.engine.compiled import NO_COUNT, PAD, TABLE, carray, drop_clues, row_start, scan, sum_layouts


@inner
def bits_of_length(number):
    """`int.bit_length`."""
    bits = 0
    while number > 0:
        bits += 1
        number >>= 1
    return bits


@inner(allocates=True, shared=True)
def make_states(capacity):
    """The arrays of a workspace that grow, as `Workspace.grow` makes them."""
    slots = 1 << bits_of_length(2 * capacity - 1)
    room = capacity + 4
    wide = np.zeros((2, room + slots + USED), np.int64)
    narrow = np.empty((NARROW_ROWS, ARCS_PER_STATE * room), np.int32)
    real = np.empty((ARCS_PER_STATE + VALUES_PER_STATE) * room, np.float64)
    return wide, narrow, real


@inner
def write_steps(around, cols):
    """The steps from a padded cell to its neighbours, as `steps_around` has them."""
    place = 0
    for row in range(-1, 2):
        for col in range(-1, 2):
            if row != 0 or col != 0:
                around[place] = row * (cols + 2 * PAD) + col
                place += 1


@inner(allocates=True, shared=True)
def make_workspace(rows, cols):
    """The arrays of a workspace that depend on the board, as `Workspace` makes them: cells, links and scratch."""
    padded = max((rows + 2 * PAD) * (cols + 2 * PAD), MIN_ROW_LENGTH)
    cells = np.zeros((CELL_ROWS, padded), np.int32)
    for p in range(padded):
        cells[CLUE_AT, p] = -1
        cells[FLAT, p] = -1
    write_steps(cells[AROUND], cols)
    for row in range(rows):
        for col in range(cols):
            cells[FLAT, row_start(row, cols) + col] = row * cols + col
    links = np.empty((2, 8 * padded), np.int32)
    coefficients = 2 * rows * cols * (bits_of_length(rows * cols) + 2)
    scratch = np.empty((SCRATCH_ROWS, max(coefficients, MIN_ROW_LENGTH)), np.float64)
    return cells, links, scratch


@inner(allocates=True, shared=True)
def answer_position(shown, table, noisy, trust_flags, mines, stops, probability, certain):
    """Do what `posterior` and `decide` do: (status, safe cells, mines, guess, its probability, log weight), workspace.

    `stops` is `stop_at_first_safe`. Without a mine count (`NO_COUNT`) every layout of all cells has the same weight.
    """
    rows, cols = shown.shape
    cells, links, scratch = make_workspace(rows, cols)
    unknown, known, safe, found, bad = scan(shown, table, noisy, trust_flags, cells)
    if stops and safe > 0 and bad < 0:
        return OK, safe, found, np.int64(-1), np.nan, np.nan, cells
    rest = unknown - safe - found
    mode, odds, rest_chance = np.int64(BY_LAYOUTS), 1.0, np.nan
    left = np.int64(0)
    if mines == NO_COUNT:
        mode, rest_chance = np.int64(BY_ODDS), 0.5
    else:
        left = mines - known - found
    if bad >= 0 or left < 0 or left > rest:
        return INCONSISTENT, np.int64(0), np.int64(0), np.int64(-1), np.nan, -np.inf, cells
    budget = max(MIN_BUDGET, 4 * rows * cols)
    capacity = FIRST_CAPACITY
    bits = 1024 * (bits_of_length(budget) + 4)
    drops = False
    wide, narrow, real = make_states(capacity)
    while True:
        status, number, now_safe, now_found, guess, chance, weight, _ = sum_layouts(
            shown,
            table,
            noisy,
            (left, rest, safe, found),
            (mode, odds, rest_chance),
            budget,
            cells,
            links,
            wide,
            narrow,
            real,
            scratch,
            probability,
            certain,
        )
        if status != OVER:
            break
        if capacity < budget:
            capacity = min(budget, 4 * capacity)
            wide, narrow, real = make_states(capacity)
            continue
        drops = True
        while bits > 0 and drop_clues(cells, links, number, bits) == 0:
            bits -= 2048
        if bits <= 0:
            for p in range(cells.shape[1]):
                if cells[CLUE_AT, p] >= 0:
                    cells[DROPPED, p] = 1
        bits -= 2048
    if drops and status == OK:
        status = np.int64(APPROXIMATE)
    return status, now_safe, now_found, guess, chance, weight, cells


@inner(shared=True)
def is_first_click_safe(shown, first_click, has_start):
    """Do the same as `under_rules.is_first_click_safe`."""
    if first_click == ANY_CLICK or has_start:
        return False
    for row in range(shown.shape[0]):
        for col in range(shown.shape[1]):
            if shown[row, col] >= 0 or shown[row, col] == DETONATED:
                return False
    return True


# The fields of `out` of `solve`.
GUESS_CHANCE, LOG_WEIGHT = range(2)
# What `solve` returns: the status, and for a first click that is safe by the rules:
ANY_FIRST_CLICK = 4


@inner(allocates=True)
def solve(
    rows, cols, mines, first_click, has_start, noisy, trust_flags, shown_at, table_at, chance_at, sure_at, out_at
):
    """Fill the probabilities and certainties of all cells; return 8 times the cell to guess (or -1) plus the status."""
    shown = carray(shown_at, (rows, cols))
    probability = carray(chance_at, rows * cols)
    certain = carray(sure_at, rows * cols)
    out = carray(out_at, 2)
    out[GUESS_CHANCE] = np.nan
    out[LOG_WEIGHT] = np.nan
    if is_first_click_safe(shown, first_click, has_start):
        guess = np.int64(-1)
        for cell in range(rows * cols):
            probability[cell] = 0.0
            certain[cell] = 1
            if guess < 0 and shown[cell // cols, cell % cols] == COVERED:
                guess = np.int64(cell)
                out[GUESS_CHANCE] = 0.0
        return 8 * guess + ANY_FIRST_CLICK
    for cell in range(rows * cols):
        probability[cell] = np.nan
        certain[cell] = 0
    status, _, _, guess, chance, weight, _ = answer_position(
        shown, carray(table_at, TABLE), noisy != 0, trust_flags != 0, mines, False, probability, certain
    )
    out[GUESS_CHANCE] = chance
    out[LOG_WEIGHT] = weight
    return 8 * guess + status
