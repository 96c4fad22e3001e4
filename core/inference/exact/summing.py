"""The dynamic programme over the groups of one component: forward sums, then marginals on the way back.

A state says how many mines each active clue has got so far, packed into two words of a key; its value is a
row over the number of mines placed. Weights only add and multiply positive numbers that are never let below
TINY, so a value is 0.0 exactly where there is no way, and certainty is read off without any tolerance.
"""

# mypy: allow-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling import inner
from sweepstakes.inference.exact.layout import (
    ARCS_PER_STATE,
    CLUE_HIGH,
    CLUE_LIKELY,
    CLUE_LOW,
    CLUE_REST,
    CLUE_SLOT,
    CLUE_TAKEN,
    FEWEST,
    FIRST_ARC,
    FREE_SLOTS,
    GROUP_CLUES,
    GROUP_SIZE,
    GROUP_SURE,
    GROUP_TO_CLUE,
    INCONSISTENT,
    LAYER,
    MOST,
    OK,
    ORDER,
    OVER,
    PART_START,
    PLACED,
    ROOM_PER_STATE,
    ROW,
    SLOTS_PER_WORD,
    TARGET,
    TINY,
)

CHOOSE = np.array([[math.comb(n, k) for k in range(9)] for n in range(9)], dtype=np.float64)
HUGE = 1e50
FEW = 8
"""Up to so many states a layer is searched one by one, without the hash table."""


@inner
def rescale(values, first, end, least, most):
    """Bring the largest value to 1 if it lies outside [least, most]; return the logarithm taken out."""
    top = 0.0
    for i in range(first, end):
        if values[i] > top:
            top = values[i]
    if top == 0.0 or (least <= top <= most):
        return 0.0
    for i in range(first, end):
        v = values[i]
        if v > 0.0:
            v /= top
            values[i] = v if v > TINY else TINY
    return math.log(top)


@inner
def hash_of(k0, k1):
    """A hash of the two words of a key that stays below 63 bits."""
    h = (k0 & 0x3FFFFFFF) * 0x2545F491 + (k0 >> 30) * 0x1D872B41
    h ^= (k1 & 0x3FFFFFFF) * 0x2C1B3C6D + (k1 >> 30) * 0x297A2D39
    return h ^ (h >> 32) ^ (h >> 17)


