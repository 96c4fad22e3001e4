"""Constraints, the form in which agents reason: some cells, and how many mines are among them."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sweepstakes.inference import _kernels_deduce as kernels
from sweepstakes.inference._arrays import EXACT, Shown, Table, flat_table, frozen

Ints = npt.NDArray[np.int32]


class Constraint(NamedTuple):
    """Between `low` and `high` mines are among the cells, says the clue; all as flat indices."""

    clue: int
    cells: tuple[int, ...]
    low: int
    high: int


class Deduction(NamedTuple):
    """What constraints prove, in the order of finding, and why."""

    cells: Ints
    """Flat indices of the cells found."""
    mines: npt.NDArray[np.bool_]
    """Whether each is a mine."""
    clues: Ints
    """Two columns: the clue that decided each cell, and the second one where it took a pair, else -1."""
    contradiction: int
    """A clue that cannot hold, or -1; the finds before it stand or fall with the clues."""

    @property
    def safe(self) -> Ints:
        """The safe cells found."""
        return self.cells[~self.mines]

    @property
    def mine(self) -> Ints:
        """The mines found."""
        return self.cells[self.mines]


class Constraints:
    """The constraints of a position, as flat arrays that kernels work on.

    Constraint i is about `cell[start[i]:start[i + 1]]`, speaks for the clue at `clue[i]`, and holds between
    `low[i]` and `high[i]` mines; an exact clue has both alike. Cells and clues are flat indices of a board
    with `size` cells.
    """

    __slots__ = ("cell", "clue", "high", "low", "size", "start")

    def __init__(self, size: int, clue: Ints, start: Ints, cell: Ints, low: Ints, high: Ints) -> None:
        self.size = size
        self.clue = clue
        self.start = start
        self.cell = cell
        self.low = low
        self.high = high

    @classmethod
    def of(cls, shown: Shown, *, noise: Table | None = None, trust_flags: bool = True) -> "Constraints":
        """The constraints of a view: one for each clue with unknown neighbours, known mines taken off.

        A noisy clue gives the bounds of the counts that can show it. Without noise a withheld clue gives
        nothing.
        """
        size = shown.size
        clue = np.empty(size, dtype=np.int32)
        start = np.empty(size + 1, dtype=np.int32)
        cell = np.empty(8 * size, dtype=np.int32)
        low = np.empty(size, dtype=np.int32)
        high = np.empty(size, dtype=np.int32)
        table = EXACT if noise is None else flat_table(noise)
        n = kernels.gather(frozen(shown), table, noise is not None, trust_flags, clue, start, cell, low, high)
        return cls(size, clue[:n], start[: n + 1], cell[: start[n]], low[:n], high[:n])

    @classmethod
    def from_lists(cls, size: int, constraints: list[Constraint]) -> "Constraints":
        """The same from single constraints."""
        start = np.cumsum([0, *(len(c.cells) for c in constraints)], dtype=np.int32)
        return cls(
            size,
            np.array([c.clue for c in constraints], dtype=np.int32),
            start,
            np.array([cell for c in constraints for cell in c.cells], dtype=np.int32),
            np.array([c.low for c in constraints], dtype=np.int32),
            np.array([c.high for c in constraints], dtype=np.int32),
        )

    def __len__(self) -> int:
        return len(self.clue)

    def __getitem__(self, i: int) -> Constraint:
        if not 0 <= i < len(self):
            raise IndexError(i)
        cells = tuple(self.cell[self.start[i] : self.start[i + 1]].tolist())
        return Constraint(int(self.clue[i]), cells, int(self.low[i]), int(self.high[i]))

    def __iter__(self) -> Iterator[Constraint]:
        for i in range(len(self)):
            yield self[i]

    def without(self, found: Deduction) -> "Constraints":
        """What the constraints say about the other cells once these are known; empty ones are left out."""
        value = np.full(self.size, -1, dtype=np.int32)
        value[found.cells] = found.mines
        of_cell = value[self.cell]
        ends = np.concatenate(([0], np.cumsum(of_cell < 0)))[self.start]
        mines = np.concatenate(([0], np.cumsum(of_cell == 1)))[self.start]
        taken = np.diff(mines)
        kept = np.diff(ends) > 0
        start = np.concatenate(([0], np.cumsum(np.diff(ends)[kept])))
        return Constraints(
            self.size,
            self.clue[kept],
            start.astype(np.int32),
            self.cell[of_cell < 0],
            (self.low - taken)[kept].astype(np.int32),
            (self.high - taken)[kept].astype(np.int32),
        )


def propagate(constraints: Constraints) -> Deduction:
    """What single constraints prove, one after another to the fixed point."""
    return _deduce(constraints, singles=True, pairs=False)


def pairs(constraints: Constraints) -> Deduction:
    """What two constraints that share cells prove together, in one sweep over all such pairs.

    This is subtraction with signs: if A - B is as large as the cells that only A has, those are mines, and
    what only B has is safe. It includes the case of one inside the other.
    """
    return _deduce(constraints, singles=False, pairs=True)


def deduce(constraints: Constraints) -> Deduction:
    """What single constraints and pairs prove, in turns until neither finds more."""
    return _deduce(constraints, singles=True, pairs=True)


def _deduce(constraints: Constraints, *, singles: bool, pairs: bool) -> Deduction:
    size = constraints.size
    value = np.empty(size, dtype=np.int8)
    found = np.empty(size, dtype=np.int32)
    because = np.empty((size, 2), dtype=np.int32)
    c = constraints
    n, bad = kernels.deduce(c.start, c.cell, c.low, c.high, size, singles, pairs, value, found, because)
    cells = found[:n]
    reasons = because[:n]
    clues = np.where(reasons >= 0, c.clue[reasons], -1) if n else reasons
    return Deduction(cells, value[cells] == 1, clues.astype(np.int32), int(c.clue[bad]) if bad >= 0 else -1)
