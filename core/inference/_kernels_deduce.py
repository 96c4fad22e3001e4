"""Reasoning with constraints one by one and in pairs, on flat lists.

A constraint is a list of cells and the least and greatest number of mines among them. Lists are kept as one
array of cells with the places where each begins.
"""

# mypy: allow-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np
from sweepstakes.inference._jit import inner, kernel
from sweepstakes.shown import DETONATED, FLAG, WITHHELD


@kernel
def gather(shown, table, noisy, trust_flags, clue, start, cell, low, high):
    """Fill the arrays with the constraints of a view, in row order; return how many there are.

    Clues that see no unknown cell are left out unless they cannot hold. `table` is flat.
    """
    rows, cols = shown.shape
    count = 0
    end = 0
    start[0] = 0
    for r in range(rows):
        for c in range(cols):
            code = int(shown[r, c])
            if code < 0 or code > WITHHELD or (code == WITHHELD and not noisy):
                continue
            n = 0
            mines = 0
            for i in range(r - 1, r + 2):
                for j in range(c - 1, c + 2):
                    if i < 0 or j < 0 or i >= rows or j >= cols or (i == r and j == c):
                        continue
                    n += 1
                    there = shown[i, j]
                    if there == DETONATED or (there == FLAG and trust_flags):
                        mines += 1
                    elif there < 0:
                        cell[end] = i * cols + j
                        end += 1
            size = end - start[count]
            least = code - mines
            most = least
            if noisy:
                # Bounds of the counts that can show the code; if none of those left can, no bounds hold.
                least = size + 1
                most = -1
                tells = False
                for k in range(n + 1):
                    if table[90 * n + 10 * k + code] > 0.0:
                        tells = True
                        if mines <= k <= mines + size:
                            most = k - mines
                            if least > size:
                                least = most
                if not tells:
                    # A withheld clue where nothing is ever withheld.
                    end = start[count]
                    continue
            if size == 0 and least <= 0 <= most:
                continue
            clue[count] = r * cols + c
            low[count] = least
            high[count] = most
            count += 1
            start[count] = end
    return count


@inner
def assign(at, mine, i, j, ends, seen, left, low, high, value, found, because, count):
    """Give a cell its value on the word of constraints i and j; return the number of cells found."""
    value[at] = mine
    found[count] = at
    because[count, 0] = i
    because[count, 1] = j
    for k in range(ends[at], ends[at + 1]):
        other = seen[k]
        left[other] -= 1
        low[other] -= mine
        high[other] -= mine
    return count + 1


@inner
def sees(i, at, ends, seen):
    """Whether the cell belongs to constraint i."""
    k = ends[at]
    while k < ends[at + 1] and seen[k] != i:
        k += 1
    return k < ends[at + 1]


@inner
def take_pair(i, j, start, cell, ends, seen, left, low, high, value, found, because, count):
    """Conclude what constraints i and j together say of the cells that only one of them has.

    The shared cells hold between `least` and `most` mines; the rest of either constraint holds what remains
    of its own bounds. Of the shared cells a pair says nothing that a single one does not. Returns the number
    of cells found, or -1 where the two contradict each other.
    """
    common = 0
    for k in range(start[j], start[j + 1]):
        if value[cell[k]] < 0 and sees(i, cell[k], ends, seen):
            common += 1
    least = max(0, low[i] - left[i] + common, low[j] - left[j] + common)
    most = min(common, high[i], high[j])
    if least > most:
        return -1
    for turn in range(2):
        this = i if turn == 0 else j
        other = j if turn == 0 else i
        only = left[this] - common
        mine = -1
        if low[this] - most >= only:
            mine = 1
        elif high[this] - least <= 0:
            mine = 0
        if only == 0 or mine < 0:
            continue
        for k in range(start[this], start[this + 1]):
            at = cell[k]
            if value[at] < 0 and not sees(other, at, ends, seen):
                count = assign(at, mine, i, j, ends, seen, left, low, high, value, found, because, count)
    return count


@inner
def requeue(told, count, found, ends, seen, queue, queued, head, waiting):
    """Put the constraints of newly found cells at the end of the queue; return how many wait."""
    for n in range(told, count):
        at = found[n]
        for k in range(ends[at], ends[at + 1]):
            other = seen[k]
            if queued[other] == 0:
                queued[other] = 1
                tail = head + waiting
                queue[tail if tail < queue.shape[0] else tail - queue.shape[0]] = other
                waiting += 1
    return waiting


@kernel
def deduce(start, cell, low, high, size, singles, pairs, value, found, because):
    """Find what the constraints prove, by single ones to a fixed point and, if asked, by pairs.

    With `singles` and `pairs` both alternate until neither finds more; with `pairs` alone there is one sweep.
    `value` (per cell: -1 unknown, 0 safe, 1 mine) is filled; `found` lists the cells in the order of their
    finding and `because` the constraint or two that decided each. Returns (cells found, constraint that
    cannot hold or -1).
    """
    many = start.shape[0] - 1
    ends = np.zeros(size + 1, np.int32)
    seen = np.empty(max(1, cell.shape[0]), np.int32)
    left = np.empty(many, np.int32)
    low = low.copy()
    high = high.copy()
    for k in range(start[many]):
        ends[cell[k] + 1] += 1
    for at in range(size):
        ends[at + 1] += ends[at]
        value[at] = -1
    fill = ends.copy()
    for i in range(many):
        left[i] = start[i + 1] - start[i]
        for k in range(start[i], start[i + 1]):
            seen[fill[cell[k]]] = i
            fill[cell[k]] += 1
    queue = np.empty(many, np.int32)
    queued = np.ones(many, np.uint8)
    head = 0
    waiting = many
    for i in range(many):
        queue[i] = i
    mark = np.full(many, -1, np.int32)
    count = 0
    told = 0
    while True:
        # First in, first out: a cell is found by the shortest chain of single clues.
        while singles and waiting > 0:
            i = queue[head]
            head = head + 1 if head + 1 < many else 0
            waiting -= 1
            queued[i] = 0
            if low[i] > left[i] or high[i] < 0 or low[i] > high[i]:
                return count, i
            if left[i] == 0 or (high[i] > 0 and low[i] < left[i]):
                continue
            mine = 0 if high[i] == 0 else 1
            for k in range(start[i], start[i + 1]):
                if value[cell[k]] < 0:
                    count = assign(
                        cell[k], mine, i, -1, ends, seen, left, low, high, value, found, because, count
                    )
            waiting = requeue(told, count, found, ends, seen, queue, queued, head, waiting)
            told = count
        if not pairs:
            return count, -1
        before = count
        for i in range(many):
            if left[i] == 0:
                continue
            mark[i] = i
            for k in range(start[i], start[i + 1]):
                if value[cell[k]] >= 0:
                    continue
                for m in range(ends[cell[k]], ends[cell[k] + 1]):
                    j = seen[m]
                    if j <= i or mark[j] == i:
                        continue
                    mark[j] = i
                    now = take_pair(
                        i, j, start, cell, ends, seen, left, low, high, value, found, because, count
                    )
                    if now < 0:
                        return count, i
                    count = now
        if not singles or count == before:
            return count, -1
        waiting = requeue(told, count, found, ends, seen, queue, queued, head, waiting)
        told = count
