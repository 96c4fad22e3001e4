"""The dynamic programme over the groups of one component: forward sums, then marginals on the way back.

A state says how many mines each active clue has got so far, packed into two words of a key; its value is a row
over the number of mines placed. Weights only add and multiply positive numbers that are never let below TINY, so
a value is 0.0 exactly where there is no way, and certainty is read off without any tolerance.
"""

import math

import numpy as np
from numba import njit

from sweepstakes.inference._kernels_graph import neighbours_of
from sweepstakes.inference._layout import (
    CLUE_BITS,
    CLUE_CELL,
    CLUE_HIGH,
    CLUE_LOW,
    CLUE_REST,
    CLUE_SHIFT,
    CLUE_TAKEN,
    FEWEST,
    FIRST_ARC,
    GROUP_CLUES,
    GROUP_SIZE,
    GROUP_SURE,
    GROUP_TO_CLUE,
    INCONSISTENT,
    KNOWN,
    LAYER,
    MOST,
    OK,
    ORDER,
    PART_START,
    PLACED,
    ROW,
    TARGET,
    TINY,
    WORD,
)

CHOOSE = np.array([[math.comb(n, k) for k in range(9)] for n in range(9)], dtype=np.float64)
OVER = 9
"""The component does not fit: too many states, or active clues that need more than two words."""
HUGE = 1e50


@njit(cache=True)
def field(free, bits):
    """The lowest place where so many bits in a row are free, or -1."""
    runs = free
    for _ in range(1, bits):
        runs &= runs >> 1
    if runs == 0:
        return -1
    shift = 0
    while (runs >> shift) & 1 == 0:
        shift += 1
    return shift


