"""How the engines read a position: the kind of every cell, and the counts that every clue allows.

The exact sum, the deductions and the proofs number cells on a board padded by PAD cells on every side. Every cell then
has eight neighbours, and every clue has 24 clues around it that may share a cell with it, so no kernel has to check
where the board ends. A padded index is (row + PAD) * (columns + 2 * PAD) + column + PAD.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner
from sweepstakes.game.codes import COVERED, FLAG, WITHHELD

PAD = 2

# Kinds of cells. Added over eight neighbours they give two counts: unknown cells in the low four bits, mines above.
OPEN = 0
UNKNOWN = 1
MINE = 16

BIT = np.array([0, 1, 2, 7, 9, 14, 15, 16])
"""The bit of each of the eight neighbours in a set of cells, see `unknown_around`. Neighbour 7 - i is opposite i."""
CENTRE = 16
"""By how many bits a set of neighbours is shifted to lie in the centre of a frame of 7 x 7 cells around its clue.

The frame holds all neighbours of all 24 clues around it, so the sets of two clues can be compared bit by bit."""


def steps_around(cols: int) -> npt.NDArray[np.int32]:
    """Return the steps from a padded index to those of the eight neighbours, in ascending order."""
    width = cols + 2 * PAD
    return np.array([-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1], np.int32)


@inner
def row_start(r, cols):
    """Return the padded index of the first cell of row r."""
    return (r + PAD) * (cols + 2 * PAD) + PAD


@inner
def read_kinds(shown, trust_flags, kind):
    """Write the kind of every cell: (number of unknown cells, number of known mines)."""
    rows, cols = shown.shape
    unknown = 0
    mines = 0
    for r in range(rows):
        start = row_start(r, cols)
        for c in range(cols):
            code = shown[r, c]
            k = OPEN
            if code == COVERED or (code == FLAG and not trust_flags):
                k = UNKNOWN
            elif code < 0:
                k = MINE
            kind[start + c] = k
            unknown += k & 1
            mines += k >> 4
    return unknown, mines


@inner
def neighbours(rows, cols, r, c):
    """Return the number of neighbours of a cell on the board."""
    high = 3 - (r == 0) - (r == rows - 1)
    return high * (3 - (c == 0) - (c == cols - 1)) - 1


@inner
def possible_counts(shown, r, c, table, noisy):
    """Return the numbers of mines around a cell that its clue allows, as bits.

    Returns 0 if the cell shows no clue, or one that is ignored. `table` is the flat table of likelihoods under the clue
    noise; it is used only if `noisy`.
    """
    code = np.int64(shown[r, c])
    if code < 0 or code > WITHHELD or (code == WITHHELD and not noisy):
        return 0
    if not noisy:
        return 1 << code
    rows, cols = shown.shape
    n = neighbours(rows, cols, r, c)
    bits = 0
    for k in range(n + 1):
        if table[90 * n + 10 * k + code] > 0.0:
            bits |= 1 << k
    return bits


@inner
def sum_around(kind, p, width):
    """Return the sum of the kinds of a cell's neighbours."""
    up = p - width
    down = p + width
    total = kind[up - 1] + kind[up] + kind[up + 1] + kind[p - 1]
    return total + kind[p + 1] + kind[down - 1] + kind[down] + kind[down + 1]


@inner
def unknown_around(kind, p, around):
    """Return the unknown neighbours of a cell as bits.

    The neighbour `row` rows and `column` columns away (-1, 0 or 1) is bit 7 * (row + 1) + (column + 1). A step of one
    row is thus a shift by 7 bits, and a step of one column a shift by 1.
    """
    own = 0
    for i in range(8):
        own |= (kind[p + around[i]] & 1) << BIT[i]
    return own


@inner
def count_bits(x):
    """Return how many bits are set in a number below 2**62."""
    x = x - ((x >> 1) & 0x1555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    x = x + (x >> 8)
    x = x + (x >> 16)
    return (x + (x >> 32)) & 127
