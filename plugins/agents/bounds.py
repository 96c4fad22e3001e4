"""`bounds`: uncertain clues as bounds.

A clue that may be wrong still bounds the number of mines around it. The agent considers which counts are possible under
the noise for what a cell shows, but not how likely they are:

    withheld              1 to 8 mines, at most as many as neighbours
    optimistic, shows 2   2 or more mines
    cautious, shows 2     1 or 2 mines
    liar, shows 2         1 to 3 mines

An upper bound of 0 proves that the unknown neighbours are safe. A lower bound equal to their number proves that they
are mines. Two clues are subtracted as bounds: mines that the second clue must share with the first are not among the
other neighbours of the first. All proofs are sound under every noise, so no flag is wrong.

When it can prove no cell safe, the agent opens the cell with the lowest risk. It treats every count within a clue's
bounds as equally likely, as report D does for withheld clues. So each unknown neighbour gets the mean of the bounds /
unknown neighbours. The rest is our decision: a cell takes the mean over its clues, a cell without a clue takes the mean
over all clues, and ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Cell, Noise, Turn, View, hookimpl
from sweepstakes.game.cell import neighbours
from sweepstakes.game.codes import COVERED, WITHHELD
from sweepstakes.plugins.agents._guessing import opening

Bounds = tuple[int, int, int]
"""Unknown cells as the bits of a number, and the minimum and maximum number of mines among them."""


class BoundsAgent(Agent):
    """Proves cells by bounds on uncertain clues, else opens a cell with the lowest risk."""

    version = 1

    def act(self, view: View) -> Turn:
        """Return all proven cells, or a cell with the lowest risk."""
        known = BoundedPosition(view)
        proofs = known.evidence() if self.explain and (known.safe or known.mines) else None
        safe, mines = (np.flatnonzero(_bits(cells, view.shown.size)) for cells in (known.safe, known.mines))
        if safe.size or not known.unknown:
            return Turn(open=safe, flag=mines, why="proof", evidence=proofs)
        risk = known.risks()
        least = np.flatnonzero(risk <= np.nanmin(risk) + 1e-9)
        cell = int(least[self.rng.below(least.size)])
        return opening(cell, float(risk[cell]))._replace(flag=mines, evidence=proofs)

    def probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """Return the risk of every covered cell: 0 for cells proven safe, 1 for proven mines."""
        known = BoundedPosition(view)
        risk = known.risks()
        risk[_bits(known.safe, risk.size)] = 0
        risk[_bits(known.mines, risk.size) | (view.shown.reshape(-1) < COVERED)] = 1
        return risk.reshape(view.shown.shape)


class BoundedPosition:
    """The cells that bounds prove in a position. Clues that contradict others are ignored."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._around = _masks(view.rows, view.cols)
        shown = view.shown.reshape(-1)
        self._covered = _mask(shown == COVERED)
        self._known_mines = _mask(shown < COVERED)
        low, high = _possible(view.noise)
        self._clues: dict[int, tuple[int, int]] = {}
        for cell in np.flatnonzero(shown >= 0).tolist():
            around = self._around[cell]
            if around & self._covered:
                n, value = around.bit_count(), int(shown[cell])
                self._clues[cell] = int(low[n, value]), int(high[n, value])
        while not self._prove():
            pass

    @property
    def unknown(self) -> int:
        """The covered cells that are proven neither safe nor a mine, as bits."""
        return self._covered & ~self.safe & ~self.mines

    def _prove(self) -> bool:
        """Prove what can be proven. Return False if a clue contradicts the others and was removed."""
        self.safe = self.mines = 0
        self._proofs: dict[int, list[int]] = {}
        while True:
            equations = {}
            for clue in self._clues:
                cells, low, high = self._bounds(clue)
                if low > cells.bit_count() or high < 0:
                    del self._clues[clue]
                    return False
                if cells:
                    equations[clue] = cells, max(low, 0), min(high, cells.bit_count())
            if not self._singles(equations) and not self._pairs(equations):
                return True

    def _bounds(self, clue: int) -> Bounds:
        """Return the bounds of a clue on its neighbours that are still unknown."""
        around, (low, high) = self._around[clue], self._clues[clue]
        mines = (around & (self._known_mines | self.mines)).bit_count()
        return around & self.unknown, low - mines, high - mines

    def _singles(self, equations: Mapping[int, Bounds]) -> bool:
        """Settle the cells that single clues prove. Return True if any are new."""
        found = [self._settle(cells, low, high, [clue]) for clue, (cells, low, high) in equations.items()]
        return any(found)

    def _pairs(self, equations: Mapping[int, Bounds]) -> bool:
        """Settle the cells that pairs of clues prove. Return True if any are new."""
        found = False
        cols = self.view.cols
        for one, (cells, low, high) in equations.items():
            for other in _nearby(one, self.view.rows, cols):
                if other not in equations:
                    continue
                others, least, most = equations[other]
                common, rest = cells & others, cells & ~others
                if common and rest:
                    max_common = min(common.bit_count(), most)
                    min_common = max(0, least - (others & ~cells).bit_count())
                    found |= self._settle(rest, low - max_common, high - min_common, [one, other])
        return found

    def _settle(self, cells: int, low: int, high: int, clues: list[int]) -> bool:
        """Record cells as proven if their bounds make them all safe or all mines. Return True if some are new."""
        new = cells & self.unknown
        if not new or (low != cells.bit_count() and high != 0):
            return False
        if high == 0:
            self.safe |= new
        else:
            self.mines |= new
        for cell in np.flatnonzero(_bits(new, self.view.shown.size)).tolist():
            self._proofs[cell] = clues
        return True

    def evidence(self) -> dict[Cell, list[Cell]]:
        """Return, for each proven cell, the clues that prove it together with the cells proven before it."""
        cols = self.view.cols
        return {
            Cell(*divmod(cell, cols)): [Cell(*divmod(clue, cols)) for clue in sorted(clues)]
            for cell, clues in self._proofs.items()
        }

    def risks(self) -> npt.NDArray[np.float64]:
        """Return the risk of every unknown cell; NaN for the others."""
        size = self.view.shown.size
        total, number = np.zeros(size), np.zeros(size)
        for clue in self._clues:
            cells, low, high = self._bounds(clue)
            if cells:
                inside = _bits(cells, size)
                count = cells.bit_count()
                total[inside] += (max(low, 0) + min(high, count)) / 2 / count
                number[inside] += 1
        unknown = _bits(self.unknown, size)
        anywhere = total.sum() / number.sum() if number.any() else 0.5
        risk = np.divide(total, number, out=np.full(size, anywhere), where=number > 0)
        return np.where(unknown, risk, np.nan)


