"""The dynamic programme over the groups of one component: forward sums, from the first layer to the last.

The groups are eliminated one after the other. Before each of them there is a layer of states. A state says how many
mines each active clue has so far, and these counts are packed into its key. An arc leads from a state to one of the
next layer by placing some number of mines in the group between them. Partial solutions with equal counts thus share a
state, and this is what makes the sum fast.

The key has two words. Slot s is four bits of a word and holds the count of one active clue: bits 4s to 4s + 3 of the
first word for s < 15, of the second word for larger s. Placing a mine in a group adds 1 to the slot of every clue of
the group, so a step only has to add a constant (`Step.add0`, `Step.add1`) for each mine. When a clue is complete, its
slot is cleared and used again.

The value of a state is a row of numbers, one for each number of mines placed so far: the weight of all partial
solutions that end in the state. Only positive numbers are added and multiplied, and positive numbers below TINY
are rounded up. A value is therefore 0.0 exactly if there is no partial solution, so certain cells are found without a
tolerance.
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
"""CHOOSE[n, k]: the number of ways to place k mines in a group of n cells."""
HUGE = 1e50
"""Rows are rescaled when their largest value exceeds this, or falls below its inverse."""
FEW = 8
"""A layer with at most this many states is searched state by state, without the hash table."""


class Capacities(NamedTuple):
    """The capacities of the workspace arrays."""

    states: int
    arcs: int
    values: int
    hashed: int
    """Index in the rows of keys at which the hash table begins."""
    slots: int
    """Number of entries of the hash table, a power of two."""


class Step(NamedTuple):
    """How the elimination of one group, or a part of one, changes the key of a state."""

    group: int
    least: int
    """Fewest mines that the eliminated cells may get."""
    size: int
    """Most mines that they may get; usually the number of cells."""
    add0: int
    """What one mine adds to the first word of a key: 1 in the slot of each clue of the group."""
    add1: int
    """What it adds to the second word."""
    clear0: int
    """Bits of the first word to clear afterwards: the slots of clues that are then complete."""
    clear1: int
    """Bits of the second word to clear."""


@inner
def rescale(values, first, end, least, most):
    """Divide values `first` to `end` by the largest if it lies outside [least, most].

    Returns the logarithm of the divisor.
    """
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
    """Return a hash of the two words of a key. It has at most 62 bits, so it is never negative."""
    h = (k0 & 0x3FFFFFFF) * 0x2545F491 + (k0 >> 30) * 0x1D872B41
    h ^= (k1 & 0x3FFFFFFF) * 0x2C1B3C6D + (k1 >> 30) * 0x297A2D39
    return h ^ (h >> 32) ^ (h >> 17)


@inner
def count_in(k0, k1, slot):
    """Return the count in a slot of a key."""
    if slot < SLOTS_PER_WORD:
        return (k0 >> (4 * slot)) & 15
    return (k1 >> (4 * slot - 4 * SLOTS_PER_WORD)) & 15


@inner
def enter(g, size, clues, groups, free_slots, free):
    """Eliminate `size` cells of group g, and assign a slot to each clue that becomes active.

    `free` is the height of the stack `free_slots`. Returns (step, new height or -1 if there are too few slots).
    """
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
    # Slots are returned last. If a slot were reused in the step that completes its clue, two clues would count in it.
    for i in range(8 * g, 8 * g + groups.degree[g]):
        clue = groups.clues[i]
        if clues.rest[clue] == 0:
            free_slots[free] = clues.slot[clue]
            free += 1
    return Step(g, np.int64(0), size, add0, add1, clear0, clear1), free


@inner
def possible_mines(k0, k1, step, clues, groups):
    """Return the fewest and the most mines that the group may get in a state without breaking one of its clues."""
    least = step.least
    most = step.size
    for i in range(8 * step.group, 8 * step.group + groups.degree[step.group]):
        clue = groups.clues[i]
        have = count_in(k0, k1, np.int64(clues.slot[clue]))
        # The clue's remaining cells can hold at most `rest` of the mines that it still needs.
        if clues.low[clue] - clues.rest[clue] - have > least:
            least = clues.low[clue] - clues.rest[clue] - have
        if clues.high[clue] - have < most:
            most = clues.high[clue] - have
    return least, most


@inner
def closing_likelihood(w, k0, k1, step, clues, groups, table):
    """Multiply a weight by the likelihood of every noisy clue that this step completes, given its final count."""
    for i in range(8 * step.group, 8 * step.group + groups.degree[step.group]):
        clue = groups.clues[i]
        if clues.rest[clue] == 0:
            w *= table[clues.likely[clue] + 10 * count_in(k0, k1, np.int64(clues.slot[clue]))]
    return w


@inner
def index_layer(key0, key1, first, end, hashed, slots, stamp):
    """Put the states `first` to `end` into the first `slots` entries of the hash table.

    An entry is in use if its first word is the current stamp; its second word is the state. A new stamp thus empties
    the table in one step. A stamp cannot be mistaken for a key, since entries and keys lie in different parts of the
    rows.
    """
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
    """Find the state with this key in a layer: (state or -1, its entry in the hash table, or the free entry for it).

    If `slots` is 0, there is no table and the layer is searched state by state.
    """
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
    """Make the layer that follows the states `begin` to `stop`, and the arcs to it. Return OK or OVER.

    `weight[j]` is the weight of j mines in the eliminated group.
    """
    key0 = states.key0
    key1 = states.key1
    min_mines = states.min_mines
    max_mines = states.max_mines
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
                # The layer has outgrown the list or the table: index it in a larger part of the table. Small layers
                # use a small part, which stays in the processor's cache.
                slots = min(64 if slots == 0 else 4 * slots, limits.slots)
                stamp += 1
                index_layer(key0, key1, stop, count, limits.hashed, slots, stamp)
            t, place = find_state(key0, key1, new0, new1, stop, count, limits.hashed, slots, stamp)
            lowest = min_mines[s] + j
            highest = max_mines[s] + j
            if t < 0:
                if count == limits.states:
                    return OVER
                t = count
                count += 1
                key0[t] = new0
                key1[t] = new1
                min_mines[t] = lowest
                max_mines[t] = highest
                if slots > 0:
                    key0[place] = stamp
                    key1[place] = t
            else:
                min_mines[t] = min(lowest, min_mines[t])
                max_mines[t] = max(highest, max_mines[t])
            arcs.target[arc] = t
            arcs.placed[arc] = j
            real[arc] = w
            arc += 1
    # The arcs of a state end where those of the next state begin. The last layer has no arcs, so its first state must
    # mark the end.
    states.first_arc[stop] = arc
    used[N_STATES] = count
    used[N_ARCS] = arc
    used[STAMP] = stamp
    return OK


@inner
def make_rows(states, real, first, limits):
    """Give each state from `first` on a row of zeros. Return False if there are too many values."""
    end = states.used[N_VALUES]
    begin = end
    for t in range(first, states.used[N_STATES]):
        states.row[t] = end
        end += states.max_mines[t] - states.min_mines[t] + 1
        if end > limits.values:
            return False
    for i in range(begin, end):
        real[i] = 0.0
    states.used[N_VALUES] = end
    return True


@inner
def add_up(begin, stop, states, arcs, real):
    """Add the values of the states `begin` to `stop`, times the weights of their arcs, to the next layer."""
    for s in range(begin, stop):
        source = states.row[s]
        length = states.max_mines[s] - states.min_mines[s] + 1
        for e in range(states.first_arc[s], states.first_arc[s + 1]):
            t = arcs.target[e]
            # Value i of a row belongs to min_mines + i mines; the arc adds `placed` mines.
            to = states.row[t] + states.min_mines[s] + arcs.placed[e] - states.min_mines[t]
            w = real[e]
            for i in range(length):
                v = real[source + i]
                x = w * v
                if x < TINY and v > 0.0:
                    x = TINY
                real[to + i] += x


@inner
def first_state(states, real):
    """Append the state before the first group: no mines placed, weight 1. Return it."""
    used = states.used
    count = used[N_STATES]
    place = used[N_VALUES]
    states.key0[count] = 0
    states.key1[count] = 0
    states.min_mines[count] = 0
    states.max_mines[count] = 0
    states.row[count] = place
    real[place] = 1.0
    used[N_STATES] = count + 1
    used[N_VALUES] = place + 1
    return count


@inner
def placing_weights(weight, size, odds):
    """Write the weight of j mines in a group of `size` cells, C(size, j) * odds**j, for every j."""
    power = 1.0
    for j in range(size + 1):
        weight[j] = CHOOSE[size, j] * power
        power *= odds


@inner
def forward(component, odds, often, table, noisy, clues, groups, components, states, arcs, real, buffers, limits):
    """Sum a component's solutions by their number of mines.

    The new states follow those of earlier components. The last of them, in which no clue is active, holds the final
    row: the weight of all solutions for each number of mines. Returns (OK, INCONSISTENT or OVER; logarithm of the
    factors divided out of the final row). `often` asks for rescaling after every step instead of every fourth.
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
        buffers.free_slots[i] = free - 1 - i
    begin = first_state(states, real)
    components.layer[start + component] = begin
    buffers.scale[start + component] = log_scale
    for at in range(start, end):
        g = np.int64(components.order[at])
        step, free = enter(g, np.int64(groups.size[g]), clues, groups, buffers.free_slots, free)
        if free < 0:
            return OVER, log_scale
        placing_weights(buffers.placing, step.size, odds)
        stop = used[N_STATES]
        first = used[N_VALUES]
        components.layer[at + component + 1] = stop
        if expand(step, buffers.placing, begin, stop, clues, groups, states, arcs, real, table, noisy, limits) != OK:
            return OVER, log_scale
        if used[N_STATES] == stop:
            return INCONSISTENT, log_scale
        if not make_rows(states, real, stop, limits):
            return OVER, log_scale
        add_up(begin, stop, states, arcs, real)
        if often or at & 3 == 3 or at == end - 1:
            log_scale += rescale(real, first, used[N_VALUES], 1.0 / HUGE, HUGE)
        buffers.scale[at + component + 1] = log_scale
        begin = stop
    return OK, log_scale
