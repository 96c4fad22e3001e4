"""`uniform`: every layout is equally likely."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sweepstakes import Board, BoardSource, Size, hookimpl
from sweepstakes.game import referee_kernels


class Uniform(BoardSource):
    """Every layout of the mines is equally likely."""

    version = 1

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Place the mines on the first unprotected cells of the permutation that the seed generates."""
        rows, cols, mines = size
        layout = np.zeros(rows * cols, np.uint8)
        referee_kernels.place_mines(seed >> 32, seed & 0xFFFF_FFFF, mines, _array(protected), layout)
        return Board(rows, cols, layout.tobytes())


@lru_cache(maxsize=1024)
def _array(cells: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return the cells as an array for the kernel. Cached, because few first clicks serve many boards."""
    return np.array(cells, np.int64)


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `uniform`."""
    return {"uniform": Uniform}
