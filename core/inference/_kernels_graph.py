"""From what propagation left: clues, groups of cells seen by the same clues, and connected components."""

import numpy as np
from numba import njit

from sweepstakes.inference._layout import (
    CLUE_AT,
    CLUE_CELL,
    CLUE_FIRST,
    CLUE_GROUPS,
    CLUE_HIGH,
    CLUE_LOW,
    CLUE_TO_GROUP,
    DROPPED,
    GROUP_AT,
    GROUP_CLUES,
    GROUP_MARK,
    GROUP_NEXT,
    GROUP_SIZE,
    GROUP_TO_CLUE,
    KIND,
    KNOWN,
    LEFT,
    MASK,
    ORDER,
    PART_START,
    UNKNOWN,
)


@njit(cache=True)
def neighbours_of(rows, cols, p):
    """How many cells surround the padded cell p."""
    r = p // (cols + 2) - 1
    c = p % (cols + 2) - 1
    return ((r > 0) + (r < rows - 1) + 1) * ((c > 0) + (c < cols - 1) + 1) - 1


@njit(cache=True)
def is_flat(shown, table, cells, p):
    """Whether the noisy clue at p is equally likely for every count still possible, and so tells nothing."""
    rows, cols = shown.shape
    n = neighbours_of(rows, cols, p)
    code = shown[p // (cols + 2) - 1, p % (cols + 2) - 1]
    m = cells[KNOWN, p]
    first = table[n, m, code]
    for v in range(1, cells[LEFT, p] + 1):
        if table[n, m + v, code] != first:
            return False
    return True


@njit(cache=True)
def find_clues(shown, table, noisy, cells):
    """Number the clues that still bear on unknown cells; return how many there are."""
    rows, cols = shown.shape
    width = cols + 2
    left = cells[LEFT]
    mask = cells[MASK]
    dropped = cells[DROPPED]
    clue_at = cells[CLUE_AT]
    clue_cell = cells[CLUE_CELL]
    count = 0
    for r in range(rows):
        start = (r + 1) * width + 1
        for p in range(start, start + cols):
            bits = mask[p]
            clue_at[p] = -1
            if bits == 0 or left[p] == 0 or dropped[p] == 1:
                continue
            if noisy and is_flat(shown, table, cells, p):
                continue
            low = 0
            while (bits >> low) & 1 == 0:
                low += 1
            high = low
            while bits >> (high + 1) != 0:
                high += 1
            clue_at[p] = count
            clue_cell[count] = p
            cells[CLUE_LOW, count] = low
            cells[CLUE_HIGH, count] = high
            cells[CLUE_GROUPS, count] = 0
            cells[CLUE_FIRST, count] = -1
            count += 1
    return count


@njit(cache=True)
def find_groups(rows, cols, cells, links, around):
    """Put every unknown cell with the cells that the same clues see; return (groups, cells that no clue sees)."""
    width = cols + 2
    kind = cells[KIND]
    clue_at = cells[CLUE_AT]
    group_at = cells[GROUP_AT]
    clue_first = cells[CLUE_FIRST]
    group_next = cells[GROUP_NEXT]
    group_clues = cells[GROUP_CLUES]
    group_size = cells[GROUP_SIZE]
    to_group = links[CLUE_TO_GROUP]
    to_clue = links[GROUP_TO_CLUE]
    seen = np.empty(8, np.int32)
    groups = 0
    free = 0
    for r in range(rows):
        start = (r + 1) * width + 1
        for p in range(start, start + cols):
            if kind[p] != UNKNOWN:
                continue
            n = 0
            for d in around:
                clue = clue_at[p + d]
                if clue >= 0:
                    seen[n] = clue
                    n += 1
            if n == 0:
                group_at[p] = -1
                free += 1
                continue
            # Clues are numbered row by row as the neighbours are, so equal sets are equal lists.
            g = clue_first[seen[0]]
            while g >= 0:
                if group_clues[g] == n:
                    i = 1
                    while i < n and to_clue[8 * g + i] == seen[i]:
                        i += 1
                    if i == n:
                        break
                g = group_next[g]
            if g < 0:
                g = groups
                groups += 1
                group_clues[g] = n
                group_size[g] = 0
                group_next[g] = clue_first[seen[0]]
                clue_first[seen[0]] = g
                for i in range(n):
                    clue = seen[i]
                    to_clue[8 * g + i] = clue
                    to_group[8 * clue + cells[CLUE_GROUPS, clue]] = g
                    cells[CLUE_GROUPS, clue] += 1
            group_at[p] = g
            group_size[g] += 1
    return groups, free


@njit(cache=True)
def find_parts(cells, links, groups):
    """List the groups component by component, each in breadth-first order; return the number of components."""
    order = cells[ORDER]
    mark = cells[GROUP_MARK]
    group_clues = cells[GROUP_CLUES]
    clue_groups = cells[CLUE_GROUPS]
    # CLUE_FIRST has served its purpose: -2 marks a clue as visited.
    visited = cells[CLUE_FIRST]
    to_group = links[CLUE_TO_GROUP]
    to_clue = links[GROUP_TO_CLUE]
    for g in range(groups):
        mark[g] = 0
    parts = 0
    end = 0
    for g in range(groups):
        if mark[g] == 1:
            continue
        cells[PART_START, parts] = end
        parts += 1
        mark[g] = 1
        order[end] = g
        head = end
        end += 1
        while head < end:
            at = order[head]
            head += 1
            for i in range(group_clues[at]):
                clue = to_clue[8 * at + i]
                if visited[clue] == -2:
                    continue
                visited[clue] = -2
                for k in range(clue_groups[clue]):
                    other = to_group[8 * clue + k]
                    if mark[other] == 0:
                        mark[other] = 1
                        order[end] = other
                        end += 1
    cells[PART_START, parts] = end
    return parts
