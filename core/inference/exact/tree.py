"""Best play on a list of layouts: the game tree over sets of layouts that are still possible.

What has been opened does not matter beyond the set of layouts that it leaves: an opened cell is safe and shows the same
clue in all of them. A set with a cell that is safe in all layouts and shows different clues is split by it at no risk;
otherwise each cell that may be a mine is tried. The value of a set is the number of its layouts that are won: all
numbers are whole.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel

VISITS = 400
"""Entries of the table of layouts that may be looked at, for each set that may be examined."""
GAVE_UP = -1

# Columns of a frame: one set on the way from the root.
FIRST = 0  # its first layout on the stack of layouts
SIZE = 1
CELLS = 2  # its first cell on the stack of cells
ACTIVE = 3  # cells that are not the same in all layouts
TRIED = 4  # next cell to try
CLUE = 5  # next clue of the cell that is being tried
BEGIN = 6  # first layout of that clue
ACC = 7  # layouts won by the cell that is being tried, so far
OPEN = 8  # layouts of the cell that is being tried whose fate is not known yet
BEST = 9
CELL = 10  # the best cell
HASH = 11
FREE = 12  # 1: the first cell is safe in all layouts
ENDS = 13  # by clue: where its layouts end
FRAME = 23


@inner
def hash_set(first, size, layouts, zobrist):
    """A hash of a set of layouts: the same in any order."""
    h = np.int64(0)
    for i in range(first, first + size):
        h ^= zobrist[layouts[i]]
    return h


@inner
def won_of_two(a, b, cells, begin, end, mine, clue):
    """Layouts won of two: both if some cell that is safe in both tells them apart, else one."""
    for i in range(begin, end):
        x = cells[i]
        if mine[a, x] == 0 and mine[b, x] == 0 and clue[a, x] != clue[b, x]:
            return np.int64(2)
    return np.int64(1)


@inner(shared=True)
def examine(frame, above, layouts, cells, risk, mine, clue):
    """Find the cells worth trying in a set: one that is free of risk and tells something, or all that may be a mine.

    Of the cells of the set above, those that are the same in all layouts are left out. They are listed by ascending
    risk, equal ones in the order of their numbers.
    """
    first, size = frame[FIRST], frame[SIZE]
    begin, end = above[CELLS], above[CELLS] + above[ACTIVE]
    out = frame[CELLS]
    n = np.int64(0)
    frame[FREE] = 0
    for i in range(begin, end):
        x = cells[i]
        mines = np.int64(0)
        for k in range(first, first + size):
            mines += mine[layouts[k], x]
        if mines == size:
            continue
        if mines == 0:
            told = clue[layouts[first], x]
            same = True
            for k in range(first + 1, first + size):
                same = same and clue[layouts[k], x] == told
            if same:
                continue
            if frame[FREE] == 0:
                # To the front, and the others behind it are only its descendants' business.
                frame[FREE] = 1
                for k in range(n, 0, -1):
                    cells[out + k] = cells[out + k - 1]
                cells[out] = x
                n += 1
                continue
        risk[x] = mines
        k = n
        least = 1 if frame[FREE] == 1 else 0
        while k > least and (
            risk[cells[out + k - 1]] > mines or (risk[cells[out + k - 1]] == mines and cells[out + k - 1] > x)
        ):
            cells[out + k] = cells[out + k - 1]
            k -= 1
        cells[out + k] = x
        n += 1
    frame[ACTIVE] = n


@inner(shared=True)
def split(frame, x, layouts, mine, clue):
    """Put the layouts in which a cell is safe behind the set, by clue; the layouts that are still open."""
    first, size = frame[FIRST], frame[SIZE]
    for v in range(10):
        frame[ENDS + v] = 0
    for k in range(first, first + size):
        a = layouts[k]
        if mine[a, x] == 0:
            frame[ENDS + clue[a, x] + 1] += 1
    frame[ENDS] = first + size
    for v in range(1, 10):
        frame[ENDS + v] += frame[ENDS + v - 1]
    total = frame[ENDS + 9] - frame[ENDS]
    for k in range(first, first + size):
        a = layouts[k]
        if mine[a, x] == 0:
            v = clue[a, x]
            layouts[frame[ENDS + v]] = a
            frame[ENDS + v] += 1
    return total


@inner
def find_set(h, size, keys, sizes, wins, slots):
    """(layouts won of a set or -1 if it is not in the table, its place)."""
    place = (h ^ (h >> 31)) & (slots - 1)
    while sizes[place] != 0:
        if keys[place] == h and sizes[place] == size:
            return np.int64(wins[place]), place
        place = (place + 1) & (slots - 1)
    return np.int64(-1), place


@kernel
def play_out(rows, n, most_nodes, every, mine, clue, zobrist, layouts, cells, frames, risk, keys, sizes, wins, won):
    """The value of all `rows` layouts of `n` cells under best play.

    The table (`keys`, `sizes`, `wins`, a power of two) must have sizes of 0. With `every`, the layouts won by each
    cell that may be opened first are written to `won`, -1 for the others. At most `most_nodes` sets are examined. Returns (layouts won or GAVE_UP, best first
    cell or -1 if nothing is left to decide, sets examined).
    """
    slots = keys.size
    most = slots - (slots >> 2)
    nodes = np.int64(0)
    visits = np.int64(0)
    kept = np.int64(0)
    for x in range(n):
        won[x] = -1
        cells[x] = x
    for i in range(rows):
        layouts[i] = i
    root = frames[1]
    frames[0, CELLS] = 0
    frames[0, ACTIVE] = n
    root[FIRST] = 0
    root[SIZE] = rows
    root[CELLS] = n
    root[HASH] = 0
    depth = np.int64(1)
    fresh = True
    value = np.int64(-1)
    # One set after the other is put on the stack of frames; `value` is that of the set that has just left it.
    while depth > 0:
        frame = frames[depth]
        if fresh:
            fresh = False
            nodes += 1
            visits += frame[SIZE] * frames[depth - 1, ACTIVE]
            if nodes > most_nodes or visits > VISITS * most_nodes:
                return np.int64(GAVE_UP), np.int64(-1), nodes
            examine(frame, frames[depth - 1], layouts, cells, risk, mine, clue)
            frame[TRIED] = 0
            frame[CLUE] = 9
            frame[BEGIN] = 0
            frame[ACC] = 0
            frame[OPEN] = 0
            frame[BEST] = 0
            frame[CELL] = -1
            if frame[ACTIVE] == 0:
                frame[BEST] = frame[SIZE]
        elif value >= 0:
            frame[ACC] += value
            value = np.int64(-1)
        complete = every and depth == 1
        # Go through the clues of the cell that is being tried, and through the cells.
        descend = False
        while True:
            if frame[CLUE] < 9:
                v = frame[CLUE]
                begin = frame[BEGIN]
                end = frame[ENDS + v]
                if not complete and frame[FREE] == 0 and frame[ACC] + frame[OPEN] <= frame[BEST]:
                    frame[CLUE] = 10
                    continue
                frame[CLUE] = v + 1
                frame[BEGIN] = end
                size = end - begin
                frame[OPEN] -= size
                if size == 0:
                    continue
                if size == 1:
                    frame[ACC] += 1
                    continue
                if size == 2:
                    frame[ACC] += won_of_two(
                        layouts[begin],
                        layouts[begin + 1],
                        cells,
                        frame[CELLS],
                        frame[CELLS] + frame[ACTIVE],
                        mine,
                        clue,
                    )
                    continue
                h = hash_set(begin, size, layouts, zobrist)
                known, _ = find_set(h, size, keys, sizes, wins, slots)
                if known >= 0:
                    frame[ACC] += known
                    continue
                child = frames[depth + 1]
                # The layouts of the cell that is being tried lie up to the end of its last clue.
                last = frame[ENDS + 8]
                for k in range(size):
                    layouts[last + k] = layouts[begin + k]
                child[FIRST] = last
                child[SIZE] = size
                child[CELLS] = frame[CELLS] + frame[ACTIVE]
                child[HASH] = h
                descend = True
                break
            if frame[CLUE] == 9 and frame[TRIED] > 0:
                x = cells[frame[CELLS] + frame[TRIED] - 1]
                if complete:
                    won[x] = frame[ACC]
                if frame[ACC] > frame[BEST] or frame[CELL] < 0:
                    frame[BEST] = frame[ACC]
                    frame[CELL] = x
            if frame[TRIED] == frame[ACTIVE] or (frame[FREE] == 1 and frame[TRIED] == 1 and not complete):
                break
            x = cells[frame[CELLS] + frame[TRIED]]
            if not complete and frame[FREE] == 0 and frame[SIZE] - risk_of(x, frame, layouts, mine) <= frame[BEST]:
                break
            frame[TRIED] += 1
            frame[ACC] = 0
            frame[OPEN] = split(frame, x, layouts, mine, clue)
            frame[BEGIN] = frame[FIRST] + frame[SIZE]
            frame[CLUE] = 0
        if descend:
            depth += 1
            fresh = True
            continue
        value = frame[BEST]
        if depth > 1 and kept < most:
            _, place = find_set(frame[HASH], frame[SIZE], keys, sizes, wins, slots)
            keys[place] = frame[HASH]
            sizes[place] = frame[SIZE]
            wins[place] = value
            kept += 1
        depth -= 1
    return frames[1, BEST], frames[1, CELL], nodes


@inner
def risk_of(x, frame, layouts, mine):
    """In how many layouts of a set a cell is a mine."""
    mines = np.int64(0)
    for k in range(frame[FIRST], frame[FIRST] + frame[SIZE]):
        mines += mine[layouts[k], x]
    return mines
