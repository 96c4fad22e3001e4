"""Find the best play on a list of layouts, by searching the game tree over sets of layouts that are still possible.

A position in the tree is a set of layouts. It does not matter which cells have been opened: each of them is safe and
shows the same clue in all layouts of the set. Opening a cell loses the layouts in which it is a mine and splits the
others by the clue it shows. If some cell is safe in all layouts and shows different clues, it is opened at no risk.
Otherwise each cell that may be safe is tried. The value of a set is the number of its layouts that are won, so all
numbers are integers.

Instead of recursion, a stack of frames holds the sets on the way from the root. The layouts of these sets lie on the
stack `layouts`, and their undecided cells on the stack `cells`. `mine[a, x]` is 1 if cell x is a mine in layout a, and
`clue[a, x]` is the clue that it would show. A table (`sets`) keeps the values of sets that were searched before.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel

VISITS = 400
"""A search that may examine n sets may visit n times this many entries of `mine`."""
GAVE_UP = -1
"""The result of a search that exceeded its limits."""

# Columns of a frame, which describes one set on the way from the root. The cell being tried splits the set into
# subsets, one for each clue that it may show.
FIRST = 0  # index of its first layout on the stack of layouts
SIZE = 1  # number of layouts
CELLS = 2  # index of its first cell on the stack of cells
ACTIVE = 3  # number of undecided cells: those that are not the same in all layouts
TRIED = 4  # number of cells tried so far, which is the index of the next one
CLUE = 5  # next clue v to look at: v in the first pass, which makes no search, v + CLUES in the second, which may
DONE = 6  # clues whose value was known without a search, as bits
ACC = 7  # layouts won so far by the cell being tried
OPEN = 8  # upper bound of what its remaining clues can add
BEST = 9  # layouts won by the best cell so far; begins at FLOOR
CELL = 10  # the best cell so far, or -1
HASH = 11  # hash of the set
FREE = 12  # 1: the first cell is safe in all layouts
FLOOR = 13  # if the set wins at most this, the cell being tried in the set above is no better than its best
UPPER = 14  # upper bound of the layouts won by any of the cells that were given up
ENDS = 15  # by clue: end of its layouts on the stack (10 columns)
CLUE_MAX = 25  # by clue: upper bound of how many of its layouts can be won (9 columns)
FRAME = 34  # number of columns
CLUES = 9


@inner
def hash_set(first, size, layouts, zobrist):
    """Return a hash of a set of layouts. It does not depend on their order."""
    h = np.int64(0)
    for i in range(first, first + size):
        h ^= zobrist[layouts[i]]
    return h


@inner
def won_of_two(a, b, cells, begin, end, mine, clue):
    """Return how many of two layouts are won: both if a cell that is safe in both shows different clues, else one."""
    for i in range(begin, end):
        x = cells[i]
        if mine[a, x] == 0 and mine[b, x] == 0 and clue[a, x] != clue[b, x]:
            return np.int64(2)
    return np.int64(1)


@inner(shared=True)
def examine(frame, above, n, layouts, cells, risks, counts, differs, mine, clue):
    """List the undecided cells of a set: those that are mines in some layouts only, or show different clues.

    They are taken from the cells of the set above it, and sorted by the number of layouts in which they are mines (in
    `risks`, parallel to `cells`), then by number.
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
    """Copy the layouts in which cell x is safe behind the set, sorted by its clue. Return how many there are."""
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
    """Return the index of a set in the table, or the free index where it belongs."""
    slots = keys.size
    place = (h ^ (h >> 31)) & (slots - 1)
    while sizes[place] != 0 and (keys[place] != h or sizes[place] != size):
        place = (place + 1) & (slots - 1)
    return place


@inner
def begin_of(frame, v):
    """Return where the layouts of clue v begin on the stack."""
    return frame[ENDS + v - 1] if v > 0 else frame[FIRST] + frame[SIZE]


@inner
def enter_set(frame, above, n, layouts, cells, risks, counts, differs, mine, clue):
    """Prepare the frame of a new set. If nothing in it is undecided, all its layouts are won."""
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
def give_up_cell(frame, bound):
    """Stop trying the current cell. It wins at most `bound` layouts, which is no more than the best cell."""
    frame[CLUE] = 2 * CLUES + 1
    frame[UPPER] = max(frame[UPPER], bound)


