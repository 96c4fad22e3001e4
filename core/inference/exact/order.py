"""In which order to eliminate the groups of a component, and which clues to leave out when none will do.

Between two steps a clue is active when some but not all of its cells have been taken up. A state of the
dynamic programme holds one count per active clue, so the sum of log2(possible counts) over the active clues
bounds the number of states. The sums are kept in integers (1/1024 bit): the order must not depend on a
machine's logarithm.
"""

# mypy: allow-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling import inner, kernel
from sweepstakes.inference.exact.layout import (
    CLUE_CELL,
    CLUE_COST,
    CLUE_GROUPS,
    CLUE_HIGH,
    CLUE_LOW,
    CLUE_REST,
    CLUE_SLOT,
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
    WAITING,
)

# round(1024 * log2(n)) for n = 0 .. 9 possible counts (n = 0 never occurs).
BITS = np.array([0, 0, 1024, 1623, 2048, 2378, 2647, 2875, 3072, 3246], dtype=np.int32)

GREEDY_LIMIT = 4096
"""Components with more groups keep their breadth-first order: the greedy search would be quadratic."""


@inner
def greedy(cells, links, start, end, first):
    """Order a component from the group `first`, always taking the group that adds least; into TRIAL.

    Returns the predicted number of states, at most 2**40 for a layer.
    """
    order = cells[ORDER]
    trial = cells[TRIAL]
    waiting = cells[WAITING]
    mark = cells[GROUP_MARK]
    group_clues = cells[GROUP_CLUES]
    group_size = cells[GROUP_SIZE]
    clue_groups = cells[CLUE_GROUPS]
    low = cells[CLUE_LOW]
    high = cells[CLUE_HIGH]
    rest = cells[CLUE_REST]
    taken = cells[CLUE_TAKEN]
    cost = cells[CLUE_COST]
    to_group = links[CLUE_TO_GROUP]
    to_clue = links[GROUP_TO_CLUE]
    for at in range(start, end):
        g = order[at]
        mark[g] = 0
        for i in range(8 * g, 8 * g + group_clues[g]):
            rest[to_clue[i]] = 0
    for at in range(start, end):
        g = order[at]
        for i in range(8 * g, 8 * g + group_clues[g]):
            clue = to_clue[i]
            rest[clue] += group_size[g]
            taken[clue] = 0
            cost[clue] = 0
    mark[first] = 1
    waiting[0] = first
    count = 1
    bits = 0
    work = 0
    for at in range(start, end):
        best = 0
        least = 1 << 30
        if count > 1:
            for k in range(count):
                g = waiting[k]
                size = group_size[g]
                change = 0
                for i in range(8 * g, 8 * g + group_clues[g]):
                    clue = to_clue[i]
                    change -= cost[clue]
                    after = rest[clue] - size
                    if after > 0:
                        most = taken[clue] + size
                        if most > high[clue]:
                            most = high[clue]
                        if low[clue] > after:
                            most -= low[clue] - after
                        change += BITS[most + 1]
                if change < least:
                    least = change
                    best = k
        g = waiting[best]
        count -= 1
        waiting[best] = waiting[count]
        trial[at] = g
        size = group_size[g]
        for i in range(8 * g, 8 * g + group_clues[g]):
            clue = to_clue[i]
            if taken[clue] == 0:
                for k in range(8 * clue, 8 * clue + clue_groups[clue]):
                    other = to_group[k]
                    if mark[other] == 0:
                        mark[other] = 1
                        waiting[count] = other
                        count += 1
            bits -= cost[clue]
            taken[clue] += size
            rest[clue] -= size
            after = rest[clue]
            cost[clue] = 0
            if after > 0:
                most = taken[clue]
                if most > high[clue]:
                    most = high[clue]
                if low[clue] > after:
                    most -= low[clue] - after
                cost[clue] = BITS[most + 1]
                bits += cost[clue]
        work += 1 << (bits >> 10 if bits < 40960 else 40)
    return work


@inner
def choose_order(cells, links, part):
    """Put the groups of one component, given in breadth-first order, into a good order.

    The last group of the breadth-first order is one far end; the last of the greedy order from there,
    another. Further starts, spread over the component, are tried only where the prediction says that they may
    pay.
    """
    start = cells[PART_START, part]
    end = cells[PART_START, part + 1]
    count = end - start
    if count <= 2 or count > GREEDY_LIMIT:
        return
    order = cells[ORDER]
    trial = cells[TRIAL]
    first = order[end - 1]
    tries = 1
    least = 1 << 60
    chosen = first
    latest = first
    i = 0
    while i < tries:
        work = greedy(cells, links, start, end, first)
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
        greedy(cells, links, start, end, chosen)
    for at in range(start, end):
        order[at] = trial[at]


@kernel
def leave_out(cells, links, parts, limit):
    """Leave out clues until no layer of any component's order exceeds `limit` (1/1024 bits).

    Among the active clues the one that would stay longest goes. Returns how many were dropped.
    """
    order = cells[ORDER]
    dropped = cells[DROPPED]
    clue_cell = cells[CLUE_CELL]
    group_clues = cells[GROUP_CLUES]
    group_size = cells[GROUP_SIZE]
    low = cells[CLUE_LOW]
    high = cells[CLUE_HIGH]
    rest = cells[CLUE_REST]
    taken = cells[CLUE_TAKEN]
    to_clue = links[GROUP_TO_CLUE]
    # Slots are given out later: here, when the clue is taken up for the last time.
    last = cells[CLUE_SLOT]
    active = cells[WAITING]
    end = cells[PART_START, parts]
    for at in range(end):
        g = order[at]
        for i in range(8 * g, 8 * g + group_clues[g]):
            rest[to_clue[i]] = 0
            taken[to_clue[i]] = 0
            last[to_clue[i]] = at
    for at in range(end):
        g = order[at]
        for i in range(8 * g, 8 * g + group_clues[g]):
            rest[to_clue[i]] += group_size[g]
    count = 0
    number = 0
    for at in range(end):
        g = order[at]
        for i in range(8 * g, 8 * g + group_clues[g]):
            clue = to_clue[i]
            if taken[clue] == 0:
                active[count] = clue
                count += 1
            taken[clue] += group_size[g]
            rest[clue] -= group_size[g]
        while True:
            bits = 0
            worst = -1
            k = 0
            while k < count:
                clue = active[k]
                if rest[clue] == 0 or dropped[clue_cell[clue]] == 1:
                    count -= 1
                    active[k] = active[count]
                    continue
                most = min(taken[clue], high[clue])
                bits += BITS[most - max(0, low[clue] - rest[clue]) + 1]
                if worst < 0 or last[clue] > last[worst]:
                    worst = clue
                k += 1
            if bits <= limit or worst < 0:
                break
            dropped[clue_cell[worst]] = 1
            number += 1
    return number
