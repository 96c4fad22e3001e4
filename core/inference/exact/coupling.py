"""Coupling the components through the mine count.

Every component has a polynomial: the weight of its solutions by their number of mines. The polynomials are
multiplied in a binary tree; the root meets the ways to place the remaining mines on the cells that no clue
sees; and on the way down every node learns the weight of all that is outside it. Both ways cost the same, and
the memory is the total width times the depth of the tree.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.layout import BY_LAYOUTS, BY_ODDS, TINY
from sweepstakes.inference.exact.summing import rescale

# What `cross` does, typed: for two literals it would be compiled twice.
MULTIPLIES = np.int64(0)
WEIGHS = np.int64(1)


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
    mode = np.int64((free + 1) * (odds / (1.0 + odds)))
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
def plan_tree(number, components, states, nodes, mode):
    """Give every component a leaf, and every two nodes their product: (nodes, coefficients in all).

    Without any component a leaf stands for the one way to do nothing. By odds nothing is multiplied.
    """
    total = 0
    for leaf in range(number):
        final = components.layer[components.start[leaf + 1] + leaf]
        nodes.low[leaf] = states.fewest[final]
        nodes.width[leaf] = states.most[final] - states.fewest[final] + 1
        nodes.at[leaf] = total
        total += nodes.width[leaf]
    count = number
    if number == 0:
        nodes.low[0] = 0
        nodes.width[0] = 1
        nodes.at[0] = 0
        total = 1
        count = 1
    first = 0
    while mode != BY_ODDS and first < count - 1:
        # A queue: what two neighbours make goes to its end, until one is left.
        nodes.low[count] = nodes.low[first] + nodes.low[first + 1]
        nodes.width[count] = nodes.width[first] + nodes.width[first + 1] - 1
        nodes.one[count] = first
        nodes.two[count] = first + 1
        nodes.at[count] = total
        total += nodes.width[count]
        first += 2
        count += 1
    return count, total


@inner
def rescale_node(node, nodes, values):
    """Bring the largest of a node's values to 1; the logarithm taken out."""
    at = np.int64(nodes.at[node])
    return rescale(values, at, at + nodes.width[node], 1.0, 1.0)


@inner
def fill_leaves(number, components, states, nodes, real):
    """Copy every component's final row to its leaf, scaled; the logarithm of the scale."""
    poly = nodes.polynomials
    logarithm = 0.0
    poly[0] = 1.0
    for leaf in range(number):
        at = nodes.at[leaf]
        source = states.row[components.layer[components.start[leaf + 1] + leaf]]
        for i in range(nodes.width[leaf]):
            poly[at + i] = real[source + i]
        logarithm += rescale_node(leaf, nodes, poly)
    return logarithm


@inner
def multiply(node, nodes):
    """Make a node's polynomial of the two below it, scaled; the logarithm of the scale."""
    poly = nodes.polynomials
    a = nodes.one[node]
    b = nodes.two[node]
    cross(poly, nodes.at[b], nodes.width[b], poly, nodes.at[a], poly, nodes.at[node], nodes.width[a], MULTIPLIES)
    return rescale_node(node, nodes, poly)


@inner
def hand_down(node, nodes):
    """Give the two nodes below one the weight of all that is outside them."""
    poly = nodes.polynomials
    weight = nodes.outside
    a = nodes.one[node]
    b = nodes.two[node]
    cross(poly, nodes.at[b], nodes.width[b], weight, nodes.at[node], weight, nodes.at[a], nodes.width[a], WEIGHS)
    cross(poly, nodes.at[a], nodes.width[a], weight, nodes.at[node], weight, nodes.at[b], nodes.width[b], WEIGHS)
    rescale_node(np.int64(a), nodes, weight)
    rescale_node(np.int64(b), nodes, weight)


@inner
def meet_the_rest(root, nodes, free, left):
    """Sum over the mines in all components: (total weight, that of a mine on a free cell, that of a safe free cell)."""
    everything = 0.0
    mine = 0.0
    safe = 0.0
    at = nodes.at[root]
    for i in range(nodes.width[root]):
        w = nodes.outside[at + i]
        f = nodes.polynomials[at + i]
        if w > 0.0 and f > 0.0:
            w *= f
            if w < TINY:
                w = TINY
            k = left - nodes.low[root] - i
            everything += w
            mine += w * k
            safe += w * (free - k)
    return everything, mine, safe


@inner
def weigh_alone(number, nodes, logarithm):
    """Without a mine count the outside of every component weighs 1; the logarithm of the total."""
    for leaf in range(number):
        everything = 0.0
        for i in range(nodes.at[leaf], nodes.at[leaf] + nodes.width[leaf]):
            nodes.outside[i] = 1.0
            everything += nodes.polynomials[i]
        logarithm += math.log(everything)
    return logarithm


@inner
def couple_components(number, components, states, nodes, real, mode, odds, free, left):
    """Give every component the weight of all that is outside it, over the numbers of mines of its final row.

    Returns (logarithm of the total or -inf, weight of a mine on a free cell, weight of a safe free cell).
    """
    count, total = plan_tree(number, components, states, nodes, mode)
    for i in range(total):
        nodes.polynomials[i] = 0.0
        nodes.outside[i] = 0.0
    logarithm = fill_leaves(number, components, states, nodes, real)
    if mode == BY_ODDS:
        return weigh_alone(number, nodes, logarithm), 0.0, 0.0
    products = number if number > 0 else count
    for node in range(products, count):
        logarithm += multiply(node, nodes)
    root = count - 1
    low = nodes.low[root]
    width = nodes.width[root]
    at = nodes.at[root]
    if mode == BY_LAYOUTS:
        logarithm += rest_weights(odds, free, left, low, width, nodes.outside, at)
    else:
        for i in range(width):
            nodes.outside[at + i] = 1.0 if 0 <= left - low - i <= free else 0.0
    everything, mine, safe = meet_the_rest(root, nodes, free, left)
    if everything == 0.0:
        return -np.inf, mine, safe
    for node in range(count - 1, products - 1, -1):
        hand_down(node, nodes)
    return logarithm + math.log(everything), mine, safe
