"""The dynamic programme over the groups of one component: forward sums, then marginals on the way back.

A state says how many mines each active clue has got so far, packed into two words of a key; its value is a
row over the number of mines placed. Weights only add and multiply positive numbers that are never let below
TINY, so a value is 0.0 exactly where there is no way, and certainty is read off without any tolerance.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math
from typing import NamedTuple

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.layout import (
    INCONSISTENT,
    N_ARCS,
    N_STATES,
    N_VALUES,
    OK,
    OVER,
    SLOTS_PER_WORD,
    STAMP,
    TINY,
)
from sweepstakes.inference.exact.order import restart

CHOOSE = np.array([[math.comb(n, k) for k in range(9)] for n in range(9)], dtype=np.float64)
HUGE = 1e50
FEW = 8
"""Up to so many states a layer is searched one by one, without the hash table."""


class Limits(NamedTuple):
    """The capacities of the workspace arrays."""

    states: int
    arcs: int
    values: int
    hashed: int
    """Where the hash table begins behind the keys."""
    slots: int
    """How many places it has, a power of two."""


class Step(NamedTuple):
    """How eliminating one group changes the key of a state."""

    group: int
    least: int
    """The fewest mines that the cells taken up may get."""
    size: int
    """The most."""
    add0: int
    """What one mine in the group adds to the words of a key."""
    add1: int
    clear0: int
    """The bits of the clues that are then complete."""
    clear1: int


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
def count_in(k0, k1, slot):
    """The count that lies in a slot of a key."""
    if slot < SLOTS_PER_WORD:
        return (k0 >> (4 * slot)) & 15
    return (k1 >> (4 * slot - 4 * SLOTS_PER_WORD)) & 15


@inner
def enter(g, size, clues, groups, free_slots, free):
    """Take so many cells of a group up and give its new clues a slot each: (step, free slots or -1: too few)."""
    add0 = 0
    add1 = 0
    clear0 = 0
    clear1 = 0
    for i in range(8 * g, 8 * g + groups.degree[g]):
        clue = groups.clues[i]
        if clues.taken[clue] == 0:
            if free == 0:
                return Step(g, np.int64(0), size, 0, 0, 0, 0), -1
            free -= 1
            clues.slot[clue] = free_slots[free]
        clues.taken[clue] += size
        clues.rest[clue] -= size
        slot = np.int64(clues.slot[clue])
        last = clues.rest[clue] == 0
        if slot < SLOTS_PER_WORD:
            add0 |= 1 << (4 * slot)
            if last:
                clear0 |= 15 << (4 * slot)
        else:
            add1 |= 1 << (4 * slot - 4 * SLOTS_PER_WORD)
            if last:
                clear1 |= 15 << (4 * slot - 4 * SLOTS_PER_WORD)
    # Only now: a slot that closes in a step must not go to a clue that opens in the same step.
    for i in range(8 * g, 8 * g + groups.degree[g]):
        clue = groups.clues[i]
        if clues.rest[clue] == 0:
            free_slots[free] = clues.slot[clue]
            free += 1
    return Step(g, np.int64(0), size, add0, add1, clear0, clear1), free


@inner
def possible_mines(k0, k1, step, clues, groups):
    """(fewest, most) mines that the group may get in a state, for none of its clues to be broken."""
    least = step.least
    most = step.size
    for i in range(8 * step.group, 8 * step.group + groups.degree[step.group]):
        clue = groups.clues[i]
        have = count_in(k0, k1, np.int64(clues.slot[clue]))
        if clues.low[clue] - clues.rest[clue] - have > least:
            least = clues.low[clue] - clues.rest[clue] - have
        if clues.high[clue] - have < most:
            most = clues.high[clue] - have
    return least, most


@inner
def closing_likelihood(w, k0, k1, step, clues, groups, table):
    """A weight times the likelihood of every noisy clue that is complete with this key."""
    for i in range(8 * step.group, 8 * step.group + groups.degree[step.group]):
        clue = groups.clues[i]
        if clues.rest[clue] == 0:
            w *= table[clues.likely[clue] + 10 * count_in(k0, k1, np.int64(clues.slot[clue]))]
    return w


@inner
def index_layer(key0, key1, first, end, hashed, slots, stamp):
    """Put the states of a layer into the first places of the hash table."""
    for k in range(first, end):
        place = hashed + (hash_of(key0[k], key1[k]) & (slots - 1))
        while key0[place] == stamp:
            place += 1
            if place == hashed + slots:
                place = hashed
        key0[place] = stamp
        key1[place] = k


@inner
def find_state(key0, key1, k0, k1, first, end, hashed, slots, stamp):
    """(the state of a layer that has this key or -1, its place in the hash table); with no slots there is no table."""
    place = 0
    if slots == 0:
        for k in range(first, end):
            if key0[k] == k0 and key1[k] == k1:
                return k, place
        return -1, place
    place = hashed + (hash_of(k0, k1) & (slots - 1))
    while key0[place] == stamp:
        k = key1[place]
        if key0[k] == k0 and key1[k] == k1:
            return k, place
        place += 1
        if place == hashed + slots:
            place = hashed
    return -1, place


@inner
def expand(step, weight, begin, stop, clues, groups, states, arcs, real, table, noisy, limits):
    """Make the layer behind the states begin .. stop, and the arcs to it. Returns OK or OVER."""
    key0 = states.key0
    key1 = states.key1
    fewest = states.fewest
    most = states.most
    used = states.used
    count = stop
    arc = used[N_ARCS]
    stamp = used[STAMP]
    slots = 0
    for s in range(begin, stop):
        states.first_arc[s] = arc
        k0 = np.int64(key0[s])
        k1 = np.int64(key1[s])
        least, top = possible_mines(k0, k1, step, clues, groups)
        if arc + step.size + 1 > limits.arcs:
            return OVER
        for j in range(least, top + 1):
            w = weight[j]
            new0 = k0 + j * step.add0
            new1 = k1 + j * step.add1
            if noisy:
                w = closing_likelihood(w, new0, new1, step, clues, groups, table)
                if w == 0.0:
                    continue
            new0 &= ~step.clear0
            new1 &= ~step.clear1
            if count - stop > FEW and 2 * (count - stop) > slots:
                # Small layers use a small part of the table, which stays in the cache.
                slots = min(64 if slots == 0 else 4 * slots, limits.slots)
                stamp += 1
                index_layer(key0, key1, stop, count, limits.hashed, slots, stamp)
            t, place = find_state(key0, key1, new0, new1, stop, count, limits.hashed, slots, stamp)
            few = fewest[s] + j
            many = most[s] + j
            if t < 0:
                if count == limits.states:
                    return OVER
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
                fewest[t] = min(few, fewest[t])
                most[t] = max(many, most[t])
            arcs.target[arc] = t
            arcs.placed[arc] = j
            real[arc] = w
            arc += 1
    # The arcs of the layer's last state end where the next layer's begin; the last layer has none.
    states.first_arc[stop] = arc
    used[N_STATES] = count
    used[N_ARCS] = arc
    used[STAMP] = stamp
    return OK


@inner
def make_rows(states, real, first, limits):
    """Give the states from `first` on a row of zeros each; False if there is no room for them."""
    room = states.used[N_VALUES]
    begin = room
    for t in range(first, states.used[N_STATES]):
        states.row[t] = room
        room += states.most[t] - states.fewest[t] + 1
        if room > limits.values:
            return False
    for i in range(begin, room):
        real[i] = 0.0
    states.used[N_VALUES] = room
    return True


@inner
def add_up(begin, stop, states, arcs, real):
    """Carry the values of the states begin .. stop along their arcs into the next layer."""
    for s in range(begin, stop):
        source = states.row[s]
        length = states.most[s] - states.fewest[s] + 1
        for e in range(states.first_arc[s], states.first_arc[s + 1]):
            t = arcs.target[e]
            to = states.row[t] + states.fewest[s] + arcs.placed[e] - states.fewest[t]
            w = real[e]
            for i in range(length):
                v = real[source + i]
                x = w * v
                if x < TINY and v > 0.0:
                    x = TINY
                real[to + i] += x


@inner
def first_state(states, real):
    """The state before any group is taken up: nothing placed, weight 1."""
    used = states.used
    count = used[N_STATES]
    room = used[N_VALUES]
    states.key0[count] = 0
    states.key1[count] = 0
    states.fewest[count] = 0
    states.most[count] = 0
    states.row[count] = room
    real[room] = 1.0
    used[N_STATES] = count + 1
    used[N_VALUES] = room + 1
    return count


@inner
def placing_weights(weight, size, odds):
    """The weight of j mines in a group of so many cells, each weighing the odds, for every j."""
    power = 1.0
    for j in range(size + 1):
        weight[j] = CHOOSE[size, j] * power
        power *= odds


@inner
def forward(component, odds, often, table, noisy, clues, groups, components, states, arcs, real, room, limits):
    """Sum a component's solutions by their number of mines.

    It goes on behind the states of earlier components. Returns (OK, INCONSISTENT or OVER, logarithm of the factor
    taken out of the final row). The last state added holds the final row.
    """
    used = states.used
    start = np.int64(components.start[component])
    end = np.int64(components.start[component + 1])
    log_scale = 0.0
    if used[N_STATES] + 1 > limits.states or used[N_VALUES] + 1 > limits.values:
        return OVER, log_scale
    restart(start, end, clues, groups, components.order)
    free = 2 * SLOTS_PER_WORD
    for i in range(free):
        room.free_slots[i] = free - 1 - i
    begin = first_state(states, real)
    components.layer[start + component] = begin
    room.scale[start + component] = log_scale
    for at in range(start, end):
        g = np.int64(components.order[at])
        step, free = enter(g, np.int64(groups.size[g]), clues, groups, room.free_slots, free)
        if free < 0:
            return OVER, log_scale
        placing_weights(room.placing, step.size, odds)
        stop = used[N_STATES]
        first = used[N_VALUES]
        components.layer[at + component + 1] = stop
        if expand(step, room.placing, begin, stop, clues, groups, states, arcs, real, table, noisy, limits) != OK:
            return OVER, log_scale
        if used[N_STATES] == stop:
            return INCONSISTENT, log_scale
        if not make_rows(states, real, stop, limits):
            return OVER, log_scale
        add_up(begin, stop, states, arcs, real)
        if often or at & 3 == 3 or at == end - 1:
            log_scale += rescale(real, first, used[N_VALUES], 1.0 / HUGE, HUGE)
        room.scale[at + component + 1] = log_scale
        begin = stop
    return OK, log_scale


@inner
def take_back(begin, stop, size, states, arcs, real, back):
    """Turn the values of the states begin .. stop from forward to backward sums: (weight of mines, of safe cells).

    The weights are those of the group between these states and the next ones, summed over its cells.
    """
    mine = 0.0
    safe = 0.0
    for s in range(begin, stop):
        source = states.row[s]
        length = states.most[s] - states.fewest[s] + 1
        for i in range(length):
            back[i] = 0.0
        for e in range(states.first_arc[s], states.first_arc[s + 1]):
            t = arcs.target[e]
            j = arcs.placed[e]
            to = states.row[t] + states.fewest[s] + j - states.fewest[t]
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
    return mine, safe


@inner
def backward(component, often, groups, components, states, arcs, nodes, real, room):
    """From the weight of everything outside, by number of mines inside, find every group's mine probability.

    The rows of a layer turn from forward to backward sums in place once its groups have been weighed. A group is
    sure to be safe (1) where no weighed way has a mine in it, to be mines (2) where none has a safe cell.
    """
    start = np.int64(components.start[component])
    end = np.int64(components.start[component + 1])
    layer = components.layer
    final = layer[end + component]
    for i in range(states.most[final] - states.fewest[final] + 1):
        real[states.row[final] + i] = nodes.outside[nodes.at[component] + i]
    for at in range(end - 1, start - 1, -1):
        g = components.order[at]
        begin = np.int64(layer[at + component])
        stop = np.int64(layer[at + component + 1])
        mine, safe = take_back(begin, stop, groups.size[g], states, arcs, real, room.back)
        if often or at & 3 == 3:
            rescale(real, np.int64(states.row[begin]), np.int64(states.row[stop]), 1.0 / HUGE, HUGE)
        if mine + safe > 0.0:
            room.chance[g] = mine / (mine + safe)
        groups.sure[g] = 0
        if mine == 0.0:
            groups.sure[g] = 1
        elif safe == 0.0:
            groups.sure[g] = 2
