"""The kernel of `lookahead`: what is known after some cells have been opened, for each clue that they may show."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import kernel
from sweepstakes.inference.exact.base import list_cells, prepare, sum_again
from sweepstakes.inference.exact.layout import OK, OVER
from sweepstakes.inference.exact.opening import open_cell, padded


@kernel
def look_ahead(shape, numbers, table, arrays, known_safe, wanted, values, outlook):
    """Look ahead from each cell in `wanted`, given by flat index.

    Writes to `values` the number of clues that the cell may show, and to `outlook` eight numbers for each of them (see
    `opening`). Returns (OK or OVER,).
    """
    base = prepare(numbers, arrays)
    answer, _, _, _ = sum_again(base, table)
    if answer != OK:
        return (answer,)
    list_cells(shape[0], shape[1], base)
    over = False
    for i in range(wanted.size):
        answer, count, _ = open_cell(np.int64(padded(wanted[i], base)), known_safe, 1, table, base)
        values[i] = count if answer == OK else -1
        over = over or answer == OVER
        for k in range(8 * 9):
            outlook[i, k] = base.extra.value[k]
    return (OVER if over else OK,)
