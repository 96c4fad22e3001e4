"""Best play where few layouts are left: the exact probability of winning, and the cell that reaches it."""

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
"""Layouts up to which a position is played out."""
CLOSED_LAYOUTS = 200
"""Layouts up to which a component that is closed in itself is played out alone."""
NODES = 100_000
"""Sets of layouts that a search may examine."""
MOST_LAYOUTS = 10_000
MOST_CELLS = 2_000


class Endgame(NamedTuple):
    """The outcome of best play when the first mine ends the game."""

    layouts: int
    """How many layouts agree with the view."""
    won: int
    """How many of them best play wins."""
    best: Cell | None
    """The cell to open; None if the layout is known."""
    wins: dict[Cell, int]
    """By cell that may be opened next: how many layouts are won after it. Empty unless asked for."""

    @property
    def probability(self) -> float:
        """The probability of winning."""
        return self.won / self.layouts


def endgame(view: View, *, layouts: int = LAYOUTS, nodes: int = NODES, every: bool = False) -> Endgame | None:
    """The exact outcome of best play; None if more layouts than `layouts` are left or the search is too large.

    The clues must be exact, and opening a mine is taken to lose. Of cells that win as many layouts, the one least
    likely a mine is `best`, then the one with the fewest covered neighbours, then the first row by row. With `every`,
    `wins` has the outcome of every cell, which takes longer. `nodes` bounds the sets of layouts that the search may
    examine.
    """
    check_question(view)
    if not 1 <= layouts <= MOST_LAYOUTS:
        raise ValueError(f"layouts={layouts}: expected 1 to {MOST_LAYOUTS}")
    found = summed(view.shown, view.mines, probability=NO_FLOATS, certain=NO_CODES)
    if found.decision.status is Status.INCONSISTENT:
        raise PositionError("no layout agrees with the position")
    return play_position(found, layouts, nodes, every)


def play_position(found: Summed, layouts: int = LAYOUTS, nodes: int = NODES, every: bool = False) -> Endgame | None:
    """The same for a position that has been summed."""
    if not found.is_ready or found.log_layouts > math.log(layouts + 0.5):
        return None
    return _play(found, round(math.exp(found.log_layouts)), nodes, False, every)


def play_closed_component(found: Summed, every: bool = False) -> Endgame | None:
    """Best play inside a component whose number of mines is certain and whose cells touch no other unknown cell.

    Nothing elsewhere bears on it, nor it on anything else: it can be played at once. None if there is none.
    """
    return _play(found, CLOSED_LAYOUTS, NODES, True, every) if found.is_ready else None


class _Room:
    """The arrays that layouts are listed in, kept from call to call."""

    def __init__(self, limit: int, cells: int, padded: int) -> None:
        self.size = (limit, cells, padded)
        self.mine, self.spare, self.clue = (np.empty((limit, cells), np.int8) for _ in range(3))
        self.ints = np.empty((6, max(padded, limit) + 1), np.int32)
        self.ways = np.empty((limit * (cells + 1) + 1, 4), np.int32)

    @classmethod
    def of(cls, limit: int, cells: int, padded: int) -> _Room:
        """Room for so many layouts of so many cells, on a board of so many padded cells."""
        global _room
        if limit > _room.size[0] or cells > _room.size[1] or padded > _room.size[2]:
            _room = _Room(*map(max, zip(_room.size, (limit, cells, padded), strict=True)))
        return _room


_room = _Room(0, 0, 0)


def _play(found: Summed, limit: int, nodes: int, closed: bool, every: bool) -> Endgame | None:
    """List the layouts, and play them out."""
    known = len(found.decision.safe)
    room = _Room.of(limit, min(found.rest + known, MOST_CELLS), found.space.cells.shape[1])
    answer, rows, columns = found.ask(
        list_layouts, known, closed, limit, room.mine, room.spare, room.clue, room.ints, room.ways
    )
    if answer != OK:
        return None
    rows, columns = int(rows), int(columns)
    won, best, wins = _play_out(rows, columns, nodes, every, room.mine, room.clue)
    if won == GAVE_UP:
        return None
    cols = found.shape[1]
    at = [Cell(*divmod(cell, cols)) for cell in room.ints[2, :columns].tolist()]
    outcomes = {at[x]: count for x, count in enumerate(wins.tolist()) if count >= 0}
    return Endgame(rows, won, at[best] if best >= 0 else None, outcomes)


def _play_out(
    rows: int, columns: int, nodes: int, every: bool, mine: npt.NDArray[np.int8], clue: npt.NDArray[np.int8]
) -> tuple[int, int, npt.NDArray[np.int64]]:
    """(layouts won, best column, layouts won by column) of a table of layouts."""
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
    """A number of 62 bits for each layout: SplitMix64 of its index."""
    mask = (1 << 64) - 1
    found = []
    for i in range(1, number + 1):
        z = i * 0x9E3779B97F4A7C15 & mask
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
        found.append((z ^ z >> 31) >> 2)
    return np.array(found, np.int64)


_ZOBRIST = _zobrist(MOST_LAYOUTS)
