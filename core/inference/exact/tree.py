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
CLUE = 5  # next clue of the cell that is being tried; each comes twice: what is known at once, then the others
DONE = 6  # the clues that were known at once, as bits
ACC = 7  # layouts won by the cell that is being tried, so far
OPEN = 8  # layouts that the clues of that cell whose value is not known yet can win at most
BEST = 9
CELL = 10  # the best cell
HASH = 11
FREE = 12  # 1: the first cell is safe in all layouts
FLOOR = 13  # up to here the value of the set is of no interest
UPPER = 14  # what the cells that were given up could win at most
ENDS = 15  # by clue: where its layouts end
MOST = 25  # by clue: how many of its layouts can be won at most
FRAME = 34
CLUES = 9


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
def examine(frame, above, n, layouts, cells, risks, counts, differs, mine, clue):
    """Find the cells worth trying in a set: one that is free of risk and tells something, or all that may be a mine.

    Of the cells of the set above, those that are the same in all layouts are left out. They are listed by ascending
    risk (in `risks`, as `cells`), equal ones in the order of their numbers.
    """
    first, size = frame[FIRST], frame[SIZE]
    count_mines(first, size, n, layouts, counts, differs, mine, clue)
    begin, end = above[CELLS], above[CELLS] + above[ACTIVE]
    out = frame[CELLS]
    count = np.int64(0)
    frame[FREE] = 0
    for i in range(begin, end):
        x = cells[i]
        mines = counts[x]
        if mines == size or (mines == 0 and differs[x] == 0):
            continue
        k = count
        while k > 0 and (risks[out + k - 1] > mines or (risks[out + k - 1] == mines and cells[out + k - 1] > x)):
            cells[out + k] = cells[out + k - 1]
            risks[out + k] = risks[out + k - 1]
            k -= 1
        cells[out + k] = x
        risks[out + k] = mines
        count += 1
    frame[ACTIVE] = count
    if count > 0 and risks[out] == 0:
        frame[FREE] = 1


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
def find_set(h, size, keys, sizes):
    """The place of a set in the table, or the free place where it belongs."""
    slots = keys.size
    place = (h ^ (h >> 31)) & (slots - 1)
    while sizes[place] != 0 and (keys[place] != h or sizes[place] != size):
        place = (place + 1) & (slots - 1)
    return place


@inner
def begin_of(frame, v):
    """Where the layouts of a clue begin."""
    return frame[ENDS + v - 1] if v > 0 else frame[FIRST] + frame[SIZE]


@inner
def enter_set(frame, above, n, layouts, cells, risks, counts, differs, mine, clue):
    """Begin with a set: find its cells, and whether it can be of interest at all."""
    examine(frame, above, n, layouts, cells, risks, counts, differs, mine, clue)
    frame[TRIED] = 0
    frame[CLUE] = 2 * CLUES
    frame[ACC] = 0
    frame[OPEN] = 0
    frame[BEST] = frame[FLOOR]
    frame[CELL] = -1
    frame[UPPER] = 0
    if frame[ACTIVE] == 0:
        frame[BEST] = frame[SIZE]


@inner
def give_up_cell(frame, most):
    """Leave the cell that is being tried: it wins so many at most, which is not more than the best."""
    frame[CLUE] = 2 * CLUES + 1
    frame[UPPER] = max(frame[UPPER], most)


@inner
def try_next_cell(frame, cells, risks, complete, layouts, mine, clue):
    """Begin with the next cell of a set; False if none can be better than the best."""
    if frame[TRIED] == frame[ACTIVE] or (frame[FREE] == 1 and frame[TRIED] == 1 and not complete):
        return False
    x = cells[frame[CELLS] + frame[TRIED]]
    if not complete and frame[FREE] == 0:
        most = frame[SIZE] - risks[frame[CELLS] + frame[TRIED]]
        if most <= frame[BEST]:
            # The cells behind it are no safer.
            frame[UPPER] = max(frame[UPPER], most)
            return False
    frame[TRIED] += 1
    frame[ACC] = 0
    frame[DONE] = 0
    frame[OPEN] = split(frame, x, layouts, mine, clue)
    frame[CLUE] = 0
    return True


