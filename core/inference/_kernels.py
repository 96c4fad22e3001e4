"""The one kernel behind `posterior` and `decide`: two entries would be compiled twice."""

import math

import numpy as np
from numba import njit

from sweepstakes.inference._kernels_graph import find_clues, find_groups, find_parts, is_flat, neighbours_of
from sweepstakes.inference._kernels_mix import mix
from sweepstakes.inference._kernels_order import choose_order, drop_clues
from sweepstakes.inference._kernels_scan import flat_index, propagate, read
from sweepstakes.inference._kernels_sum import OVER, backward, forward
from sweepstakes.inference._layout import (
    APPROXIMATE,
    BY_LAYOUTS,
    BY_ODDS,
    CLUE_CELL,
    DROPPED,
    GROUP_AT,
    GROUP_SURE,
    GROW,
    INCONSISTENT,
    KIND,
    KNOWN,
    LEFT,
    MASK,
    MINE,
    MINE_LIST,
    OK,
    OPEN,
    PART_START,
    SAFE_LIST,
    UNKNOWN,
)

EQUAL = 1e-9
"""Probabilities this near count as equal."""


@njit(cache=True)
def sum_parts(shown, table, noisy, odds, cells, links, around, pool, budget):
    """Find the components and sum each; leave out clues until the work fits the budget.

    Returns (status, clues, groups, free cells, components, logarithm taken out, states used).
    """
    rows, cols = shown.shape
    limit = min(budget, pool[0].shape[1] - 1)
    used = np.zeros(3, np.int64)
    status = OK
    bits = 4 << 10
    while budget >> (bits >> 10) != 0:
        bits += 1 << 10
    bits += 4 << 10
    while True:
        clues = find_clues(shown, table, noisy, cells)
        groups, free = find_groups(rows, cols, cells, links, around)
        parts = find_parts(cells, links, groups)
        used[:] = 0
        logarithm = 0.0
        fits = True
        for part in range(parts):
            choose_order(cells, links, cells[PART_START, part], cells[PART_START, part + 1])
            if fits:
                answer, scale = forward(shown, table, noisy, odds, cells, links, part, limit, used, pool)
                logarithm += scale
                if answer == INCONSISTENT:
                    return INCONSISTENT, clues, groups, free, parts, logarithm, used[0]
                fits = answer != OVER
        if fits:
            return status, clues, groups, free, parts, logarithm, used[0]
        if limit < budget:
            return GROW, clues, groups, free, parts, logarithm, used[0]
        status = APPROXIMATE
        dropped = 0
        while dropped == 0:
            if bits <= 0:
                for clue in range(clues):
                    cells[DROPPED, cells[CLUE_CELL, clue]] = 1
                break
            for part in range(parts):
                dropped += drop_clues(cells, links, part, bits)
            bits -= 3 << 10


@njit(cache=True)
def constant_terms(shown, table, cells):
    """Logarithm of the likelihood of the noisy clues that no longer bear on anything."""
    rows, cols = shown.shape
    logarithm = 0.0
    for r in range(rows):
        for c in range(cols):
            p = (r + 1) * (cols + 2) + c + 1
            if cells[MASK, p] != 0 and (cells[LEFT, p] == 0 or is_flat(shown, table, cells, p)):
                logarithm += math.log(table[neighbours_of(rows, cols, p), cells[KNOWN, p], shown[r, c]])
    return logarithm


