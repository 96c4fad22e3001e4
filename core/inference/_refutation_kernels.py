"""Decide whether some clues refute an assumption about a cell.

The clues form a small system. Cells that the same clues see are a group, and its number of mines is a variable between
0 and its size. A clue is the set of sums that it allows, as bits. The bounds of the variables are narrowed until
nothing changes, then the range of one variable is split in two and each half is tried.

Every narrowing is recorded with the clue that caused it, so that a contradiction can be traced back to the clues it
depends on. The number of splits is limited; beyond the limit the answer is TOO_MUCH.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import UNKNOWN

# Rows of `grid`, indexed by padded cell.
KIND = 0  # OPEN, UNKNOWN or MINE
MASK = 1  # bit v is set if the clue allows v mines among its unknown neighbours; 0: no clue, or one without information
LEFT = 2  # number of unknown neighbours of such a clue
OWN = 3  # the same neighbours as bits, see `unknown_around`
NUMBER = 4  # number of a clue in the system, or -1
GROUP = 5  # number of a cell's group in the system, or -1
ROWS = 6

MAX_CLUES = 256
"""Clues that a system may have. Each sees at most eight cells, so there are at most eight groups for each clue."""
SPLITS = 2000
"""Splits after which the search gives up."""

# `system` is one array with many parts. These are the indices at which the parts begin. First the parts with one entry
# for each clue:
LISTED = 0  # padded cells of the clues under consideration, the nearest first
TRIED = LISTED + MAX_CLUES  # those of them that are in the system; from here on, clues are numbered by their place here
ALLOWED = TRIED + MAX_CLUES  # bit v is set if the clue allows v mines in its groups, given the assumption
CLUE_GROUPS = ALLOWED + MAX_CLUES  # number of groups
WAITING = CLUE_GROUPS + MAX_CLUES  # 1: bounds have changed, so the clue must be looked at again
USED = WAITING + MAX_CLUES  # 1: the refutation depends on the clue
MARKED = USED + MAX_CLUES  # 1: the last contradiction depends on the clue
# Parts with eight entries for each clue: they are indexed by group, or by change of a group's bounds, or by split.
TO_GROUP = MARKED + MAX_CLUES  # groups of clue i: entries 8i to 8i + 7
SIZE = TO_GROUP + 8 * MAX_CLUES  # number of cells of a group
LOW = SIZE + 8 * MAX_CLUES  # fewest mines in a group
HIGH = LOW + 8 * MAX_CLUES  # most mines in a group
GROUP_CLUES = HIGH + 8 * MAX_CLUES  # number of clues that see a group
TOUCHED = GROUP_CLUES + 8 * MAX_CLUES  # 1: the last contradiction depends on the group
CELLS = TOUCHED + 8 * MAX_CLUES  # the unknown cells of the system
PAST_GROUP = CELLS + 8 * MAX_CLUES  # the trail of changes, in order: the group whose bounds were changed,
PAST_LOW = PAST_GROUP + 8 * MAX_CLUES  # its bounds before,
PAST_HIGH = PAST_LOW + 8 * MAX_CLUES
PAST_WHY = PAST_HIGH + 8 * MAX_CLUES  # and the clue that caused it, or -1 - depth if it was the split at that depth
SPLIT_AT = PAST_WHY + 8 * MAX_CLUES  # by depth of a split: length of the trail before it
SPLIT_SECOND = SPLIT_AT + 8 * MAX_CLUES  # 1: its upper half is being tried
SPLIT_NEEDED = SPLIT_SECOND + 8 * MAX_CLUES  # 1: a contradiction depends on it
# The clues of group g: entries 8g to 8g + 7.
TO_CLUE = SPLIT_NEEDED + 8 * MAX_CLUES
SYSTEM = TO_CLUE + 8 * 8 * MAX_CLUES + 8

TOO_MUCH = -2
"""The answer of a search that reached a limit."""


@inner
def build(grid, around, system, x, mine, clues):
    """Build the system of the clues in TRIED, assuming that cell x is a mine (or safe). Return the number of groups.

    Each clue adds the cells that no earlier clue has added. All groups that it creates therefore have it as their first
    clue, and a new cell has to be compared with these groups only.
    """
    for i in range(clues):
        grid[NUMBER, system[TRIED + i]] = i
        system[CLUE_GROUPS + i] = 0
    groups = np.int64(0)
    seen = 0
    for i in range(clues):
        p = system[TRIED + i]
        bits = grid[MASK, p]
        begun = groups
        for k in range(8):
            q = p + around[k]
            if q == x:
                bits >>= mine
            elif grid[KIND, q] == UNKNOWN and grid[GROUP, q] < 0:
                g = group_of(grid, around, system, q, begun, groups)
                if g == groups:
                    groups += 1
                system[SIZE + g] += 1
                grid[GROUP, q] = g
                system[CELLS + seen] = q
                seen += 1
        system[ALLOWED + i] = bits
    for i in range(clues):
        grid[NUMBER, system[TRIED + i]] = -1
    for i in range(seen):
        grid[GROUP, system[CELLS + i]] = -1
    return groups


@inner
def group_of(grid, around, system, q, begun, groups):
    """Return the group from `begun` on whose cells see the same clues as cell q. If it does not exist, create it."""
    at = TO_CLUE + 8 * groups
    n = 0
    for j in range(8):
        clue = grid[NUMBER, q + around[j]]
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
    """Mark the clues and splits that led to the contradiction in the clue `bad`, by going back through the trail."""
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
    """Change the bounds of a group, record the old ones with the reason, and mark its clues as waiting."""
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
    """Narrow the bounds of a clue's groups: (new length of the trail, group to split or -1, can the clue be true)."""
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
    """Narrow bounds until nothing changes: (new length of the trail, group to split or -1, broken clue or -1)."""
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
        # If the contradiction in the first half did not depend on the split, it holds in the second half, too.
        if system[SPLIT_SECOND + depth] == 0 and system[SPLIT_NEEDED + depth] == 1:
            return depth, split, past
    return -1, split, past


@inner
def refutes(system, clues, groups):
    """Return 1 if the system has no solution, 0 if it has one, or TOO_MUCH.

    If the answer is 1, USED marks clues that are sufficient for the contradiction.
    """
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
