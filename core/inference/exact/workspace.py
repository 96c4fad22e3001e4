"""The arrays that the kernels work in. Each process keeps one workspace for each board shape, from call to call."""

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
    MIN_ROW_LENGTH,
    MINE_LIST,
    NARROW_ROWS,
    SAFE_LIST,
    SCRATCH_ROWS,
    USED,
    VALUES_PER_STATE,
)

FIRST_CAPACITY = 1 << 12
"""States that a new workspace holds. It grows when a position needs more."""
MIN_BUDGET = 1 << 17
"""States that even a small position may use."""
MAX_WORKSPACES = 4
"""Workspaces that are kept. A tournament has few board shapes."""

Ints = npt.NDArray[np.int32]


def default_budget(cells: int) -> int:
    """Return how many states a position with this many cells may use if the caller sets no other limit."""
    return max(MIN_BUDGET, 4 * cells)


class Workspace:
    """Scratch memory for boards of one shape.

    Kernels overwrite it in every call, with two exceptions on which later calls rely: the padding of `cells` and the
    stamp of the hash table.
    """

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
    """Identifies the position whose sum is in the workspace. None if there is no usable sum."""
    extra: Any
    """A `base.Extra` for this capacity, or None until one is needed."""
    wide: npt.NDArray[np.int64]
    narrow: Ints
    real: npt.NDArray[np.float64]

    def __init__(self, rows: int, cols: int) -> None:
        self.budget = default_budget(rows * cols)
        high, wide = rows + 2 * PAD, cols + 2 * PAD
        padded = max(high * wide, MIN_ROW_LENGTH)
        self.cells: Ints = np.zeros((CELL_ROWS, padded), dtype=np.int32)
        self.cells[CLUE_AT] = -1
        self.cells[AROUND, :8] = steps_around(cols)
        self.cells[FLAT] = -1
        inside = np.arange(rows * cols, dtype=np.int32).reshape(rows, cols)
        self.cells[FLAT, : high * wide].reshape(high, wide)[PAD:-PAD, PAD:-PAD] = inside
        self.links: Ints = np.empty((2, 8 * padded), dtype=np.int32)
        # The polynomial of a component with n cells has at most n + 1 coefficients. No level of the tree over the
        # components has more coefficients than its leaves have together.
        coefficients = 2 * rows * cols * ((rows * cols).bit_length() + 2)
        self.scratch = np.empty((SCRATCH_ROWS, max(coefficients, MIN_ROW_LENGTH)))
        self.safe_list: Ints = self.cells[SAFE_LIST]
        self.mine_list: Ints = self.cells[MINE_LIST]
        self.grow(FIRST_CAPACITY)

    def grow(self, capacity: int) -> None:
        """Allocate the arrays again, for `capacity` states."""
        slots = 1 << (2 * capacity - 1).bit_length()
        size = capacity + 4
        self.capacity = capacity
        self.extra = None
        self.wide = np.zeros((2, size + slots + USED), dtype=np.int64)
        self.narrow = np.empty((NARROW_ROWS, ARCS_PER_STATE * size), dtype=np.int32)
        self.real = np.empty((ARCS_PER_STATE + VALUES_PER_STATE) * size, dtype=np.float64)


_workspaces: dict[tuple[int, ...], Workspace] = {}


def workspace(shape: tuple[int, ...]) -> Workspace:
    """Return the workspace for boards of a shape. The sum of an earlier position in it counts as overwritten."""
    found = _workspaces.get(shape)
    if found is None:
        if len(_workspaces) >= MAX_WORKSPACES:
            del _workspaces[next(iter(_workspaces))]
        found = _workspaces[shape] = Workspace(*shape)
    found.owner = None
    return found
