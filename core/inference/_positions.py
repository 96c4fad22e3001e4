"""How the engines read a position: what every cell is, and what every clue says about the cells around it.

The exact sum, the deductions and the proofs number cells on a board padded by PAD cells on every side. So every cell
has eight neighbours, and every clue the 24 others that may share a cell with it: no kernel asks where the edge is.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner
from sweepstakes.game.codes import COVERED, FLAG, WITHHELD

PAD = 2

# What a padded cell is. The sum over eight neighbours holds both counts: unknown in the low four bits, mines above.
OPEN = 0
UNKNOWN = 1
MINE = 16

BIT = np.array([0, 1, 2, 7, 9, 14, 15, 16])
"""The bit of each of the eight neighbours in a set of cells; the neighbour opposite i is 7 - i."""
CENTRE = 16
"""How far a set is shifted into the 7 x 7 frame around its clue, which holds all cells of all its partners."""


def steps_around(cols: int) -> npt.NDArray[np.int32]:
    """The steps from a padded cell to its eight neighbours, ascending."""
    width = cols + 2 * PAD
    return np.array([-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1], np.int32)


@inner
def row_start(r, cols):
    """The padded index of the first cell of a row."""
    return (r + PAD) * (cols + 2 * PAD) + PAD


@inner
def read_kinds(shown, trust_flags, kind):
    """Write what every cell is: (unknown cells, known mines)."""
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
    """How many neighbours a cell has."""
    high = 3 - (r == 0) - (r == rows - 1)
    return high * (3 - (c == 0) - (c == cols - 1)) - 1


@inner
def possible_counts(shown, r, c, table, noisy):
    """The numbers of mines around a cell that its clue allows, as bits; 0 if it shows no clue, or one without meaning.

    `table` holds the likelihoods of the clue noise, flat. Without noise it is not looked at.
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
    """The sum of the kinds of a cell's neighbours."""
    up = p - width
    down = p + width
    total = kind[up - 1] + kind[up] + kind[up + 1] + kind[p - 1]
    return total + kind[p + 1] + kind[down - 1] + kind[down] + kind[down + 1]


@inner
def unknown_around(kind, p, around):
    """The unknown neighbours of a cell as bits: bit 7 x (row + 1) + (column + 1), counted from the cell."""
    own = 0
    for i in range(8):
        own |= (kind[p + around[i]] & 1) << BIT[i]
    return own


@inner
def count_bits(x):
    """How many bits of a number below 2**62 are set."""
    x = x - ((x >> 1) & 0x1555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    x = x + (x >> 8)
    x = x + (x >> 16)
    return (x + (x >> 32)) & 127
