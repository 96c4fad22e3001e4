"""Best play when few layouts are left: the exact probability of winning, and the cell to open for it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.view import View
from sweepstakes.inference.exact.layout import OK
from sweepstakes.inference.exact.layouts import list_layouts
from sweepstakes.inference.exact.tree import FRAME, GAVE_UP, play_out
from sweepstakes.inference.posterior import NO_CODES, NO_FLOATS, Status
from sweepstakes.inference.summed import Summed, check_question, summed

LAYOUTS = 1000
"""A position with more layouts is not searched, unless the caller says otherwise."""
CLOSED_LAYOUTS = 200
"""A closed component with more layouts is not searched on its own."""
NODES = 100_000
"""Sets of layouts that a search may examine."""
MAX_LAYOUTS = 10_000
"""Largest number of layouts that a caller may ask for."""
MAX_CELLS = 2_000
"""Largest number of undecided cells of a position that is searched."""


class Endgame(NamedTuple):
    """The outcome of best play when the first mine ends the game."""

    layouts: int
    """Number of layouts that agree with the view."""
    won: int
    """Number of them that are won by best play."""
    best: Cell | None
    """The cell to open; None if the layout is known."""
    wins: dict[Cell, int]
    """Number of layouts won after opening each cell. Empty unless `every` was set."""

    @property
    def probability(self) -> float:
        """The probability of winning."""
        return self.won / self.layouts


def endgame(view: View, *, layouts: int = LAYOUTS, nodes: int = NODES, every: bool = False) -> Endgame | None:
    """Return the exact outcome of best play, or None if more than `layouts` are left or the search is too large.

    The clues must be exact, and opening a mine is assumed to lose. Among cells that win equally many layouts, `best` is
    the one least likely to be a mine, then the one with the fewest covered neighbours, then the first row by row. With
    `every`, `wins` has the outcome of every cell, which takes longer. The search examines at most `nodes` sets of
    layouts.
    """
    check_question(view)
    if not 1 <= layouts <= MAX_LAYOUTS:
        raise ValueError(f"layouts={layouts}: expected 1 to {MAX_LAYOUTS}")
    found = summed(view.shown, view.mines, probability=NO_FLOATS, certain=NO_CODES)
    if found.decision.status is Status.INCONSISTENT:
        raise PositionError("no layout agrees with the position")
    return play_position(found, layouts, nodes, every)


def play_position(found: Summed, layouts: int = LAYOUTS, nodes: int = NODES, every: bool = False) -> Endgame | None:
    """Do the same as `endgame` for a position that has been summed."""
    if not found.is_ready or found.log_layouts > math.log(layouts + 0.5):
        return None
    return _play(found, round(math.exp(found.log_layouts)), nodes, False, every)


def play_closed_component(found: Summed, every: bool = False) -> Endgame | None:
    """Find the best play in a component with a certain number of mines whose cells touch no other unknown cell.

    Such a component is independent of the rest of the board and can be solved on its own. Returns None if there is no
    such component.
    """
    return _play(found, CLOSED_LAYOUTS, NODES, True, every) if found.is_ready else None


class _Buffers:
    """The arrays in which layouts are listed. They are kept from call to call."""

    def __init__(self, limit: int, cells: int, padded: int) -> None:
        self.size = (limit, cells, padded)
        self.mine, self.spare, self.clue = (np.empty((limit, cells), np.int8) for _ in range(3))
        self.ints = np.empty((6, max(padded, limit) + 1), np.int32)
        self.ways = np.empty((limit * (cells + 1) + 1, 4), np.int32)

    @classmethod
    def of(cls, limit: int, cells: int, padded: int) -> _Buffers:
        """Return buffers for `limit` layouts of `cells` cells, on a board with `padded` cells including the padding."""
        global _buffers
        if limit > _buffers.size[0] or cells > _buffers.size[1] or padded > _buffers.size[2]:
            _buffers = _Buffers(*map(max, zip(_buffers.size, (limit, cells, padded), strict=True)))
        return _buffers


_buffers = _Buffers(0, 0, 0)


def _play(found: Summed, limit: int, nodes: int, closed: bool, every: bool) -> Endgame | None:
    """List the layouts, and play them out."""
    known = len(found.decision.safe)
    buffers = _Buffers.of(limit, min(found.rest + known, MAX_CELLS), found.space.cells.shape[1])
    answer, rows, columns = found.ask(
        list_layouts, known, closed, limit, buffers.mine, buffers.spare, buffers.clue, buffers.ints, buffers.ways
    )
    if answer != OK:
        return None
    rows, columns = int(rows), int(columns)
    won, best, wins = _play_out(rows, columns, nodes, every, buffers.mine, buffers.clue)
    if won == GAVE_UP:
        return None
    cols = found.shape[1]
    at = [Cell(*divmod(cell, cols)) for cell in buffers.ints[2, :columns].tolist()]
    outcomes = {at[x]: count for x, count in enumerate(wins.tolist()) if count >= 0}
    return Endgame(rows, won, at[best] if best >= 0 else None, outcomes)


def _play_out(
    rows: int, columns: int, nodes: int, every: bool, mine: npt.NDArray[np.int8], clue: npt.NDArray[np.int8]
) -> tuple[int, int, npt.NDArray[np.int64]]:
    """Search a table of layouts: (layouts won, best column, layouts won by column)."""
    slots = 1 << min(128 * rows, 2 * nodes).bit_length()
    wins = np.empty(columns, np.int64)
    won, best, _ = play_out(
        rows,
        columns,
        nodes,
        every,
        mine,
        clue,
        _ZOBRIST,
        np.empty(rows * (rows + 3) + 8, np.int32),
        np.empty((rows + 3) * columns, np.int32),
        np.empty((rows + 3) * columns, np.int32),
        np.empty((rows + 4, FRAME), np.int64),
        (np.empty(columns, np.int32), np.empty(columns, np.int8)),
        (np.empty(slots, np.int64), np.zeros(slots, np.int32), np.empty(slots, np.int32)),
        wins,
    )
    return int(won), int(best), wins


def _zobrist(number: int) -> npt.NDArray[np.int64]:
    """Return a number of 62 bits for each layout: SplitMix64 of its index."""
    mask = (1 << 64) - 1
    found = []
    for i in range(1, number + 1):
        z = i * 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        found.append((z ^ z >> 31) >> 2)
    return np.array(found, np.int64)


_ZOBRIST = _zobrist(MAX_LAYOUTS)
