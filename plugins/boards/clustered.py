"""`clustered`: mines that lie in groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from heapq import heappop, heappush

from sweepstakes import Board, BoardSource, ParameterError, Rng, Size, hookimpl
from sweepstakes.game.cell import neighbours


class Clustered(BoardSource):
    """Mines lie in groups of `group` that grow from one cell to a neighbour; groups may touch.

    Every cell has a random number from the seed: cell i has the (i + 1)-th number of `Rng(seed)`. A cell is free if it
    has no mine and is not protected. A group begins in the free cell with the lowest number. It repeatedly adds the
    free neighbour of its mines with the lowest number, and ends early if no neighbour is free. So the first click
    changes only the groups near it and the groups that get the mines displaced by it.
    """

    version = 1

    def __init__(self, group: int = 4) -> None:
        if group < 1:
            raise ParameterError(f"group {group}: expected 1 or more mines")
        self.group = group

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Place one group after another until all mines are placed."""
        rng = Rng(seed)
        numbers = [rng.bits() for _ in range(size.cells)]
        layout = bytearray(size.cells)
        taken = bytearray(size.cells)
        for cell in protected:
            taken[cell] = 1
        left = size.mines
        for first in sorted(range(size.cells), key=numbers.__getitem__):
            if left == 0:
                break
            if taken[first]:
                continue
            edge = [(numbers[first], first)]
            members = 0
            while edge and members < self.group and left:
                _, cell = heappop(edge)
                if taken[cell]:
                    continue
                layout[cell] = taken[cell] = 1
                members += 1
                left -= 1
                for row, col in neighbours(size.rows, size.cols, *divmod(cell, size.cols)):
                    heappush(edge, (numbers[row * size.cols + col], row * size.cols + col))
        return Board(size.rows, size.cols, bytes(layout))


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `clustered`."""
    return {"clustered": Clustered}
