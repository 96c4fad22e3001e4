"""Choose the order in which the groups of a component are eliminated, and drop clues if no order is good enough.

To eliminate a group is to sum over the number of mines in it. A clue is active while some but not all of its cells have
been eliminated. A state of the dynamic programme holds one count per active clue, so the sum of log2(possible counts)
over the active clues bounds the logarithm of the number of states. We call this sum the size of a state. It is kept as
an integer, in 1/1024 bits, so that the order does not depend on how a machine rounds logarithms.
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
"""Components with more groups keep their breadth-first order, since the time of the greedy search is quadratic."""


@inner
def restart(start, end, clues, groups, order):
    """Reset the clues of the groups at places `start` to `end`: none of their cells has been eliminated."""
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
    """Return what an active clue adds to the size of a state if `taken` of its cells are eliminated and `rest` are not.

    The count so far is at most `taken` and at most `high`. It is at least `low - rest`, since the remaining cells have
    at most `rest` mines.
    """
    counts = taken
    if counts > high:
        counts = high
    if low > rest:
        counts -= low - rest
    return BITS[counts + 1]


@inner
def cheapest(waiting, count, clues, groups):
    """Return the index of the waiting group whose elimination adds least to the size of a state."""
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
    """Eliminate group g. Return by how much the size of a state changes."""
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
    """Append to `waiting` the groups that share a clue with group g, before g is eliminated. Return the new count.

    If a clue of g is already active, its groups were appended when it became active.
    """
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
    """Write to `trial` an order that begins with `first` and always continues with the group that `cheapest` returns.

    Returns the predicted number of states, at most 2**40 for each layer.
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
        waiting[best] = waiting[count]  # the last one fills the gap
        trial[at] = g
        count = await_neighbours(g, clues, groups, waiting, count)
        bits += take_up(g, clues, groups)
        # A layer has about 2**(bits / 1024) states.
        work += 1 << (bits >> 10 if bits < 40960 else 40)
    return work


@inner
def choose_order(component, cells, clues, groups, components):
    """Put the groups of one component, which are in breadth-first order, into a good order.

    A good order starts at an end of the component. The last group of the breadth-first order is at one end. The last
    group of the greedy order from there is at another. Up to six further starts, spread over the component, are tried
    only if the predicted number of states is large.
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
    """Drop clues until the size of a state is at most `limit`, in 1/1024 bits, in every layer of every component.

    Whenever a layer is too large, the active clue that would stay active longest is dropped. Returns the number of
    dropped clues.
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
    # Slots have not been assigned yet, so their row can hold something else here: for each clue, the place at which its
    # last cell is eliminated.
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
    """Remove clues that are no longer active: (active clues, size of a state, clue to stay active longest, or -1)."""
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