@inner
def try_next_cell(frame, cells, risks, complete, layouts, mine, clue):
    """Begin to try the next cell of a set. Return False if no further cell can be better than the best."""
    if frame[TRIED] == frame[ACTIVE] or (frame[FREE] == 1 and frame[TRIED] == 1 and not complete):
        return False
    x = cells[frame[CELLS] + frame[TRIED]]
    if not complete and frame[FREE] == 0:
        bound = frame[SIZE] - risks[frame[CELLS] + frame[TRIED]]
        if bound <= frame[BEST]:
            # Cells are sorted by risk, so the following ones are no better.
            frame[UPPER] = max(frame[UPPER], bound)
            return False
    frame[TRIED] += 1
    frame[ACC] = 0
    frame[DONE] = 0
    frame[OPEN] = split(frame, x, layouts, mine, clue)
    frame[CLUE] = 0
    return True


@inner(shared=True)
def max_won(begin, size, n, layouts, counts, differs, mine, clue):
    """Return an upper bound of how many layouts of a set can be won.

    It is all of them if some cell gives information at no risk. Otherwise the safest cell has to be guessed.
    """
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
    """Write for every cell in how many layouts of a set it is a mine, and whether its clues differ (not 0)."""
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
    """Look up a set: (layouts won, or -1 if that takes a search; an upper bound, or -1 if none is known)."""
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
    """Write the value of a set to the table, unless three quarters of the table are in use.

    `kept` is the number of sets in the table. Returns the new number.
    """
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
    """Look at the next clue of the cell being tried: (must its set be searched, entries of `mine` visited, `kept`).

    The first pass over the clues collects values and bounds that need no search, so that a cell is given up as early as
    possible. In the second pass `child` becomes the frame of each set that must be searched.
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
    assumed = size if at_once else frame[CLUE_MAX + v]
    known, upper = known_value(begin, size, h, frame, layouts, cells, mine, clue, sets)
    if known >= 0:
        frame[ACC] += known
        frame[OPEN] -= assumed
        frame[DONE] |= 1 << v
        return False, visits, kept
    if upper < 0:
        upper = max_won(begin, size, n, layouts, counts, differs, mine, clue)
        visits = size * n
        kept = keep(h, size, 2 * upper, kept, sets)
    frame[OPEN] += upper - assumed
    frame[CLUE_MAX + v] = upper
    if at_once or (not complete and frame[ACC] + frame[OPEN] <= frame[BEST]):
        return False, visits, kept
    frame[OPEN] -= upper
    # The layouts of the last clue are the last ones in use on the stack.
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
    """Make the set of all layouts frame 1. Frame 0, above it, has all cells."""
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
def play_out(rows, n, max_nodes, every, mine, clue, zobrist, layouts, cells, risks, frames, scratch, sets, won):
    """Find the best play on `rows` layouts of `n` cells, examining at most `max_nodes` sets.

    `scratch` are the arrays `counts` and `differs`. `sets` is the table of sets: the arrays `keys` (hashes), `sizes`
    and `wins`, whose length is a power of two. All sizes must be 0 at first. `wins` is twice a set's value, plus 1 if
    that is exact, or twice an upper bound. With `every`, `won` gets the layouts won by each cell that may be opened
    first, and -1 for the others. Returns (layouts won or GAVE_UP, best first cell or -1 if nothing is left to decide,
    sets examined).
    """
    counts, differs = scratch
    nodes = np.int64(0)
    visits = np.int64(0)
    kept = np.int64(0)
    begin_with_all(rows, n, layouts, cells, frames, won)
    depth = np.int64(1)
    fresh = True
    # When a set has been searched, its frame leaves the stack, and `value` is its value if `exact`. Otherwise `value`
    # is an upper bound, which shows that the cell being tried in the set above is no better than the best one.
    value = np.int64(-1)
    exact = False
    while depth > 0:
        frame = frames[depth]
        complete = every and depth == 1
        if fresh:
            fresh = False
            nodes += 1
            visits += frame[SIZE] * frames[depth - 1, ACTIVE]
            if nodes > max_nodes or visits > VISITS * max_nodes:
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
