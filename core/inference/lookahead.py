"""Look ahead from opening a cell: the probability of every clue that it may show, and the best safeties after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.view import View
from sweepstakes.inference.exact.layout import OK
from sweepstakes.inference.exact.lookahead import look_ahead
from sweepstakes.inference.exact.opening import BEST, CERTAIN, CLUE, PROBABILITY, SECOND
from sweepstakes.inference.posterior import CODES, Status
from sweepstakes.inference.summed import check_question, summed


class ClueOutlook(NamedTuple):
    """What is known if a cell shows this clue. A cell is living if it then has an undecided covered neighbour."""

    clue: int
    probability: float
    """The probability that the cell is safe and shows this clue."""
    best: float
    """The safety of the safest living cell after that; 1 if one is certainly safe."""
    second: float
    """The same for the second safest."""
    certain: int
    """Number of covered cells that are then certainly safe."""


class Outlook(NamedTuple):
    """What is known after opening a cell, for each clue that it may show."""

    cell: Cell
    safe: float
    """The probability that it is safe."""
    clues: tuple[ClueOutlook, ...]
    """The clues that are possible, in ascending order."""


def lookahead(view: View, cells: Sequence[tuple[int, int]]) -> list[Outlook]:
    """Return for each cell the exact probability of each clue that it may show and the best safeties after it.

    The clues of the view must be exact. Raises `PositionError` if no layout agrees with the view, if a cell is not
    covered, or if the sum over the layouts is too large.
    """
    check_question(view)
    for cell in cells:
        if not view.is_covered(cell):
            raise PositionError(f"{Cell(*cell)} is not covered: it cannot be opened")
    chance = np.empty(view.shown.shape)
    certain = np.zeros(view.shown.size, CODES)
    found = summed(view.shown, view.mines, probability=chance.reshape(-1), certain=certain)
    if found.decision.status is Status.INCONSISTENT:
        raise PositionError("no layout agrees with the position")
    flat = np.array([row * view.cols + col for row, col in cells], np.int64)
    possible = certain[flat] != 2
    values, outlook_rows = np.zeros(flat.size, np.int64), np.zeros((flat.size, 72))
    known = np.sort(found.decision.safe)
    if found.is_ready:
        values[~possible] = 0
        some = flat[possible]
        n, t = np.zeros(some.size, np.int64), np.zeros((some.size, 72))
        answer = found.ask(look_ahead, known.size, some, n, t)
        values[possible], outlook_rows[possible] = n, t
    if not found.is_ready or answer[0] != OK:
        raise PositionError("too hard: the sum over the layouts is too large for a lookahead")
    outlooks = []
    for cell, at, number, numbers in zip(cells, flat.tolist(), values.tolist(), outlook_rows, strict=True):
        safe = 1.0 - float(chance.reshape(-1)[at])
        rows = numbers.reshape(9, 8)[:number]
        clues = sorted(
            ClueOutlook(
                int(row[CLUE]), safe * float(row[PROBABILITY]), float(row[BEST]), float(row[SECOND]), int(row[CERTAIN])
            )
            for row in rows
        )
        outlooks.append(Outlook(Cell(*cell), safe, tuple(clues)))
    return outlooks