@inner
def forward(table, noisy, odds, cells, links, part, limit, used, wide, narrow, real):
    """Sum a component's solutions by their number of mines.

    `used` is (states, arcs, room, stamp) taken by earlier components and is moved on. Returns (OK,
    INCONSISTENT or OVER, logarithm of the factor taken out of the final row). The last state added holds the
    final row.
    """
    start = cells[PART_START, part]
    end = cells[PART_START, part + 1]
    layer = cells[LAYER]
    order = cells[ORDER]
    group_clues = cells[GROUP_CLUES]
    group_size = cells[GROUP_SIZE]
    low = cells[CLUE_LOW]
    high = cells[CLUE_HIGH]
    rest = cells[CLUE_REST]
    taken = cells[CLUE_TAKEN]
    slot = cells[CLUE_SLOT]
    likely = cells[CLUE_LIKELY]
    free_slots = cells[FREE_SLOTS]
    to_clue = links[GROUP_TO_CLUE]
    key0 = wide[0]
    key1 = wide[1]
    fewest = narrow[FEWEST]
    most = narrow[MOST]
    row = narrow[ROW]
    first_arc = narrow[FIRST_ARC]
    target = narrow[TARGET]
    placed = narrow[PLACED]
    max_arcs = ARCS_PER_STATE * limit
    base = narrow.shape[1]  # where values begin behind the arcs' weights
    max_room = base + ROOM_PER_STATE * limit
    hashed = narrow.shape[1] // ARCS_PER_STATE  # where the hash table begins behind the keys
    max_slots = wide.shape[1] - hashed - 1
    count = used[0]
    arcs = used[1]
    room = used[2]
    stamp = used[3]
    often = noisy or odds < 1e-4 or odds > 1e4
    weight = np.empty(9, np.float64)
    log_scale = 0.0
    if count + 1 > limit or room + 1 > max_room:
        return OVER, log_scale
    for at in range(start, end):
        g = order[at]
        for i in range(8 * g, 8 * g + group_clues[g]):
            rest[to_clue[i]] = 0
    for at in range(start, end):
        g = order[at]
        for i in range(8 * g, 8 * g + group_clues[g]):
            rest[to_clue[i]] += group_size[g]
            taken[to_clue[i]] = 0
    free = 2 * SLOTS_PER_WORD
    for i in range(free):
        free_slots[i] = free - 1 - i
    layer[start + part] = count
    key0[count] = 0
    key1[count] = 0
    fewest[count] = 0
    most[count] = 0
    row[count] = room
    real[room] = 1.0
    room += 1
    count += 1
    for at in range(start, end):
        g = int(order[at])
        size = int(group_size[g])
        begin_clue = 8 * g
        end_clue = 8 * g + int(group_clues[g])
        add0 = 0
        add1 = 0
        clear0 = 0
        clear1 = 0
        for i in range(begin_clue, end_clue):
            clue = to_clue[i]
            if taken[clue] == 0:
                if free == 0:
                    return OVER, log_scale
                free -= 1
                slot[clue] = free_slots[free]
            taken[clue] += size
            rest[clue] -= size
            at_slot = int(slot[clue])
            if at_slot < SLOTS_PER_WORD:
                add0 |= 1 << (4 * at_slot)
                if rest[clue] == 0:
                    clear0 |= 15 << (4 * at_slot)
            else:
                add1 |= 1 << (4 * at_slot - 4 * SLOTS_PER_WORD)
                if rest[clue] == 0:
                    clear1 |= 15 << (4 * at_slot - 4 * SLOTS_PER_WORD)
        # Only now: a slot that closes in a step must not go to a clue that opens in the same step.
        for i in range(begin_clue, end_clue):
            if rest[to_clue[i]] == 0:
                free_slots[free] = slot[to_clue[i]]
                free += 1
        power = 1.0
        for j in range(size + 1):
            weight[j] = CHOOSE[size, j] * power
            power *= odds
        begin = layer[at + part]
        stop = count
        layer[at + part + 1] = stop
        slots = 0
        for s in range(begin, stop):
            first_arc[s] = arcs
            k0 = int(key0[s])
            k1 = int(key1[s])
            least = 0
            top = size
            for i in range(begin_clue, end_clue):
                clue = to_clue[i]
                at_slot = int(slot[clue])
                if at_slot < SLOTS_PER_WORD:
                    have = (k0 >> (4 * at_slot)) & 15
                else:
                    have = (k1 >> (4 * at_slot - 4 * SLOTS_PER_WORD)) & 15
                if low[clue] - rest[clue] - have > least:
                    least = low[clue] - rest[clue] - have
                if high[clue] - have < top:
                    top = high[clue] - have
            if arcs + size + 1 > max_arcs:
                return OVER, log_scale
            for j in range(least, top + 1):
                w = weight[j]
                new0 = k0 + j * add0
                new1 = k1 + j * add1
                if noisy:
                    for i in range(begin_clue, end_clue):
                        clue = to_clue[i]
                        if rest[clue] == 0:
                            at_slot = int(slot[clue])
                            if at_slot < SLOTS_PER_WORD:
                                have = (new0 >> (4 * at_slot)) & 15
                            else:
                                have = (new1 >> (4 * at_slot - 4 * SLOTS_PER_WORD)) & 15
                            w *= table[likely[clue] + 10 * have]
                    if w == 0.0:
                        continue
                new0 &= ~clear0
                new1 &= ~clear1
                t = -1
                place = 0
                if count - stop > FEW and 2 * (count - stop) > slots:
                    # Small layers use a small part of the table, which stays in the cache.
                    slots = 64 if slots == 0 else 4 * slots
                    if slots > max_slots:
                        slots = max_slots
                    stamp += 1
                    for k in range(stop, count):
                        place = hashed + (hash_of(key0[k], key1[k]) & (slots - 1))
                        while key0[place] == stamp:
                            place += 1
                            if place == hashed + slots:
                                place = hashed
                        key0[place] = stamp
                        key1[place] = k
                if slots == 0:
                    for k in range(stop, count):
                        if key0[k] == new0 and key1[k] == new1:
                            t = k
                            break
                else:
                    place = hashed + (hash_of(new0, new1) & (slots - 1))
                    while key0[place] == stamp:
                        k = key1[place]
                        if key0[k] == new0 and key1[k] == new1:
                            t = k
                            break
                        place += 1
                        if place == hashed + slots:
                            place = hashed
                few = fewest[s] + j
                many = most[s] + j
                if t < 0:
                    if count == limit:
                        return OVER, log_scale
                    t = count
                    count += 1
                    key0[t] = new0
                    key1[t] = new1
                    fewest[t] = few
                    most[t] = many
                    if slots > 0:
                        key0[place] = stamp
                        key1[place] = t
                else:
                    if few < fewest[t]:
                        fewest[t] = few
                    if many > most[t]:
                        most[t] = many
                target[arcs] = t
                placed[arcs] = j
                real[arcs] = w
                arcs += 1
        if count == stop:
            return INCONSISTENT, log_scale
        first = room
        for t in range(stop, count):
            row[t] = room
            room += most[t] - fewest[t] + 1
            if room > max_room:
                return OVER, log_scale
        for i in range(first, room):
            real[i] = 0.0
        # The arcs of the layer's last state end where the next layer's begin; the last layer has none.
        first_arc[stop] = arcs
        for s in range(begin, stop):
            source = row[s]
            length = most[s] - fewest[s] + 1
            for e in range(first_arc[s], first_arc[s + 1]):
                t = target[e]
                to = row[t] + fewest[s] + placed[e] - fewest[t]
                w = real[e]
                for i in range(length):
                    v = real[source + i]
                    x = w * v
                    if x < TINY and v > 0.0:
                        x = TINY
                    real[to + i] += x
        if often or at & 3 == 3 or at == end - 1:
            log_scale += rescale(real, first, room, 1.0 / HUGE, HUGE)
    used[0] = count
    used[1] = arcs
    used[2] = room
    used[3] = stamp
    return OK, log_scale


