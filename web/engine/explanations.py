"""The clues that prove a cell: the compiled counterpart of `inference.proofs`."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game.codes import WITHHELD
from sweepstakes.inference.exact.layout import IGNORED, INCONSISTENT, MINE_LIST, SAFE_LIST
from sweepstakes.web.engine.compiled import NO_COUNT, PAD, TABLE, carray, proofs, prove, row_start
from sweepstakes.web.engine.conflicts import distance, sort_cells
from sweepstakes.web.engine.positions import answer_position, write_steps


@inner(allocates=True, shared=True)
def is_certain(shown, part, kept, count, cell, mine, table, noisy, trust_flags, mines):
    """Return whether these clues alone prove a cell to be safe, or a mine."""
    rows, cols = shown.shape
    for row in range(rows):
        for col in range(cols):
            code = shown[row, col]
            part[row, col] = np.int8(IGNORED) if 0 <= code <= WITHHELD else code
    for i in range(count):
        part[kept[i] // cols, kept[i] % cols] = shown[kept[i] // cols, kept[i] % cols]
    nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
    status, safe, found, _, _, _, cells = answer_position(part, table, noisy, trust_flags, mines, False, nothing, none)
    if status == INCONSISTENT:
        return False
    listed = cells[MINE_LIST] if mine else cells[SAFE_LIST]
    proven = False
    for i in range(found if mine else safe):
        proven = proven or listed[i] == cell
    return proven


@inner(allocates=True, shared=True)
def thin(shown, part, clues, count, cell, mine, table, noisy, trust_flags, mines):
    """Remove one clue after the other if the rest still proves the cell. Return how many are left, at the front."""
    kept = clues[:count].copy()
    left = count
    place = 0
    step = max(1, count // 8)
    while place < left:
        # Several at once where that is possible: more clues never make a cell less certain.
        size = min(step, left - place)
        for i in range(left - place - size):
            kept[place + i] = clues[place + size + i]
        if is_certain(shown, part, kept, left - size, cell, mine, table, noisy, trust_flags, mines):
            for i in range(place, left - size):
                clues[i] = kept[i]
            left -= size
        elif size == 1:
            place += 1
            step = max(1, count // 8)
        else:
            step = max(1, size // 2)
        for i in range(left):
            kept[i] = clues[i]
    return left


@inner(allocates=True)
def explain(rows, cols, mines, noisy, trust_flags, cell, mine, shown_at, table_at, list_at):
    """List clues that prove a cell, each of them needed: twice their number, plus 1 if the mine count is needed.

    As `proofs.minimal_proof`.
    """
    shown = carray(shown_at, (rows, cols))
    listed = carray(list_at, rows * cols)
    return prove_cell(shown, carray(table_at, TABLE), noisy != 0, trust_flags != 0, np.int64(mines), cell, mine, listed)


@inner(allocates=True, shared=True)
def prove_cell(shown, table, noisy, trust_flags, mines, cell, mine, listed):
    """Do the work of `explain`."""
    rows, cols = shown.shape
    padded = (rows + 2 * PAD) * (cols + 2 * PAD)
    grid, around = np.zeros((proofs.ROWS, padded), np.int32), np.zeros(8, np.int32)
    write_steps(around, cols)
    for p in range(padded):
        grid[proofs.NUMBER, p] = -1
        grid[proofs.GROUP, p] = -1
    system = np.zeros(proofs.SYSTEM, np.int32)
    out = np.zeros(proofs.OUT_SIZE, np.int32)
    one, nobody = np.empty(1, np.int64), np.empty(0, np.int64)
    one[0] = cell
    if mine:
        prove(shown, table, noisy, trust_flags, nobody, one, grid, around, system, out)
    else:
        prove(shown, table, noisy, trust_flags, one, nobody, grid, around, system, out)
    if out[0] >= 0:
        for i in range(1, out[0]):
            listed[i - 1] = out[i]
        return 2 * (out[0] - 1)
    count = 0
    for flat in range(rows * cols):
        if grid[proofs.MASK, row_start(flat // cols, cols) + flat % cols] != 0:
            listed[count] = flat
            count += 1
    part = np.empty((rows, cols), np.int8)
    no_count = np.int64(NO_COUNT)
    if out[0] == proofs.TOO_MUCH and is_certain(
        shown, part, listed, count, cell, mine, table, noisy, trust_flags, no_count
    ):
        for i in range(1, count):  # the farthest first
            flat = listed[i]
            j = i
            while j > 0 and (
                distance(listed[j - 1], cell, cols) < distance(flat, cell, cols)
                or (distance(listed[j - 1], cell, cols) == distance(flat, cell, cols) and listed[j - 1] < flat)
            ):
                listed[j] = listed[j - 1]
                j -= 1
            listed[j] = flat
        count = thin(shown, part, listed, count, cell, mine, table, noisy, trust_flags, no_count)
        sort_cells(listed, count)
        return 2 * count
    if is_certain(shown, part, listed, count, cell, mine, table, noisy, trust_flags, mines):
        for i in range(count // 2):
            listed[i], listed[count - 1 - i] = listed[count - 1 - i], listed[i]
        count = thin(shown, part, listed, count, cell, mine, table, noisy, trust_flags, mines)
        sort_cells(listed, count)
        return 2 * count + 1
    count = 0
    for flat in range(rows * cols):
        code = shown[flat // cols, flat % cols]
        if 0 <= code < (IGNORED if noisy else WITHHELD):
            listed[count] = flat
            count += 1
    return 2 * count + 1
