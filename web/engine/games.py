"""Games: the compiled counterpart of what `game.game` does around the kernels of the referee."""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.game import referee_kernels as referee
from sweepstakes.game.codes import ANY_CLICK, COVERED, DETONATED, SAFE_CLICK
from sweepstakes.game.mouse_kernels import chord_cells
from sweepstakes.web.engine.compiled import (
    blur,
    carray,
    count_mines,
    max_turns,
    place_mines,
    play_mouse,
    standing_flags,
    take,
    three_bv,
)

DEALT = referee.ENTRIES
"""One counter more than the referee has. It says whether the board has been dealt."""
COUNTERS = DEALT + 1


@inner
def protect(rows, cols, first_click, first, protected):
    """List the cells that hold no mine when `first` is opened first, as `Rules.protected` does. Return their number."""
    if first_click == ANY_CLICK or first < 0 or first >= rows * cols:
        return 0
    if first_click == SAFE_CLICK:
        protected[0] = first
        return 1
    count = 0
    row, col = first // cols, first % cols
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            protected[count] = r * cols + c
            count += 1
    return count


@inner(allocates=True)
def most_mines(rows, cols, first_click, start):
    """Return how many mines are possible with any first click, as in `Rules.check`."""
    first = start
    if start < 0:
        first = min(1, rows - 1) * cols + min(1, cols - 1)
    return rows * cols - protect(rows, cols, first_click, first, np.empty(9, np.int64))


@inner
def mines_at(rows, cols, density):
    """Return the number of mines for a density of at most nine decimals, as `Size.of` does."""
    unit = 1_000_000_000
    return (2 * round(density * unit) * rows * cols + unit) // (2 * unit)


@inner(allocates=True)
def new_game(rows, cols, mines, last_mine, floods, planes_at, counters_at):
    """Cover all cells and set the counters of a game. `last_mine` is `Rules.last_mine`."""
    cells = rows * cols
    planes = carray(planes_at, 3 * cells)
    counters = carray(counters_at, COUNTERS)
    for cell in range(3 * cells):
        planes[cell] = 0
    for cell in range(cells):
        planes[cell] = COVERED
    for i in range(COUNTERS):
        counters[i] = 0
    counters[referee.ROWS], counters[referee.COLS] = rows, cols
    counters[referee.SAFE] = cells - mines
    counters[referee.FLOODS] = floods
    counters[referee.LAST_MINE] = last_mine
    counters[referee.MAX_TURNS] = max_turns(cells)
    return referee.WON if last_mine and mines == cells else referee.GOES_ON


@inner(allocates=True)
def deal(mines, first_click, first, high, low, planes_at, counters_at):
    """Place the mines by the seed of the board, `high` x 2^32 + `low`; `first` is the first opened cell, or -1."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    planes = carray(planes_at, 3 * cells)
    protected = np.empty(9, np.int64)
    count = protect(rows, cols, first_click, first, protected)
    layout = np.zeros(cells, np.uint8)
    place_mines(high & 0xFFFFFFFF, low & 0xFFFFFFFF, mines, protected[:count], layout)
    count_mines(layout, rows, cols, planes[cells : 2 * cells])
    counters[DEALT] = 1
    return 0


@inner(allocates=True)
def set_layout(layout_at, planes_at, counters_at):
    """Copy the mines, a byte for each cell. Return their number."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    layout = carray(layout_at, cells).copy()
    planes = carray(planes_at, 3 * cells)
    count_mines(layout, rows, cols, planes[cells : 2 * cells])
    counters[DEALT] = 1
    mines = 0
    for cell in range(cells):
        mines += layout[cell]
    return mines


