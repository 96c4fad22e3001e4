"""Evaluate the sum under a condition: the weight of every final state, and all marginals given that state.

Components without marked cells are called untouched and are not summed again. A condition changes only the probability
that such a component has m mines, for each m. So its marginals are tabulated once for each m. Each condition then
averages them with its own weights.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.base import WORK
from sweepstakes.inference.exact.coupling import MULTIPLIES, WEIGHS, cross, rest_weights
from sweepstakes.inference.exact.layout import N_STATES, OK, OVER, TINY
from sweepstakes.inference.exact.summing import HUGE, rescale


@inner(shared=True)
def couple_under(begin, base):
    """Couple the final states, from `begin` on, with the untouched components and the free cells.

    Think of a chain: the final states, the untouched components one after the other, and last the free cells. For each
    link but the first, `parts` gets the lowest power, the width and the first index of a polynomial S in `polynomial`.
    S[t] is the weight of that link and all later ones if all earlier links have t mines together. After all S, the
    array has space for the polynomials P of `marginals_of_the_rest`, which have the same widths.

    Returns (OK or OVER; number of untouched components; logarithm of the factors divided out).
    """
    extra = base.extra
    states = base.states
    stop = states.used[N_STATES]
    low = states.min_mines[begin]
    high = states.max_mines[begin]
    for s in range(begin, stop):
        low = min(low, states.min_mines[s])
        high = max(high, states.max_mines[s])
    width = np.int64(high - low + 1)
    count = np.int64(0)
    place = np.int64(0)
    logarithm = 0.0
    free = base.free
    for what in range(1, 4):
        free -= extra.part[4 * base.group_count + what]
    parts = extra.parts
    for component in range(base.number + 1):
        if component < base.number and extra.touched[component] >= 0:
            continue
        parts[3 * count] = low
        parts[3 * count + 1] = width
        parts[3 * count + 2] = place
        place += width
        if component == base.number:
            break
        count += 1
        final = final_state(component, base)
        low += states.min_mines[final]
        width += states.max_mines[final] - states.min_mines[final]
        logarithm += base.buffers.scale[base.components.start[component + 1] + component]
    if 2 * place + 2 * width > extra.polynomial.size:
        return OVER, count, logarithm
    for i in range(place):
        extra.polynomial[i] = 0.0
    at = place - width
    logarithm += rest_weights(base.odds, free, base.left, low, width, extra.polynomial, at)
    i = count
    for component in range(base.number - 1, -1, -1):
        if extra.touched[component] >= 0:
            continue
        i -= 1
        final = final_state(component, base)
        cross(
            base.real,
            np.int64(states.row[final]),
            np.int64(states.max_mines[final] - states.min_mines[final] + 1),
            extra.polynomial,
            np.int64(parts[3 * i + 5]),
            extra.polynomial,
            np.int64(parts[3 * i + 2]),
            np.int64(parts[3 * i + 1]),
            WEIGHS,
        )
        first = np.int64(parts[3 * i + 2])
        logarithm += rescale(extra.polynomial, first, first + parts[3 * i + 1], 1.0, 1.0)
    extra.counters[WORK] += 2 * place >> 3
    return OK, count, logarithm


@inner
def final_state(component, base):
    """Return the state that holds a component's final row."""
    return np.int64(base.components.layer[base.components.start[component + 1] + component])


@inner
def weight_of(final, base):
    """Return the weight of all layouts that end in a final state."""
    extra = base.extra
    states = base.states
    source = states.row[final]
    at = extra.parts[2] + states.min_mines[final] - extra.parts[0]
    everything = 0.0
    for i in range(states.max_mines[final] - states.min_mines[final] + 1):
        w = extra.polynomial[at + i]
        f = base.real[source + i]
        if w > 0.0 and f > 0.0:
            w *= f
            everything += w if w > TINY else TINY
    return everything


@inner(shared=True)
def take_back_alive(begin, stop, size, base):
    """Compute the backward sums of the states `begin` to `stop`: (weight of mines, weight of safe cells).

    This is `take_back`, except that forward sums are kept and states that lead to no final state are skipped.
    """
    states = base.states
    arcs = base.arcs
    real = base.real
    back = base.extra.back
    alive = base.extra.alive
    mine = 0.0
    safe = 0.0
    for s in range(begin, stop):
        source = states.row[s]
        length = states.max_mines[s] - states.min_mines[s] + 1
        lives = 0
        for e in range(states.first_arc[s], states.first_arc[s + 1]):
            t = arcs.target[e]
            if alive[t] == 0:
                continue
            if lives == 0:
                lives = 1
                for i in range(length):
                    back[source + i] = 0.0
            j = arcs.placed[e]
            to = states.row[t] + states.min_mines[s] + j - states.min_mines[t]
            w = real[e]
            both = 0.0
            for i in range(length):
                v = back[to + i]
                if v > 0.0:
                    v *= w
                    if v < TINY:
                        v = TINY
                    back[source + i] += v
                    f = real[source + i]
                    if f > 0.0:
                        f *= v
                        both += f if f > TINY else TINY
            mine += both * j
            safe += both * (size - j)
        alive[s] = lives
    return mine, safe


