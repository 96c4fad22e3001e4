"""The kernel behind `posterior` and `decide` for what `scan`, the other one, leaves open."""

# mypy: allow-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling import inner, kernel
from sweepstakes.inference.exact.coupling import mix
from sweepstakes.inference.exact.graph import find_clues, find_parts
from sweepstakes.inference.exact.layout import (
    ARCS_PER_STATE,
    AROUND,
    BY_LAYOUTS,
    BY_ODDS,
    GROUP_AT,
    GROUP_SURE,
    INCONSISTENT,
    KIND,
    MINE,
    MINE_LIST,
    NODE_AT,
    OK,
    OPEN,
    SAFE_LIST,
    UNKNOWN,
)
from sweepstakes.inference.exact.order import choose_order
from sweepstakes.inference.exact.summing import backward, forward

EQUAL = 1e-9
"""Probabilities this near count as equal."""


@inner
def settle(rows, cols, cells, chance, rest_chance, rest_sure, safe, found, probability, certain):
    """Write what is known of every unknown cell, and pick the cell to guess.

    Returns (safe cells, mines, flat index of the guess or -1, its probability).
    """
    full = probability.shape[0] > 0
    width = cols + 2
    around = cells[AROUND]
    kind = cells[KIND]
    group_at = cells[GROUP_AT]
    sure_of = cells[GROUP_SURE]
    safe_list = cells[SAFE_LIST]
    mine_list = cells[MINE_LIST]
    if full:
        for i in range(safe):
            probability[safe_list[i]] = 0.0
            certain[safe_list[i]] = 1
        for i in range(found):
            probability[mine_list[i]] = 1.0
            certain[mine_list[i]] = 2
    least = 2.0
    for r in range(rows):
        start = (r + 1) * width + 1
        for c in range(cols):
            p = start + c
            if kind[p] != UNKNOWN:
                continue
            g = group_at[p]
            x = rest_chance
            sure = rest_sure
            if g >= 0:
                x = chance[g]
                sure = sure_of[g]
            if sure == 1:
                safe_list[safe] = r * cols + c
                safe += 1
                kind[p] = OPEN
            elif sure == 2:
                mine_list[found] = r * cols + c
                found += 1
                kind[p] = MINE
            elif x < least:
                least = x
            if full:
                probability[r * cols + c] = x
                certain[r * cols + c] = sure
    best = -1
    best_chance = np.nan
    if safe > 0 or least == 2.0:
        return safe, found, best, best_chance
    fewest = 9
    least += EQUAL
    for r in range(rows):
        start = (r + 1) * width + 1
        for c in range(cols):
            p = start + c
            if kind[p] != UNKNOWN:
                continue
            g = group_at[p]
            x = rest_chance
            if g >= 0:
                x = chance[g]
            if x <= least:
                covered = 0
                for i in range(8):
                    covered += kind[p + around[i]] & 1
                if covered < fewest:
                    fewest = covered
                    best = r * cols + c
                    best_chance = x
    return safe, found, best, best_chance


@kernel
def weigh(
    shown,
    table,
    noisy,
    left,
    rest,
    safe,
    found,
    mode,
    odds,
    rest_chance,
    budget,
    cells,
    links,
    wide,
    narrow,
    real,
    probability,
    certain,
):
    """Weigh all layouts of what `scan` left in the workspace: `rest` unknown cells, `left` mines among them.

    `probability` and `certain` (flat) are filled unless empty. Returns (status, components, safe cells,
    mines, flat index of the guess or -1, its probability, logarithm of the total weight, states used);
    SAFE_LIST and MINE_LIST go on where `scan` left them.
    """
    rows, cols = shown.shape
    nothing = np.nan
    if mode == BY_LAYOUTS:
        # A mine weighs the odds of what remains, so that no number grows or shrinks for long. Any odds would
        # do.
        even = left if left > 0 else 0.5
        if even > rest - 0.5:
            even = rest - 0.5
        odds = even / (rest - even) if rest > 0 else 1.0
        if odds < 1e-4:
            odds = 1e-4
        if odds > 1e4:
            odds = 1e4
    logarithm = find_clues(shown, table, noisy, cells)
    groups, free, parts = find_parts(rows, cols, cells, links)
    for part in range(parts):
        choose_order(cells, links, part)
    limit = narrow.shape[1] // ARCS_PER_STATE - 4
    if limit > budget:
        limit = budget
    used = np.empty(4, np.int64)
    used[0] = 0
    used[1] = 0
    used[2] = narrow.shape[1]
    used[3] = wide[0, wide.shape[1] - 1]
    answer = OK
    for part in range(parts):
        answer, scale = forward(table, noisy, odds, cells, links, part, limit, used, wide, narrow, real)
        if answer != OK:
            break
        logarithm += scale
    wide[0, wide.shape[1] - 1] = used[3] + limit
    if answer != OK:
        return answer, parts, 0, 0, -1, nothing, -np.inf, used[0]
    weight, total, mine_rest, safe_rest = mix(cells, narrow, real, parts, mode, odds, free, left)
    if total == -np.inf:
        return INCONSISTENT, parts, 0, 0, -1, nothing, total, used[0]
    chance = np.empty(groups, np.float64)
    often = noisy or odds < 1e-4 or odds > 1e4
    for part in range(parts):
        backward(often, cells, part, narrow, real, weight, cells[NODE_AT, part], chance)
    logarithm += total
    if mode == BY_ODDS and not math.isnan(rest_chance):
        # A prior: every cell that a clue bears on, mine or safe, has its factor.
        logarithm += found * math.log(odds) - (rest + safe + found - free) * math.log1p(odds)
    rest_sure = 0
    if mode != BY_ODDS and free > 0:
        rest_chance = mine_rest / (mine_rest + safe_rest)
        if mine_rest == 0.0:
            rest_sure = 1
        elif safe_rest == 0.0:
            rest_sure = 2
    safe, found, best, best_chance = settle(
        rows, cols, cells, chance, rest_chance, rest_sure, safe, found, probability, certain
    )
    return OK, parts, safe, found, best, best_chance, logarithm, used[0]
