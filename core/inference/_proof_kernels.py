"""A few clues that prove a cell, without the mine count: the opposite is assumed, and clues nearby refute it.

One clue, or two, are tried in every way there is. Beyond that, clues are taken in by their distance from the cell (two
clues are next to each other if they share an unknown cell) until they refute the assumption together; those that the
refutation did not use are left out, and of the rest one after another as long as the others still refute it.

Whether clues refute an assumption is a small system: the cells that the same clues see are one number between 0 and
their count, and every clue is a set of sums that it allows, as bits. Bounds are narrowed until nothing changes, then
one number is split in two. Every narrowing is noted with the clue behind it, so that a contradiction can be followed
back to the clues it rests on. The work is counted, and past a limit the answer is TOO_MUCH.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED, FLAG, WITHHELD
from sweepstakes.inference.deduction.equations import count_bits
from sweepstakes.inference.exact.layout import MINE, OPEN, UNKNOWN
from sweepstakes.inference.exact.scan import neighbours, possible_counts

PAD = 3
"""Cells around the board, so that a clue has all its neighbours' neighbours everywhere."""

# Fields of `grid`: FIELDS places for every padded cell.
KIND = 0
MASK = 1  # bit v set: v mines are possible among a clue's unknown neighbours; 0 where no clue says anything
LEFT = 2  # unknown neighbours of such a clue
OWN = 3  # these as bits: bit 7 x (row + 1) + (column + 1), counted from the clue
NUMBER = 4  # place of a clue in the system, or -1
GROUP = 5  # group of a cell in the system, or -1
FIELDS = 8

MOST = 256
"""Clues that a system may have; each sees eight cells, and a group has at least one."""
SPLITS = 2000
"""How often a number may be split before it is too much."""

# Where in `system` lies what: one place for every clue,
LISTED = 0  # the clues' cells, the nearest first
TRIED = LISTED + MOST  # those that are in the system
ALLOWED = TRIED + MOST  # bit v set: the clue allows the sum v, the assumption left out
CLUE_GROUPS = ALLOWED + MOST
WAITING = CLUE_GROUPS + MOST  # 1: the bounds of its groups may be narrower
USED = WAITING + MOST  # 1: the refutation rests on the clue
MARKED = USED + MOST  # 1: the last contradiction does
# eight for every clue: one for every group, or for everything that happens to a group's bounds,
TO_GROUP = MARKED + MOST
SIZE = TO_GROUP + 8 * MOST
LOW = SIZE + 8 * MOST
HIGH = LOW + 8 * MOST
GROUP_CLUES = HIGH + 8 * MOST
TOUCHED = GROUP_CLUES + 8 * MOST  # 1: the last contradiction rests on the group
CELLS = TOUCHED + 8 * MOST  # the unknown cells of the system
PAST_GROUP = CELLS + 8 * MOST  # what was narrowed, in order, and from which bounds,
PAST_LOW = PAST_GROUP + 8 * MOST
PAST_HIGH = PAST_LOW + 8 * MOST
PAST_WHY = PAST_HIGH + 8 * MOST  # by which clue, or -1 - depth: by a split
SPLIT_AT = PAST_WHY + 8 * MOST  # for each split: where in the past it stands
SPLIT_SECOND = SPLIT_AT + 8 * MOST  # 1: its upper half is being looked at
SPLIT_NEEDED = SPLIT_SECOND + 8 * MOST  # 1: a contradiction rests on it
# and eight for every group.
TO_CLUE = SPLIT_NEEDED + 8 * MOST
NEAR = TO_CLUE + 8 * 8 * MOST + 8  # the steps to a cell's eight neighbours, row by row
SYSTEM = NEAR + 8

# What a search answers, below any number of clues.
NOT_PROVEN = -1
"""The clues do not prove the cell, all of them together."""
TOO_MUCH = -2
"""Not found within the limits."""
NO_PROOF = -3
"""There is nothing to prove, or the clues contradict each other."""
NO_ROOM = -4
NO_CELL = -5


