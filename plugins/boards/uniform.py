"""`uniform`: every layout is equally likely."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sweepstakes import Board, BoardSource, Size, _kernels, hookimpl

_NOTHING = np.empty(0, np.int64)


class Uniform(BoardSource):
    """Every layout of the mines is equally likely."""

    version = 1

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """The mines are the first cells, outside the protected ones, of the permutation that the seed stands for."""
        layout = np.zeros(size.cells, np.uint8)
        kept = np.array(protected, np.int64) if protected else _NOTHING
        _kernels.deal(np.uint64(seed), size.cells, size.mines, kept, layout)
        return Board(size.rows, size.cols, layout.tobytes())


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `uniform`."""
    return {"uniform": Uniform}
