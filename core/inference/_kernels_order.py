"""In which order to eliminate the groups of a component, and which clues to leave out when none is good enough.

Between two steps a clue is active when some but not all of its cells have been taken up. A state of the dynamic
programme holds one count per active clue, so the sum of log2(possible counts) over the active clues bounds the
number of states. The sums are kept in integers (1/1024 bit): the order must not depend on a machine's logarithm.
"""

import numpy as np
from numba import njit

from sweepstakes.inference._layout import (
    BREADTH,
    CLUE_CELL,
    CLUE_COST,
    CLUE_GROUPS,
    CLUE_HIGH,
    CLUE_LOW,
    CLUE_REST,
    CLUE_SHIFT,
    CLUE_TAKEN,
    CLUE_TO_GROUP,
    DROPPED,
    GROUP_CLUES,
    GROUP_MARK,
    GROUP_SIZE,
    GROUP_TO_CLUE,
    ORDER,
    PART_START,
    TRIAL,
)

# round(1024 * log2(n)) for n = 0 .. 9 possible counts (n = 0 never occurs).
BITS = np.array([0, 0, 1024, 1623, 2048, 2378, 2647, 2875, 3072, 3246], dtype=np.int64)

GREEDY_LIMIT = 4096
"""Components with more groups keep their breadth-first order: the greedy search would be quadratic."""
CHEAP = 96
"""An order predicted to need no more states than this is not worth a second search."""
DEAR = 4096
"""Above this many predicted states further starts are tried."""


@njit(cache=True)
def cost_after(cells, clue, size):
    """What the clue adds to a state, in 1/1024 bits, once `size` more of its cells are taken up."""
    rest = cells[CLUE_REST, clue] - size
    if rest == 0:
        return 0
    most = min(cells[CLUE_TAKEN, clue] + size, cells[CLUE_HIGH, clue])
    least = max(0, cells[CLUE_LOW, clue] - rest)
    return BITS[max(1, most - least + 1)]


@njit(cache=True)
def reset_clues(cells, links, start, end):
    """Make every clue of a component untouched."""
    order = cells[ORDER]
    to_clue = links[GROUP_TO_CLUE]
    for at in range(start, end):
        g = order[at]
        for i in range(cells[GROUP_CLUES, g]):
            clue = to_clue[8 * g + i]
            cells[CLUE_REST, clue] = 0
            cells[CLUE_TAKEN, clue] = 0
            cells[CLUE_COST, clue] = 0
    for at in range(start, end):
        g = order[at]
        size = cells[GROUP_SIZE, g]
        for i in range(cells[GROUP_CLUES, g]):
            cells[CLUE_REST, to_clue[8 * g + i]] += size


@njit(cache=True)
def take(cells, links, g):
    """Take up a group; return the change in 1/1024 bits."""
    size = cells[GROUP_SIZE, g]
    change = 0
    for i in range(cells[GROUP_CLUES, g]):
        clue = links[GROUP_TO_CLUE, 8 * g + i]
        cost = cost_after(cells, clue, size)
        change += cost - cells[CLUE_COST, clue]
        cells[CLUE_COST, clue] = cost
        cells[CLUE_REST, clue] -= size
        cells[CLUE_TAKEN, clue] += size
    return change


@njit(cache=True)
def greedy(cells, links, start, end, first):
    """Order a component from the group `first`, always taking the group that adds least; into TRIAL.

    Returns the predicted number of states, at most 2**40 for a layer.
    """
    order = cells[ORDER]
    trial = cells[TRIAL]
    waiting = cells[BREADTH]
    mark = cells[GROUP_MARK]
    group_clues = cells[GROUP_CLUES]
    group_size = cells[GROUP_SIZE]
    clue_cost = cells[CLUE_COST]
    to_group = links[CLUE_TO_GROUP]
    to_clue = links[GROUP_TO_CLUE]
    reset_clues(cells, links, start, end)
    for at in range(start, end):
        mark[order[at]] = 0
    mark[first] = 1
    waiting[0] = first
    count = 1
    bits = 0
    work = 0
    for at in range(start, end):
        best = 0
        least = 1 << 40
        for k in range(count):
            g = waiting[k]
            change = 0
            for i in range(group_clues[g]):
                clue = to_clue[8 * g + i]
                change += cost_after(cells, clue, group_size[g]) - clue_cost[clue]
            if change < least:
                least = change
                best = k
        g = waiting[best]
        count -= 1
        waiting[best] = waiting[count]
        trial[at] = g
        bits += take(cells, links, g)
        work += 1 << min(40, bits >> 10)
        for i in range(group_clues[g]):
            clue = to_clue[8 * g + i]
            if cells[CLUE_TAKEN, clue] == group_size[g]:
                for k in range(cells[CLUE_GROUPS, clue]):
                    other = to_group[8 * clue + k]
                    if mark[other] == 0:
                        mark[other] = 1
                        waiting[count] = other
                        count += 1
    return work


@njit(cache=True)
def choose_order(cells, links, start, end):
    """Put the groups of one component (places start .. end of ORDER, breadth first) into a good order.

    The last group of the breadth-first order is one far end; the last of the greedy order from there, another.
    """
    count = end - start
    if count <= 2 or count > GREEDY_LIMIT:
        return
    order = cells[ORDER]
    trial = cells[TRIAL]
    kept = np.empty(count, np.int32)
    least = greedy(cells, links, start, end, order[end - 1])
    kept[:] = trial[start:end]
    tries = 0
    if least > CHEAP + 2 * count:
        tries = 1 if least <= DEAR else 6
    first = kept[count - 1]
    for i in range(tries):
        work = greedy(cells, links, start, end, first)
        if work < least:
            least = work
            kept[:] = trial[start:end]
        # Further starts are spread over the component.
        first = order[start + (i * count) // 6]
    order[start:end] = kept


@njit(cache=True)
def drop_clues(cells, links, part, limit):
    """Leave out clues of a component until no layer of its order exceeds `limit` (1/1024 bits).

    Among the active clues the one that would stay longest goes. Returns how many were dropped.
    """
    start = cells[PART_START, part]
    end = cells[PART_START, part + 1]
    order = cells[ORDER]
    to_clue = links[GROUP_TO_CLUE]
    # CLUE_SHIFT is free before the dynamic programme runs: here, when the clue is taken up for the last time.
    last = cells[CLUE_SHIFT]
    active = cells[BREADTH]
    reset_clues(cells, links, start, end)
    for at in range(start, end):
        g = order[at]
        for i in range(cells[GROUP_CLUES, g]):
            last[to_clue[8 * g + i]] = at
    count = 0
    bits = 0
    dropped = 0
    for at in range(start, end):
        g = order[at]
        for i in range(cells[GROUP_CLUES, g]):
            clue = to_clue[8 * g + i]
            if cells[CLUE_TAKEN, clue] == 0:
                active[count] = clue
                count += 1
        take(cells, links, g)
        bits = 0
        k = 0
        while k < count:
            clue = active[k]
            if last[clue] <= at or cells[DROPPED, cells[CLUE_CELL, clue]] == 1:
                count -= 1
                active[k] = active[count]
            else:
                bits += cells[CLUE_COST, clue]
                k += 1
        while bits > limit and count > 0:
            worst = 0
            for k in range(1, count):
                if last[active[k]] > last[active[worst]]:
                    worst = k
            clue = active[worst]
            bits -= cells[CLUE_COST, clue]
            cells[DROPPED, cells[CLUE_CELL, clue]] = 1
            dropped += 1
            count -= 1
            active[worst] = active[count]
    return dropped
