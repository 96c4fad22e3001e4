"""50/50 influence: how likely a cell sits in a pair or a box that no clue will ever decide.

Two adjacent cells a, b are a 50/50 if all cells that see only one of them, the three beyond each short end, are mines
or off the board: every clue then sees both or none, and swapping a mine from a to b changes no clue. Likewise a box of
2 x 2 cells whose four diagonal outside cells are mines, with the mines on one of its diagonals.
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
MOST_MISSING = 3
"""With more enclosing cells that are not known, a 50/50 is too unlikely to count."""


@inner
def is_on_board(p, base):
    """Whether a padded cell is one of the board."""
    return base.flat[p] >= 0


@inner
def inside_cell(p, form, k, width):
    """Cell k of a 50/50 that begins at a cell, its first row by row; the first half takes the mines."""
    if form == HORIZONTAL:
        return p + k
    if form == VERTICAL:
        return p + k * width
    # The diagonal from the first cell, then the other.
    if k == 0:
        return p
    if k == 1:
        return p + width + 1
    if k == 2:
        return p + 1
    return p + width


@inner
def enclosing_cell(p, form, k, width):
    """The cells that tell the halves of a 50/50 apart: six of a pair, four of a box."""
    if form == HORIZONTAL:
        return p - 1 + (k % 3 - 1) * width + (3 if k >= 3 else 0)
    if form == VERTICAL:
        return p - width + k % 3 - 1 + (3 * width if k >= 3 else 0)
    return p - width - 1 + (k & 1) * 3 + (k >> 1) * 3 * width


@inner
def missing_of(p, form, most, cols, base):
    """How many enclosing cells are not known to be mines; -1 if more than `most` or if there can be no 50/50 here."""
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
            if missing > most:
                return -1
    return missing if missing + halves // 2 <= base.left else -1


@inner(shared=True)
def fifty_fifty(p, form, cols, table, logarithm, base):
    """The probability that a 50/50 begins at a cell and the mines are on its first half.

    `logarithm` is that of the number of layouts. Each is computed once for a position, and those that no clue sees
    once for each number of missing cells.
    """
    fifty = base.extra.fifty
    at = 3 * p + form
    if fifty[at] >= 0.0:
        return fifty[at]
    missing = missing_of(p, form, MOST_MISSING, cols, base)
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
    kept = fifty.size - 16 + missing + (8 if form == BOX else 0)
    if unseen and fifty[kept] >= 0.0:
        chance = fifty[kept]
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
            fifty[kept] = chance
    clear_marks(n, base)
    fifty[at] = chance
    return chance


@inner
def begin_influence(base):
    """Forget what was computed for the position before."""
    for i in range(base.extra.fifty.size):
        base.extra.fifty[i] = -1.0


@inner(shared=True)
def exact_influence(p, cols, table, logarithm, base):
    """The probability that a cell is the mine of a 50/50, at most.

    The largest ones of the pairs in its row, the pairs in its column and the boxes are added; the caller bounds them.
    """
    width = cols + 2 * PAD
    total = 0.0
    for form in range(3):
        largest = 0.0
        for k in range(4 if form == BOX else 2):
            # The 50/50s of a form that have the cell in them begin here.
            q = p - inside_offset(form, k, width)
            largest = max(largest, fifty_fifty(q, form, cols, table, logarithm, base))
        total += largest
    return total


@inner
def inside_offset(form, k, width):
    """How far cell k of a 50/50 is from its first."""
    return inside_cell(np.int64(0), form, k, width)


@inner
def mine_chance(p, rest_chance, base):
    """The mine probability of a cell as an encloser: 1 off the board and for known mines, 0 for revealed cells."""
    if base.kind[p] == MINE:
        return 1.0
    if base.kind[p] != UNKNOWN:
        return 0.0
    g = base.group_at[p]
    return base.room.chance[g] if g >= 0 else rest_chance


@inner(shared=True)
def product_influence(p, cols, rest_chance, base):
    """The same by multiplying the mine probabilities of the enclosing cells of the four pairs, as if independent."""
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
    """Whether some revealed cell sees both."""
    width = cols + 2 * PAD
    for i in range(8):
        q = p + base.around[i]
        if is_on_board(q, base) and base.kind[q] != MINE and base.kind[q] != UNKNOWN:
            step = abs(q - o)
            if step == 1 or (width - 1 <= step <= width + 1):
                return True
    return False
