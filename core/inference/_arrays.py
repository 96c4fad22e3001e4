"""The array types that the kernels are compiled for: read-only, C-contiguous, likelihood tables flat."""

import numpy as np
import numpy.typing as npt

Shown = npt.NDArray[np.int8]
Table = npt.NDArray[np.float64]

EXACT: Table = np.tile(np.eye(9, 10).reshape(-1), 9)
"""The table under which every cell shows its true count, flat."""
EXACT.flags.writeable = False


def frozen(shown: Shown) -> Shown:
    """Return the shown codes as a read-only C-contiguous int8 array. numba would compile again for any other type."""
    if not shown.flags.writeable:
        return shown
    view = np.ascontiguousarray(shown, dtype=np.int8).view()
    view.flags.writeable = False
    return view


def flat_table(table: Table) -> Table:
    """Return a likelihood table as a read-only flat array."""
    if table.shape != (9, 9, 10):
        raise ValueError(f"a likelihood table has shape (9, 9, 10), not {table.shape}")
    flat = np.ascontiguousarray(table, dtype=np.float64).reshape(-1)
    flat.flags.writeable = False
    return flat
