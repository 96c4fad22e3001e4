"""50/50 influence: the probability that a cell is in a pair or a box that no clue will ever decide.

Two adjacent cells are a 50/50 if all cells that see only one of them, the three beyond each short end, are mines or off
the board. Every clue then sees both or neither, so moving a mine from one to the other changes no clue. A box of 2 x 2
cells with mines on one of its diagonals is a 50/50 if the four cells diagonally outside it are mines or off the board.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import math

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.inference._positions import MINE, PAD, UNKNOWN
from sweepstakes.inference.exact.base import group_of
from sweepstakes.inference.exact.conditional import couple_under, weight_of
from sweepstakes.inference.exact.conditioned import MINED, SAFE, clear_marks, forward_under, mark_cell
from sweepstakes.inference.exact.layout import OK

HORIZONTAL = 0
VERTICAL = 1
BOX = 2
MAX_MISSING = 3
"""A 50/50 with more unknown enclosing cells than this is ignored, since it is very unlikely."""


@inner
def is_on_board(p, base):
    """Return whether a padded cell lies on the board."""
    return base.flat[p] >= 0


@inner
def inside_cell(p, form, k, width):
    """Return cell k of the 50/50 of a form that begins at cell p. The first half of its cells gets the mines."""
    if form == HORIZONTAL:
        return p + k
    if form == VERTICAL:
        return p + k * width
    # A box: first the diagonal that begins at p, then the other.
    if k == 0:
        return p
    if k == 1:
        return p + width + 1
    if k == 2:
        return p + 1
    return p + width


@inner
def enclosing_cell(p, form, k, width):
    """Return enclosing cell k of a 50/50: one that sees only one half. A pair has six of them, a box four."""
    if form == HORIZONTAL:
        return p - 1 + (k % 3 - 1) * width + (3 if k >= 3 else 0)
    if form == VERTICAL:
        return p - width + k % 3 - 1 + (3 * width if k >= 3 else 0)
    return p - width - 1 + (k & 1) * 3 + (k >> 1) * 3 * width


@inner
def missing_of(p, form, limit, cols, base):
    """Count the enclosing cells that are unknown. Return -1 if more than `limit`, or if no 50/50 is possible here."""
    width = cols + 2 * PAD
    halves = 4 if form == BOX else 2
    for k in range(halves):
        q = inside_cell(p, form, k, width)
        if not is_on_board(q, base) or base.kind[q] != UNKNOWN:
            return -1
    missing = 0
    for k in range(4 if form == BOX else 6):
        q = enclosing_cell(p, form, k, width)
        if is_on_board(q, base) and base.kind[q] != MINE:
            if base.kind[q] != UNKNOWN:
                return -1
            missing += 1
            if missing > limit:
                return -1
    return missing if missing + halves // 2 <= base.left else -1


@inner(shared=True)
def fifty_fifty(p, form, cols, table, logarithm, base):
    """Return the probability that a 50/50 of a form begins at cell p and has its mines on its first half.

    `logarithm` is that of the number of layouts. Each probability is computed only once for a position. All 50/50s of
    free cells with the same number of missing cells have the same probability, which is stored at the end of `fifty`.
    """
    fifty = base.extra.fifty
    at = 3 * p + form
    if fifty[at] >= 0.0:
        return fifty[at]
    missing = missing_of(p, form, MAX_MISSING, cols, base)
    if missing < 0:
        fifty[at] = 0.0
        return 0.0
    width = cols + 2 * PAD
    halves = 4 if form == BOX else 2
    n = 0
    unseen = True
    for k in range(halves):
        q = inside_cell(p, form, k, width)
        unseen = unseen and group_of(q, base) == base.group_count
        n = mark_cell(q, MINED if 2 * k < halves else SAFE, n, base)
    for k in range(4 if form == BOX else 6):
        q = enclosing_cell(p, form, k, width)
        if is_on_board(q, base) and base.kind[q] == UNKNOWN:
            unseen = unseen and group_of(q, base) == base.group_count
            n = mark_cell(q, MINED, n, base)
    shared = fifty.size - 16 + missing + (8 if form == BOX else 0)
    if unseen and fifty[shared] >= 0.0:
        chance = fifty[shared]
    else:
        chance = 0.0
        answer, _, _, begin, scale = forward_under(n, False, table, base)
        if answer == OK:
            answer, _, more = couple_under(begin, base)
            if answer == OK:
                weight = weight_of(begin, base)
                if weight > 0.0:
                    chance = math.exp(scale + more + math.log(weight) - logarithm)
        if unseen:
            fifty[shared] = chance
    clear_marks(n, base)
    fifty[at] = chance
    return chance


@inner
def begin_influence(base):
    """Forget the probabilities of the previous position."""
    for i in range(base.extra.fifty.size):
        base.extra.fifty[i] = -1.0


@inner(shared=True)
def exact_influence(p, cols, table, logarithm, base):
    """Return an upper estimate of the probability that a cell is the mine of a 50/50.

    It is the sum of three maxima: over the pairs in the cell's row, over the pairs in its column, and over the boxes
    with the cell. The caller limits the sum.
    """
    width = cols + 2 * PAD
    total = 0.0
    for form in range(3):
        largest = 0.0
        for k in range(4 if form == BOX else 2):
            # A 50/50 in which the cell is number k begins at q.
            q = p - inside_offset(form, k, width)
            largest = max(largest, fifty_fifty(q, form, cols, table, logarithm, base))
        total += largest
    return total


@inner
def inside_offset(form, k, width):
    """Return the distance of cell k of a 50/50 from its first cell, in padded indices."""
    return inside_cell(np.int64(0), form, k, width)


@inner
def mine_chance(p, rest_chance, base):
    """Return the mine probability of a cell on the board: 1 for a known mine, 0 for a revealed cell."""
    if base.kind[p] == MINE:
        return 1.0
    if base.kind[p] != UNKNOWN:
        return 0.0
    g = base.group_at[p]
    return base.buffers.chance[g] if g >= 0 else rest_chance


@inner(shared=True)
def product_influence(p, cols, rest_chance, base):
    """Estimate the probability that a cell is the mine of a pair, as if the cells of each pair were independent."""
    width = cols + 2 * PAD
    chance = mine_chance(p, rest_chance, base)
    total = 0.0
    for form in range(2):
        for k in range(2):
            first = p - inside_offset(form, k, width)
            o = first + inside_offset(form, 1 - k, width)
            if not is_on_board(o, base) or base.kind[o] != UNKNOWN:
                continue
            other = mine_chance(o, rest_chance, base)
            weight = chance * (1.0 - other)
            if share_a_clue(p, o, cols, base):
                weight = min(chance, 1.0 - other)
            for i in range(6):
                q = enclosing_cell(first, form, i, width)
                if is_on_board(q, base):
                    weight *= mine_chance(q, rest_chance, base)
            total += weight
    return total


@inner
def share_a_clue(p, o, cols, base):
    """Return whether some revealed cell sees both p and o."""
    width = cols + 2 * PAD
    for i in range(8):
        q = p + base.around[i]
        if is_on_board(q, base) and base.kind[q] != MINE and base.kind[q] != UNKNOWN:
            step = abs(q - o)
            if step == 1 or (width - 1 <= step <= width + 1):
                return True
    return False