@inner
def backward(often, cells, part, narrow, real, outside, outside_at, chance):
    """From the weight of everything outside, by number of mines inside, find every group's mine probability.

    The rows of a layer turn from forward to backward sums in place once its groups have been weighed. A
    group's GROUP_SURE becomes 1 where no weighed way has a mine in it, 2 where none has a safe cell, else 0.
    """
    start = cells[PART_START, part]
    end = cells[PART_START, part + 1]
    layer = cells[LAYER]
    order = cells[ORDER]
    sure = cells[GROUP_SURE]
    group_size = cells[GROUP_SIZE]
    fewest = narrow[FEWEST]
    most = narrow[MOST]
    row = narrow[ROW]
    first_arc = narrow[FIRST_ARC]
    target = narrow[TARGET]
    placed = narrow[PLACED]
    final = layer[end + part]
    last = row[final]
    longest = most[final] - fewest[final] + 1
    for i in range(longest):
        real[last + i] = outside[outside_at + i]
    # Rows only widen on the way, but for states that come to nothing.
    for s in range(layer[start + part], final):
        if most[s] - fewest[s] + 1 > longest:
            longest = most[s] - fewest[s] + 1
    back = np.empty(longest, np.float64)
    for at in range(end - 1, start - 1, -1):
        g = order[at]
        size = group_size[g]
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
                w = real[e]
                both = 0.0
                for i in range(length):
                    v = real[to + i]
                    if v > 0.0:
                        v *= w
                        if v < TINY:
                            v = TINY
                        back[i] += v
                        f = real[source + i]
                        if f > 0.0:
                            f *= v
                            both += f if f > TINY else TINY
                mine += both * j
                safe += both * (size - j)
            for i in range(length):
                real[source + i] = back[i]
        if often or at & 3 == 3:
            rescale(real, np.int64(row[begin]), np.int64(row[stop]), 1.0 / HUGE, HUGE)
        if mine + safe > 0.0:
            chance[g] = mine / (mine + safe)
        sure[g] = 0
        if mine == 0.0:
            sure[g] = 1
        elif safe == 0.0:
            sure[g] = 2
