"""Couple the components through the total number of mines.

Every component has a polynomial: the coefficient of x**t is the weight of its solutions with t mines. On the way up, a
binary tree multiplies the polynomials. At the root, the product is combined with the number of ways to place the
remaining mines on the free cells, the cells that no clue sees. On the way down, every node gets the weight of
everything outside it, for each of its own numbers of mines. Both directions take the same time. The memory needed is
the sum of the leaves' widths times the depth of the tree.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.layout import BY_LAYOUTS, BY_ODDS, TINY
from sweepstakes.inference.exact.summing import rescale

# Values of `step` in `cross`. They are typed, because numba would compile `cross` once for each plain literal.
MULTIPLIES = np.int64(0)
WEIGHS = np.int64(1)


@inner
def cross(factors, factors_at, count, source, source_at, target, target_at, width, step):
    """Multiply two polynomials (step 0), or weigh one by the other (step 1), and add the result to `target`.

    `count` factors begin at `factors[factors_at]`. For factor i and each k below `width` it computes

        target[target_at + i * (1 - step) + k] += factor * source[source_at + i * step + k]

    Step 0 is the usual product. Step 1 is its transpose: if `source` is the weight outside two nodes, it sums over the
    mines i in one of them, and k counts the mines in the other. Products of positive numbers are rounded up to TINY, so
    they stay positive.
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
    """Write to `target` the weight of placing `left - t` mines on the free cells, for t = low .. low + width - 1.

    The weight of k mines is C(free, k) * odds**k, divided by its value at the mode, where it is largest. Starting from
    1 at the mode, each weight follows from its neighbour by a ratio; a quotient of gamma functions would lose four
    digits. Returns the logarithm of
    (the value at the mode / odds**left), where odds**left is a factor that all layouts have in common.
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
    """Lay out a leaf for every component and an inner node for every product: (nodes, number of coefficients).

    If there are no components, one leaf with the polynomial 1 takes their place. BY_ODDS has no inner nodes, because
    then the components are independent.
    """
    total = 0
    for leaf in range(number):
        final = components.layer[components.start[leaf + 1] + leaf]
        nodes.low[leaf] = states.min_mines[final]
        nodes.width[leaf] = states.max_mines[final] - states.min_mines[final] + 1
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
        # The nodes are a queue: the product of the first two is appended, until only one node is left.
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
    """Divide a node's values by the largest. Return the logarithm of the divisor."""
    at = np.int64(nodes.at[node])
    return rescale(values, at, at + nodes.width[node], 1.0, 1.0)


@inner
def fill_leaves(number, components, states, nodes, real):
    """Copy every component's final row to its leaf and rescale it. Return the logarithm of all divisors."""
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
    """Multiply the polynomials of the two nodes below a node and rescale. Return the logarithm of the divisor."""
    poly = nodes.polynomials
    a = nodes.one[node]
    b = nodes.two[node]
    cross(poly, nodes.at[b], nodes.width[b], poly, nodes.at[a], poly, nodes.at[node], nodes.width[a], MULTIPLIES)
    return rescale_node(node, nodes, poly)


@inner
def hand_down(node, nodes):
    """Compute the weight outside each of the two nodes below a node.

    Outside one of them are its sibling and everything that is outside the node.
    """
    poly = nodes.polynomials
    weight = nodes.outside
    a = nodes.one[node]
    b = nodes.two[node]
    cross(poly, nodes.at[b], nodes.width[b], weight, nodes.at[node], weight, nodes.at[a], nodes.width[a], WEIGHS)
    cross(poly, nodes.at[a], nodes.width[a], weight, nodes.at[node], weight, nodes.at[b], nodes.width[b], WEIGHS)
    rescale_node(np.int64(a), nodes, weight)
    rescale_node(np.int64(b), nodes, weight)


@inner
def meet_free_cells(root, nodes, free, left):
    """Sum over the number of mines in all components: (total weight, weight of free mines, weight of free safe cells).

    The latter two are summed over all free cells, so their ratio is the odds of a mine on each.
    """
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
    """Set the weight outside every component to 1, for BY_ODDS. Return the logarithm of the total weight."""
    for leaf in range(number):
        everything = 0.0
        for i in range(nodes.at[leaf], nodes.at[leaf] + nodes.width[leaf]):
            nodes.outside[i] = 1.0
            everything += nodes.polynomials[i]
        logarithm += math.log(everything)
    return logarithm


@inner
def couple_components(number, components, states, nodes, real, mode, odds, free, left):
    """Compute the weight of everything outside each component, for each number of mines in its final row.

    Returns (logarithm of the total weight or -inf, weight of mines on free cells, weight of safe free cells).
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
    everything, mine, safe = meet_free_cells(root, nodes, free, left)
    if everything == 0.0:
        return -np.inf, mine, safe
    for node in range(count - 1, products - 1, -1):
        hand_down(node, nodes)
    return logarithm + math.log(everything), mine, safe