@inner
def read(shown, table, noisy, trust_flags, grid, system):
    """Read what every cell is, and what every clue says about its unknown neighbours, as it stands."""
    rows, cols = shown.shape
    width = cols + 2 * PAD
    for r in range(rows):
        start = (r + PAD) * width + PAD
        for c in range(cols):
            code = shown[r, c]
            k = OPEN
            if code == COVERED or (code == FLAG and not trust_flags):
                k = UNKNOWN
            elif code < 0:
                k = MINE
            grid[FIELDS * (start + c) + KIND] = k
    for r in range(rows):
        start = (r + PAD) * width + PAD
        for c in range(cols):
            code = np.int64(shown[r, c])
            grid[FIELDS * (start + c) + MASK] = 0
            if code < 0 or code > WITHHELD or (code == WITHHELD and not noisy):
                continue
            counts = 1 << code
            if noisy:
                counts = possible_counts(table, neighbours(rows, cols, r, c), code)
            read_clue(grid, system, start + c, counts)


@inner
def read_clue(grid, system, p, counts):
    """Write what a clue says that allows these counts (as bits), if it says anything."""
    total = 0
    own = 0
    for i in range(8):
        kind = grid[FIELDS * (p + system[NEAR + i]) + KIND]
        total += kind
        if kind == UNKNOWN:
            own |= 1 << (i + (i > 3) + 4 * (i > 2) + 4 * (i > 4))
    u = total & 15
    full = (2 << u) - 1
    bits = (counts >> (total >> 4)) & full
    if u > 0 and bits != full:
        grid[FIELDS * p + MASK] = bits
        grid[FIELDS * p + LEFT] = u
        grid[FIELDS * p + OWN] = own


@inner
def one_clue(grid, system, x, mine):
    """The first clue that forbids the cell to be a mine (or to be safe) by itself; how many were found."""
    for i in range(8):
        p = x + system[NEAR + i]
        bits = grid[FIELDS * p + MASK]
        if bits > 0 and ((mine == 1 and bits == 1) or (mine == 0 and bits == 1 << grid[FIELDS * p + LEFT])):
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
def two_clues(grid, system, x, mine):
    """Two clues that together forbid the cell to be a mine (or to be safe), the nearest; how many were found."""
    width = system[NEAR + 6]
    nearest = 4
    for i in range(8):
        p = x + system[NEAR + i]
        if grid[FIELDS * p + MASK] == 0:
            continue
        place = i + (i > 3)
        row = place // 3 - 1
        col = place % 3 - 1
        # A frame of 7 x 7 around the clue holds all cells of all its partners.
        ours = np.int64(grid[FIELDS * p + OWN]) << 16
        cell = 1 << (24 - 7 * row - col)
        bits = grid[FIELDS * p + MASK] >> mine
        for step in range(25):
            down = step // 5 - 2
            right = step % 5 - 2
            q = p + down * width + right
            theirs_bits = grid[FIELDS * q + MASK]
            if theirs_bits == 0 or q == p:
                continue
            distance = max(abs(row + down), abs(col + right))
            if distance >= nearest:
                continue
            theirs = np.int64(grid[FIELDS * q + OWN]) << (16 + 7 * down + right)
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
            here = sums((grid[FIELDS * p + MASK] >> (1 - mine)), own)
            if here & sums(theirs_bits >> ((1 - mine) * seen), other) & mask == 0:
                continue
            nearest = distance
            system[LISTED] = p
            system[LISTED + 1] = q
    return 2 if nearest < 4 else 0


@inner
def build(grid, system, x, mine, clues):
    """Make the system of the clues in TRIED under the assumption that the cell is a mine (or is safe); its groups.

    A clue finds the cells that no clue before it has found: groups that a clue begins have it as their first.
    """
    for i in range(clues):
        grid[FIELDS * system[TRIED + i] + NUMBER] = i
        system[CLUE_GROUPS + i] = 0
    groups = np.int64(0)
    seen = 0
    for i in range(clues):
        p = system[TRIED + i]
        bits = grid[FIELDS * p + MASK]
        begun = groups
        for k in range(8):
            q = p + system[NEAR + k]
            if q == x:
                bits >>= mine
            elif grid[FIELDS * q + KIND] == UNKNOWN and grid[FIELDS * q + GROUP] < 0:
                g = group_of(grid, system, q, begun, groups)
                if g == groups:
                    groups += 1
                system[SIZE + g] += 1
                grid[FIELDS * q + GROUP] = g
                system[CELLS + seen] = q
                seen += 1
        system[ALLOWED + i] = bits
    for i in range(clues):
        grid[FIELDS * system[TRIED + i] + NUMBER] = -1
    for i in range(seen):
        grid[FIELDS * system[CELLS + i] + GROUP] = -1
    return groups


