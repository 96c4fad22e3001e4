"""Which clues prove a cell that only the sum over all solutions decides."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from sweepstakes.cell import Cell
from sweepstakes.inference._layout import IGNORED
from sweepstakes.inference.engine import posterior
from sweepstakes.shown import WITHHELD

Shown = npt.NDArray[np.int8]


def evidence(
    shown: Shown,
    mines: int | None,
    safe: Iterable[int],
    found: Iterable[int],
    *,
    noise: npt.NDArray[np.float64] | None = None,
) -> dict[Cell, list[Cell]]:
    """For each of the cells (flat indices) proven safe or found to be mines a small set of clues that proves it.

    None of the clues can be spared. A cell that the mine count proves without any clue has an empty list. Flags count
    as known mines, except under noise, where they are no more than an agent's opinion.
    """
    cols = shown.shape[1]
    proofs = {}
    for cells, certain in ((safe, 1), (found, 2)):
        for flat in cells:
            cell = Cell(*divmod(int(flat), cols))
            proofs[cell], _ = enough(shown, mines, cell, certain, noise=noise, trust_flags=noise is None)
    return proofs


def enough(
    shown: Shown,
    mines: int | None,
    cell: Cell,
    certain: int,
    *,
    noise: npt.NDArray[np.float64] | None = None,
    trust_flags: bool = True,
) -> tuple[list[Cell], bool]:
    """Clues that make a cell certain (1: safe, 2: a mine) and of which each is needed; and whether the count is too.

    The search widens around the cell until the clues within reach decide it, first without the mine count, then with
    it; then it leaves out one clue after another, the farthest first, as long as the cell stays decided.
    """
    clues = sorted(
        (Cell(int(r), int(c)) for r, c in np.argwhere((shown >= 0) & (shown < (WITHHELD if noise is None else 10)))),
        key=lambda clue: (max(abs(clue.row - cell.row), abs(clue.col - cell.col)), clue),
    )
    silent = np.where((shown >= 0) & (shown <= WITHHELD), np.int8(IGNORED), shown)

    def decides(kept: list[Cell], count: int | None) -> bool:
        position = silent.copy()
        for clue in kept:
            position[clue] = shown[clue]
        belief = posterior(position, count, noise=noise, trust_flags=trust_flags)
        return bool(belief.certain[cell] == certain)

    for count in (None, mines) if mines is not None else (None,):
        reach = 1
        while True:
            kept = [clue for clue in clues if max(abs(clue.row - cell.row), abs(clue.col - cell.col)) <= reach]
            if decides(kept, count):
                for clue in reversed(kept.copy()):
                    fewer = [other for other in kept if other != clue]
                    if decides(fewer, count):
                        kept = fewer
                return sorted(kept), count is not None
            if len(kept) == len(clues):
                break
            reach = reach + 1 if reach < 4 else 2 * reach
    return sorted(clues), mines is not None
