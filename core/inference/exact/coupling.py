"""Coupling the components through the mine count.

Every component has a polynomial: the weight of its solutions by their number of mines. The polynomials are
multiplied in a binary tree; the root meets the ways to place the remaining mines on the cells that no clue
sees; and on the way down every node learns the weight of all that is outside it. Both ways cost the same, and
the memory is the total width times the depth of the tree.
"""

# mypy: allow-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling import inner
from sweepstakes.inference.exact.layout import (
    BY_LAYOUTS,
    BY_ODDS,
    FEWEST,
    LAYER,
    MOST,
    NODE_AT,
    NODE_LOW,
    NODE_ONE,
    NODE_TWO,
    NODE_WIDTH,
    PART_START,
    ROW,
    TINY,
)
from sweepstakes.inference.exact.summing import rescale


@inner
def cross(factors, factors_at, count, source, source_at, target, target_at, width, step):
    """For every factor i: target[i * (1 - step) ...] += factor * source[i * step ...], over `width` places.

    With step 0 this multiplies polynomials, with step 1 it weighs one by the other. A product of positive
    numbers stays positive.
    """
    for i in range(count):
        factor = factors[factors_at + i]
        if factor > 0.0:
            start = source_at + i * step
            to = target_at + i * (1 - step)
            for k in range(width):
                v = source[start + k]
                x = factor * v
                if x < TINY and v > 0.0:
                    x = TINY
                target[to + k] += x


@inner
def rest_weights(odds, free, left, low, width, target, at):
    """Weight of the ways to put `left - t` mines on the free cells, for t = low .. low + width - 1.

    It is C(free, k) odds^k over its value at the mode, built from there by ratios (a quotient of gammas would
    cost four digits). Returns the logarithm of what was divided out, without the power odds^left.
    """
    least = left - low - width + 1
    if least < 0:
        least = 0
    most = left - low
    if most > free:
        most = free
    if least > most:
        return 0.0
    mode = int((free + 1) * (odds / (1.0 + odds)))
    if mode < least:
        mode = least
    if mode > most:
        mode = most
    to = at + left - low
    x = 1.0
    for k in range(mode, most + 1):
        target[to - k] = x if x > TINY else TINY
        x *= (free - k) / (k + 1.0) * odds
    x = 1.0
    for k in range(mode, least - 1, -1):
        target[to - k] = x if x > TINY else TINY
        x *= k / ((free - k + 1.0) * odds)
    logarithm = math.lgamma(free + 1.0) - math.lgamma(mode + 1.0) - math.lgamma(free - mode + 1.0)
    return logarithm + (mode - left) * math.log(odds)


@inner
def mix(cells, narrow, real, parts, mode, odds, free, left):
    """Give every component the weight of all that is outside it, at NODE_AT of the weights.

    Returns (weights, logarithm of the total or -inf, weight of a mine on a free cell, weight of a safe free
    cell). A component's weights run over its final row.
    """
    low = cells[NODE_LOW]
    width = cells[NODE_WIDTH]
    at = cells[NODE_AT]
    one = cells[NODE_ONE]
    two = cells[NODE_TWO]
    total = 0
    for part in range(parts):
        final = cells[LAYER, cells[PART_START, part + 1] + part]
        low[part] = narrow[FEWEST, final]
        width[part] = narrow[MOST, final] - narrow[FEWEST, final] + 1
        at[part] = total
        total += width[part]
    count = parts
    if parts == 0:
        low[0] = 0
        width[0] = 1
        at[0] = 0
        total = 1
        count = 1
    if mode != BY_ODDS:
        first = 0
        while first < count - 1:
            # A queue: what two neighbours make goes to its end, until one is left.
            low[count] = low[first] + low[first + 1]
            width[count] = width[first] + width[first + 1] - 1
            one[count] = first
            two[count] = first + 1
            at[count] = total
            total += width[count]
            first += 2
            count += 1
    poly = np.empty(total, np.float64)
    weight = np.empty(total, np.float64)
    for i in range(total):
        poly[i] = 0.0
        weight[i] = 0.0
    logarithm = 0.0
    poly[0] = 1.0
    for part in range(parts):
        source = narrow[ROW, cells[LAYER, cells[PART_START, part + 1] + part]]
        for i in range(width[part]):
            poly[at[part] + i] = real[source + i]
        logarithm += rescale(poly, np.int64(at[part]), at[part] + width[part], 1.0, 1.0)
    if mode == BY_ODDS:
        for part in range(parts):
            everything = 0.0
            for i in range(at[part], at[part] + width[part]):
                weight[i] = 1.0
                everything += poly[i]
            logarithm += math.log(everything)
        return weight, logarithm, 0.0, 0.0
    for node in range(parts, count):
        if parts > 0:
            a = one[node]
            b = two[node]
            cross(poly, at[b], width[b], poly, at[a], poly, at[node], width[a], 0)
            logarithm += rescale(poly, np.int64(at[node]), at[node] + width[node], 1.0, 1.0)
    root = count - 1
    if mode == BY_LAYOUTS:
        logarithm += rest_weights(odds, free, left, low[root], width[root], weight, at[root])
    else:
        for i in range(width[root]):
            k = left - low[root] - i
            weight[at[root] + i] = 1.0 if 0 <= k <= free else 0.0
    everything = 0.0
    mine = 0.0
    safe = 0.0
    for i in range(width[root]):
        w = weight[at[root] + i]
        f = poly[at[root] + i]
        if w > 0.0 and f > 0.0:
            w *= f
            if w < TINY:
                w = TINY
            k = left - low[root] - i
            everything += w
            mine += w * k
            safe += w * (free - k)
    if everything == 0.0:
        return weight, -np.inf, mine, safe
    for node in range(count - 1, parts - 1, -1):
        if parts > 0:
            a = one[node]
            b = two[node]
            cross(poly, at[b], width[b], weight, at[node], weight, at[a], width[a], 1)
            cross(poly, at[a], width[a], weight, at[node], weight, at[b], width[b], 1)
            rescale(weight, np.int64(at[a]), at[a] + width[a], 1.0, 1.0)
            rescale(weight, np.int64(at[b]), at[b] + width[b], 1.0, 1.0)
    return weight, logarithm + math.log(everything), mine, safe
