"""Sum the layouts of a position under a condition: some cells are safe, some are mines, and there is one more clue.

The added clue is the one that a cell would show if it were opened. Its value is left open: its count takes one more
slot of the key, which is never cleared, so at the end there is one final state for each value.

Only components with marked cells are summed again, as if they were one: each continues from the final states of the one
before. The first of them, the main component, is summed only from its first marked group on. Its earlier layers are the
same as without the condition, so the sum begins with a copy of the layer before that group.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.base import SLOT, WORK, group_of
from sweepstakes.inference.exact.layout import INCONSISTENT, N_ARCS, N_STATES, N_VALUES, OK, OVER, SLOTS_PER_WORD
from sweepstakes.inference.exact.order import restart
from sweepstakes.inference.exact.summing import (
    HUGE,
    Step,
    add_up,
    enter,
    expand,
    first_state,
    make_rows,
    placing_weights,
    rescale,
)

# Marks of a cell under a condition.
NOTHING = 0  # not marked
COUNTED = 1  # a neighbour of the added clue
SAFE = 2  # assumed to be safe
MINED = 3  # assumed to be a mine


@inner
def mark_cell(p, what, n, base):
    """Mark an unknown cell, the n-th of a condition. Return the new number of marked cells."""
    extra = base.extra
    extra.mark[p] = what
    extra.marked[n] = p
    extra.part[4 * group_of(p, base) + what] += 1
    return n + 1


@inner
def clear_marks(n, base):
    """Remove the marks of the n marked cells."""
    extra = base.extra
    for i in range(n):
        p = extra.marked[i]
        extra.mark[p] = NOTHING
        at = 4 * group_of(p, base)
        for what in range(4):
            extra.part[at + what] = 0


@inner
def find_touched(n, base):
    """Find the first place with a marked cell in every component. Return the main component, or -1.

    The main component is the one in which most states need not be summed again.
    """
    extra = base.extra
    for component in range(base.number):
        extra.touched[component] = -1
    for i in range(n):
        g = base.group_at[extra.marked[i]]
        if g >= 0:
            component = extra.component_of[g]
            at = extra.place_of[g]
            if extra.touched[component] < 0 or at < extra.touched[component]:
                extra.touched[component] = at
    main = np.int64(-1)
    most = -1
    for component in range(base.number):
        at = extra.touched[component]
        if at >= 0:
            layer = base.components.layer
            saved = layer[at + component] - layer[base.components.start[component] + component]
            if saved > most:
                most = saved
                main = component
    return main


@inner
def copy_layer(begin, stop, base):
    """Append copies of the states `begin` to `stop`, with their values. Return False if there are too many."""
    states = base.states
    used = states.used
    first = used[N_STATES]
    if first + stop - begin > base.limits.states:
        return False
    for s in range(begin, stop):
        t = first + s - begin
        states.key0[t] = states.key0[s]
        states.key1[t] = states.key1[s]
        states.min_mines[t] = states.min_mines[s]
        states.max_mines[t] = states.max_mines[s]
    used[N_STATES] = first + stop - begin
    if not make_rows(states, base.real, first, base.limits):
        return False
    for s in range(begin, stop):
        source = states.row[s]
        to = states.row[first + s - begin]
        for i in range(states.max_mines[s] - states.min_mines[s] + 1):
            base.real[to + i] = base.real[source + i]
    return True


@inner(shared=True)
def add_parts(g, slot, steps, begin, free, table, base):
    """Eliminate a group in up to four steps: its safe cells, its mines, its counted cells and its other cells.

    Unmarked free cells are left out, since `couple_under` places their mines.

    Returns (OK, INCONSISTENT or OVER; number of steps; first state of the last layer; free slots; logarithm of the
    factors divided out).
    """
    extra = base.extra
    used = base.states.used
    part = extra.part
    logarithm = 0.0
    for turn in range(4):
        what = (turn + SAFE) & 3  # SAFE, MINED, NOTHING, COUNTED
        size = np.int64(part[4 * g + what])
        if what == NOTHING:
            if g == base.group_count:
                continue
            size = np.int64(base.groups.size[g] - part[4 * g + SAFE] - part[4 * g + MINED] - part[4 * g + COUNTED])
        if size == 0:
            continue
        step, free = enter(g, size, base.clues, base.groups, base.buffers.free_slots, free)
        if free < 0:
            return OVER, steps, begin, free, logarithm
        add0 = step.add0
        add1 = step.add1
        least = np.int64(0)
        most = size
        if what == SAFE:
            most = np.int64(0)
        elif what == MINED:
            least = size
        elif what == COUNTED:
            if slot < SLOTS_PER_WORD:
                add0 |= 1 << (4 * slot)
            else:
                add1 |= 1 << (4 * slot - 4 * SLOTS_PER_WORD)
        step = Step(step.group, least, most, add0, add1, step.clear0, step.clear1)
        placing_weights(base.buffers.placing, size, base.odds)
        stop = used[N_STATES]
        first = used[N_VALUES]
        answer = expand(
            step,
            base.buffers.placing,
            begin,
            stop,
            base.clues,
            base.groups,
            base.states,
            base.arcs,
            base.real,
            table,
            False,
            base.limits,
        )
        if answer != OK:
            return OVER, steps, begin, free, logarithm
        if used[N_STATES] == stop:
            return INCONSISTENT, steps, begin, free, logarithm
        if not make_rows(base.states, base.real, stop, base.limits):
            return OVER, steps, begin, free, logarithm
        add_up(begin, stop, base.states, base.arcs, base.real)
        if steps & 3 == 3:
            logarithm += rescale(base.real, first, used[N_VALUES], 1.0 / HUGE, HUGE)
        entry = -1
        if what == NOTHING:
            entry = 2 * g
        elif what == COUNTED:
            entry = 2 * g + 1
        extra.steps[4 * steps] = entry
        extra.steps[4 * steps + 1] = size
        extra.steps[4 * steps + 2] = begin
        steps += 1
        begin = stop
    return OK, steps, begin, free, logarithm


@inner(shared=True)
def forward_under(n, counting, table, base):
    """Sum the components with marked cells. With `counting`, there is one final state for each value of the added clue.

    The new states are appended behind those of the position. Returns (OK, INCONSISTENT or OVER; main component or -1;
    number of steps; first final state; logarithm of the factors divided out).
    """
    extra = base.extra
    states = base.states
    used = states.used
    used[N_STATES] = extra.counters[N_STATES]
    used[N_ARCS] = extra.counters[N_ARCS]
    used[N_VALUES] = extra.counters[N_VALUES]
    main = find_touched(n, base)
    free = np.int64(2 * SLOTS_PER_WORD)
    for i in range(free):
        base.buffers.free_slots[i] = free - 1 - i
    begin = np.int64(used[N_STATES])
    logarithm = 0.0
    steps = np.int64(0)
    if begin + 1 > base.limits.states or used[N_VALUES] + 1 > base.limits.values:
        return OVER, main, steps, begin, logarithm
    order = base.components.order
    place = np.int64(0)
    if main < 0:
        first_state(states, base.real)
    else:
        start = np.int64(base.components.start[main])
        place = np.int64(extra.touched[main])
        restart(start, np.int64(base.components.start[main + 1]), base.clues, base.groups, order)
        for at in range(start, place):
            g = np.int64(order[at])
            _, free = enter(g, np.int64(base.groups.size[g]), base.clues, base.groups, base.buffers.free_slots, free)
        layer = base.components.layer
        logarithm = base.buffers.scale[place + main]
        if not copy_layer(np.int64(layer[place + main]), np.int64(layer[place + main + 1]), base):
            return OVER, main, steps, begin, logarithm
    slot = np.int64(0)
    if counting:
        if free == 0:
            return OVER, main, steps, begin, logarithm
        free -= 1
        slot = np.int64(base.buffers.free_slots[free])
        extra.counters[SLOT] = slot
    answer = OK
    for turn in range(-1, base.number):
        # The main component first, then the others in order.
        component = main if turn < 0 else turn
        if component < 0 or extra.touched[component] < 0 or (turn >= 0 and component == main):
            continue
        end = np.int64(base.components.start[component + 1])
        if turn >= 0:
            place = np.int64(base.components.start[component])
            restart(place, end, base.clues, base.groups, order)
        for at in range(place, end):
            answer, steps, begin, free, scale = add_parts(np.int64(order[at]), slot, steps, begin, free, table, base)
            logarithm += scale
            if answer != OK:
                return answer, main, steps, begin, logarithm
    base.groups.degree[base.group_count] = 0
    answer, steps, begin, free, scale = add_parts(np.int64(base.group_count), slot, steps, begin, free, table, base)
    extra.counters[WORK] += used[N_STATES] - extra.counters[N_STATES]
    return answer, main, steps, begin, logarithm + scale
