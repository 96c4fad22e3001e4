"""The arrays that the kernels work in, kept from call to call: one workspace per board shape and process."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes.inference._positions import PAD, steps_around
from sweepstakes.inference.exact.layout import (
    ARCS_PER_STATE,
    AROUND,
    CELL_ROWS,
    CLUE_AT,
    FLAT,
    LEAST_ROW,
    MINE_LIST,
    NARROW_ROWS,
    SAFE_LIST,
    SCRATCH_ROWS,
    USED,
    VALUES_PER_STATE,
)

FIRST_CAPACITY = 1 << 12
LEAST_BUDGET = 1 << 17
KEPT = 4
"""Board shapes whose workspaces are kept; a tournament has few."""

Ints = npt.NDArray[np.int32]


def default_budget(cells: int) -> int:
    """States that a position of so many cells may use unless the caller says otherwise."""
    return max(LEAST_BUDGET, 4 * cells)


class Workspace:
    """Scratch memory for boards of one shape. Only the padding and the stamps outlive a call."""

    __slots__ = (
        "budget",
        "capacity",
        "cells",
        "extra",
        "links",
        "mine_list",
        "narrow",
        "owner",
        "real",
        "safe_list",
        "scratch",
        "wide",
    )

    capacity: int
    owner: object
    """The key of the sum that the workspace holds, or None."""
    extra: Any
    """The arrays of `base.Extra` for this capacity, or None: they are made when they are first needed."""
    wide: npt.NDArray[np.int64]
    narrow: Ints
    real: npt.NDArray[np.float64]

    def __init__(self, rows: int, cols: int) -> None:
        self.budget = default_budget(rows * cols)
        high, wide = rows + 2 * PAD, cols + 2 * PAD
        padded = max(high * wide, LEAST_ROW)
        self.cells: Ints = np.zeros((CELL_ROWS, padded), dtype=np.int32)
        self.cells[CLUE_AT] = -1
        self.cells[AROUND, :8] = steps_around(cols)
        self.cells[FLAT] = -1
        inside = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
        self.cells[FLAT, : high * wide].reshape(high, wide)[PAD:-PAD, PAD:-PAD] = inside
        self.links: Ints = np.empty((2, 8 * padded), dtype=np.int32)
        # A component of n cells has a polynomial of n + 1 coefficients at most, and no level of the tree over the
        # components has more of them than its leaves.
        coefficients = 2 * rows * cols * ((rows * cols).bit_length() + 2)
        self.scratch = np.empty((SCRATCH_ROWS, max(coefficients, LEAST_ROW)))
        self.safe_list: Ints = self.cells[SAFE_LIST]
        self.mine_list: Ints = self.cells[MINE_LIST]
        self.grow(FIRST_CAPACITY)

    def grow(self, capacity: int) -> None:
        """Make room for so many states."""
        slots = 1 << (2 * capacity - 1).bit_length()
        room = capacity + 4
        self.capacity = capacity
        self.extra = None
        self.wide = np.zeros((2, room + slots + USED), dtype=np.int64)
        self.narrow = np.empty((NARROW_ROWS, ARCS_PER_STATE * room), dtype=np.int32)
        self.real = np.empty((ARCS_PER_STATE + VALUES_PER_STATE) * room, dtype=np.float64)


_kept: dict[tuple[int, ...], Workspace] = {}


def workspace(shape: tuple[int, ...]) -> Workspace:
    """The workspace for boards of a shape; what it held before is lost."""
    found = _kept.get(shape)
    if found is None:
        if len(_kept) >= KEPT:
            del _kept[next(iter(_kept))]
        found = _kept[shape] = Workspace(*shape)
    found.owner = None
    return found
