"""What opening a cell would tell: the probability of every clue it may show, and the best safeties after it."""

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
    """What one clue would tell. A cell is living if it has a covered neighbour that is then undecided."""

    clue: int
    probability: float
    """That the cell is safe and shows this clue."""
    best: float
    """The safety of the safest living cell after it; 1 if one is certainly safe."""
    second: float
    """The same of the second safest."""
    certain: int
    """How many covered cells are certainly safe after it."""


class Outlook(NamedTuple):
    """What opening a cell would tell."""

    cell: Cell
    safe: float
    """The probability that it is no mine."""
    clues: tuple[ClueOutlook, ...]
    """By ascending clue; of probability 0 none is listed."""


def lookahead(view: View, cells: Sequence[tuple[int, int]]) -> list[Outlook]:
    """For each cell, the probability of each clue it may show and the best safeties after it, all of them exact.

    The clues of a view must be exact. `PositionError` if no layout agrees with the view, if a cell is not covered, and
    if the sum over the layouts is too large.
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
    values, told = np.zeros(flat.size, np.int64), np.zeros((flat.size, 72))
    known = np.sort(found.decision.safe)
    if found.is_ready:
        values[~possible] = 0
        some = flat[possible]
        n, t = np.zeros(some.size, np.int64), np.zeros((some.size, 72))
        answer = found.ask(look_ahead, known.size, some, n, t)
        values[possible], told[possible] = n, t
    if not found.is_ready or answer[0] != OK:
        raise PositionError("too hard: the sum over the layouts is too large for a lookahead")
    outlooks = []
    for cell, at, number, numbers in zip(cells, flat.tolist(), values.tolist(), told, strict=True):
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
