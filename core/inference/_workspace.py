"""The arrays that the kernels work in, kept from call to call: one workspace per board shape and process."""

import numpy as np
import numpy.typing as npt

from sweepstakes.inference._kernels_scan import offsets
from sweepstakes.inference._layout import ARCS_PER_STATE, CELL_ROWS, CLUE_AT, ROOM_PER_STATE

FIRST_CAPACITY = 1 << 12
KEPT = 4
"""Board shapes whose workspaces are kept; a tournament has few."""


class Workspace:
    """Scratch memory for boards of one shape. Nothing in it outlives a call but zeros at the padding."""

    __slots__ = ("around", "capacity", "cells", "links", "pool")

    def __init__(self, rows: int, cols: int) -> None:
        padded = (rows + 2) * (cols + 2)
        self.around = offsets(cols)
        self.cells = np.zeros((CELL_ROWS, padded + 2), dtype=np.int32)
        self.cells[CLUE_AT] = -1
        self.links = np.empty((2, 8 * padded), dtype=np.int32)
        self.capacity = 0
        self.pool: tuple[npt.NDArray[np.generic], ...] = ()
        self.grow(FIRST_CAPACITY)

    def grow(self, capacity: int) -> None:
        """Make room for so many states."""
        slots = 1 << (2 * capacity - 1).bit_length()
        self.capacity = capacity
        self.pool = (
            np.empty((2, capacity + 1), dtype=np.int64),
            np.empty((4, capacity + 1), dtype=np.int32),
            np.empty((2, ARCS_PER_STATE * capacity + 16), dtype=np.int32),
            np.empty(ARCS_PER_STATE * capacity + 16, dtype=np.float64),
            np.empty(ROOM_PER_STATE * capacity + 16, dtype=np.float64),
            np.zeros(slots, dtype=np.int64),
            np.empty(slots, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
        )


_kept: dict[tuple[int, ...], Workspace] = {}


def workspace(shape: tuple[int, ...]) -> Workspace:
    """The workspace for boards of a shape."""
    found = _kept.get(shape)
    if found is None:
        if len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        found = _kept[shape] = Workspace(*shape)
    return found
