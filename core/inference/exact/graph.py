"""Build the structure that is summed: clues, groups of cells, and components.

A clue matters if it still has unknown neighbours after `scan`. Unknown cells that exactly the same clues see are
interchangeable, so they form one group, and only the number of mines in a group matters. Two groups are connected if
some clue sees both. The connected components share no clue; only the total number of mines couples them.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import UNKNOWN, neighbours, row_start
from sweepstakes.inference.exact.layout import (
    AROUND,
    CLUE_AT,
    CLUE_CELL,
    DROPPED,
    GROUP_AT,
    KIND,
    KNOWN,
    LEFT,
    MASK,
    SCRATCH,
)

VISITED = -2
"""Marks a clue that the search for components has visited. It overwrites `Clues.first`, which is no longer needed."""


@inner
def find_clues(shown, table, noisy, cells, clues):
    """Number the clues that still have unknown neighbours.

    A noisy clue that is equally likely for every remaining count carries no information and gets no number. Returns
    the logarithm of the product of the likelihoods of such clues.
    """
    rows, cols = shown.shape
    left = cells[LEFT]
    mask = cells[MASK]
    dropped = cells[DROPPED]
    known = cells[KNOWN]
    clue_at = cells[CLUE_AT]
    clue_cell = cells[CLUE_CELL]
    count = np.int64(0)
    logarithm = 0.0
    for r in range(rows):
        start = row_start(r, cols)
        for c in range(cols):
            p = start + c
            bits = mask[p]
            clue_at[p] = -1
            if bits == 0 or dropped[p] == 1:
                continue
            u = left[p]
            if noisy:
                # The flat likelihood table has shape (9, 9, 10): neighbours, true count, shown clue. `base` is the
                # entry for no mine among the unknown neighbours; each of these adds 10.
                base = 90 * neighbours(rows, cols, r, c) + 10 * known[p] + shown[r, c]
                if is_flat(table, base, u):
                    logarithm += math.log(table[base])
                    continue
                clues.likely[count] = base
            if u == 0:
                continue
            clue_at[p] = count
            clue_cell[count] = p
            write_bounds(clues, count, bits)
            clues.degree[count] = 0
            clues.first[count] = -1
            count += 1
    return logarithm


@inner
def is_flat(table, base, u):
    """Return whether the shown clue is equally likely for 0, 1, ... u mines among its u unknown neighbours."""
    flat = True
    for v in range(u):
        flat = flat and table[base + 10 * v + 10] == table[base]
    return flat


@inner
def write_bounds(clues, clue, bits):
    """Write the lowest and the highest count in the set `bits`."""
    low = 0
    while (bits >> low) & 1 == 0:
        low += 1
    high = low
    while bits >> (high + 1) != 0:
        high += 1
    clues.low[clue] = low
    clues.high[clue] = high


@inner
def find_groups(rows, cols, cells, clues, groups):
    """Assign every unknown cell to the group of cells that the same clues see: (groups, cells that no clue sees)."""
    around = cells[AROUND]
    kind = cells[KIND]
    clue_at = cells[CLUE_AT]
    group_at = cells[GROUP_AT]
    seen = cells[SCRATCH]
    count = np.int64(0)
    free = 0
    for r in range(rows):
        start = row_start(r, cols)
        for p in range(start, start + cols):
            if kind[p] != UNKNOWN:
                continue
            n = np.int64(0)
            for i in range(8):
                clue = clue_at[p + around[i]]
                if clue >= 0:
                    seen[n] = clue
                    n += 1
            if n == 0:
                group_at[p] = -1
                free += 1
                continue
            g = find_group(clues, groups, seen, n)
            if g < 0:
                g = count
                count += 1
                begin_group(clues, groups, seen, n, g)
            group_at[p] = g
            groups.size[g] += 1
    return count, free


@inner
def find_group(clues, groups, seen, n):
    """Return the group whose cells see exactly the first n clues of `seen`, or -1 if it does not exist yet.

    Clues are numbered row by row, and neighbours are visited row by row. Equal sets of clues are thus equal lists.
    Groups with the same first clue form a linked list, so only few groups have to be compared.
    """
    g = clues.first[seen[0]]
    while g >= 0:
        if groups.degree[g] == n:
            i = 1
            while i < n and groups.clues[8 * g + i] == seen[i]:
                i += 1
            if i == n:
                break
        g = groups.next[g]
    return g


@inner
def begin_group(clues, groups, seen, n, g):
    """Create group g, which the first n clues of `seen` see, without any cells yet."""
    groups.degree[g] = n
    groups.size[g] = 0
    groups.mark[g] = 0
    groups.next[g] = clues.first[seen[0]]
    clues.first[seen[0]] = g
    for i in range(n):
        clue = seen[i]
        groups.clues[8 * g + i] = clue
        clues.groups[8 * clue + clues.degree[clue]] = g
        clues.degree[clue] += 1


@inner
def find_components(count, clues, groups, components):
    """List the groups component by component, each in breadth-first order. Return the number of components."""
    order = components.order
    number = 0
    end = 0
    for g in range(count):
        if groups.mark[g] == 1:
            continue
        components.start[number] = end
        number += 1
        groups.mark[g] = 1
        order[end] = g
        head = end
        end += 1
        while head < end:
            end = add_neighbours(order[head], clues, groups, order, end)
            head += 1
    components.start[number] = end
    return number


@inner
def add_neighbours(g, clues, groups, order, end):
    """Append to `order` the unvisited groups that share a clue with group g. Return the new end of the order."""
    for i in range(8 * g, 8 * g + groups.degree[g]):
        clue = groups.clues[i]
        if clues.first[clue] == VISITED:
            continue
        clues.first[clue] = VISITED
        for k in range(8 * clue, 8 * clue + clues.degree[clue]):
            other = clues.groups[k]
            if groups.mark[other] == 0:
                groups.mark[other] = 1
                order[end] = other
                end += 1
    return end
