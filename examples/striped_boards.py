"""A board source: `striped` mines every other row first. Hook: `sweepstakes_boards`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Board, BoardSource, Rng, Size, hookimpl


class Striped(BoardSource):
    """Mines lie in every `step`-th row while there is room, then anywhere."""

    version = 1

    def __init__(self, step: int = 2) -> None:
        self.step = step

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """The rows with mines in a random order, then the others; the first free cells are mined."""
        cells = list(range(size.cells))
        Rng(seed).shuffle(cells)
        cells.sort(key=lambda cell: cell // size.cols % self.step != 0)  # stable: the order within stays random
        free = [cell for cell in cells if cell not in protected]
        return Board.of(size.rows, size.cols, [divmod(cell, size.cols) for cell in free[: size.mines]])


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `striped`."""
    return {"striped": Striped}
