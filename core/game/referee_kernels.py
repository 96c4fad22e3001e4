"""The referee's inner loops, compiled.

Boards are flat arrays, row by row. Every kernel also runs as plain Python (NUMBA_DISABLE_JIT=1). Therefore 64-bit
arithmetic goes through `u64`: machine integers wrap by themselves, Python's integers are masked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.game.rng import GOLDEN, MASK

u64: Callable[[Any], Any]
if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when numba starts

    def u64(x: Any) -> Any:
        """Return an unsigned 64-bit integer."""
        return int(x) & MASK
else:
    u64 = np.uint64


@inner
def mix(z: Any) -> Any:
    """Apply the output function of SplitMix64."""
    z = u64((z ^ (z >> u64(30))) * u64(0xBF58476D1CE4E5B9))
    z = u64((z ^ (z >> u64(27))) * u64(0x94D049BB133111EB))
    return z ^ (z >> u64(31))


@kernel
def place_mines(
    high: int, low: int, mines: int, protected: npt.NDArray[np.int64], layout: npt.NDArray[np.uint8]
) -> None:
    """Mark in `layout` the first `mines` unprotected cells of the permutation that belongs to a seed.

    The seed is `high` x 2^32 + `low` modulo 2^64: numba takes two small integers in half the time of one `np.uint64`.
    The permutation is a Fisher-Yates shuffle from the front, so its beginning does not depend on how much is used.
    """
    cells = layout.size
    order = np.arange(cells)
    state = u64(u64(u64(high) << u64(32)) | u64(low))
    left = mines
    for i in range(cells):
        if left == 0:
            break
        n = u64(cells - i)
        state = u64(state + u64(GOLDEN))
        z = mix(state)
        # Reject as in `Rng.below`. The first comparison nearly always decides, which saves the division.
        while z > u64(u64(MASK) - n) and z >= u64(u64(MASK) - u64(MASK) % n):
            state = u64(state + u64(GOLDEN))
            z = mix(state)
        j = i + np.int64(z % n)
        cell = order[j]
        order[j] = order[i]
        order[i] = cell
        free = True
        for p in protected:
            if p == cell:
                free = False
        if free:
            layout[cell] = 1
            left -= 1


@kernel
def count_mines(layout: npt.NDArray[np.uint8], rows: int, cols: int, revealed: npt.NDArray[np.int8]) -> None:
    """Write to `revealed` the number of mines around each cell, or DETONATED for a mine.

    Copy the mines into an array with an empty border. Then add every three neighbours in a row, and every three of
    these sums in a column, in loops without branches.
    """
    width = cols + 2
    cells = (rows + 2) * width
    mines = np.zeros(cells, np.int8)
    for row in range(rows):
        inside, given = mines[(row + 1) * width + 1 :], layout[row * cols : (row + 1) * cols]
        for col in range(cols):  # a slice would also compile numba's length check: a second
            inside[col] = given[col]
    left, middle, right = mines[: cells - 2], mines[1 : cells - 1], mines[2:]
    sums = np.empty(cells - 2, np.int8)
    for cell in range(cells - 2):
        sums[cell] = left[cell] + middle[cell] + right[cell]
    for row in range(rows):
        begin = row * width
        above = sums[begin : begin + cols]
        beside = sums[begin + width : begin + width + cols]
        below = sums[begin + 2 * width : begin + 2 * width + cols]
        mined = layout[row * cols : (row + 1) * cols]
        line = revealed[row * cols : (row + 1) * cols]
        for col in range(cols):
            line[col] = DETONATED if mined[col] else above[col] + beside[col] + below[col]


@kernel
def blur(revealed: npt.NDArray[np.int8], rows: int, cols: int, table: npt.NDArray[np.float64], seed: np.uint64) -> None:
    """Replace each true clue by a draw from `table[neighbours, clue]`. Each cell has its own random number."""
    for cell in range(rows * cols):
        count = revealed[cell]
        if count < 0:
            continue
        row, col = cell // cols, cell % cols
        height = min(row + 2, rows) - max(row - 1, 0)
        width = min(col + 2, cols) - max(col - 1, 0)
        around = height * width - 1
        z = mix(u64(u64(seed) + u64(u64(cell + 1) * u64(GOLDEN))))
        u = np.float64(z >> u64(11)) * 2.0**-53
        below = 0.0
        for value in range(WITHHELD + 1):
            p = table[around, count, value]
            if p > 0.0:
                revealed[cell] = value  # if rounding leaves a rest, it goes to the last possible value
                below += p
                if u < below:
                    break


# The counters of a game: what it counts, where an illegal turn broke off, and what it was set up with. LAST_MINE is
# `Rules.last_mine`: the number of the detonated mine that ends the game, or 0.
TURNS, OPENED, MINES_DETONATED, FLAGS, CLICKED, GUESSES, FALLBACKS, LIST, PLACE = range(9)
ROWS, COLS, SAFE, FLOODS, LAST_MINE, MAX_TURNS = range(9, 15)
FLAG_CLICKS = 15  # flags put and taken away
ENTRIES = 16
# Verdicts on a turn: the game goes on, the game is over, or the turn was illegal.
GOES_ON, WON, LOST, FINISHED, STALLED, OUTSIDE, OPEN, DETONATED_BEFORE, FLAGGED, NOT_FLAGGED, LOG_FULL = range(11)
# The head of a turn: REASON masks the bits of its reason (0 is a proof), FALLBACK is the bit of a fallback.
REASON, FALLBACK = 3, 4
# A log begins with the index of its next number and the number of its turns. From NUMBERS on it has the numbers. The
# marks, MARKS for each turn, are written backwards from its end.
NEXT, LOGGED, NUMBERS = range(3)
MARKS = 4


Cells = npt.NDArray[np.int64]
Plane = npt.NDArray[np.int8]


@inner(allocates=True)
def _carry_out(planes: Plane, counters: Cells, unflag: Cells, flag: Cells, opens: Cells) -> int:
    """Unflag, flag and open. Returns GOES_ON, or why a cell is illegal.

    The third part of the planes marks the cells that this turn has changed. This distinguishes a cell that is named
    twice, or opened by a flood in the same turn, from one that was open before the turn.
    """
    cells = counters[ROWS] * counters[COLS]
    shown = planes[:cells]
    changed = planes[2 * cells :]
    for cell in range(cells):
        changed[cell] = 0
    counters[LIST] = 0
    verdict = take_flags(shown, changed, counters, unflag)
    if verdict == GOES_ON:
        counters[LIST] = 1
        verdict = put_flags(shown, changed, counters, flag)
    if verdict == GOES_ON:
        counters[LIST] = 2
        verdict = open_cells(shown, planes[cells : 2 * cells], changed, counters, opens)
    return verdict


@inner
def take_flags(shown: Plane, changed: Plane, counters: Cells, named: Cells) -> int:
    """Remove flags up to the first illegal cell. Return the reason why it is illegal, or GOES_ON."""
    for place in range(named.size):
        cell = named[place]
        counters[PLACE] = place
        if cell < 0 or cell >= shown.size:
            return OUTSIDE
        if shown[cell] == FLAG:
            shown[cell] = COVERED
            changed[cell] = 1
            counters[FLAGS] -= 1
            counters[FLAG_CLICKS] += 1
        elif shown[cell] != COVERED or not changed[cell]:
            return NOT_FLAGGED
    return GOES_ON


@inner
def put_flags(shown: Plane, changed: Plane, counters: Cells, named: Cells) -> int:
    """Put flags up to the first illegal cell. Return the reason why it is illegal, or GOES_ON."""
    for place in range(named.size):
        cell = named[place]
        counters[PLACE] = place
        if cell < 0 or cell >= shown.size:
            return OUTSIDE
        if shown[cell] == COVERED:
            shown[cell] = FLAG
            changed[cell] = 1
            counters[FLAGS] += 1
            counters[FLAG_CLICKS] += 1
        elif shown[cell] != FLAG or not changed[cell]:
            return _why_not(shown[cell])
    return GOES_ON


@inner
def _why_not(shown: int) -> int:
    """Return the reason why a cell that is not covered cannot be flagged or opened."""
    if shown >= 0:
        return OPEN
    return FLAGGED if shown == FLAG else DETONATED_BEFORE


@inner(allocates=True)
def open_cells(shown: Plane, revealed: Plane, changed: Plane, counters: Cells, named: Cells) -> int:
    """Open cells up to the first mine or the first illegal cell. Return the verdict."""
    stack = np.empty(0, np.int64)
    for place in range(named.size):
        cell = named[place]
        counters[PLACE] = place
        if cell < 0 or cell >= shown.size:
            return OUTSIDE
        if shown[cell] != COVERED:
            if shown[cell] == FLAG or not changed[cell]:
                return _why_not(shown[cell])
            continue
        counters[CLICKED] += 1
        changed[cell] = 1
        shown[cell] = revealed[cell]
        if revealed[cell] == DETONATED:
            counters[MINES_DETONATED] += 1
            break
        counters[OPENED] += 1
        if counters[FLOODS] and revealed[cell] == 0:
            if stack.size == 0:
                stack = np.empty(shown.size, np.int64)
            _flood(shown, revealed, changed, counters, stack, cell)
        if counters[LAST_MINE] and counters[OPENED] == counters[SAFE]:
            break
    return GOES_ON


@inner
def _flood(shown: Plane, revealed: Plane, changed: Plane, counters: Cells, stack: Cells, start: int) -> None:
    """Open the covered neighbours of the blank `start`, and those of every blank opened in this way."""
    rows, cols = counters[ROWS], counters[COLS]
    stack[0] = start
    height = 1
    while height > 0:
        height -= 1
        row, col = stack[height] // cols, stack[height] % cols
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(col - 1, 0), min(col + 2, cols)):
                cell = r * cols + c
                if shown[cell] == COVERED:
                    shown[cell] = revealed[cell]
                    changed[cell] = 1
                    counters[OPENED] += 1
                    if revealed[cell] == 0:
                        stack[height] = cell
                        height += 1


@inner
def _note(
    log: npt.NDArray[np.int64],
    unflag: npt.NDArray[np.int64],
    flag: npt.NDArray[np.int64],
    opens: npt.NDArray[np.int64],
    head: int,
) -> bool:
    """Write a turn to the log: its head, the numbers of cells, and the cells. Return False if the log is too short."""
    place = log[NEXT]
    mark = log.size - MARKS * (log[LOGGED] + 1)
    if place + opens.size + flag.size + unflag.size > mark:
        return False
    log[mark], log[mark + 1], log[mark + 2], log[mark + 3] = head, opens.size, flag.size, unflag.size
    for cells in (opens, flag, unflag):
        for cell in cells:
            log[place] = cell
            place += 1
    log[NEXT] = place
    log[LOGGED] += 1
    return True


@kernel
def take(
    planes: npt.NDArray[np.int8],
    counters: npt.NDArray[np.int64],
    log: npt.NDArray[np.int64],
    unflag: npt.NDArray[np.int64],
    flag: npt.NDArray[np.int64],
    opens: npt.NDArray[np.int64],
    head: int,
) -> int:
    """Carry out a turn and return the verdict. An illegal turn is carried out up to its first illegal cell.

    The counters LIST (0 unflag, 1 flag, 2 open) and PLACE then name that cell. `planes` has three parts, each with a
    byte for each cell: what it shows, what it hides, and the marks of `_carry_out`. Unless `log` is empty, the turn is
    also written to it. If the log is too short, nothing is done and the verdict is LOG_FULL.
    """
    if log.size > 0 and not _note(log, unflag, flag, opens, head):
        return LOG_FULL
    if counters[TURNS] >= counters[MAX_TURNS]:
        return STALLED
    counters[TURNS] += 1
    cells_clicked = counters[CLICKED]
    verdict = _carry_out(planes, counters, unflag, flag, opens)
    counters[GUESSES] += head & REASON != 0 and counters[CLICKED] > cells_clicked
    counters[FALLBACKS] += head & FALLBACK != 0
    if verdict == GOES_ON:
        cleared = counters[OPENED] == counters[SAFE]
        if counters[LAST_MINE]:
            if counters[MINES_DETONATED] >= counters[LAST_MINE]:
                return LOST
            if cleared:
                return WON
        elif counters[OPENED] + counters[MINES_DETONATED] + counters[FLAGS] == counters[ROWS] * counters[COLS]:
            return WON if cleared and not counters[MINES_DETONATED] else FINISHED
    return verdict


@kernel
def three_bv(planes: npt.NDArray[np.int8], rows: int, cols: int) -> int:
    """Return the 3BV of the hidden board: its openings plus its clues that are not next to a blank.

    See `board_statistics`.
    """
    cells = rows * cols
    beneath = planes[cells : 2 * cells]
    near = np.zeros(cells, np.bool_)  # whether the cell is next to a mine
    for cell in range(cells):
        if beneath[cell] == DETONATED:
            row, col = cell // cols, cell % cols
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for c in range(max(col - 1, 0), min(col + 2, cols)):
                    near[r * cols + c] = True
    opened = np.zeros(cells, np.bool_)
    stack = np.empty(cells, np.int64)
    clicks = 0
    for start in range(cells):  # openings first: every blank, with the clues that it opens
        if near[start] or opened[start]:
            continue
        clicks += 1
        opened[start] = True
        stack[0] = start
        height = 1
        while height > 0:
            height -= 1
            row, col = stack[height] // cols, stack[height] % cols
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for c in range(max(col - 1, 0), min(col + 2, cols)):
                    cell = r * cols + c
                    if not opened[cell]:
                        opened[cell] = True
                        if not near[cell]:
                            stack[height] = cell
                            height += 1
    for cell in range(cells):
        if not opened[cell] and beneath[cell] != DETONATED:
            clicks += 1
    return clicks


@kernel
def standing_flags(planes: npt.NDArray[np.int8], cells: int) -> int:
    """Return how many flags are on mines."""
    right = 0
    for cell in range(cells):
        if planes[cell] == FLAG and planes[cells + cell] == DETONATED:
            right += 1
    return right
