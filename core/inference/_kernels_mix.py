"""Coupling the components through the mine count.

Every component has a polynomial: the weight of its solutions by their number of mines. The polynomials are
multiplied in a binary tree; the root meets the ways to place the remaining mines on the cells that no clue sees;
and on the way down every node learns the weight of all that is outside it. Both ways cost the same, and the
memory is the total width times the depth of the tree.
"""

import math

import numpy as np
from numba import njit

from sweepstakes.inference._layout import (
    BY_LAYOUTS,
    BY_ODDS,
    FEWEST,
    LAYER,
    MOST,
    PART_START,
    ROW,
    TINY,
)


@njit(cache=True)
def normalise(values, at, width):
    """Divide by the largest value and return its logarithm; nothing happens where all are 0."""
    top = 0.0
    for i in range(at, at + width):
        top = max(top, values[i])
    if top == 0.0:
        return 0.0
    for i in range(at, at + width):
        v = values[i]
        if v > 0.0:
            values[i] = max(v / top, TINY)
    return math.log(top)


@njit(cache=True)
def add_scaled(factor, source, source_at, target, target_at, width):
    """target += factor * source, where a product of positive numbers stays positive; the factor is positive."""
    for i in range(width):
        v = source[source_at + i]
        x = factor * v
        if x < TINY and v > 0.0:
            x = TINY
        target[target_at + i] += x


@njit(cache=True)
def rest_weights(mode, odds, free, left, low, width, target, at):
    """Weight of the ways to put `left - t` mines on the free cells, for t = low .. low + width - 1.

    By layouts: C(free, k) odds^k over its value at the mode, built from there by ratios (a quotient of gammas would
    cost four digits); returns the logarithm of what was divided out, without the power of the odds.
    """
    for i in range(at, at + width):
        target[i] = 0.0
    least = max(0, left - low - width + 1)
    most = min(free, left - low)
    if least > most:
        return 0.0
    if mode != BY_LAYOUTS:
        for k in range(least, most + 1):
            target[at + left - k - low] = 1.0
        return 0.0
    mode_at = min(most, max(least, int((free + 1) * (odds / (1.0 + odds)))))
    x = 1.0
    for k in range(mode_at, most + 1):
        target[at + left - k - low] = max(x, TINY)
        x *= (free - k) / (k + 1.0) * odds
    x = 1.0
    for k in range(mode_at, least - 1, -1):
        target[at + left - k - low] = max(x, TINY)
        x *= k / (free - k + 1.0) / odds
    logarithm = math.lgamma(free + 1.0) - math.lgamma(mode_at + 1.0) - math.lgamma(free - mode_at + 1.0)
    return logarithm + (mode_at - left) * math.log(odds)


@njit(cache=True)
def mix(cells, states, values, parts, mode, odds, free, left):
    """Give every component the weight of all that is outside it.

    Returns (weights, where each component's begin, logarithm of the total or -inf, weight of a mine on a free cell,
    weight of a safe free cell). A component's weights run over its final row.
    """
    nodes = max(1, 2 * parts - 1)
    low = np.zeros(nodes, np.int64)
    width = np.ones(nodes, np.int64)
    at = np.zeros(nodes + 1, np.int64)
    one = np.zeros(nodes, np.int64)
    two = np.zeros(nodes, np.int64)
    total = 0
    for part in range(parts):
        final = cells[LAYER, cells[PART_START, part + 1] + part]
        low[part] = states[FEWEST, final]
        width[part] = states[MOST, final] - states[FEWEST, final] + 1
        at[part] = total
        total += width[part]
    begin = 0
    count = parts
    if mode == BY_ODDS:
        begin = count - 1  # No tree: components do not know of each other.
    while begin < count - 1:
        # Pairs in the order of the list; what a pair makes is put at its end. One left over waits.
        low[count] = low[begin] + low[begin + 1]
        width[count] = width[begin] + width[begin + 1] - 1
        one[count] = begin
        two[count] = begin + 1
        at[count] = total
        total += width[count]
        begin += 2
        count += 1
    poly = np.zeros(max(total, 1), np.float64)
    weight = np.zeros(max(total, 1), np.float64)
    logarithm = 0.0
    if parts == 0:
        poly[0] = 1.0
    for part in range(parts):
        final = cells[LAYER, cells[PART_START, part + 1] + part]
        source = states[ROW, final]
        for i in range(width[part]):
            poly[at[part] + i] = values[source + i]
        logarithm += normalise(poly, at[part], width[part])
    if mode == BY_ODDS:
        for part in range(parts):
            for i in range(at[part], at[part] + width[part]):
                weight[i] = 1.0
        for part in range(parts):
            sum_of = 0.0
            for i in range(at[part], at[part] + width[part]):
                sum_of += poly[i]
            logarithm += math.log(sum_of)
        return weight, at, logarithm, 0.0, 0.0
    for node in range(parts, count):
        a = one[node]
        b = two[node]
        for i in range(width[b]):
            factor = poly[at[b] + i]
            if factor > 0.0:
                add_scaled(factor, poly, at[a], poly, at[node] + i, width[a])
        logarithm += normalise(poly, at[node], width[node])
    root = max(0, count - 1)
    logarithm += rest_weights(mode, odds, free, left, low[root], width[root], weight, at[root])
    everything = 0.0
    mine = 0.0
    safe = 0.0
    for i in range(width[root]):
        w = weight[at[root] + i]
        f = poly[at[root] + i]
        if w > 0.0 and f > 0.0:
            x = max(w * f, TINY)
            k = left - low[root] - i
            everything += x
            mine += x * k
            safe += x * (free - k)
    if everything == 0.0:
        return weight, at, -np.inf, mine, safe
    for node in range(count - 1, parts - 1, -1):
        a = one[node]
        b = two[node]
        for i in range(width[b]):
            factor = poly[at[b] + i]
            if factor > 0.0:
                add_scaled(factor, weight, at[node] + i, weight, at[a], width[a])
        for i in range(width[a]):
            factor = poly[at[a] + i]
            if factor > 0.0:
                add_scaled(factor, weight, at[node] + i, weight, at[b], width[b])
        normalise(weight, at[a], width[a])
        normalise(weight, at[b], width[b])
    return weight, at, logarithm + math.log(everything), mine, safe