@inner
def note_chance(entry, mine, safe, base):
    """Write the marginal of an entry of `chance`, from the weights of mines and safe cells."""
    extra = base.extra
    sure = 0
    if mine == 0.0:
        sure = 1
    elif safe == 0.0:
        sure = 2
    extra.sure[entry] = sure
    extra.chance[entry] = mine / (mine + safe) if mine + safe > 0.0 else 0.5


@inner
def rescale_back(begin, stop, base):
    """Divide the backward sums of a layer by the largest if it is very large or very small."""
    states = base.states
    back = base.extra.back
    top = 0.0
    for s in range(begin, stop):
        if base.extra.alive[s] == 1:
            for i in range(states.row[s], states.row[s] + states.max_mines[s] - states.min_mines[s] + 1):
                top = max(top, back[i])
    if top == 0.0 or (1.0 / HUGE <= top <= HUGE):
        return
    for s in range(begin, stop):
        if base.extra.alive[s] == 1:
            for i in range(states.row[s], states.row[s] + states.max_mines[s] - states.min_mines[s] + 1):
                if back[i] > 0.0:
                    back[i] = max(back[i] / top, TINY)


@inner(shared=True)
def backward_base(component, place, base):
    """Find the marginals of a component without a condition, for its groups before `place`, from the last to the first.

    The backward sums of the layer before `place` must have been set.
    """
    layer = base.components.layer
    start = np.int64(base.components.start[component])
    for at in range(place - 1, start - 1, -1):
        g = base.components.order[at]
        begin = np.int64(layer[at + component])
        stop = np.int64(layer[at + component + 1])
        mine, safe = take_back_alive(begin, stop, np.int64(base.groups.size[g]), base)
        if at & 3 == 3:
            rescale_back(begin, stop, base)
        note_chance(2 * g, mine, safe, base)
        base.extra.counters[WORK] += stop - begin


@inner(shared=True)
def backward_under(final, main, steps, begin, base):
    """Find the marginals of the components with marked cells, given that the layouts end in the state `final`.

    The main component is the first in the chain, so it comes last here. The sum under the condition began with a copy
    of one of its layers. The copy's backward sums are moved back to that layer.
    """
    extra = base.extra
    states = base.states
    stop = states.used[N_STATES]
    for s in range(begin, stop):
        extra.alive[s] = 0
    extra.alive[final] = 1
    at = extra.parts[2] + states.min_mines[final] - extra.parts[0]
    for i in range(states.max_mines[final] - states.min_mines[final] + 1):
        extra.back[states.row[final] + i] = extra.polynomial[at + i]
    stop = begin
    for step in range(steps - 1, -1, -1):
        first = np.int64(extra.steps[4 * step + 2])
        mine, safe = take_back_alive(first, stop, np.int64(extra.steps[4 * step + 1]), base)
        if step & 3 == 3:
            rescale_back(first, stop, base)
        if extra.steps[4 * step] >= 0:
            note_chance(extra.steps[4 * step], mine, safe, base)
        extra.counters[WORK] += stop - first
        stop = first
    if main >= 0:
        place = np.int64(extra.touched[main])
        first = np.int64(base.components.layer[place + main])
        number = np.int64(base.components.layer[place + main + 1]) - first
        for i in range(number):
            extra.alive[first + i] = extra.alive[stop + i]
            if extra.alive[first + i] == 1:
                for k in range(states.max_mines[first + i] - states.min_mines[first + i] + 1):
                    extra.back[states.row[first + i] + k] = extra.back[states.row[stop + i] + k]
        backward_base(main, place, base)


