"""The kernel of `posterior` and `decide` for the cells that `scan` does not resolve."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.inference._positions import MINE, OPEN, UNKNOWN, row_start
from sweepstakes.inference.exact.backward import backward
from sweepstakes.inference.exact.coupling import couple_components
from sweepstakes.inference.exact.graph import find_clues, find_components, find_groups
from sweepstakes.inference.exact.layout import (
    ARCS_PER_STATE,
    AROUND,
    BY_LAYOUTS,
    BY_ODDS,
    GROUP_AT,
    INCONSISTENT,
    KIND,
    MINE_LIST,
    N_ARCS,
    N_STATES,
    N_VALUES,
    OK,
    SAFE_LIST,
    STAMP,
    USED,
    VALUES_PER_STATE,
)
from sweepstakes.inference.exact.order import choose_order
from sweepstakes.inference.exact.summing import Capacities, forward
from sweepstakes.inference.exact.tables import (
    arc_table,
    buffer_table,
    clue_table,
    component_table,
    group_table,
    node_table,
    state_table,
)

EQUAL = 1e-9
"""Probabilities that differ by at most this much are treated as equal."""


@inner
def write_resolved(cells, safe, found, probability, certain):
    """Write the probabilities of the cells that `scan` has resolved: `safe` safe cells and `found` mines."""
    safe_list = cells[SAFE_LIST]
    mine_list = cells[MINE_LIST]
    for i in range(safe):
        probability[safe_list[i]] = 0.0
        certain[safe_list[i]] = 1
    for i in range(found):
        probability[mine_list[i]] = 1.0
        certain[mine_list[i]] = 2


@inner
def write_marginals(rows, cols, cells, group_sure, chance, rest_chance, rest_sure, safe, found, probability, certain):
    """Write the marginals of all unknown cells, and list the certain ones: (safe cells, mines, least probability).

    The least probability is the minimum over the cells that are not certain, or 2 if all are. `probability` and
    `certain` are filled unless they are empty; in `certain`, 1 is safe and 2 is a mine.
    """
    full = probability.shape[0] > 0
    kind = cells[KIND]
    group_at = cells[GROUP_AT]
    if full:
        write_resolved(cells, safe, found, probability, certain)
    least = 2.0
    for r in range(rows):
        start = row_start(r, cols)
        for c in range(cols):
            p = start + c
            if kind[p] != UNKNOWN:
                continue
            g = group_at[p]
            x = rest_chance
            sure = rest_sure
            if g >= 0:
                x = chance[g]
                sure = group_sure[g]
            if sure == 1:
                cells[SAFE_LIST, safe] = r * cols + c
                safe += 1
                kind[p] = OPEN
            elif sure == 2:
                cells[MINE_LIST, found] = r * cols + c
                found += 1
                kind[p] = MINE
            elif x < least:
                least = x
            if full:
                probability[r * cols + c] = x
                certain[r * cols + c] = sure
    return safe, found, least


@inner
def pick_guess(rows, cols, cells, chance, rest_chance, least):
    """Choose among the cells of the least probability the one with the fewest unknown neighbours, then the first.

    Returns (flat index, probability).
    """
    around = cells[AROUND]
    kind = cells[KIND]
    group_at = cells[GROUP_AT]
    best = -1
    best_chance = np.nan
    fewest = 9
    for r in range(rows):
        start = row_start(r, cols)
        for c in range(cols):
            p = start + c
            if kind[p] != UNKNOWN:
                continue
            g = group_at[p]
            x = rest_chance
            if g >= 0:
                x = chance[g]
            if x <= least + EQUAL:
                covered = 0
                for i in range(8):
                    covered += kind[p + around[i]] & 1  # UNKNOWN is 1; OPEN and MINE are even
                if covered < fewest:
                    fewest = covered
                    best = r * cols + c
                    best_chance = x
    return best, best_chance


@inner
def even_odds(left, rest):
    """Return the weight of a mine when all layouts count equally: the odds that a remaining cell is a mine.

    Any weight gives the same probabilities, since all layouts have equally many mines. With this one, sums neither grow
    nor shrink much, so that they rarely have to be rescaled.
    """
    even = left if left > 0 else 0.5
    if even > rest - 0.5:
        even = rest - 0.5
    odds = even / (rest - even) if rest > 0 else 1.0
    if odds < 1e-4:
        odds = 1e-4
    if odds > 1e4:
        odds = 1e4
    return odds


@inner
def limits_of(budget, wide, narrow):
    """Return the capacities of the workspace arrays, with at most `budget` states, and where the hash table begins."""
    hashed = narrow.shape[1] // ARCS_PER_STATE
    states = hashed - 4
    if states > budget:
        states = budget
    values = narrow.shape[1] + VALUES_PER_STATE * states
    return Capacities(states, ARCS_PER_STATE * states, values, hashed, wide.shape[1] - hashed - USED)


@inner
def rest_marginal(mode, rest_chance, free, mine, safe):
    """Return the marginal of a free cell from the weights of free mines and free safe cells: (probability, sure)."""
    if mode == BY_ODDS or free == 0:
        return rest_chance, 0
    sure = 0
    if mine == 0.0:
        sure = 1
    elif safe == 0.0:
        sure = 2
    return mine / (mine + safe), sure


@kernel(allocates=False)
def sum_layouts(
    shown, table, noisy, numbers, weighting, budget, cells, links, wide, narrow, real, scratch, probability, certain
):
    """Sum over all layouts of the position that `scan` left in the workspace, and write the marginals.

    `numbers` are (mines left, cells left unknown, cells found safe, mines found). `weighting` is (how layouts are
    weighed, odds of a mine, mine probability of a cell that no clue sees). `probability` and `certain` are indexed by
    flat cell, and filled unless they are empty. Newly resolved cells are appended to SAFE_LIST and MINE_LIST.

    Returns (status, components, safe cells, mines, flat index of the guess or -1, its probability, logarithm of the
    total weight, states used).
    """
    left, rest, safe, found = numbers
    mode, odds, rest_chance = weighting
    if mode == BY_LAYOUTS:
        odds = even_odds(left, rest)
    often = noisy or odds < 1e-4 or odds > 1e4
    rows, cols = shown.shape
    clues = clue_table(cells, links)
    groups = group_table(cells, links)
    components = component_table(cells)
    states = state_table(wide, narrow)
    arcs = arc_table(narrow)
    nodes = node_table(cells, scratch)
    buffers = buffer_table(cells, scratch)
    limits = limits_of(budget, wide, narrow)

    logarithm = find_clues(shown, table, noisy, cells, clues)
    count, free = find_groups(rows, cols, cells, clues, groups)
    number = find_components(count, clues, groups, components)
    for component in range(number):
        choose_order(component, cells, clues, groups, components)

    answer, logarithm, used = sum_components(
        number, logarithm, odds, often, table, noisy, clues, groups, components, states, arcs, real, buffers, limits
    )
    if answer != OK:
        return answer, number, 0, 0, -1, np.nan, -np.inf, used
    total, mine_rest, safe_rest = couple_components(number, components, states, nodes, real, mode, odds, free, left)
    if total == -np.inf:
        return INCONSISTENT, number, 0, 0, -1, np.nan, total, used
    logarithm += total
    if mode == BY_ODDS and not math.isnan(rest_chance):
        # The odds p / (1 - p) come from a prior probability p: each mine among the cells that clues see should have the
        # factor p, and each safe cell 1 - p. So far, mines found by `scan` have the factor 1, other mines p / (1 - p),
        # and safe cells 1. What is missing: p / (1 - p) for each mine found, and 1 - p for each of these cells.
        logarithm += found * math.log(odds) - (rest + safe + found - free) * math.log1p(odds)

    for component in range(number):
        backward(component, often, groups, components, states, arcs, nodes, real, buffers)
    rest_chance, rest_sure = rest_marginal(mode, rest_chance, free, mine_rest, safe_rest)
    safe, found, least = write_marginals(
        rows, cols, cells, groups.sure, buffers.chance, rest_chance, rest_sure, safe, found, probability, certain
    )
    best, best_chance = -1, np.nan
    if safe == 0 and least < 2.0:
        best, best_chance = pick_guess(rows, cols, cells, buffers.chance, rest_chance, least)
    return OK, number, safe, found, best, best_chance, logarithm, used


@inner
def sum_components(
    number, logarithm, odds, often, table, noisy, clues, groups, components, states, arcs, real, buffers, limits
):
    """Sum one component after the other: (OK, INCONSISTENT or OVER; new logarithm; states used).

    The new logarithm is `logarithm` plus that of all factors divided out.
    """
    used = states.used
    used[N_STATES] = 0
    used[N_ARCS] = 0
    used[N_VALUES] = limits.hashed * ARCS_PER_STATE
    answer = OK
    count = 0
    for component in range(number):
        answer, scale = forward(
            component, odds, often, table, noisy, clues, groups, components, states, arcs, real, buffers, limits
        )
        if answer != OK:
            break
        count = used[N_STATES]
        logarithm += scale
    # The next position must not find entries of this one in the hash table. A step that ran out of space did not save
    # the last stamp that it used.
    used[STAMP] += limits.states
    return answer, logarithm, count