@njit(cache=True)
def settle(rows, cols, cells, around, chance, rest_chance, rest_sure, safe, mines, probability, certain):
    """Write what is known of every unknown cell, and pick the cell to guess.

    Returns (safe cells, mines, padded cell to guess or -1, its probability).
    """
    full = probability.shape[0] > 0
    kind = cells[KIND]
    group_at = cells[GROUP_AT]
    sure_of = cells[GROUP_SURE]
    safe_list = cells[SAFE_LIST]
    mine_list = cells[MINE_LIST]
    if full:
        for i in range(safe):
            p = safe_list[i]
            probability[p // (cols + 2) - 1, p % (cols + 2) - 1] = 0.0
            certain[p // (cols + 2) - 1, p % (cols + 2) - 1] = 1
        for i in range(mines):
            p = mine_list[i]
            probability[p // (cols + 2) - 1, p % (cols + 2) - 1] = 1.0
            certain[p // (cols + 2) - 1, p % (cols + 2) - 1] = 2
    least = np.inf
    for r in range(rows):
        p = (r + 1) * (cols + 2)
        for c in range(cols):
            p += 1
            if kind[p] != UNKNOWN:
                continue
            g = group_at[p]
            x = chance[g] if g >= 0 else rest_chance
            sure = sure_of[g] if g >= 0 else rest_sure
            if sure == 1:
                safe_list[safe] = p
                safe += 1
                kind[p] = OPEN
            elif sure == 2:
                mine_list[mines] = p
                mines += 1
                kind[p] = MINE
            elif x < least:
                least = x
            if full:
                probability[r, c] = x
                certain[r, c] = sure
    best = -1
    if safe > 0 or least == np.inf:
        return safe, mines, best, np.nan
    fewest = 9
    best_chance = least
    for r in range(rows):
        p = (r + 1) * (cols + 2)
        for c in range(cols):
            p += 1
            if kind[p] != UNKNOWN:
                continue
            g = group_at[p]
            x = chance[g] if g >= 0 else rest_chance
            if x <= least + EQUAL:
                covered = 0
                for d in around:
                    covered += kind[p + d] & 15
                if covered < fewest:
                    fewest = covered
                    best = p
                    best_chance = x
    return safe, mines, best, best_chance


@njit(cache=True)
def solve(
    shown,
    table,
    noisy,
    trust_flags,
    mines,
    mode,
    odds,
    rest_chance,
    budget,
    hasty,
    cells,
    links,
    around,
    pool,
    probability,
    certain,
):
    """Everything about a position in one call.

    With `hasty` the answer comes as soon as propagation finds a safe cell. `probability` and `certain` are filled
    unless empty. Returns (status, safe cells, mines, flat index of the guess or -1, its probability, logarithm of
    the total weight, states used); the cells themselves are in SAFE_LIST and MINE_LIST, as flat indices.
    """
    rows, cols = shown.shape
    unknown, known, top = read(shown, table, noisy, trust_flags, cells, around)
    if top < 0:
        return INCONSISTENT, 0, 0, -1, np.nan, -np.inf, 0
    safe, found, bad = propagate(cells, around, top)
    propagated = found
    left = mines - known - found
    rest = unknown - safe - found
    if bad >= 0 or (mode != BY_ODDS and (left < 0 or left > rest)):
        return INCONSISTENT, 0, 0, -1, np.nan, -np.inf, 0
    if hasty and safe > 0:
        flat_index(cells, SAFE_LIST, safe, cols)
        flat_index(cells, MINE_LIST, found, cols)
        return OK, safe, found, -1, np.nan, np.nan, 0
    if mode == BY_LAYOUTS:
        # A mine weighs the odds of what remains, so that no number grows or shrinks for long.
        even = min(max(left, 0.5), rest - 0.5)
        odds = even / (rest - even) if rest > 0 else 1.0
    status, clues, groups, free, parts, logarithm, states = sum_parts(
        shown, table, noisy, odds, cells, links, around, pool, budget
    )
    if status != OK:
        cells[DROPPED, :] = 0
        if status != APPROXIMATE:
            return status, 0, 0, -1, np.nan, -np.inf, states
    weight, at, total, mine_rest, safe_rest = mix(cells, pool[1], pool[4], parts, mode, odds, free, left)
    if total == -np.inf:
        return INCONSISTENT, 0, 0, -1, np.nan, -np.inf, states
    chance = np.empty(groups, np.float64)
    for part in range(parts):
        backward(cells, part, pool, weight, at[part], chance)
    rest_sure = 0
    if mode != BY_ODDS and free > 0:
        rest_chance = mine_rest / (mine_rest + safe_rest)
        if mine_rest == 0.0:
            rest_sure = 1
        elif safe_rest == 0.0:
            rest_sure = 2
    safe, found, best, best_chance = settle(
        rows, cols, cells, around, chance, rest_chance, rest_sure, safe, found, probability, certain
    )
    flat_index(cells, SAFE_LIST, safe, cols)
    flat_index(cells, MINE_LIST, found, cols)
    if best >= 0:
        best = (best // (cols + 2) - 1) * cols + best % (cols + 2) - 1
    logarithm += total
    if noisy and probability.shape[0] > 0:
        logarithm += constant_terms(shown, table, cells)
    if mode == BY_ODDS and not math.isnan(rest_chance):
        # A prior: every cell that a clue bears on, mine or safe, has its factor.
        logarithm += propagated * math.log(odds) - (unknown - free) * math.log1p(odds)
    return status, safe, found, best, best_chance, logarithm, states
