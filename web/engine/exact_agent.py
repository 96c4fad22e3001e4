"""The turn of the agent `exact`: the compiled counterpart of `plugins.agents.exact`."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game.codes import ANY_CLICK, COVERED, FLAG, SAFE_CLICK
from sweepstakes.inference.exact.layout import MINE_LIST, OK, SAFE_LIST
from sweepstakes.plugins.agents.exact import THRESHOLD
from sweepstakes.web.engine.compiled import TABLE, carray, least_probable, opening_cell
from sweepstakes.web.engine.positions import answer_position

PROOF, GUESS = 0, 1
# The fields of `out` of `exact_turn`.
N_OPEN, N_FLAG, N_UNFLAG, WHY, IS_FALLBACK = range(5)


@inner(allocates=True)
def turn_by_true_clues(shown, table, mines, opens, flags, out):
    """Fill the lists and `out` of `exact_turn` where clues are true; 1 if it states a probability."""
    nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
    status, safe, found, guess, chance, _, cells = answer_position(
        shown, table, False, True, np.int64(mines), True, nothing, none
    )
    for i in range(found):
        flags[i] = cells[MINE_LIST, i]
    out[N_FLAG] = found
    if guess < 0:
        for i in range(safe):
            opens[i] = cells[SAFE_LIST, i]
        out[N_OPEN], out[WHY] = safe, PROOF
        return 0
    opens[0] = guess
    out[N_OPEN], out[WHY], out[IS_FALLBACK], out[5] = 1, GUESS, status != OK, min(chance, 1.0)
    return 1


@inner(allocates=True)
def turn_by_noisy_clues(shown, table, mines, ends, opens, flags, unflags, out):
    """Fill the lists and `out` of `exact_turn` where clues may lie; 1 if it states a probability."""
    rows, cols = shown.shape
    probability, certain = np.empty(rows * cols, np.float64), np.zeros(rows * cols, np.int8)
    for cell in range(rows * cols):
        probability[cell] = np.nan
    status, safe, _, _, _, _, _ = answer_position(
        shown, table, True, False, np.int64(mines), False, probability, certain
    )
    if safe > 0:
        count = 0
        mined = 0
        unflagged = 0
        for cell in range(rows * cols):
            code = shown[cell // cols, cell % cols]
            if certain[cell] == 1:
                opens[count] = cell
                count += 1
            if certain[cell] == 2 and code == COVERED:
                flags[mined] = cell
                mined += 1
            if code == FLAG and not (probability[cell] >= THRESHOLD or certain[cell] == 2):
                unflags[unflagged] = cell
                unflagged += 1
        out[N_OPEN], out[N_FLAG], out[N_UNFLAG], out[WHY] = count, mined, unflagged, PROOF
        return 0
    board = np.empty((rows, cols), np.float64)
    for cell in range(rows * cols):
        board[cell // cols, cell % cols] = probability[cell]
    cell, chance = least_probable(shown, board, THRESHOLD, False, True)
    spared = np.int64(-1)  # a cell that is opened although it is probably a mine
    if cell < 0 and ends != 0:
        cell, chance = least_probable(shown, board, np.inf, False, True)
        spared = np.int64(cell)
    flagged = 0
    unflagged = 0
    for other in range(rows * cols):
        code = shown[other // cols, other % cols]
        sure = (probability[other] >= THRESHOLD or certain[other] == 2) and other != spared
        if code == FLAG and not sure:
            unflags[unflagged] = other
            unflagged += 1
        if code == COVERED and sure:
            flags[flagged] = other
            flagged += 1
    out[N_FLAG], out[N_UNFLAG], out[WHY], out[IS_FALLBACK] = flagged, unflagged, GUESS, status != OK
    if cell < 0:
        return 0
    opens[0] = cell
    out[N_OPEN], out[5] = 1, min(chance, 1.0)
    return 1


@inner(allocates=True)
def exact_turn(rows, cols, mines, ends, first_click, noisy, shown_at, table_at, open_at, flag_at, unflag_at, out_at):
    """List what `exact` opens, flags and unflags. Return 1 if it states a probability, which is in `chance`."""
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    cells_all = rows * cols
    opens, flags, unflags = carray(open_at, cells_all), carray(flag_at, cells_all), carray(unflag_at, cells_all)
    out = carray(out_at, 6)
    for i in range(6):
        out[i] = 0.0
    if first_click != ANY_CLICK and is_untouched(shown):
        opens[0] = 0 if first_click == SAFE_CLICK else opening_cell(rows, cols)
        out[N_OPEN], out[WHY], out[5] = 1, GUESS, 0.0
        return 1
    if noisy == 0:
        return turn_by_true_clues(shown, table, mines, opens, flags, out)
    return turn_by_noisy_clues(shown, table, mines, ends, opens, flags, unflags, out)


@inner
def is_untouched(shown):
    """Return whether every cell is covered."""
    for row in range(shown.shape[0]):
        for col in range(shown.shape[1]):
            if shown[row, col] != COVERED:
                return False
    return True