@njit(cache=True)
def forward(shown, table, noisy, odds, cells, links, part, limit, used, pool):
    """Sum a component's solutions by their number of mines.

    `used` is (states, arcs, room) taken by earlier components and is moved on. Returns (OK, INCONSISTENT or OVER,
    logarithm of the factor taken out of the final row). The last state added holds the final row.
    """
    keys, states, arcs, arc_weight, values, table_stamp, table_state, stamp = pool
    rows, cols = shown.shape
    start = cells[PART_START, part]
    end = cells[PART_START, part + 1]
    layer = cells[LAYER]
    fewest = states[FEWEST]
    most = states[MOST]
    row = states[ROW]
    first_arc = states[FIRST_ARC]
    target = arcs[TARGET]
    placed = arcs[PLACED]
    key0 = keys[0]
    key1 = keys[1]
    to_clue = links[GROUP_TO_CLUE]
    max_arcs = 4 * limit
    max_room = 16 * limit
    count = used[0]
    n_arcs = used[1]
    room = used[2]
    # One line per clue of the group at hand: shift, second word?, field, low - rest, high, then what closing asks.
    line = np.empty((8, 8), np.int64)
    weight = np.empty(9, np.float64)
    free0 = (1 << WORD) - 1
    free1 = (1 << WORD) - 1
    log_scale = 0.0
    for at in range(start, end):
        g = cells[ORDER, at]
        for i in range(cells[GROUP_CLUES, g]):
            clue = to_clue[8 * g + i]
            cells[CLUE_REST, clue] = 0
            cells[CLUE_TAKEN, clue] = 0
    for at in range(start, end):
        g = cells[ORDER, at]
        for i in range(cells[GROUP_CLUES, g]):
            cells[CLUE_REST, to_clue[8 * g + i]] += cells[GROUP_SIZE, g]
    if count + 1 > limit or n_arcs + 9 > max_arcs or room + 1 > max_room:
        return OVER, log_scale
    layer[start + part] = count
    key0[count] = 0
    key1[count] = 0
    fewest[count] = 0
    most[count] = 0
    row[count] = room
    values[room] = 1.0
    room += 1
    count += 1
    for at in range(start, end):
        g = cells[ORDER, at]
        n = int(cells[GROUP_CLUES, g])
        size = int(cells[GROUP_SIZE, g])
        add0 = 0
        add1 = 0
        keep0 = (1 << WORD) - 1
        keep1 = (1 << WORD) - 1
        freed0 = 0
        freed1 = 0
        for i in range(n):
            clue = to_clue[8 * g + i]
            high = int(cells[CLUE_HIGH, clue])
            if cells[CLUE_TAKEN, clue] == 0:
                bits = 1
                while high >> bits != 0:
                    bits += 1
                shift = field(free0, bits)
                if shift >= 0:
                    free0 &= ~(((1 << bits) - 1) << shift)
                else:
                    shift = field(free1, bits)
                    if shift < 0:
                        return OVER, log_scale
                    free1 &= ~(((1 << bits) - 1) << shift)
                    shift += WORD
                cells[CLUE_SHIFT, clue] = shift
                cells[CLUE_BITS, clue] = bits
            cells[CLUE_TAKEN, clue] += size
            cells[CLUE_REST, clue] -= size
            rest = cells[CLUE_REST, clue]
            shift = int(cells[CLUE_SHIFT, clue])
            ones = (1 << int(cells[CLUE_BITS, clue])) - 1
            second = 0
            if shift >= WORD:
                second = 1
                shift -= WORD
                add1 += 1 << shift
            else:
                add0 += 1 << shift
            line[i, 0] = shift
            line[i, 1] = second
            line[i, 2] = ones
            line[i, 3] = cells[CLUE_LOW, clue] - rest
            line[i, 4] = high
            line[i, 5] = -1
            if rest == 0:
                # The field is cleared in this step, but another clue may use it only from the next step on.
                if second == 1:
                    keep1 &= ~(ones << shift)
                    freed1 |= ones << shift
                else:
                    keep0 &= ~(ones << shift)
                    freed0 |= ones << shift
                if noisy:
                    p = cells[CLUE_CELL, clue]
                    line[i, 5] = shown[p // (cols + 2) - 1, p % (cols + 2) - 1]
                    line[i, 6] = neighbours_of(rows, cols, p)
                    line[i, 7] = cells[KNOWN, p]
        free0 |= freed0
        free1 |= freed1
        power = 1.0
        for j in range(size + 1):
            weight[j] = CHOOSE[size, j] * power
            power *= odds
        begin = layer[at + part]
        stop = count
        layer[at + part + 1] = stop
        stamp[0] += 1
        now = stamp[0]
        # A table that small layers fill well stays in the cache.
        slots = 16
        while slots < 4 * (stop - begin) and slots < table_stamp.shape[0]:
            slots *= 2
        grown = slots // 2
        for s in range(begin, stop):
            first_arc[s] = n_arcs
            k0 = int(key0[s])
            k1 = int(key1[s])
            least = 0
            top = size
            for i in range(n):
                have = ((k1 if line[i, 1] == 1 else k0) >> line[i, 0]) & line[i, 2]
                least = max(least, line[i, 3] - have)
                top = min(top, line[i, 4] - have)
            if n_arcs + size + 1 > max_arcs:
                return OVER, log_scale
            for j in range(least, top + 1):
                w = weight[j]
                if noisy:
                    for i in range(n):
                        if line[i, 5] >= 0:
                            have = ((k1 if line[i, 1] == 1 else k0) >> line[i, 0]) & line[i, 2]
                            w *= table[line[i, 6], line[i, 7] + have + j, line[i, 5]]
                    if w == 0.0:
                        continue
                new0 = (k0 + j * add0) & keep0
                new1 = (k1 + j * add1) & keep1
                if count - stop > grown and slots < table_stamp.shape[0]:
                    # Too full: start a larger table with what this layer has so far.
                    slots *= 4
                    if slots > table_stamp.shape[0]:
                        slots = table_stamp.shape[0]
                    grown = slots // 2
                    stamp[0] += 1
                    now = stamp[0]
                    for t in range(stop, count):
                        h = slot_of(int(key0[t]), int(key1[t])) & (slots - 1)
                        while table_stamp[h] == now:
                            h = (h + 1) & (slots - 1)
                        table_stamp[h] = now
                        table_state[h] = t
                h = slot_of(new0, new1) & (slots - 1)
                t = -1
                while table_stamp[h] == now:
                    t = table_state[h]
                    if key0[t] == new0 and key1[t] == new1:
                        break
                    t = -1
                    h = (h + 1) & (slots - 1)
                if t < 0:
                    if count == limit:
                        return OVER, log_scale
                    t = count
                    count += 1
                    key0[t] = new0
                    key1[t] = new1
                    fewest[t] = fewest[s] + j
                    most[t] = most[s] + j
                    table_stamp[h] = now
                    table_state[h] = t
                else:
                    fewest[t] = min(fewest[t], fewest[s] + j)
                    most[t] = max(most[t], most[s] + j)
                target[n_arcs] = t
                placed[n_arcs] = j
                arc_weight[n_arcs] = w
                n_arcs += 1
        if count == stop:
            return INCONSISTENT, log_scale
        first = room
        for t in range(stop, count):
            row[t] = room
            room += most[t] - fewest[t] + 1
            if room > max_room:
                return OVER, log_scale
        for i in range(first, room):
            values[i] = 0.0
        # The arcs of the layer's last state end where the next layer's begin; the last layer has none.
        first_arc[stop] = n_arcs
        for s in range(begin, stop):
            source = row[s]
            length = most[s] - fewest[s] + 1
            for e in range(first_arc[s], first_arc[s + 1]):
                t = target[e]
                to = row[t] + fewest[s] + placed[e] - fewest[t]
                w = arc_weight[e]
                for i in range(length):
                    v = values[source + i]
                    x = w * v
                    if x < TINY and v > 0.0:
                        x = TINY
                    values[to + i] += x
        log_scale += rescale(values, first, room)
    used[0] = count
    used[1] = n_arcs
    used[2] = room
    return OK, log_scale


@njit(cache=True)
def slot_of(k0, k1):
    """A hash of the two words of a key, without overflowing 63 bits."""
    h = (k0 & 0x3FFFFFFF) * 0x2545F491 + (k0 >> 30) * 0x1D872B41
    h ^= (k1 & 0x3FFFFFFF) * 0x2C1B3C6D + (k1 >> 30) * 0x297A2D39
    return (h ^ (h >> 32)) ^ (h >> 17)


@njit(cache=True)
def rescale(values, first, end):
    """Bring the largest of the values back to 1 when it has drifted far; return the logarithm taken out."""
    top = 0.0
    for i in range(first, end):
        top = max(top, values[i])
    if top == 0.0 or 1.0 / HUGE <= top <= HUGE:
        return 0.0
    for i in range(first, end):
        v = values[i]
        if v > 0.0:
            values[i] = max(v / top, TINY)
    return math.log(top)


@njit(cache=True)
def backward(cells, part, pool, outside, outside_at, chance):
    """From the weight of everything outside, by number of mines inside, find every group's mine probability.

    The rows of a layer turn from forward to backward sums in place once its groups have been weighed. A group's
    GROUP_SURE becomes 1 where no weighed way has a mine in it, 2 where none has a safe cell, else 0.
    """
    states = pool[1]
    arcs = pool[2]
    arc_weight = pool[3]
    values = pool[4]
    start = cells[PART_START, part]
    end = cells[PART_START, part + 1]
    layer = cells[LAYER]
    fewest = states[FEWEST]
    most = states[MOST]
    row = states[ROW]
    first_arc = states[FIRST_ARC]
    target = arcs[TARGET]
    placed = arcs[PLACED]
    final = layer[end + part]
    last = row[final]
    for i in range(most[final] - fewest[final] + 1):
        values[last + i] = outside[outside_at + i]
    longest = 1
    for s in range(layer[start + part], final):
        longest = max(longest, most[s] - fewest[s] + 1)
    back = np.empty(longest, np.float64)
    for at in range(end - 1, start - 1, -1):
        g = cells[ORDER, at]
        size = cells[GROUP_SIZE, g]
        begin = layer[at + part]
        stop = layer[at + part + 1]
        mine = 0.0
        safe = 0.0
        for s in range(begin, stop):
            source = row[s]
            length = most[s] - fewest[s] + 1
            for i in range(length):
                back[i] = 0.0
            for e in range(first_arc[s], first_arc[s + 1]):
                t = target[e]
                j = placed[e]
                to = row[t] + fewest[s] + j - fewest[t]
                w = arc_weight[e]
                both = 0.0
                for i in range(length):
                    v = values[to + i]
                    if v > 0.0:
                        x = max(w * v, TINY)
                        back[i] += x
                        f = values[source + i]
                        if f > 0.0:
                            both += max(x * f, TINY)
                mine += both * j
                safe += both * (size - j)
            for i in range(length):
                values[source + i] = back[i]
        rescale(values, row[begin], row[stop])
        if mine + safe > 0.0:
            chance[g] = mine / (mine + safe)
        cells[GROUP_SURE, g] = 0 if mine > 0.0 and safe > 0.0 else (2 if mine > 0.0 else 1)
