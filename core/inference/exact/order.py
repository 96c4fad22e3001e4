"""In which order to eliminate the groups of a component, and which clues to leave out when none will do.

Between two steps a clue is active when some but not all of its cells have been taken up. A state of the
dynamic programme holds one count per active clue, so the sum of log2(possible counts) over the active clues
bounds the number of states. The sums are kept in integers (1/1024 bit): the order must not depend on a
machine's logarithm.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference.exact.layout import CLUE_CELL, DROPPED, TRIAL, WAITING
from sweepstakes.inference.exact.tables import clue_table, component_table, group_table

# round(1024 * log2(n)) for n = 0 .. 9 possible counts (n = 0 never occurs).
BITS = np.array([0, 0, 1024, 1623, 2048, 2378, 2647, 2875, 3072, 3246], dtype=np.int32)

GREEDY_LIMIT = 4096
"""Components with more groups keep their breadth-first order: the greedy search would be quadratic."""


@inner
def restart(start, end, clues, groups, order):
    """Take the elimination of some groups back: no cell of their clues is taken up."""
    for at in range(start, end):
        g = order[at]
        for i in range(8 * g, 8 * g + groups.degree[g]):
            clue = groups.clues[i]
            clues.rest[clue] = 0
            clues.taken[clue] = 0
            clues.cost[clue] = 0
    for at in range(start, end):
        g = order[at]
        for i in range(8 * g, 8 * g + groups.degree[g]):
            clues.rest[groups.clues[i]] += groups.size[g]


@inner
def bits_of(taken, rest, low, high):
    """What an active clue adds to the size of a state: by how many of its cells are taken up and how many are not."""
    most = taken
    if most > high:
        most = high
    if low > rest:
        most -= low - rest
    return BITS[most + 1]


@inner
def cheapest(waiting, count, clues, groups):
    """Which of the waiting groups adds least to the size of a state, if it is taken up next."""
    best = 0
    least = 1 << 30
    for k in range(count):
        g = waiting[k]
        size = groups.size[g]
        change = 0
        for i in range(8 * g, 8 * g + groups.degree[g]):
            clue = groups.clues[i]
            change -= clues.cost[clue]
            rest = clues.rest[clue] - size
            if rest > 0:
                change += bits_of(clues.taken[clue] + size, rest, clues.low[clue], clues.high[clue])
        if change < least:
            least = change
            best = k
    return best


@inner
def take_up(g, clues, groups):
    """Take the cells of a group up; by how much the size of a state changes."""
    size = groups.size[g]
    change = 0
    for i in range(8 * g, 8 * g + groups.degree[g]):
        clue = groups.clues[i]
        change -= clues.cost[clue]
        clues.taken[clue] += size
        clues.rest[clue] -= size
        rest = clues.rest[clue]
        clues.cost[clue] = 0
        if rest > 0:
            clues.cost[clue] = bits_of(clues.taken[clue], rest, clues.low[clue], clues.high[clue])
            change += clues.cost[clue]
    return change


@inner
def await_neighbours(g, clues, groups, waiting, count):
    """Append to those waiting the groups that share a clue with one about to be taken up; how many wait then."""
    for i in range(8 * g, 8 * g + groups.degree[g]):
        clue = groups.clues[i]
        if clues.taken[clue] == 0:
            for k in range(8 * clue, 8 * clue + clues.degree[clue]):
                other = clues.groups[k]
                if groups.mark[other] == 0:
                    groups.mark[other] = 1
                    waiting[count] = other
                    count += 1
    return count


@inner
def greedy(start, end, first, clues, groups, order, trial, waiting):
    """Order a component from the group `first`, always taking the group that adds least; into `trial`.

    Returns the predicted number of states, at most 2**40 for a layer.
    """
    restart(start, end, clues, groups, order)
    for at in range(start, end):
        groups.mark[order[at]] = 0
    groups.mark[first] = 1
    waiting[0] = first
    count = np.int64(1)
    bits = 0
    work = 0
    for at in range(start, end):
        best = cheapest(waiting, count, clues, groups) if count > 1 else 0
        g = waiting[best]
        count -= 1
        waiting[best] = waiting[count]
        trial[at] = g
        count = await_neighbours(g, clues, groups, waiting, count)
        bits += take_up(g, clues, groups)
        work += 1 << (bits >> 10 if bits < 40960 else 40)
    return work


@inner
def choose_order(component, cells, clues, groups, components):
    """Put the groups of one component, given in breadth-first order, into a good order.

    The last group of the breadth-first order is one far end; the last of the greedy order from there,
    another. Further starts, spread over the component, are tried only where the prediction says that they may
    pay.
    """
    start = np.int64(components.start[component])
    end = np.int64(components.start[component + 1])
    count = end - start
    if count <= 2 or count > GREEDY_LIMIT:
        return
    order = components.order
    trial = cells[TRIAL]
    waiting = cells[WAITING]
    first = order[end - 1]
    tries = 1
    least = 1 << 60
    chosen = first
    latest = first
    i = 0
    while i < tries:
        work = greedy(start, end, first, clues, groups, order, trial, waiting)
        latest = first
        if work < least:
            least = work
            chosen = first
        if i == 0:
            if work > 16 * count:
                tries = 2 if work <= 256 * count else 8
            first = trial[end - 1]
        else:
            first = order[start + ((i - 1) * count) // 6]
        i += 1
    if latest != chosen:
        greedy(start, end, chosen, clues, groups, order, trial, waiting)
    for at in range(start, end):
        order[at] = trial[at]


@kernel(allocates=False)
def drop_clues(cells, links, components, limit):
    """Leave out clues until no layer of any component's order exceeds `limit` (1/1024 bits).

    Among the active clues the one that would stay longest goes. Returns how many were dropped.
    """
    clues = clue_table(cells, links)
    groups = group_table(cells, links)
    table = component_table(cells)
    order = table.order
    end = np.int64(table.start[components])
    dropped = cells[DROPPED]
    clue_cell = cells[CLUE_CELL]
    active = cells[WAITING]
    restart(np.int64(0), end, clues, groups, order)
    # Slots are given out later: here, when the clue is taken up for the last time.
    last = clues.slot
    for at in range(end):
        g = order[at]
        for i in range(8 * g, 8 * g + groups.degree[g]):
            last[groups.clues[i]] = at
    count = np.int64(0)
    number = 0
    for at in range(end):
        g = order[at]
        for i in range(8 * g, 8 * g + groups.degree[g]):
            if clues.taken[groups.clues[i]] == 0:
                active[count] = groups.clues[i]
                count += 1
        take_up(g, clues, groups)
        while True:
            count, bits, longest = weigh_active(active, count, clues, clue_cell, dropped)
            if bits <= limit or longest < 0:
                break
            dropped[clue_cell[longest]] = 1
            number += 1
    return number


@inner
def weigh_active(active, count, clues, clue_cell, dropped):
    """Forget clues that are active no longer: (active clues, size of a state, the clue that stays longest or -1)."""
    bits = 0
    longest = -1
    k = 0
    while k < count:
        clue = active[k]
        if clues.rest[clue] == 0 or dropped[clue_cell[clue]] == 1:
            count -= 1
            active[k] = active[count]
            continue
        bits += bits_of(clues.taken[clue], clues.rest[clue], clues.low[clue], clues.high[clue])
        if longest < 0 or clues.slot[clue] > clues.slot[longest]:
            longest = clue
        k += 1
    return count, bits, longest
