"""`my-thing`: boards with few mines on the border."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Board, BoardSource, Rng, Size, hookimpl


class MyThing(BoardSource):
    """Puts a mine on the border only if all inner cells have one."""

    version = 1

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Shuffle the inner cells, append the shuffled border cells, and mine the first ones that are not protected."""
        rng = Rng(seed)
        inside: list[int] = []
        border: list[int] = []
        for cell in range(size.cells):
            row, col = divmod(cell, size.cols)
            on_border = row in (0, size.rows - 1) or col in (0, size.cols - 1)
            (border if on_border else inside).append(cell)
        rng.shuffle(inside)
        rng.shuffle(border)
        free = [cell for cell in inside + border if cell not in protected]
        return Board.of(size.rows, size.cols, [divmod(cell, size.cols) for cell in free[: size.mines]])


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Register `my-thing`."""
    return {"my-thing": MyThing}