@inner
def group_of(grid, system, q, begun, groups):
    """The group from `begun` on whose cells see the same clues as this one; a new one, the last, if there is none."""
    at = TO_CLUE + 8 * groups
    n = 0
    for j in range(8):
        clue = grid[FIELDS * (q + system[NEAR + j]) + NUMBER]
        if clue >= 0:
            system[at + n] = clue
            n += 1
    for g in range(begun, groups):
        if system[GROUP_CLUES + g] == n:
            j = 0
            while j < n and system[TO_CLUE + 8 * g + j] == system[at + j]:
                j += 1
            if j == n:
                return g
    system[GROUP_CLUES + groups] = n
    system[SIZE + groups] = 0
    for j in range(n):
        clue = system[at + j]
        system[TO_GROUP + 8 * clue + system[CLUE_GROUPS + clue]] = groups
        system[CLUE_GROUPS + clue] += 1
    return groups


@inner
def follow_back(system, clues, groups, bad, past):
    """Mark the clues, and the splits, that led to the contradiction in a clue."""
    for i in range(clues):
        system[MARKED + i] = 0
    for g in range(groups):
        system[TOUCHED + g] = 0
    clue = bad
    at = past
    while True:
        if system[MARKED + clue] == 0:
            system[MARKED + clue] = 1
            system[USED + clue] = 1
            for k in range(system[CLUE_GROUPS + clue]):
                system[TOUCHED + system[TO_GROUP + 8 * clue + k]] = 1
        clue = -1
        while clue < 0:
            at -= 1
            if at < 0:
                return
            if system[TOUCHED + system[PAST_GROUP + at]] == 1:
                clue = system[PAST_WHY + at]
                if clue < 0:
                    system[SPLIT_NEEDED - 1 - clue] = 1


@inner
def change(system, past, g, low, high, why):
    """Give a group other bounds, note the old ones with the reason, and have its clues looked at again."""
    system[PAST_GROUP + past] = g
    system[PAST_LOW + past] = system[LOW + g]
    system[PAST_HIGH + past] = system[HIGH + g]
    system[PAST_WHY + past] = why
    system[LOW + g] = low
    system[HIGH + g] = high
    for j in range(8 * g, 8 * g + system[GROUP_CLUES + g]):
        system[WAITING + system[TO_CLUE + j]] = 1


@inner
def narrow_by(system, i, past):
    """Narrow the bounds of a clue's groups: (how long the past is then, group to split or -1, whether it holds)."""
    least = 0
    most = 0
    free = -1
    for k in range(8 * i, 8 * i + system[CLUE_GROUPS + i]):
        g = system[TO_GROUP + k]
        least += system[LOW + g]
        most += system[HIGH + g]
        if system[LOW + g] < system[HIGH + g]:
            free = g
    bits = system[ALLOWED + i] & ((2 << most) - 1)
    fewest = least
    while fewest <= most and (bits >> fewest) & 1 == 0:
        fewest += 1
    if fewest > most:
        return past, -1, False
    highest = most
    while (bits >> highest) & 1 == 0:
        highest -= 1
    system[WAITING + i] = 0
    if bits >> least == (2 << (most - least)) - 1:
        free = -1
    if fewest > least or highest < most:
        for k in range(8 * i, 8 * i + system[CLUE_GROUPS + i]):
            g = system[TO_GROUP + k]
            low = max(system[LOW + g], system[HIGH + g] - (most - fewest))
            high = min(system[HIGH + g], system[LOW + g] + (highest - least))
            if low > system[LOW + g] or high < system[HIGH + g]:
                change(system, past, g, low, high, i)
                past += 1
    return past, free, True


@inner
def narrow(system, clues, past):
    """Narrow bounds until nothing changes: (how long the past is then, group to split or -1, clue that broke or -1)."""
    while True:
        before = past
        split = -1
        for i in range(clues):
            if system[WAITING + i] == 0 and split >= 0:
                continue
            past, free, holds = narrow_by(system, i, past)
            if not holds:
                return past, split, i
            if free >= 0:
                split = free
        if past == before:
            return past, split, -1