@inner(allocates=True)
def blur_clues(high, low, table_at, planes_at, counters_at):
    """Replace the true clues by random draws from a noise. `high` and `low` are its seed."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    cells = rows * cols
    planes = carray(planes_at, 3 * cells)
    seed = (np.uint64(high & 0xFFFFFFFF) << np.uint64(32)) | np.uint64(low & 0xFFFFFFFF)
    blur(planes[cells : 2 * cells], rows, cols, carray(table_at, (9, 9, 10)), seed)
    return 0


@inner(allocates=True, shared=True)
def take_turn(unflags, flags, opens, why, fallback, list_at, planes_at, counters_at):
    """Carry out a turn; return the verdict on it. The cells to unflag, flag and open are listed in this order."""
    counters = carray(counters_at, COUNTERS)
    planes = carray(planes_at, 3 * counters[referee.ROWS] * counters[referee.COLS])
    listed = carray(list_at, unflags + flags + opens)
    named = np.empty(unflags + flags + opens, np.int64)
    for i in range(named.size):
        named[i] = listed[i]
    head = np.int64(why + (referee.FALLBACK if fallback else 0))
    return take(
        planes,
        counters,
        np.empty(0, np.int64),
        named[:unflags],
        named[unflags : unflags + flags],
        named[unflags + flags :],
        head,
    )


@inner(allocates=True)
def open_start(start, list_at, planes_at, counters_at):
    """Open the cell that the rules open before the first turn; return the verdict."""
    counters = carray(counters_at, COUNTERS)
    listed = carray(list_at, 1)
    listed[0] = start
    verdict = take_turn(0, 0, 1, 0, 0, list_at, planes_at, counters_at)
    counters[referee.TURNS] = 0
    counters[referee.CLICKED] = 0
    return verdict


@inner(allocates=True)
def chord(cell, planes_at, counters_at, list_at):
    """List the cells that a click on a clue opens: see `chord_cells`."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    shown = carray(planes_at, rows * cols)
    listed = carray(list_at, 8)
    return chord_cells(shown, rows, cols, cell, listed)


@inner(allocates=True)
def play_events(events, options, events_at, planes_at, counters_at, marks_at, numbers_at, when_at):
    """Play a recorded game and return the number of its turns: see `mouse_kernels.play_mouse`."""
    counters = carray(counters_at, COUNTERS)
    planes = carray(planes_at, 3 * counters[referee.ROWS] * counters[referee.COLS])
    marks, numbers = carray(marks_at, referee.MARKS * events), carray(numbers_at, 8 * events + 8)
    return play_mouse(carray(events_at, 2 * events), options, planes, counters, marks, numbers, carray(when_at, events))


# The fields of `out` of `count_result`.
RIGHT_FLAGS, THREE_BV, IDENTIFIED, SAFE_OPENED, EFFICIENCY, PACE = range(6)


@inner(allocates=True)
def count_result(mines, won, clicks, seconds, planes_at, counters_at, out_at):
    """Count the flags on mines, the 3BV of a won game that floods, and two scores: as `game.count_result`.

    Then come 3BV per click and per second, NaN where they are not defined.
    """
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    planes = carray(planes_at, 3 * rows * cols)
    out = carray(out_at, 6)
    right = standing_flags(planes, rows * cols) if counters[referee.FLAGS] else 0
    out[RIGHT_FLAGS] = right
    out[THREE_BV] = 0
    if won and counters[referee.OPENED] and counters[referee.FLOODS]:
        out[THREE_BV] = three_bv(planes, rows, cols)
    out[EFFICIENCY] = out[THREE_BV] / clicks if out[THREE_BV] > 0 and clicks > 0 else np.nan
    out[PACE] = out[THREE_BV] / seconds if out[THREE_BV] > 0 and seconds > 0 else np.nan
    safe = counters[referee.SAFE]
    wrong = counters[referee.FLAGS] - right
    if mines == 0:
        out[IDENTIFIED] = 1.0 if wrong == 0 else -float(wrong)
    else:
        weight = max(1.0, mines / safe) if safe else 0.0
        out[IDENTIFIED] = (right - weight * wrong) / mines
    out[SAFE_OPENED] = counters[referee.OPENED] / safe if safe else 1.0
    return 0


@inner(allocates=True)
def true_clues(planes_at, counters_at, out_at):
    """Write the true content of each cell: the number of mines around it, or the code of a mine."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    planes = carray(planes_at, 3 * rows * cols)
    out = carray(out_at, rows * cols)
    layout = np.zeros(rows * cols, np.uint8)
    for cell in range(rows * cols):
        layout[cell] = planes[rows * cols + cell] == DETONATED
    count_mines(layout, rows, cols, out)
    return 0


@inner(allocates=True)
def board_three_bv(planes_at, counters_at):
    """The 3BV of the board."""
    counters = carray(counters_at, COUNTERS)
    rows, cols = counters[referee.ROWS], counters[referee.COLS]
    return three_bv(carray(planes_at, 3 * rows * cols), rows, cols)
