"""Find a few clues that prove a cell without the mine count: assume the opposite, and let nearby clues refute it.

All single clues and all pairs are tried first. After that, clues are added by their distance from the cell (two clues
are next to each other if they share an unknown cell) until together they refute the assumption. Clues that the
refutation did not use are removed. Then each of the others is removed if the rest still refutes the assumption.
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
    MAX_CLUES,
    NUMBER,
    OWN,
    TOO_MUCH,
    TRIED,
    USED,
    build,
    refutes,
)

# A search answers with a number of clues, with TOO_MUCH (-2), or with one of these:
NOT_PROVEN = -1
"""All clues together do not prove the cell."""
NO_PROOF = -3
"""There is nothing to prove, or the clues contradict each other."""
OUT_FULL = -4
NO_CELL = -5


@inner
def read(shown, table, noisy, trust_flags, grid, around):
    """Read the kind of every cell, and what every clue says about its unknown neighbours, without propagating."""
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
    """List the first clue that alone rules out that cell x is a mine (or safe). Return the number of clues listed."""
    for i in range(8):
        p = x + around[i]
        bits = grid[MASK, p]
        if bits > 0 and ((mine == 1 and bits == 1) or (mine == 0 and bits == 1 << grid[LEFT, p])):
            system[LISTED] = p
            return 1
    return 0


@inner
def sums(bits, own):
    """Return the sums, as bits, that the other cells of a clue may have if `own` of its cells may be anything.

    `bits` are the sums that the clue allows for all its cells.
    """
    every = bits
    for i in range(1, own + 1):
        every |= bits >> i
    return every


@inner
def two_clues(grid, around, system, x, mine):
    """List the nearest two clues that together rule out that cell x is a mine (or safe). Return 2 or 0."""
    width = around[6]
    nearest = 4
    for i in range(8):
        p = x + around[i]
        if grid[MASK, p] == 0:
            continue
        place = i + (i > 3)
        row = place // 3 - 1
        col = place % 3 - 1
        # The cells of both clues as bits of a frame of 7 x 7 cells around the first. `cell` is the bit of x.
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
            # Both clues must agree on the number of mines in their common cells. Do they, under the assumption?
            if sums(bits, own) & sums(theirs_bits >> (mine * seen), other) & mask != 0:
                continue
            # They must agree under the opposite assumption. Clues that contradict each other prove nothing.
            here = sums((grid[MASK, p] >> (1 - mine)), own)
            if here & sums(theirs_bits >> ((1 - mine) * seen), other) & mask == 0:
                continue
            nearest = distance
            system[LISTED] = p
            system[LISTED + 1] = q
    return 2 if nearest < 4 else 0


@inner
def list_next(grid, around, system, x, clues, first, reach):
    """Append the clues around cell x (`reach` 0), or those that share a cell with the clues from `first` on.

    Returns the new number of clues.
    """
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
                if grid[MASK, p] > 0 and grid[NUMBER, p] < 0 and clues < MAX_CLUES:
                    system[LISTED + clues] = p
                    grid[NUMBER, p] = clues
                    clues += 1
    for i in range(clues):
        grid[NUMBER, system[LISTED + i]] = -1
    return clues


@inner
def try_without(grid, around, system, x, mine, clues, spared):
    """Try all listed clues except number `spared`: (answer of `refutes`, number of clues tried)."""
    n = np.int64(0)
    for i in range(clues):
        if i != spared:
            system[TRIED + n] = system[LISTED + i]
            n += 1
    groups = build(grid, around, system, x, mine, n)
    return refutes(system, n, groups), n


@inner
def list_used(system, tried):
    """List the tried clues on which the refutation depends. Return their number."""
    clues = 0
    for i in range(tried):
        if system[USED + i] == 1:
            system[LISTED + clues] = system[TRIED + i]
            clues += 1
    return clues


@inner
def many_clues(grid, around, system, x, mine):
    """List clues that together rule out that cell x is a mine (or safe), each of them necessary.

    The caller has found that no two clues are enough. Returns the number of clues, or the reason for no proof.
    """
    clues = np.int64(0)
    reach = np.int64(0)
    wanted = 2
    first = np.int64(0)
    needed = -1  # number of clues known to be necessary, at the end of the list; -1: no proof has been found yet
    checked = False  # the proof is complete, and it remains to check that its clues do not contradict each other
    while True:
        exhausted = False
        while reach < wanted and not exhausted and clues < MAX_CLUES and needed < 0:
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
        elif clues == MAX_CLUES:
            return TOO_MUCH
        elif exhausted:
            return NOT_PROVEN
        else:
            wanted = reach + 1 if reach < 4 else reach + reach // 2
        # No two clues prove the cell, so a proof with three clues needs all of them.
        checked = needed >= 0 and (clues <= 3 or needed == clues)


@kernel(allocates=False)
def prove(shown, table, noisy, trust_flags, safe, found, grid, around, system, out):
    """Find minimal proofs that the cells in `safe` are safe and that those in `found` are mines.

    All cells and clues are flat indices. `out` begins with one number for each cell: the end of its clues in `out`, or
    the reason why it has none. Then follow the clues of all cells in order, each proof row by row.

    Returns (length of `out` in use, number of cells without a proof). If `out` is too short, it returns (OUT_FULL, 0);
    if a cell is not on the board, (NO_CELL, its place in the list).
    """
    rows, cols = shown.shape
    width = cols + 2 * PAD
    read(shown, table, noisy, trust_flags, grid, around)
    cells = safe.shape[0] + found.shape[0]
    filled = cells
    failed = 0
    for at in range(cells):
        if filled + MAX_CLUES > out.shape[0]:
            return OUT_FULL, 0
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