@inner
def back_up(system, depth, past):
    """Backtrack to the last split whose second half is untried: (its depth or -1, its group, the trail's length)."""
    split = -1
    while depth > 0:
        depth -= 1
        while past > system[SPLIT_AT + depth]:
            past -= 1
            split = system[PAST_GROUP + past]
            system[LOW + split] = system[PAST_LOW + past]
            system[HIGH + split] = system[PAST_HIGH + past]
        # A split that no contradiction rests on needs no second half.
        if system[SPLIT_SECOND + depth] == 0 and system[SPLIT_NEEDED + depth] == 1:
            return depth, split, past
    return -1, split, past


@inner
def refutes(system, clues, groups):
    """Whether no numbers satisfy the system: 1 and USED marks clues that are enough for it, 0, or TOO_MUCH."""
    for g in range(groups):
        system[LOW + g] = 0
        system[HIGH + g] = system[SIZE + g]
    for i in range(clues):
        system[USED + i] = 0
        system[WAITING + i] = 1
    past = np.int64(0)
    depth = np.int64(0)
    splits = 0
    while True:
        past, split, bad = narrow(system, clues, past)
        if bad < 0:
            if split < 0:
                return 0
            splits += 1
            if splits > SPLITS:
                return TOO_MUCH
            system[SPLIT_AT + depth] = past
            system[SPLIT_NEEDED + depth] = 0
        else:
            follow_back(system, clues, groups, bad, past)
            depth, split, past = back_up(system, depth, past)
            if depth < 0:
                return 1
        second = bad >= 0
        system[SPLIT_SECOND + depth] = second
        low = system[LOW + split]
        high = system[HIGH + split]
        middle = (low + high) // 2
        change(system, past, split, middle + 1 if second else low, high if second else middle, -1 - depth)
        past += 1
        depth += 1


@inner
def list_next(grid, system, x, clues, first, reach):
    """List the clues around the cell, or those that share a cell with the clues from `first` on; how many there are."""
    for i in range(clues):
        grid[FIELDS * system[LISTED + i] + NUMBER] = i
    ended = clues
    for at in range(first - (reach == 0), ended):
        centre = x if reach == 0 else system[LISTED + at]
        for i in range(8):
            q = centre + system[NEAR + i]
            if reach > 0 and (grid[FIELDS * q + KIND] != UNKNOWN or q == x):
                continue
            for j in range(8):
                p = q + system[NEAR + j] if reach > 0 else q
                if grid[FIELDS * p + MASK] > 0 and grid[FIELDS * p + NUMBER] < 0 and clues < MOST:
                    system[LISTED + clues] = p
                    grid[FIELDS * p + NUMBER] = clues
                    clues += 1
    for i in range(clues):
        grid[FIELDS * system[LISTED + i] + NUMBER] = -1
    return clues


@inner
def try_without(grid, system, x, mine, clues, spared):
    """Try the listed clues but the one at place `spared`: (as `refutes`, how many were tried)."""
    n = np.int64(0)
    for i in range(clues):
        if i != spared:
            system[TRIED + n] = system[LISTED + i]
            n += 1
    groups = build(grid, system, x, mine, n)
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
def many_clues(grid, system, x, mine):
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
            clues = list_next(grid, system, x, clues, first, reach)
            first = ended
            reach += 1
            exhausted = clues == ended
        spared = -1 if needed < 0 or checked else clues - 1 - needed
        answer, tried = try_without(grid, system, x, 1 - mine if checked else mine, clues, spared)
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
def prove(shown, table, noisy, trust_flags, safe, found, grid, system, out):
    """For each cell that shall be proven safe, then for each found mine, clues that prove it, none to be spared.

    Cells are flat indices. `out` begins with a number for each cell: where its clues end, or the reason why it has
    none. Then come the clues, those of one cell after those of the other, each row by row. Returns (how much of `out`
    is filled, cells without a proof), or (NO_ROOM, 0), or (NO_CELL, which one) if one is not on the board.
    """
    rows, cols = shown.shape
    width = cols + 2 * PAD
    for i in range(3):
        system[NEAR + i] = i - 1 - width
        system[NEAR + 5 + i] = i - 1 + width
    system[NEAR + 3] = -1
    system[NEAR + 4] = 1
    read(shown, table, noisy, trust_flags, grid, system)
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
        x = (flat // cols + PAD) * width + flat % cols + PAD
        count = NO_PROOF
        if grid[FIELDS * x + KIND] == UNKNOWN:
            count = one_clue(grid, system, x, mine)
            if count == 0:
                count = two_clues(grid, system, x, mine)
            if count == 0:
                count = many_clues(grid, system, x, mine)
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
