"""Whether some clues refute an assumption about a cell.

That is a small system: the cells that the same clues see are one number between 0 and their count, and every clue is a
set of sums that it allows, as bits. Bounds are narrowed until nothing changes, then one number is split in two. Every
narrowing is noted with the clue behind it, so that a contradiction can be followed back to the clues it rests on. The
work is counted, and past a limit the answer is TOO_MUCH.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import UNKNOWN

# Rows of `grid`, indexed by padded cell.
KIND = 0  # what the cell is
MASK = 1  # bit v set: v mines are possible among a clue's unknown neighbours; 0 where no clue says anything
LEFT = 2  # unknown neighbours of such a clue
OWN = 3  # these as bits, as `unknown_around` gives them
NUMBER = 4  # place of a clue in the system, or -1
GROUP = 5  # group of a cell in the system, or -1
ROWS = 6

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
SYSTEM = TO_CLUE + 8 * 8 * MOST + 8

TOO_MUCH = -2
"""Not found within the limits."""


@inner
def build(grid, around, system, x, mine, clues):
    """Make the system of the clues in TRIED under the assumption that the cell is a mine (or is safe); its groups.

    A clue finds the cells that no clue before it has found: groups that a clue begins have it as their first.
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
    """The group from `begun` on whose cells see the same clues as this one; a new one, the last, if there is none."""
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
