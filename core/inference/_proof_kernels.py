"""A few clues that prove a cell, without the mine count: the opposite is assumed, and clues nearby refute it.

One clue, or two, are tried in every way there is. Beyond that, clues are taken in by their distance from the cell (two
clues are next to each other if they share an unknown cell) until they refute the assumption together; those that the
refutation did not use are left out, and of the rest one after another as long as the others still refute it.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import (
    CENTRE,
    PAD,
    UNKNOWN,
    count_bits,
    possible_counts,
    read_kinds,
    row_start,
    sum_around,
    unknown_around,
)
from sweepstakes.inference._refutation_kernels import (
    KIND,
    LEFT,
    LISTED,
    MASK,
    MOST,
    NUMBER,
    OWN,
    TOO_MUCH,
    TRIED,
    USED,
    build,
    refutes,
)

# What a search answers, below any number of clues; or TOO_MUCH, which is -2.
NOT_PROVEN = -1
"""The clues do not prove the cell, all of them together."""
NO_PROOF = -3
"""There is nothing to prove, or the clues contradict each other."""
NO_ROOM = -4
NO_CELL = -5


@inner
def read(shown, table, noisy, trust_flags, grid, around):
    """Read what every cell is, and what every clue says about its unknown neighbours, as it stands."""
    rows, cols = shown.shape
    kind = grid[KIND]
    read_kinds(shown, trust_flags, kind)
    for r in range(rows):
        start = row_start(r, cols)
        for c in range(cols):
            p = start + c
            grid[MASK, p] = 0
            counts = possible_counts(shown, r, c, table, noisy)
            if counts == 0:
                continue
            total = sum_around(kind, p, around[6])
            u = total & 15
            full = (2 << u) - 1
            bits = (counts >> (total >> 4)) & full
            if u > 0 and bits != full:
                grid[MASK, p] = bits
                grid[LEFT, p] = u
                grid[OWN, p] = unknown_around(kind, p, around)


@inner
def one_clue(grid, around, system, x, mine):
    """The first clue that forbids the cell to be a mine (or to be safe) by itself; how many were found."""
    for i in range(8):
        p = x + around[i]
        bits = grid[MASK, p]
        if bits > 0 and ((mine == 1 and bits == 1) or (mine == 0 and bits == 1 << grid[LEFT, p])):
            system[LISTED] = p
            return 1
    return 0


@inner
def sums(bits, own):
    """Which numbers the others must add if `own` cells are free to take any of a clue's mines."""
    every = bits
    for i in range(1, own + 1):
        every |= bits >> i
    return every


@inner
def two_clues(grid, around, system, x, mine):
    """Two clues that together forbid the cell to be a mine (or to be safe), the nearest; how many were found."""
    width = around[6]
    nearest = 4
    for i in range(8):
        p = x + around[i]
        if grid[MASK, p] == 0:
            continue
        place = i + (i > 3)
        row = place // 3 - 1
        col = place % 3 - 1
        # A frame of 7 x 7 around the clue holds all cells of all its partners.
        ours = np.int64(grid[OWN, p]) << CENTRE
        cell = 1 << (24 - 7 * row - col)
        bits = grid[MASK, p] >> mine
        for step in range(25):
            down = step // 5 - 2
            right = step % 5 - 2
            q = p + down * width + right
            theirs_bits = grid[MASK, q]
            if theirs_bits == 0 or q == p:
                continue
            distance = max(abs(row + down), abs(col + right))
            if distance >= nearest:
                continue
            theirs = np.int64(grid[OWN, q]) << (CENTRE + 7 * down + right)
            both = ours & theirs
            common = count_bits(both & ~cell)
            if common == 0:
                continue
            seen = 1 if both & cell != 0 else 0
            mask = (2 << common) - 1
            own = count_bits(ours & ~theirs & ~cell)
            other = count_bits(theirs & ~ours)
            if sums(bits, own) & sums(theirs_bits >> (mine * seen), other) & mask != 0:
                continue
            # The same clues must allow the opposite: contradicting each other they prove nothing.
            here = sums((grid[MASK, p] >> (1 - mine)), own)
            if here & sums(theirs_bits >> ((1 - mine) * seen), other) & mask == 0:
                continue
            nearest = distance
            system[LISTED] = p
            system[LISTED + 1] = q
    return 2 if nearest < 4 else 0


