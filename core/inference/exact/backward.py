"""The backward pass of the dynamic programme over a component, which finds every marginal."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference.exact.layout import TINY
from sweepstakes.inference.exact.summing import HUGE, rescale


@inner
def take_back(begin, stop, size, states, arcs, real, back):
    """Replace the values of the states `begin` to `stop` by backward sums: (weight of mines, weight of safe cells).

    A backward sum is the weight of all ways to continue from a state with a given number of mines. An arc's forward
    sum, weight and backward sum multiplied are the weight of all solutions that use the arc. The results are these
    weights times the mines, or safe cells, that the arc has in its group of `size` cells.
    """
    mine = 0.0
    safe = 0.0
    for s in range(begin, stop):
        source = states.row[s]
        length = states.max_mines[s] - states.min_mines[s] + 1
        for i in range(length):
            back[i] = 0.0
        for e in range(states.first_arc[s], states.first_arc[s + 1]):
            t = arcs.target[e]
            j = arcs.placed[e]
            to = states.row[t] + states.min_mines[s] + j - states.min_mines[t]
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
def backward(component, often, groups, components, states, arcs, nodes, real, buffers):
    """Find the mine probability of every group of a component, from the last layer back to the first.

    The backward sums of the final row are the weights of everything outside the component, from `couple_components`.
    Layer by layer they replace the forward sums, which are no longer needed. A group is certainly safe (`sure` is 1) if
    the weight of mines in it is exactly 0, and certainly all mines (2) if the weight of safe cells is.
    """
    start = np.int64(components.start[component])
    end = np.int64(components.start[component + 1])
    layer = components.layer
    final = layer[end + component]
    for i in range(states.max_mines[final] - states.min_mines[final] + 1):
        real[states.row[final] + i] = nodes.outside[nodes.at[component] + i]
    for at in range(end - 1, start - 1, -1):
        g = components.order[at]
        begin = np.int64(layer[at + component])
        stop = np.int64(layer[at + component + 1])
        mine, safe = take_back(begin, stop, groups.size[g], states, arcs, real, buffers.back)
        if often or at & 3 == 3:
            rescale(real, np.int64(states.row[begin]), np.int64(states.row[stop]), 1.0 / HUGE, HUGE)
        if mine + safe > 0.0:
            buffers.chance[g] = mine / (mine + safe)
        groups.sure[g] = 0
        if mine == 0.0:
            groups.sure[g] = 1
        elif safe == 0.0:
            groups.sure[g] = 2
