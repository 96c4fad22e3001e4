"""The inner loops of a review: replay a game until the next cell that is not known to be certain."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED, DETONATED, WITHHELD
from sweepstakes.game.referee_kernels import (
    COLS,
    GOES_ON,
    LAST_MINE,
    MARKS,
    MINES_DETONATED,
    OPENED,
    REASON,
    ROWS,
    SAFE,
    open_cells,
    put_flags,
    take_flags,
)

Cells = npt.NDArray[np.int64]
Plane = npt.NDArray[np.int8]

SURELY_SAFE, SURELY_MINE, LEARNED = 1, 2, 3
"""Values of `sure`. The first two mean that a cell which is not open is certain. LEARNED means that the clue of an open
cell has been taken into account."""

# Columns of `at`. The place in the game: the turn, the index of its first number, the part of the turn that is being
# carried out (UNFLAGGING, FLAGGING or OPENING), and how many of that part's cells are done.
TURN, BEGIN, PART, PLACE = range(4)
# FORCE: 1 if the next cell is carried out without judging it. PENDING: 1 until the first cell is opened, if the rules
# protect the first click.
FORCE, PENDING = 4, 5
# Number of decisions about certain cells. Among them: flags called proven, all flags, openings called proven, all
# openings.
CERTAIN, FLAGS_CLAIMED, FLAGS, OPENS_CLAIMED, OPENS = range(6, 11)
# The cell to be judged.
CELL = 11
ENTRIES = 12
UNFLAGGING, FLAGGING, OPENING = range(3)
# Why the kernel stops: the game is over, the next flag or the next opening must be judged, or the next opening is the
# first of the game.
OVER, JUDGE_FLAG, JUDGE_OPENING, FIRST = range(4)
# Whether the first cell that a turn named for opening was certain, if it named any.
NONE_OPENED, CERTAIN_OPENED, UNCERTAIN_OPENED = range(3)


@kernel
def go_on(
    planes: Plane,
    counters: Cells,
    sure: Plane,
    exact: bool,
    marks: Cells,
    numbers: Cells,
    at: Cells,
    found: Cells,
    opened: Plane,
    left: Cells,
) -> int:
    """Carry out the turns up to a cell that is not known to be certain. Return why it stops, with the cell in `at`.

    `sure` is 1 for cells that are certainly safe and 2 for mines. It is updated with what single clues prove, if they
    are `exact`; the caller adds everything else. Decisions about certain cells are written to `found` as two numbers:
    2 x turn, plus 1 for a flag, and the cell. `marks` and `numbers` are those of a log of turns, with flat indices.
    `left` gets the number of safe cells that are not open, by turn.
    """
    cells = counters[ROWS] * counters[COLS]
    shown = planes[:cells]
    stack = np.empty(cells, np.int64)
    queued = np.zeros(cells, np.int8)
    while at[TURN] * MARKS < marks.size:
        mark = at[TURN] * MARKS
        claimed = marks[mark] & REASON == 0
        if at[PART] == UNFLAGGING:
            left[at[TURN]] = counters[SAFE] - counters[OPENED]
        verdict = _unflag(planes, counters, marks, numbers, at) if at[PART] == UNFLAGGING else GOES_ON
        if verdict == GOES_ON and at[PART] == FLAGGING:
            begin = at[BEGIN] + marks[mark + 1]
            flags = numbers[begin : begin + marks[mark + 2]]
            verdict = _flag(planes, counters, sure, flags, at, found, claimed)
            if verdict == -1:
                return JUDGE_FLAG
        if verdict == GOES_ON and at[PART] == OPENING:
            opens = numbers[at[BEGIN] : at[BEGIN] + marks[mark + 1]]
            if at[PENDING] and opens.size > 0:
                at[CELL] = opens[0]
                return FIRST
            while at[PLACE] < opens.size:
                cell = opens[at[PLACE]]
                named = 0 <= cell < cells and shown[cell] == COVERED
                if named and sure[cell] != SURELY_SAFE and not at[FORCE]:
                    if opened[at[TURN]] == NONE_OPENED:
                        opened[at[TURN]] = UNCERTAIN_OPENED
                    at[CELL] = cell
                    return JUDGE_OPENING
                if named and not at[FORCE]:
                    _note(at, found, 0, cell, claimed)
                    if opened[at[TURN]] == NONE_OPENED:
                        opened[at[TURN]] = CERTAIN_OPENED
                verdict = _open(planes, counters, opens, at)
                if verdict != GOES_ON:
                    break
                if named and exact:
                    _learn(shown, counters[COLS], sure, stack, queued, cell)
        if verdict != GOES_ON:
            break
        at[BEGIN] += marks[mark + 1] + marks[mark + 2] + marks[mark + 3]
        at[TURN] += 1
        at[PART] = UNFLAGGING
    return OVER


@inner
def _unflag(planes: Plane, counters: Cells, marks: Cells, numbers: Cells, at: Cells) -> int:
    """Begin a turn by removing the flags that it names. Return the verdict."""
    cells = counters[ROWS] * counters[COLS]
    changed = planes[2 * cells :]
    for cell in range(cells):
        changed[cell] = 0
    mark = at[TURN] * MARKS
    begin = at[BEGIN] + marks[mark + 1] + marks[mark + 2]
    at[PART] = FLAGGING
    at[PLACE] = 0
    return take_flags(planes[:cells], changed, counters, numbers[begin : begin + marks[mark + 3]])


@inner
def _flag(planes: Plane, counters: Cells, sure: Plane, flags: Cells, at: Cells, found: Cells, claimed: bool) -> int:
    """Flag cells up to the first one that is not known to be a mine. Return the verdict, or -1 at such a cell."""
    cells = counters[ROWS] * counters[COLS]
    shown = planes[:cells]
    while at[PLACE] < flags.size:
        cell = flags[at[PLACE]]
        if 0 <= cell < cells and shown[cell] == COVERED:
            if sure[cell] != SURELY_MINE and not at[FORCE]:
                at[CELL] = cell
                return -1
            if not at[FORCE]:
                _note(at, found, 1, cell, claimed)
        at[FORCE] = 0
        verdict = put_flags(shown, planes[2 * cells :], counters, flags[at[PLACE] : at[PLACE] + 1])
        if verdict != GOES_ON:
            return verdict
        at[PLACE] += 1
    at[PART] = OPENING
    at[PLACE] = 0
    return GOES_ON


@inner
def _note(at: Cells, found: Cells, flag: int, cell: int, claimed: bool) -> None:
    """Write down a decision about a certain cell."""
    found[2 * at[CERTAIN]] = 2 * at[TURN] + flag
    found[2 * at[CERTAIN] + 1] = cell
    at[CERTAIN] += 1
    if flag == 1:
        at[FLAGS] += 1
        at[FLAGS_CLAIMED] += claimed
    else:
        at[OPENS] += 1
        at[OPENS_CLAIMED] += claimed


@inner(allocates=True)
def _open(planes: Plane, counters: Cells, opens: Cells, at: Cells) -> int:
    """Open the next cell of a turn; after a mine, and at the end of the game, the other cells are dropped."""
    cells = counters[ROWS] * counters[COLS]
    before = counters[MINES_DETONATED]
    place = at[PLACE]
    verdict = open_cells(
        planes[:cells], planes[cells : 2 * cells], planes[2 * cells :], counters, opens[place : place + 1]
    )
    at[FORCE] = 0
    at[PLACE] = place + 1
    if counters[MINES_DETONATED] > before or (counters[LAST_MINE] and counters[OPENED] == counters[SAFE]):
        at[PLACE] = opens.size
    return verdict


@inner
def _learn(shown: Plane, cols: int, sure: Plane, stack: Cells, queued: Plane, cell: int) -> None:
    """Find what single clues prove now that a cell, and perhaps a flood from it, is open.

    A clue is looked at again whenever something around it has become known.
    """
    height = 0
    first, end = cell, cell + 1
    if shown[cell] == 0:  # it may have flooded
        first, end = 0, shown.size
    for new in range(first, end):
        if shown[new] == DETONATED:
            if sure[new] != SURELY_MINE:
                sure[new] = SURELY_MINE
                height = _queue(shown, cols, stack, queued, height, new)
        elif shown[new] >= 0 and sure[new] != LEARNED:
            if sure[new] == SURELY_SAFE:
                if queued[new] == 0:
                    queued[new] = 1
                    stack[height] = new
                    height += 1
            else:
                height = _queue(shown, cols, stack, queued, height, new)
            sure[new] = LEARNED
    while height > 0:
        height -= 1
        clue = stack[height]
        queued[clue] = 0
        height = _resolve(shown, cols, sure, stack, queued, height, clue)


@inner
def _queue(shown: Plane, cols: int, stack: Cells, queued: Plane, height: int, cell: int) -> int:
    """Put the clues around a cell on the stack. Return its new height."""
    rows = shown.size // cols
    row, col = cell // cols, cell % cols
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            other = r * cols + c
            if shown[other] >= 0 and queued[other] == 0:
                queued[other] = 1
                stack[height] = other
                height += 1
    return height


@inner
def _resolve(shown: Plane, cols: int, sure: Plane, stack: Cells, queued: Plane, height: int, clue: int) -> int:
    """Mark the cells around a clue if it decides them. Return the new height of the stack."""
    if shown[clue] >= WITHHELD:
        return height
    rows = shown.size // cols
    row, col = clue // cols, clue % cols
    unknown = 0
    mines = 0
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            other = r * cols + c
            if shown[other] < 0:
                unknown += sure[other] == 0
                mines += sure[other] == SURELY_MINE
    if unknown == 0 or (shown[clue] != mines and shown[clue] != mines + unknown):
        return height
    answer = SURELY_SAFE if shown[clue] == mines else SURELY_MINE
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            other = r * cols + c
            if shown[other] < 0 and sure[other] == 0:
                sure[other] = answer
                height = _queue(shown, cols, stack, queued, height, other)
    return height


@kernel
def possible_clues(shown: Plane, cols: int, sure: Plane, cell: int) -> tuple[int, int]:
    """Return the fewest and the most mines around a cell, given the certain and detonated cells."""
    rows = shown.size // cols
    row, col = cell // cols, cell % cols
    fewest = 0
    most = 0
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            other = r * cols + c
            if other != cell and shown[other] < 0 and sure[other] != SURELY_SAFE:
                most += 1
                fewest += sure[other] == SURELY_MINE or shown[other] == DETONATED
    return fewest, most
