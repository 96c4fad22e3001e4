"""The clicks of a recorded game: which cells the buttons of a mouse open and flag.

A cell opens when the left button is released. Both buttons, the middle button, or the left one with Shift make a chord:
a clue with as many flags around it as it says opens its other neighbours. The right button sets and removes flags as
soon as it is pressed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.game.referee_kernels import COLS, LAST_MINE, MARKS, MINES_DETONATED, OPENED, ROWS, SAFE, open_cells

Plane = npt.NDArray[np.int8]
Cells = npt.NDArray[np.int64]

LEFT_DOWN, SHIFT_LEFT_DOWN, LEFT_UP, RIGHT_DOWN, RIGHT_UP, MIDDLE_DOWN, MIDDLE_UP, TOGGLE_MARKS = range(8)
"""What a mouse does. The last is no button: it turns question marks on or off."""
QUESTION_MARKS, SUPER_CLICK, OPEN_ON_PRESS = 1, 2, 4
"""Options of a game, as bits: the right button also sets question marks, the left one makes chords, and it acts when it
is pressed too."""
GUESS = 1  # the reason of a person's turn in a log, as `REASONS` counts
# The buttons that are down, whether a chord was made since both were, and whether question marks are on.
LEFT, RIGHT, MIDDLE, SHIFT, CHORDED, WITH_MARKS = range(6)
STATE = 6
NO_CHORD = -3


@inner
def chord_cells(shown: Plane, rows: int, cols: int, cell: int, listed: Cells) -> int:
    """List the cells that a click on a clue opens and return how many, or NO_CHORD.

    A clue opens its covered neighbours when just as many of the others are flagged or went off as it says.
    """
    row, col = cell // cols, cell % cols
    known = 0
    count = 0
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            code = shown[r * cols + c]
            known += code == FLAG or code == DETONATED
            if code == COVERED and count < 8:
                listed[count] = r * cols + c
                count += 1
    if shown[cell] < 1 or shown[cell] > 8 or known != shown[cell] or count == 0:
        return NO_CHORD
    return count


@inner
def _opened_by_left(shown: Plane, rows: int, cols: int, cell: int, state: Cells, options: int, listed: Cells) -> int:
    """List the cells that the left button opens over a cell, and return how many."""
    is_open = shown[cell] >= 0
    if state[RIGHT] or state[SHIFT] or (options & SUPER_CLICK and is_open):
        state[CHORDED] = state[RIGHT]
        state[SHIFT] = 0
        return max(chord_cells(shown, rows, cols, cell, listed), 0)
    wasted = state[CHORDED]  # the left button of a chord that ended with the right one
    state[CHORDED] = 0
    if wasted or shown[cell] != COVERED:
        return 0
    listed[0] = cell
    return 1


@inner
def _opened(shown: Plane, rows: int, cols: int, what: int, cell: int, state: Cells, options: int, listed: Cells) -> int:
    """Move the buttons, all but a right one that goes down. List the cells that open, and return how many."""
    if what == LEFT_DOWN or what == SHIFT_LEFT_DOWN:
        if state[MIDDLE]:
            return 0
        state[LEFT] = 1
        state[SHIFT] = what == SHIFT_LEFT_DOWN
        if options & OPEN_ON_PRESS and cell >= 0:
            return _opened_by_left(shown, rows, cols, cell, state, options, listed)
    elif what == LEFT_UP and state[LEFT]:
        state[LEFT] = 0
        if cell >= 0:
            return _opened_by_left(shown, rows, cols, cell, state, options, listed)
        state[CHORDED] = 0
    elif what == RIGHT_UP and state[RIGHT]:
        state[RIGHT] = state[SHIFT] = 0
        state[CHORDED] = state[LEFT]
        if cell >= 0 and state[LEFT]:
            return max(chord_cells(shown, rows, cols, cell, listed), 0)
    elif what == MIDDLE_DOWN:
        for button in range(WITH_MARKS):
            state[button] = 0
        state[MIDDLE] = 1
    elif what == MIDDLE_UP and state[MIDDLE]:
        state[MIDDLE] = 0
        if cell >= 0:
            return max(chord_cells(shown, rows, cols, cell, listed), 0)
    return 0


@inner
def _flagged(shown: Plane, what: int, cell: int, state: Cells, questioned: Plane) -> int:
    """Press the right button: 1 if it flags the cell, -1 if it removes the flag, else 0."""
    if state[MIDDLE]:
        return 0
    state[RIGHT] = 1
    state[SHIFT] = 0
    if state[LEFT] or cell < 0 or (shown[cell] != COVERED and shown[cell] != FLAG):
        return 0
    state[CHORDED] = 0
    if shown[cell] == FLAG:
        shown[cell] = COVERED
        questioned[cell] = state[WITH_MARKS]
        return -1
    if questioned[cell] and state[WITH_MARKS]:
        questioned[cell] = 0
        return 0
    shown[cell] = FLAG
    return 1


@kernel
def play_mouse(
    events: Cells, options: int, planes: Plane, counters: Cells, marks: Cells, numbers: Cells, when: Cells
) -> int:
    """Play a recorded game and return the number of its turns. It ends with the game, whatever the mouse does then.

    `events` alternates what the mouse does and the cell below it, -1 off the board. `planes` and `counters` belong
    to a game whose board is dealt. Each turn is written as in a log: to `marks` its reason and how many cells it opens,
    flags and unflags, to `numbers` these cells, and to `when` the index of its event. For each event, `marks` and
    `when` need space for a turn, and `numbers` for 8 cells, and 8 more at the end.
    """
    rows, cols = counters[ROWS], counters[COLS]
    cells = rows * cols
    shown, revealed, changed = planes[:cells], planes[cells : 2 * cells], planes[2 * cells :]
    questioned = np.zeros(cells, np.int8)
    state = np.zeros(STATE, np.int64)
    state[WITH_MARKS] = options & QUESTION_MARKS
    turns = 0
    begin = 0
    for event in range(events.size // 2):
        if counters[OPENED] == counters[SAFE] or (counters[LAST_MINE] and counters[MINES_DETONATED] > 0):
            break
        what, cell = events[2 * event], events[2 * event + 1]
        opens = 0
        flags = 0
        if what == TOGGLE_MARKS:
            state[WITH_MARKS] = 1 - state[WITH_MARKS]
        elif what == RIGHT_DOWN:
            flags = _flagged(shown, what, cell, state, questioned)
            numbers[begin] = cell
        else:
            opens = _opened(shown, rows, cols, what, cell, state, options, numbers[begin : begin + 8])
        if opens == 0 and flags == 0:
            continue
        if opens:
            for i in range(cells):
                changed[i] = 0
            open_cells(shown, revealed, changed, counters, numbers[begin : begin + opens])
        marks[MARKS * turns], marks[MARKS * turns + 1] = GUESS, opens
        marks[MARKS * turns + 2], marks[MARKS * turns + 3] = flags == 1, flags == -1
        when[turns] = event
        begin += max(opens, 1)
        turns += 1
    return turns