@inner(shared=True)
def fill_table(component, first_entry, base):
    """Tabulate a component's marginals for each of its numbers of mines, from index `first_entry` of `table` on.

    For the m-th number of mines and the k-th group in the order of elimination, the entries at `first_entry + m * size
    + 2 * k` are the weights of a mine and of a safe cell, where `size` is twice the number of groups. Returns the index
    after the table, or -1 if there is not enough space.
    """
    extra = base.extra
    states = base.states
    start = np.int64(base.components.start[component])
    end = np.int64(base.components.start[component + 1])
    final = final_state(component, base)
    width = np.int64(states.max_mines[final] - states.min_mines[final] + 1)
    size = 2 * (end - start)
    if first_entry + width * size > extra.table.size:
        return np.int64(-1)
    extra.table_at[component] = first_entry
    extra.alive[final] = 1
    row = states.row[final]
    for m in range(width):
        at = first_entry + m * size
        if base.real[row + m] == 0.0:
            for i in range(size):
                extra.table[at + i] = 0.0
            continue
        for i in range(width):
            extra.back[row + i] = 1.0 if i == m else 0.0
        backward_base(component, end, base)
        for k in range(start, end):
            g = base.components.order[k]
            chance = extra.chance[2 * g]
            sure = extra.sure[2 * g]
            extra.table[at + 2 * (k - start)] = 1.0 if sure == 2 else chance
            extra.table[at + 2 * (k - start) + 1] = 0.0 if sure == 2 else 1.0 - chance
    return first_entry + width * size


@inner(shared=True)
def marginals_of_the_rest(final, untouched, base):
    """Find the marginals of untouched components and free cells, given that the layouts end in the state `final`.

    In the chain of `couple_under`, P[t] is the weight of all links before an untouched component if they have t mines
    together. It has the same widths as S and comes after all S. P before a component and S after it are the weight of
    everything outside the component.
    """
    extra = base.extra
    states = base.states
    poly = extra.polynomial
    parts = extra.parts
    last = 3 * untouched
    total = np.int64(parts[last + 2] + parts[last + 1])
    for i in range(2 * total + parts[last + 1] - total):
        poly[total + i] = 0.0
    # P before the first untouched component is the final row.
    at = total + states.min_mines[final] - parts[0]
    for i in range(states.max_mines[final] - states.min_mines[final] + 1):
        poly[at + i] = base.real[states.row[final] + i]
    rescale(poly, total, total + parts[1], 1.0, 1.0)
    outside = 2 * total
    i = 0
    for component in range(base.number):
        if extra.touched[component] >= 0:
            continue
        f = final_state(component, base)
        width = np.int64(states.max_mines[f] - states.min_mines[f] + 1)
        before = total + parts[3 * i + 2]
        for k in range(width):
            poly[outside + k] = 0.0
        # The weight of everything else, for each number of mines in the component.
        cross(poly, before, np.int64(parts[3 * i + 1]), poly, np.int64(parts[3 * i + 5]), poly, outside, width, WEIGHS)
        top = 0.0
        for k in range(width):
            top = max(top, poly[outside + k])
        spread(component, outside, top, width, base)
        behind = total + parts[3 * i + 5]
        cross(
            base.real,
            np.int64(states.row[f]),
            width,
            poly,
            before,
            poly,
            behind,
            np.int64(parts[3 * i + 1]),
            MULTIPLIES,
        )
        rescale(poly, behind, behind + parts[3 * i + 4], 1.0, 1.0)
        extra.counters[WORK] += parts[3 * i + 1] >> 2
        i += 1
    free = base.free
    for what in range(1, 4):
        free -= extra.part[4 * base.group_count + what]
    mine = 0.0
    safe = 0.0
    for k in range(parts[last + 1]):
        w = poly[parts[last + 2] + k]
        f = poly[total + parts[last + 2] + k]
        if w > 0.0 and f > 0.0:
            w = max(w * f, TINY)
            rest = base.left - parts[last] - k
            mine += w * rest
            safe += w * (free - rest)
    note_chance(2 * base.group_count, mine, safe, base)


@inner
def spread(component, outside, top, width, base):
    """Average a component's tabulated marginals, weighted by the weight of each of its numbers of mines.

    The `width` weights of everything outside the component begin at index `outside` of `polynomial`; `top` is the
    largest.
    """
    extra = base.extra
    poly = extra.polynomial
    row = base.states.row[final_state(component, base)]
    start = base.components.start[component]
    size = base.components.start[component + 1] - start
    for m in range(width):
        w = poly[outside + m]
        f = base.real[row + m]
        poly[outside + m] = max(w / top * f, TINY) if w > 0.0 and f > 0.0 else 0.0
    for k in range(size):
        mine = 0.0
        safe = 0.0
        at = extra.table_at[component] + 2 * k
        for m in range(width):
            w = poly[outside + m]
            if w > 0.0:
                a = extra.table[at + 2 * size * m]
                b = extra.table[at + 2 * size * m + 1]
                if a > 0.0:
                    mine += max(w * a, TINY)
                if b > 0.0:
                    safe += max(w * b, TINY)
        note_chance(2 * base.components.order[start + k], mine, safe, base)
