"""Deduction from the clues of a position, without summing over solutions: equations and the cells they prove."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell
from sweepstakes.game.view import View
from sweepstakes.inference._positions import MINE, PAD, UNKNOWN, steps_around
from sweepstakes.inference.deduction.equations import (
    FOUND,
    GAVE_UP,
    KIND,
    N_FOUND,
    N_UNKNOWN,
    NONE,
    PROOF,
    ROWS,
    SILENT,
    STATE,
    collect,
    fewest_unknown_around,
    least_ratio,
    pick_unknown,
    read,
    singles,
)

Flat = npt.NDArray[np.int64]
"""Cells as flat indices, row x columns + column."""

Deduction = Callable[..., bool]
"""A kernel that proves more cells than single clues do. It returns False if contradicting clues were discarded."""

Asked = tuple[npt.NDArray[np.int8], Deduction | None, tuple[Any, ...], npt.NDArray[np.bool_] | None]
"""The shown codes of a position, a deduction with its arguments, and the clues to ignore."""

MAX_SHAPES = 8
"""Board shapes whose arrays are kept."""


class Arrays:
    """The arrays for one board shape, which hold one position at a time."""

    def __init__(self, rows: int, cols: int) -> None:
        width = cols + 2 * PAD
        self.rows, self.cols = rows, cols
        self.owner: Knowledge | None = None
        """The knowledge whose position the arrays hold."""
        self.grid = np.zeros((ROWS, (rows + 2 * PAD) * width), np.int32)
        self.state, self.silent = self.grid[STATE], self.grid[SILENT]
        self.around = steps_around(cols)
        self.proof = np.zeros(16 * self.grid.shape[1], np.int32)
        self.cells = np.empty(rows * cols, np.int64)


class Knowledge:
    """The equations of one position, and the cells they prove.

    Withheld clues are ignored. Clues that contradict each other are discarded, and the deduction starts again without
    them. All positions of one shape share their arrays, so a question about an earlier position deduces it again.
    """

    __slots__ = ("_arrays", "_asked")

    def __init__(self, arrays: Arrays, asked: Asked) -> None:
        self._arrays = arrays
        self._asked = asked
        self._learn()

    @classmethod
    def of(
        cls,
        view: View,
        deduction: Deduction | None = None,
        *arguments: Any,
        ignore: npt.NDArray[np.bool_] | None = None,
    ) -> Knowledge:
        """Deduce all cells that single clues and the deduction prove, until nothing new is found.

        The deduction is called with `arguments`. `ignore` marks clues that are not used.
        """
        arrays = _arrays_by_shape.get((view.rows, view.cols))
        if arrays is None:
            if len(_arrays_by_shape) >= MAX_SHAPES:
                del _arrays_by_shape[next(iter(_arrays_by_shape))]
            arrays = _arrays_by_shape[view.rows, view.cols] = Arrays(view.rows, view.cols)
        return cls(arrays, (view.shown, deduction, arguments, None if ignore is None else ignore.copy()))

    def _learn(self) -> None:
        arrays = self._arrays
        shown, deduction, arguments, ignore = self._asked
        grid, around, proof = arrays.grid, arrays.around, arrays.proof
        arrays.owner = None
        arrays.silent.fill(0)
        if ignore is not None:
            inside = arrays.silent.reshape(arrays.rows + 2 * PAD, -1)[PAD:-PAD, PAD:-PAD]
            inside[ignore] = 1
        while True:
            read(shown, grid, around)
            if singles(grid, around, proof) and (deduction is None or deduction(grid, around, proof, *arguments)):
                break
        arrays.owner = self

    def _current(self) -> Arrays:
        """Return the arrays, filled with this position."""
        if self._arrays.owner is not self:
            self._learn()
        return self._arrays

    @property
    def fallback(self) -> bool:
        """Whether a deduction stopped early because it would have taken too long."""
        return bool(self._current().state[GAVE_UP])

    @property
    def safe(self) -> Flat:
        """Cells proven safe."""
        return self._collect(0)

    @property
    def mines(self) -> Flat:
        """Covered cells proven to be mines, without those under a flag."""
        return self._collect(1)

    def _collect(self, mine: int) -> Flat:
        arrays = self._arrays
        if arrays.owner is not self:
            self._learn()
        if arrays.state[N_FOUND] == 0:
            return _NOTHING
        return arrays.cells[: collect(arrays.grid, arrays.cols, mine, arrays.cells)].copy()

    @property
    def unknown(self) -> int:
        """The number of covered cells that are proven neither safe nor a mine."""
        state = self._current().state
        return int(state[N_UNKNOWN] - state[N_FOUND])

    def rest(self) -> Flat:
        """Return the covered cells that are proven neither safe nor a mine, row by row."""
        inside = self._current().grid[KIND].reshape(self._arrays.rows + 2 * PAD, -1)[PAD:-PAD, PAD:-PAD]
        return np.flatnonzero(inside == UNKNOWN)

    def nth_unknown(self, which: int) -> int:
        """Return the unknown cell number `which`, counted row by row."""
        return int(pick_unknown(self._current().grid, self._arrays.rows, self._arrays.cols, which))

    def least_local(self, *, accumulate: bool) -> tuple[Flat, float]:
        """Return the frontier cells with the least local probability, and that probability.

        By a clue, the probability of each of its unknown cells is its missing mines / its unknown cells. The local
        probability of a cell is the largest of these, or their sum with `accumulate`. Without a frontier there are no
        cells.
        """
        arrays = self._current()
        count, chance = least_ratio(arrays.grid, arrays.around, arrays.rows, arrays.cols, accumulate, arrays.cells)
        return arrays.cells[:count].copy(), float(chance)

    def least_involved(self, cells: Flat) -> int:
        """Return the cell with the fewest unknown neighbours, or the first of several."""
        arrays = self._current()
        return int(fewest_unknown_around(arrays.grid, arrays.around, arrays.cols, cells, cells.size))

    def discarded(self) -> npt.NDArray[np.bool_]:
        """Return the clues that were discarded or ignored, as an array of the board's shape."""
        inside = self._current().silent.reshape(self._arrays.rows + 2 * PAD, -1)[PAD:-PAD, PAD:-PAD]
        silent: npt.NDArray[np.bool_] = inside == 1
        return silent

    def evidence(self) -> dict[Cell, list[Cell]]:
        """Return the clues that prove each proven cell, together with the cells proven before it."""
        grid, proof = self._current().grid, self._arrays.proof
        proofs = {}
        for q in grid[FOUND, : grid[STATE, N_FOUND]].tolist():
            entry = int(grid[PROOF, q])
            if entry == NONE:
                continue
            clues = proof[entry + 1 : entry + 1 + proof[entry]].tolist() if entry >= 0 else [-1 - entry]
            proofs[self._cell(q)] = [self._cell(p) for p in clues]
        return proofs

    def cells_of(self, flat: Flat) -> list[Cell]:
        """Convert flat indices to cells."""
        return [Cell(*divmod(cell, self._arrays.cols)) for cell in flat.tolist()]

    def known_mines(self) -> int:
        """Return the number of mines that are flagged, detonated or proven."""
        return int((self._current().grid[KIND] == MINE).sum())

    def _cell(self, p: int) -> Cell:
        row, col = divmod(p, self._arrays.cols + 2 * PAD)
        return Cell(row - PAD, col - PAD)


_NOTHING = np.empty(0, np.int64)
_arrays_by_shape: dict[tuple[int, int], Arrays] = {}