@inner
def list_next(grid, around, system, x, clues, first, reach):
    """List the clues around the cell, or those that share a cell with the clues from `first` on; how many there are."""
    for i in range(clues):
        grid[NUMBER, system[LISTED + i]] = i
    ended = clues
    for at in range(first - (reach == 0), ended):
        centre = x if reach == 0 else system[LISTED + at]
        for i in range(8):
            q = centre + around[i]
            if reach > 0 and (grid[KIND, q] != UNKNOWN or q == x):
                continue
            for j in range(8):
                p = q + around[j] if reach > 0 else q
                if grid[MASK, p] > 0 and grid[NUMBER, p] < 0 and clues < MOST:
                    system[LISTED + clues] = p
                    grid[NUMBER, p] = clues
                    clues += 1
    for i in range(clues):
        grid[NUMBER, system[LISTED + i]] = -1
    return clues


@inner
def try_without(grid, around, system, x, mine, clues, spared):
    """Try the listed clues but the one at place `spared`: (as `refutes`, how many were tried)."""
    n = np.int64(0)
    for i in range(clues):
        if i != spared:
            system[TRIED + n] = system[LISTED + i]
            n += 1
    groups = build(grid, around, system, x, mine, n)
    return refutes(system, n, groups), n


@inner
def list_used(system, tried):
    """List those of the tried clues that the refutation rests on; how many there are."""
    clues = 0
    for i in range(tried):
        if system[USED + i] == 1:
            system[LISTED + clues] = system[TRIED + i]
            clues += 1
    return clues


@inner
def many_clues(grid, around, system, x, mine):
    """Clues in LISTED that together forbid the cell to be a mine (or to be safe), none of which can be spared.

    It is known that no two do. Returns how many, or why there are none.
    """
    clues = np.int64(0)
    reach = np.int64(0)
    wanted = 2
    first = np.int64(0)
    needed = -1  # how many cannot be spared, the last of the list; -1: they do not prove the cell yet
    checked = False
    while True:
        exhausted = False
        while reach < wanted and not exhausted and clues < MOST and needed < 0:
            ended = clues
            clues = list_next(grid, around, system, x, clues, first, reach)
            first = ended
            reach += 1
            exhausted = clues == ended
        spared = -1 if needed < 0 or checked else clues - 1 - needed
        answer, tried = try_without(grid, around, system, x, 1 - mine if checked else mine, clues, spared)
        if answer == TOO_MUCH:
            return TOO_MUCH
        if checked:
            return clues if answer == 0 else NO_PROOF
        if answer == 1:
            clues = list_used(system, tried)
            needed = max(needed, 0)
        elif needed >= 0:
            needed += 1
        elif clues == MOST:
            return TOO_MUCH
        elif exhausted:
            return NOT_PROVEN
        else:
            wanted = reach + 1 if reach < 4 else reach + reach // 2
        # Three are needed: no two prove the cell.
        checked = needed >= 0 and (clues <= 3 or needed == clues)


@kernel(allocates=False)
def prove(shown, table, noisy, trust_flags, safe, found, grid, around, system, out):
    """For each cell that shall be proven safe, then for each found mine, clues that prove it, none to be spared.

    Cells are flat indices. `out` begins with a number for each cell: where its clues end, or the reason why it has
    none. Then come the clues, those of one cell after those of the other, each row by row. Returns (how much of `out`
    is filled, cells without a proof), or (NO_ROOM, 0), or (NO_CELL, which one) if one is not on the board.
    """
    rows, cols = shown.shape
    width = cols + 2 * PAD
    read(shown, table, noisy, trust_flags, grid, around)
    cells = safe.shape[0] + found.shape[0]
    filled = cells
    failed = 0
    for at in range(cells):
        if filled + MOST > out.shape[0]:
            return NO_ROOM, 0
        mine = 1 if at < safe.shape[0] else 0
        flat = safe[at] if mine == 1 else found[at - safe.shape[0]]
        if flat < 0 or flat >= rows * cols:
            return NO_CELL, at
        x = row_start(flat // cols, cols) + flat % cols
        count = NO_PROOF
        if grid[KIND, x] == UNKNOWN:
            count = one_clue(grid, around, system, x, mine)
            if count == 0:
                count = two_clues(grid, around, system, x, mine)
            if count == 0:
                count = many_clues(grid, around, system, x, mine)
        if count < 0:
            failed += 1
            out[at] = count
            continue
        begun = filled
        for i in range(count):
            p = system[LISTED + i]
            flat = (p // width - PAD) * cols + p % width - PAD
            k = filled
            while k > begun and out[k - 1] > flat:
                out[k] = out[k - 1]
                k -= 1
            out[k] = flat
            filled += 1
        out[at] = filled
    return filled, failed