@lru_cache(maxsize=64)
def _possible(noise: Noise) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the minimum and maximum number of mines around a cell with n neighbours that shows s, each as `[n, s]`."""
    low, high = np.zeros((9, 10), np.int64), np.zeros((9, 10), np.int64)
    for n in range(9):
        for shown in range(WITHHELD + 1):
            counts = np.flatnonzero(noise.table[n, : n + 1, shown] > 0)
            # The noise cannot produce this clue: a withheld clue says nothing, any other is taken as true.
            everything = (0, n) if shown == WITHHELD else (shown, shown)
            low[n, shown], high[n, shown] = (counts[0], counts[-1]) if counts.size else everything
    return low, high


@lru_cache(maxsize=16)
def _masks(rows: int, cols: int) -> list[int]:
    """Return the neighbours of each cell, as bits."""
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    return [sum(1 << (r * cols + c) for r, c in neighbours(rows, cols, row, col)) for row, col in cells]


@lru_cache(maxsize=4096)
def _nearby(cell: int, rows: int, cols: int) -> list[int]:
    """Return the other cells within two steps."""
    row, col = divmod(cell, cols)
    return [
        r * cols + c
        for r in range(max(row - 2, 0), min(row + 3, rows))
        for c in range(max(col - 2, 0), min(col + 3, cols))
        if (r, c) != (row, col)
    ]


def _mask(marked: npt.NDArray[np.bool_]) -> int:
    """Return the marked cells as bits."""
    return int.from_bytes(np.packbits(marked, bitorder="little").tobytes(), "little")


def _bits(cells: int, size: int) -> npt.NDArray[np.bool_]:
    """Return the bits of a number as an array of `size` cells."""
    data = np.frombuffer(cells.to_bytes((size + 7) // 8, "little"), np.uint8)
    return np.unpackbits(data, count=size, bitorder="little").astype(bool)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `bounds`."""
    return {"bounds": BoundsAgent}