@inner(shared=True)
def most_won(begin, size, n, layouts, counts, differs, mine, clue):
    """How many layouts of a set can be won at most: all if a cell tells something at no risk, else one guess is due."""
    count_mines(begin, size, n, layouts, counts, differs, mine, clue)
    least = size
    for x in range(n):
        if counts[x] > 0:
            least = min(least, counts[x])
        elif differs[x] != 0:
            return size
    return size - least


@inner
def count_mines(first, size, n, layouts, counts, differs, mine, clue):
    """For every cell, in how many layouts of a set it is a mine, and whether its clues differ."""
    for x in range(n):
        counts[x] = 0
        differs[x] = 0
    some = layouts[first]
    for k in range(first, first + size):
        a = layouts[k]
        for x in range(n):
            counts[x] += mine[a, x]
            differs[x] |= clue[a, x] ^ clue[some, x]


@inner
def known_value(begin, size, h, frame, layouts, cells, mine, clue, sets):
    """(layouts won of a set if that is known without a search or else -1, an upper bound or -1)."""
    if size == 1:
        return np.int64(1), np.int64(1)
    if size == 2:
        first = frame[CELLS]
        won = won_of_two(layouts[begin], layouts[begin + 1], cells, first, first + frame[ACTIVE], mine, clue)
        return won, won
    keys, sizes, wins = sets
    place = find_set(h, size, keys, sizes)
    if sizes[place] != 0:
        value = np.int64(wins[place] >> 1)
        if wins[place] & 1 == 1:
            return value, value
        return np.int64(-1), value
    return np.int64(-1), np.int64(-1)


@inner
def keep(h, size, value, kept, sets):
    """Write the value of a set into the table, unless three quarters of it are in use; how many sets it has then."""
    keys, sizes, wins = sets
    slots = keys.size
    place = find_set(h, size, keys, sizes)
    if sizes[place] == 0:
        if kept >= slots - (slots >> 2):
            return kept
        kept += 1
    keys[place] = h
    sizes[place] = size
    wins[place] = value
    return kept


@inner
def try_clue(frame, child, complete, n, kept, layouts, cells, counts, differs, mine, clue, zobrist, sets):
    """Look at the next clue of the cell that is being tried: (is its set to be searched, entries looked at, `kept`).

    What is known at once, and bounds, come first; then the others are searched, with `child` as their frame.
    """
    at_once = frame[CLUE] < CLUES
    v = frame[CLUE] if at_once else frame[CLUE] - CLUES
    frame[CLUE] += 1
    begin = begin_of(frame, v)
    size = frame[ENDS + v] - begin
    visits = np.int64(0)
    if size == 0 or (frame[DONE] >> v) & 1 == 1:
        return False, visits, kept
    h = hash_set(begin, size, layouts, zobrist) if size > 2 else np.int64(0)
    assumed = size if at_once else frame[MOST + v]
    known, upper = known_value(begin, size, h, frame, layouts, cells, mine, clue, sets)
    if known >= 0:
        frame[ACC] += known
        frame[OPEN] -= assumed
        frame[DONE] |= 1 << v
        return False, visits, kept
    if upper < 0:
        upper = most_won(begin, size, n, layouts, counts, differs, mine, clue)
        visits = size * n
        kept = keep(h, size, 2 * upper, kept, sets)
    frame[OPEN] += upper - assumed
    frame[MOST + v] = upper
    if at_once or (not complete and frame[ACC] + frame[OPEN] <= frame[BEST]):
        return False, visits, kept
    frame[OPEN] -= upper
    # The layouts of the cell that is being tried lie up to the end of its last clue.
    last = frame[ENDS + CLUES - 1]
    for k in range(size):
        layouts[last + k] = layouts[begin + k]
    child[FIRST] = last
    child[SIZE] = size
    child[CELLS] = frame[CELLS] + frame[ACTIVE]
    child[HASH] = h
    child[FLOOR] = np.int64(-1) if complete else frame[BEST] - frame[ACC] - frame[OPEN]
    return True, visits, kept


