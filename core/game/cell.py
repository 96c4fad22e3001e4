"""A cell of the board."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from sweepstakes.errors import PositionError


class Cell(NamedTuple):
    """Row and column, counted from 0 at the top left."""

    row: int
    col: int

    def __str__(self) -> str:
        return f"({self.row}, {self.col})"


def parse_cell(text: str) -> Cell | None:
    """Return the cell in a text such as `3,4`, or None if it is not one."""
    row, _, col = (word.strip() for word in text.partition(","))
    if not (row.isdecimal() and col.isdecimal() and max(len(row), len(col)) < 9):
        return None
    return Cell(int(row), int(col))


@lru_cache(maxsize=1 << 16, typed=True)  # typed: a third-party number type must not share results with int
def neighbours(rows: int, cols: int, row: int, col: int) -> tuple[Cell, ...]:
    """Return the up to eight cells around a cell, row by row. Raise `PositionError` if it is not on the board."""
    if not (0 <= row < rows and 0 <= col < cols):
        raise PositionError(f"({row}, {col}) is not on a board of {rows} x {cols}")
    return tuple(
        Cell(r, c)
        for r in range(max(row - 1, 0), min(row + 2, rows))
        for c in range(max(col - 1, 0), min(col + 2, cols))
        if (r, c) != (row, col)
    )
