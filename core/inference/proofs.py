"""Minimal proofs: sets of clues that prove a cell, where each clue is necessary.

Most proofs consist of clues near the cell, and compiled code finds them (`_proof_kernels`). If a proof needs the mine
count or too many clues, the engine solves the whole position with fewer and fewer clues.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import WITHHELD
from sweepstakes.inference._arrays import EXACT, flat_table, frozen
from sweepstakes.inference._positions import PAD, steps_around
from sweepstakes.inference._proof_kernels import NO_CELL, prove
from sweepstakes.inference._refutation_kernels import GROUP, MASK, NUMBER, ROWS, SYSTEM, TOO_MUCH
from sweepstakes.inference.exact.layout import IGNORED
from sweepstakes.inference.posterior import decide

Shown = npt.NDArray[np.int8]
Table = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Flat = npt.NDArray[np.int64]
"""Cells as flat indices, row x columns + column."""
Proof = tuple[list[int], bool]
"""Clues as flat indices, row by row, and whether the mine count is also needed."""

MAX_SHAPES = 4
"""Board shapes whose arrays are kept."""
OUT_SIZE = 1 << 12
"""Initial length of the output array, in cells and clues."""

_system = np.zeros(SYSTEM, np.int32)
_out = np.zeros(OUT_SIZE, np.int32)


def evidence(
    shown: Shown,
    mines: int | None,
    safe: Iterable[int],
    found: Iterable[int],
    *,
    noise: Table | None = None,
) -> dict[Cell, list[Cell]]:
    """Return small sets of clues that prove each cell of `safe` to be safe and each cell of `found` to be a mine.

    The cells are flat indices. Each clue of a set is necessary. If the mine count alone proves a cell, its set is
    empty. Flags count as known mines, except under noise.
    """
    first, second = _flat(safe), _flat(found)
    cells = first.tolist() + second.tolist()
    if not cells:
        return {}
    position = _Position(frozen(shown), mines, noise, noise is None)
    out, failed = position.look_around(first, second)
    cell = _cells(shown.shape[1]).__getitem__
    if failed:
        proofs = position.proofs(cells, first.size, out)
        return {cell(proven): list(map(cell, clues)) for proven, (clues, _) in zip(cells, proofs, strict=True)}
    # The usual case has to be fast, since the inference for a turn takes only microseconds.
    count = len(cells)
    named = list(map(cell, out[count:]))
    answer = {}
    start = 0
    for proven, end in zip(map(cell, cells), out, strict=False):
        answer[proven] = named[start : end - count]
        start = end - count
    return answer


def minimal_proof(
    shown: Shown,
    mines: int | None,
    cell: Cell,
    certain: int,
    *,
    noise: Table | None = None,
    trust_flags: bool = True,
) -> tuple[list[Cell], bool]:
    """Return a minimal set of clues that proves a cell, and whether the mine count is also needed.

    `certain` is 1 if the cell is safe and 2 if it is a mine. One or two clues are returned if they are enough.
    Otherwise clues are added by their distance from the cell until they prove it, and then removed again, beginning
    with the farthest, if the others are enough. The mine count is used only if all clues together do not prove the
    cell. If the cell is not certain, all clues are returned.
    """
    cols = shown.shape[1]
    flat = np.array([cell[0] * cols + cell[1]], np.int64)
    position = _Position(frozen(shown), mines, noise, trust_flags)
    out, _ = position.look_around(flat, flat[:0]) if certain == 1 else position.look_around(flat[:0], flat)
    ((clues, counted),) = position.proofs(flat.tolist(), int(certain == 1), out)
    return [Cell(*divmod(clue, cols)) for clue in clues], counted


class _Position:
    """A position whose cells are to be proven."""

    def __init__(self, shown: Shown, mines: int | None, noise: Table | None, trust_flags: bool) -> None:
        self.shown = shown
        self.mines = mines
        self.noise = noise
        self.trust_flags = trust_flags
        self.grid = _grid(*shown.shape)

    def look_around(self, safe: Flat, found: Flat) -> tuple[list[int], int]:
        """Return the output of the kernel `prove`, and the number of cells without a proof."""
        global _out
        noise = self.noise
        table = EXACT if noise is None else flat_table(noise)
        while True:
            filled, failed = prove(
                self.shown, table, noise is not None, self.trust_flags, safe, found, *self.grid, _system, _out
            )
            if filled >= 0:
                return _out[:filled].tolist(), failed
            if filled == NO_CELL:
                raise IndexError(f"there is no cell {[*safe, *found][failed]} on a board of {self.shown.size} cells")
            _out = np.zeros(4 * _out.size, np.int32)

    def proofs(self, cells: list[int], safe: int, out: list[int]) -> list[Proof]:
        """Return a proof for each of `cells`, of which the first `safe` are safe and the others mines.

        `out` is the output of the kernel `prove`. If it has no proof for a cell, the engine looks for one.
        """
        proofs: list[Proof] = []
        unproven: list[int] = []
        too_much: list[int] = []
        start = len(cells)
        for place, end in enumerate(out[:start]):
            proofs.append((out[start:end] if end >= 0 else [], False))
            if end >= 0:
                start = end
            elif end == TOO_MUCH:
                too_much.append(place)
            else:
                unproven.append(place)
        if unproven or too_much:
            self._ask_the_engine(cells, safe, unproven, too_much, proofs)
        return proofs

    def _ask_the_engine(
        self, cells: list[int], safe: int, unproven: list[int], too_much: list[int], proofs: list[Proof]
    ) -> None:
        """Add the missing proofs: of cells that clues alone do not prove, or that took too long for `prove`."""
        flat = self.shown.reshape(-1)
        silent = np.where((flat >= 0) & (flat <= WITHHELD), np.int8(IGNORED), flat)

        def certain(clues: list[int], mines: int | None, places: list[int]) -> list[int]:
            kept = np.array(clues, np.int64)
            position = silent.copy()
            position[kept] = flat[kept]
            found = decide(
                position.reshape(self.shown.shape), mines, self.noise, self.trust_flags, stop_at_first_safe=False
            )
            proven = (set(found.safe.tolist()), set(found.mines.tolist()))
            return [place for place in places if cells[place] in proven[place >= safe]]

        def thin(order: list[int], mines: int | None, places: list[int]) -> None:
            for place, clues in _thinned(lambda few, some: certain(few, mines, some), order, places):
                proofs[place] = sorted(clues), mines is not None

        clues = self._clues()
        if too_much:
            proven = certain(clues, None, too_much)
            for place in proven:
                thin(self._farthest_first(clues, cells[place]), None, [place])
            unproven = sorted({*unproven, *too_much} - {*proven})
        if self.mines is not None and unproven:
            proven = certain(clues, self.mines, unproven)
            thin(clues[::-1], self.mines, proven)
            unproven = sorted({*unproven} - {*proven})
        every = np.flatnonzero((flat >= 0) & (flat < (WITHHELD if self.noise is None else IGNORED))).tolist()
        for place in unproven:
            proofs[place] = every, self.mines is not None

    def _clues(self) -> list[int]:
        """Return the clues that have unknown neighbours, row by row."""
        board = self.grid[0][MASK].reshape(self.shown.shape[0] + 2 * PAD, -1)
        clues: list[int] = np.flatnonzero(board[PAD:-PAD, PAD:-PAD]).tolist()
        return clues

    def _farthest_first(self, clues: list[int], cell: int) -> list[int]:
        cols = self.shown.shape[1]
        row, col = divmod(cell, cols)

        def distance(clue: int) -> tuple[int, int]:
            return max(abs(clue // cols - row), abs(clue % cols - col)), clue

        return sorted(clues, key=distance, reverse=True)


def _thinned(
    certain: Callable[[list[int], list[int]], list[int]], clues: list[int], places: list[int]
) -> Iterator[tuple[int, list[int]]]:
    """Yield each of `places` with a minimal set of clues that makes it certain. All clues together must do so.

    The result is the same as if one clue after the other, in the order of `clues`, were removed whenever the place is
    certain without it. This works because more clues never make a place less certain. To save time, many clues are
    removed at once if possible, and places are treated together as long as they need the same clues.
    """
    size = max(1, len(clues) // 8)
    parts = [clues[at : at + size] for at in range(0, len(clues), size)]
    todo: list[tuple[list[int], list[int], list[list[int]]]] = [(places, [], parts[::-1])] if places else []
    while todo:
        places, needed, parts = todo.pop()
        if not parts:
            for place in places:
                yield place, needed
            continue
        *rest, part = parts
        fine = certain([*needed, *chain.from_iterable(rest)], places)
        others = [place for place in places if place not in fine]
        if fine:
            todo.append((fine, needed, rest))
        if others and len(part) == 1:
            todo.append((others, [*needed, *part], rest))
        elif others:
            half = len(part) // 2
            todo.append((others, needed, [*rest, part[half:], part[:half]]))


def _flat(cells: Iterable[int]) -> Flat:
    """Return the cells as an array of the type that the kernel is compiled for."""
    if isinstance(cells, np.ndarray):
        return cells if cells.dtype == np.int64 and cells.flags.carray else np.array(cells, np.int64)
    return np.fromiter(cells, np.int64)


class _Cells(dict[int, Cell]):
    """The cells of boards with `cols` columns by their flat indices. They are made on first use."""

    def __init__(self, cols: int) -> None:
        self.cols = cols

    def __missing__(self, flat: int) -> Cell:
        cell = self[flat] = Cell(*divmod(flat, self.cols))
        return cell


@lru_cache(MAX_SHAPES)
def _cells(cols: int) -> _Cells:
    return _Cells(cols)


@lru_cache(MAX_SHAPES)
def _grid(rows: int, cols: int) -> tuple[Ints, Ints]:
    """Return the grid that the kernel fills, still empty, and the steps to the neighbours of a cell."""
    grid = np.zeros((ROWS, (rows + 2 * PAD) * (cols + 2 * PAD)), np.int32)
    grid[[NUMBER, GROUP]] = -1
    return grid, steps_around(cols)
