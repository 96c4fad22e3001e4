"""A board source, `striped`, that fills every other row first. Hook: `sweepstakes_boards`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Board, BoardSource, Rng, Size, hookimpl


class Striped(BoardSource):
    """Puts mines into every `step`-th row until these rows are full, then into the others."""

    version = 1

    def __init__(self, step: int = 2) -> None:
        self.step = step

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Shuffle the cells, move those of striped rows to the front, and mine the first unprotected ones."""
        cells = list(range(size.cells))
        Rng(seed).shuffle(cells)
        cells.sort(key=lambda cell: cell // size.cols % self.step != 0)  # stable, so each group stays shuffled
        free = [cell for cell in cells if cell not in protected]
        return Board.of(size.rows, size.cols, [divmod(cell, size.cols) for cell in free[: size.mines]])


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Register `striped`."""
    return {"striped": Striped}
