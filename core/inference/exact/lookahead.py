"""The kernel of `lookahead`: for some cells, what each clue they may show would tell."""

# mypy: allow-untyped-defs, no-check-untyped-defs
# Types inside kernels are the compiler's business; the callers are checked.

import numpy as np

from sweepstakes.compiling.decorators import kernel
from sweepstakes.inference.exact.base import list_cells, prepare, sum_again
from sweepstakes.inference.exact.layout import OK, OVER
from sweepstakes.inference.exact.opening import open_cell, padded


@kernel
def look_ahead(shape, numbers, table, arrays, known_safe, wanted, values, told):
    """For every wanted cell (flat) write the number of its values to `values` and eight numbers for each to `told`.

    Returns (OK or OVER,).
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
            told[i, k] = base.extra.value[k]
    return (OVER if over else OK,)
