"""From what propagation left: clues, groups of cells seen by the same clues, and connected components."""

# mypy: allow-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

from sweepstakes.compiling import inner
from sweepstakes.inference.exact.layout import (
    AROUND,
    CLUE_AT,
    CLUE_CELL,
    CLUE_FIRST,
    CLUE_GROUPS,
    CLUE_HIGH,
    CLUE_LIKELY,
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
    SCRATCH,
    UNKNOWN,
)


@inner
def find_clues(shown, table, noisy, cells):
    """Number the clues that still bear on unknown cells.

    A noisy clue that is equally likely for every count that is left tells nothing. Returns the logarithm of
    the likelihood of those that tell nothing.
    """
    rows, cols = shown.shape
    width = cols + 2
    left = cells[LEFT]
    mask = cells[MASK]
    dropped = cells[DROPPED]
    clue_at = cells[CLUE_AT]
    clue_cell = cells[CLUE_CELL]
    clue_low = cells[CLUE_LOW]
    clue_high = cells[CLUE_HIGH]
    likely = cells[CLUE_LIKELY]
    clue_groups = cells[CLUE_GROUPS]
    clue_first = cells[CLUE_FIRST]
    known = cells[KNOWN]
    count = 0
    logarithm = 0.0
    for r in range(rows):
        start = (r + 1) * width + 1
        for c in range(cols):
            p = start + c
            bits = mask[p]
            clue_at[p] = -1
            if bits == 0 or dropped[p] == 1:
                continue
            u = left[p]
            if noisy:
                high = 3 - (r == 0) - (r == rows - 1)
                n = high * (3 - (c == 0) - (c == cols - 1)) - 1
                base = 90 * n + 10 * known[p] + shown[r, c]
                flat = True
                for v in range(u):
                    flat = flat and table[base + 10 * v + 10] == table[base]
                if flat:
                    logarithm += math.log(table[base])
                    continue
                likely[count] = base
            if u == 0:
                continue
            low = 0
            while (bits >> low) & 1 == 0:
                low += 1
            high = low
            while bits >> (high + 1) != 0:
                high += 1
            clue_at[p] = count
            clue_cell[count] = p
            clue_low[count] = low
            clue_high[count] = high
            clue_groups[count] = 0
            clue_first[count] = -1
            count += 1
    return logarithm


@inner
def find_parts(rows, cols, cells, links):
    """Put every unknown cell with the cells that the same clues see, and the groups into components.

    ORDER lists the groups component by component, each in breadth-first order. Returns (groups, cells that no
    clue sees, components).
    """
    width = cols + 2
    around = cells[AROUND]
    kind = cells[KIND]
    clue_at = cells[CLUE_AT]
    group_at = cells[GROUP_AT]
    clue_first = cells[CLUE_FIRST]
    clue_groups = cells[CLUE_GROUPS]
    group_next = cells[GROUP_NEXT]
    group_clues = cells[GROUP_CLUES]
    group_size = cells[GROUP_SIZE]
    order = cells[ORDER]
    mark = cells[GROUP_MARK]
    seen = cells[SCRATCH]
    part_start = cells[PART_START]
    to_group = links[CLUE_TO_GROUP]
    to_clue = links[GROUP_TO_CLUE]
    groups = 0
    free = 0
    for r in range(rows):
        start = (r + 1) * width + 1
        for p in range(start, start + cols):
            if kind[p] != UNKNOWN:
                continue
            n = 0
            for i in range(8):
                clue = clue_at[p + around[i]]
                if clue >= 0:
                    seen[n] = clue
                    n += 1
            if n == 0:
                group_at[p] = -1
                free += 1
                continue
            # Clues are numbered row by row as the neighbours are, so equal sets are equal lists.
            first = seen[0]
            g = clue_first[first]
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
                mark[g] = 0
                group_next[g] = clue_first[first]
                clue_first[first] = g
                for i in range(n):
                    clue = seen[i]
                    to_clue[8 * g + i] = clue
                    to_group[8 * clue + clue_groups[clue]] = g
                    clue_groups[clue] += 1
            group_at[p] = g
            group_size[g] += 1
    parts = 0
    end = 0
    for g in range(groups):
        if mark[g] == 1:
            continue
        part_start[parts] = end
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
                # The lists of first groups have served their purpose: -2 marks a clue as visited.
                if clue_first[clue] == -2:
                    continue
                clue_first[clue] = -2
                for k in range(clue_groups[clue]):
                    other = to_group[8 * clue + k]
                    if mark[other] == 0:
                        mark[other] = 1
                        order[end] = other
                        end += 1
    part_start[parts] = end
    return groups, free, parts
