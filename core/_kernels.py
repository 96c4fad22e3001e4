"""The referee's inner loops, compiled.

Boards are flat arrays, row by row. Every kernel also runs as plain Python (NUMBA_DISABLE_JIT=1), which is why 64-bit
arithmetic goes through `u64`: machine integers wrap by themselves, Python's are masked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from sweepstakes.rng import GOLDEN, MASK
from sweepstakes.shown import COVERED, DETONATED, FLAG, WITHHELD

F = TypeVar("F", bound=Callable[..., Any])

u64: Callable[[Any], Any]
if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set when numba starts

    def u64(x: Any) -> Any:
        """An unsigned 64-bit integer."""
        return int(x) & MASK
else:
    u64 = np.uint64


def kernel(function: F) -> F:
    """Compile at first use and keep the result on disk."""
    return cast(F, numba.njit(cache=True)(function))


@kernel
def _mix(z: Any) -> Any:
    """SplitMix64's output function."""
    z = u64((z ^ (z >> u64(30))) * u64(0xBF58476D1CE4E5B9))
    z = u64((z ^ (z >> u64(27))) * u64(0x94D049BB133111EB))
    return z ^ (z >> u64(31))


@kernel
def deal(
    seed: np.uint64, cells: int, mines: int, protected: npt.NDArray[np.int64], layout: npt.NDArray[np.uint8]
) -> None:
    """Mark in `layout` the first `mines` unprotected cells of the permutation that `seed` stands for.

    The permutation is Fisher and Yates from the front, so its beginning does not depend on how much of it is used.
    """
    order = np.arange(cells)
    state = u64(seed)
    left = mines
    for i in range(cells):
        if left == 0:
            break
        n = u64(cells - i)
        limit = u64(u64(MASK) - u64(MASK) % n)
        state = u64(state + u64(GOLDEN))
        z = _mix(state)
        while z >= limit:
            state = u64(state + u64(GOLDEN))
            z = _mix(state)
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
def count_mines(layout: npt.NDArray[np.uint8], rows: int, cols: int, faces: npt.NDArray[np.int8]) -> None:
    """Write what each cell truly is: the number of mines around it, or DETONATED for a mine."""
    faces[:] = 0
    for cell in range(rows * cols):
        if layout[cell]:
            row, col = cell // cols, cell % cols
            for r in range(max(row - 1, 0), min(row + 2, rows)):
                for c in range(max(col - 1, 0), min(col + 2, cols)):
                    faces[r * cols + c] += 1
    for cell in range(rows * cols):
        if layout[cell]:
            faces[cell] = DETONATED


@kernel
def blur(faces: npt.NDArray[np.int8], rows: int, cols: int, table: npt.NDArray[np.float64], seed: np.uint64) -> None:
    """Replace each true clue by a draw from `table[neighbours, clue]`; the draw of a cell depends on nothing else."""
    for cell in range(rows * cols):
        count = faces[cell]
        if count < 0:
            continue
        row, col = cell // cols, cell % cols
        height = min(row + 2, rows) - max(row - 1, 0)
        width = min(col + 2, cols) - max(col - 1, 0)
        around = height * width - 1
        z = _mix(u64(u64(seed) + u64(u64(cell + 1) * u64(GOLDEN))))
        u = np.float64(z >> u64(11)) * 2.0**-53
        below = 0.0
        for value in range(WITHHELD + 1):
            p = table[around, count, value]
            if p > 0.0:
                faces[cell] = value  # the last possible value also takes what rounding leaves over
                below += p
                if u < below:
                    break


# Counters of a game.
TURNS, OPENED, SET_OFF, FLAGS, ASKED, LIST, PLACE = range(7)
# Verdicts on a turn.
LEGAL, OUTSIDE, OPEN, DETONATED_BEFORE, FLAGGED, NOT_FLAGGED = range(6)


@kernel
def take(
    shown: npt.NDArray[np.int8],
    faces: npt.NDArray[np.int8],
    marks: npt.NDArray[np.int32],
    counters: npt.NDArray[np.int64],
    unflag: npt.NDArray[np.int64],
    flag: npt.NDArray[np.int64],
    opens: npt.NDArray[np.int64],
    rows: int,
    cols: int,
    safe: int,
    floods: bool,
    ends: bool,
) -> int:
    """Carry out a turn and return LEGAL, or stop at the first illegal cell and return why.

    The counters LIST (0 unflag, 1 flag, 2 open) and PLACE then say which cell it is.

    `marks` holds for each cell the last turn that changed it, so that a cell named twice, or opened by a flood of the
    same turn, is told from one that was so before.
    """
    cells = rows * cols
    counters[TURNS] += 1
    turn = np.int32(counters[TURNS])
    counters[LIST] = 0
    for place, cell in enumerate(unflag):
        counters[PLACE] = place
        if cell < 0 or cell >= cells:
            return OUTSIDE
        if shown[cell] == FLAG:
            shown[cell] = COVERED
            marks[cell] = turn
            counters[FLAGS] -= 1
        elif shown[cell] != COVERED or marks[cell] != turn:
            return NOT_FLAGGED
    counters[LIST] = 1
    for place, cell in enumerate(flag):
        counters[PLACE] = place
        if cell < 0 or cell >= cells:
            return OUTSIDE
        if shown[cell] == COVERED:
            shown[cell] = FLAG
            marks[cell] = turn
            counters[FLAGS] += 1
        elif shown[cell] != FLAG or marks[cell] != turn:
            if shown[cell] >= 0:
                return OPEN
            return FLAGGED if shown[cell] == FLAG else DETONATED_BEFORE
    stack = np.empty(0, np.int64)
    counters[LIST] = 2
    for place, cell in enumerate(opens):
        counters[PLACE] = place
        if cell < 0 or cell >= cells:
            return OUTSIDE
        if shown[cell] != COVERED:
            if shown[cell] == FLAG or marks[cell] != turn:
                if shown[cell] >= 0:
                    return OPEN
                return FLAGGED if shown[cell] == FLAG else DETONATED_BEFORE
            continue
        counters[ASKED] += 1
        marks[cell] = turn
        shown[cell] = faces[cell]
        if faces[cell] == DETONATED:
            counters[SET_OFF] += 1
            break
        counters[OPENED] += 1
        if floods and faces[cell] == 0:
            if stack.size == 0:
                stack = np.empty(cells, np.int64)
            stack[0] = cell
            height = 1
            while height > 0:
                height -= 1
                row, col = stack[height] // cols, stack[height] % cols
                for r in range(max(row - 1, 0), min(row + 2, rows)):
                    for c in range(max(col - 1, 0), min(col + 2, cols)):
                        other = r * cols + c
                        if shown[other] == COVERED:
                            shown[other] = faces[other]
                            marks[other] = turn
                            counters[OPENED] += 1
                            if faces[other] == 0:
                                stack[height] = other
                                height += 1
        if ends and counters[OPENED] == safe:
            break
    return LEGAL


@kernel
def standing_flags(shown: npt.NDArray[np.int8], faces: npt.NDArray[np.int8]) -> int:
    """How many flags stand on mines."""
    right = 0
    for cell in range(shown.size):
        if shown[cell] == FLAG and faces[cell] == DETONATED:
            right += 1
    return right
