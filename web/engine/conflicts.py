"""Clues and flags that cannot all be true: the compiled counterpart of `inference.blame` and `inference.flags`."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.inference.exact.layout import IGNORED, INCONSISTENT, OK
from sweepstakes.web.engine.compiled import NO_COUNT, TABLE, carray
from sweepstakes.web.engine.positions import answer_position, is_first_click_safe


@inner(allocates=True, shared=True)
def is_possible(shown, part, kept, count, table, noisy, mines):
    """Return whether a layout agrees with these clues and known mines of a position, ignoring the others.

    `part` is a scratch board for the reduced position.
    """
    rows, cols = shown.shape
    for row in range(rows):
        for col in range(cols):
            code = shown[row, col]
            if code == FLAG or code == DETONATED:
                code = np.int8(COVERED)
            elif code >= 0:
                code = np.int8(IGNORED)
            part[row, col] = code
    for i in range(count):
        part[kept[i] // cols, kept[i] % cols] = shown[kept[i] // cols, kept[i] % cols]
    nothing, none = np.empty(0, np.float64), np.empty(0, np.int8)
    status, _, _, _, _, _, _ = answer_position(part, table, noisy, True, mines, False, nothing, none)
    return status != INCONSISTENT


@inner
def distance(cell, other, cols):
    """Return the distance of two cells in king's moves."""
    return max(abs(cell // cols - other // cols), abs(cell % cols - other % cols))


@inner(allocates=True, shared=True)
def minimal_conflict(shown, items, number, table, noisy, mines, nearest, always):
    """Move a minimal set of items that are impossible together to the front of `items`. Return their number.

    This is `blame.minimal_conflict`. The first `always` items are not candidates. They are included in every test.
    """
    cols = shown.shape[1]
    part = np.empty(shown.shape, np.int8)
    kept = np.empty(number, np.int32)
    for i in range(always):
        kept[i] = items[i]
    rest = items[always:number].copy()
    left = number - always
    blamed = always
    while left > 0 and is_possible(shown, part, kept, blamed, table, noisy, mines):
        fits, fails = 0, left
        while fails - fits > 1:
            middle = (fits + fails) // 2
            for i in range(middle):
                kept[blamed + i] = rest[i]
            if is_possible(shown, part, kept, blamed + middle, table, noisy, mines):
                fits = middle
            else:
                fails = middle
        kept[blamed] = rest[fails - 1]
        blamed += 1
        left = fails - 1
        if nearest and blamed - always == 1:
            for i in range(1, left):  # sorted by distance, then by number
                cell = rest[i]
                far = distance(cell, kept[always], cols)
                j = i
                while j > 0 and (
                    distance(rest[j - 1], kept[always], cols) > far
                    or (distance(rest[j - 1], kept[always], cols) == far and rest[j - 1] > cell)
                ):
                    rest[j] = rest[j - 1]
                    j -= 1
                rest[j] = cell
    for i in range(always, blamed):
        items[i] = kept[i]
    return blamed - always


@inner(shared=True)
def sort_cells(cells, count):
    """Sort the first cells of a list."""
    for i in range(1, count):
        cell = cells[i]
        j = i
        while j > 0 and cells[j - 1] > cell:
            cells[j] = cells[j - 1]
            j -= 1
        cells[j] = cell


@inner(allocates=True)
def contradict(rows, cols, mines, noisy, shown_at, table_at, list_at):
    """List clues and known mines that cannot all be true: twice their number, plus 1 if the mine count is needed.

    This is `blame.contradiction`. The position must be inconsistent.
    """
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    items = carray(list_at, rows * cols)
    number = 0
    for cell in range(rows * cols):
        code = shown[cell // cols, cell % cols]
        if code == FLAG or code == DETONATED or 0 <= code < IGNORED:
            items[number] = cell
            number += 1
    part = np.empty((rows, cols), np.int8)
    counted = is_possible(shown, part, items, number, table, noisy != 0, np.int64(NO_COUNT))
    count = np.int64(mines) if counted else np.int64(NO_COUNT)
    blamed = minimal_conflict(shown, items, number, table, noisy != 0, count, True, 0)
    sort_cells(items, blamed)
    return 2 * blamed + counted


# What `check_flags` writes for a flag.
OPEN_QUESTION, WRONG, PROVEN, CONFLICTING = range(4)


@inner(allocates=True)
def check_flags(rows, cols, mines, first_click, has_start, noisy, shown_at, table_at, mark_at):
    """Write what the clues prove about every flag. Return the number of flags. This is `flags.check_flags`."""
    shown = carray(shown_at, (rows, cols))
    table = carray(table_at, TABLE)
    mark = carray(mark_at, rows * cols)
    count = 0
    for cell in range(rows * cols):
        mark[cell] = OPEN_QUESTION
        count += shown[cell // cols, cell % cols] == FLAG
    if count == 0 or is_first_click_safe(shown, first_click, has_start):
        return count
    probability, certain = np.empty(rows * cols, np.float64), np.zeros(rows * cols, np.int8)
    status, _, _, _, _, _, _ = answer_position(
        shown, table, noisy != 0, False, np.int64(mines), False, probability, certain
    )
    if status == INCONSISTENT:
        return count
    # Items that the questions below assume: first everything but flags, then the uncertain flags, most likely first.
    items = np.empty(rows * cols, np.int32)
    always = 0
    bare = np.empty((rows, cols), np.int8)
    for cell in range(rows * cols):
        code = shown[cell // cols, cell % cols]
        bare[cell // cols, cell % cols] = code
        if code == FLAG:
            mark[cell] = certain[cell]
        elif code == DETONATED or 0 <= code < IGNORED:
            items[always] = cell
            always += 1
    number = always
    for cell in range(rows * cols):
        if shown[cell // cols, cell % cols] == FLAG and certain[cell] == 0:
            j = number
            while j > always and probability[items[j - 1]] < probability[cell]:
                items[j] = items[j - 1]
                j -= 1
            items[j] = cell
            number += 1
    if status != OK or number == always:
        return count
    part = np.empty((rows, cols), np.int8)
    if not is_possible(bare, part, items, number, table, noisy != 0, np.int64(mines)):
        blamed = minimal_conflict(bare, items, number, table, noisy != 0, np.int64(mines), False, always)
        for i in range(always, always + blamed):
            mark[items[i]] = CONFLICTING
    return count
