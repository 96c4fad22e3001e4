"""Reading a position, and single-clue propagation to its fixed point, in linear time."""

import numpy as np
from numba import njit

from sweepstakes.inference._layout import (
    KIND,
    KNOWN,
    LEFT,
    MASK,
    MINE,
    MINE_LIST,
    OPEN,
    SAFE_LIST,
    STACK,
    UNKNOWN,
)
from sweepstakes.shown import COVERED, DETONATED, FLAG, WITHHELD


@njit(cache=True)
def support(table, neighbours, code):
    """Bit k is set where a cell with so many neighbours and true count k can show the code.

    A column of zeros (a withheld clue where nothing is ever withheld) tells nothing: no bit is set.
    """
    bits = 0
    for k in range(neighbours + 1):
        if table[neighbours, k, code] > 0.0:
            bits |= 1 << k
    return bits


@njit(cache=True)
def read(shown, table, noisy, trust_flags, cells, around):
    """Fill the padded rows from a view; return (unknown cells, known mines, clues on the stack or -1 - clue)."""
    rows, cols = shown.shape
    width = cols + 2
    kind = cells[KIND]
    left = cells[LEFT]
    mask = cells[MASK]
    known = cells[KNOWN]
    stack = cells[STACK]
    unknown = 0
    mines = 0
    for r in range(rows):
        p = (r + 1) * width + 1
        for c in range(cols):
            code = shown[r, c]
            if code == COVERED or (code == FLAG and not trust_flags):
                kind[p] = UNKNOWN
                unknown += 1
            elif code == FLAG or code == DETONATED:
                kind[p] = MINE
                mines += 1
            else:
                kind[p] = OPEN
            p += 1
    top = 0
    for r in range(rows):
        p = (r + 1) * width + 1
        high = (r > 0) + (r < rows - 1) + 1
        for c in range(cols):
            mask[p] = 0
            code = shown[r, c]
            if 0 <= code < WITHHELD or (code == WITHHELD and noisy):
                total = 0
                for d in around:
                    total += kind[p + d]
                u = total & 15
                m = total >> 4
                if noisy:
                    base = support(table, high * ((c > 0) + (c < cols - 1) + 1) - 1, code)
                else:
                    base = 1 << int(code)
                if base != 0:
                    bits = (base >> m) & ((2 << u) - 1)
                    if bits == 0:
                        return unknown, mines, -1 - p
                    left[p] = u
                    mask[p] = bits
                    known[p] = m
                    if u > 0 and (bits == 1 or bits == 1 << u):
                        stack[top] = p
                        top += 1
            p += 1
    return unknown, mines, top


@njit(cache=True)
def propagate(cells, around, top):
    """Resolve every cell that one clue after another decides.

    Returns (cells found safe, mines found, clue that cannot hold or -1); the finds are listed in order in
    SAFE_LIST and MINE_LIST. A clue is put on the stack once, when it becomes decided, and a cell is resolved
    once: the work is linear in the board.
    """
    kind = cells[KIND]
    left = cells[LEFT]
    mask = cells[MASK]
    known = cells[KNOWN]
    stack = cells[STACK]
    safe_list = cells[SAFE_LIST]
    mine_list = cells[MINE_LIST]
    safe = 0
    mines = 0
    while top > 0:
        top -= 1
        p = stack[top]
        mine = 0 if mask[p] == 1 else 1
        for d in around:
            q = p + d
            if kind[q] != UNKNOWN:
                continue
            if mine == 1:
                kind[q] = MINE
                mine_list[mines] = q
                mines += 1
            else:
                kind[q] = OPEN
                safe_list[safe] = q
                safe += 1
            for e in around:
                s = q + e
                bits = mask[s]
                if bits == 0:
                    continue
                u = left[s]
                decided = bits == 1 or bits == 1 << u
                u -= 1
                bits = (bits >> mine) & ((2 << u) - 1)
                left[s] = u
                mask[s] = bits
                known[s] += mine
                if bits == 0:
                    return safe, mines, s
                if u > 0 and not decided and (bits == 1 or bits == 1 << u):
                    stack[top] = s
                    top += 1
    return safe, mines, -1


@njit(cache=True)
def flat_index(cells, row, count, cols):
    """Turn a list of padded cells into flat indices of the board, in place."""
    width = cols + 2
    listed = cells[row]
    for i in range(count):
        p = listed[i]
        listed[i] = (p // width - 1) * cols + p % width - 1


def offsets(cols: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """The eight steps to a padded cell's neighbours, in ascending order."""
    w = cols + 2
    return np.array([-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1], dtype=np.int32)