@inner
def begin_with_all(rows, n, layouts, cells, frames, won):
    """Make the set of all layouts the first frame; the one above it has all cells."""
    for x in range(n):
        won[x] = -1
        cells[x] = x
    for i in range(rows):
        layouts[i] = i
    frames[0, CELLS] = 0
    frames[0, ACTIVE] = n
    frames[1, FIRST] = 0
    frames[1, SIZE] = rows
    frames[1, CELLS] = n
    frames[1, HASH] = 0
    frames[1, FLOOR] = -1


@kernel
def play_out(rows, n, most_nodes, every, mine, clue, zobrist, layouts, cells, risks, frames, scratch, sets, won):
    """The value of all `rows` layouts of `n` cells under best play.

    `scratch` are the arrays `counts` and `differs`, `sets` the table: `keys`, `sizes` and `wins`, each a power of two.
    Its sizes must be 0; it keeps for each set twice its value, plus 1 if that is exact and not an upper bound. With
    `every`, the layouts won by each cell that may be opened first are written to `won`, -1 for the others. At most
    `most_nodes` sets are examined. Returns (layouts won or GAVE_UP, best first cell or -1 if nothing is left to decide,
    sets examined).
    """
    counts, differs = scratch
    nodes = np.int64(0)
    visits = np.int64(0)
    kept = np.int64(0)
    begin_with_all(rows, n, layouts, cells, frames, won)
    depth = np.int64(1)
    fresh = True
    # One set after the other is put on the stack of frames. Of the set that has just left it: its value or an upper
    # bound that is of no interest to the set above.
    value = np.int64(-1)
    exact = False
    while depth > 0:
        frame = frames[depth]
        complete = every and depth == 1
        if fresh:
            fresh = False
            nodes += 1
            visits += frame[SIZE] * frames[depth - 1, ACTIVE]
            if nodes > most_nodes or visits > VISITS * most_nodes:
                return np.int64(GAVE_UP), np.int64(-1), nodes
            enter_set(frame, frames[depth - 1], n, layouts, cells, risks, counts, differs, mine, clue)
        elif exact:
            frame[ACC] += value
        else:
            give_up_cell(frame, frame[ACC] + value + frame[OPEN])
        while not fresh:
            if frame[CLUE] < 2 * CLUES:
                if not complete and frame[ACC] + frame[OPEN] <= frame[BEST]:
                    give_up_cell(frame, frame[ACC] + frame[OPEN])
                    continue
                child = frames[depth + 1]
                fresh, seen, kept = try_clue(
                    frame, child, complete, n, kept, layouts, cells, counts, differs, mine, clue, zobrist, sets
                )
                visits += seen
                continue
            if frame[CLUE] == 2 * CLUES and frame[TRIED] > 0:
                x = cells[frame[CELLS] + frame[TRIED] - 1]
                if complete:
                    won[x] = frame[ACC]
                if frame[ACC] > frame[BEST]:
                    frame[BEST] = frame[ACC]
                    frame[CELL] = x
            if not try_next_cell(frame, cells, risks, complete, layouts, mine, clue):
                break
        if fresh:
            depth += 1
            continue
        exact = frame[BEST] > frame[FLOOR]
        value = frame[BEST] if exact else min(frame[UPPER], frame[FLOOR])
        if depth > 1:
            kept = keep(frame[HASH], frame[SIZE], 2 * value + (1 if exact else 0), kept, sets)
        depth -= 1
    return frames[1, BEST], frames[1, CELL], nodes
