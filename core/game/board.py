"""A mine layout with its true clues."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.drawing.drawing import Drawing
from sweepstakes.drawing.svg import svg
from sweepstakes.errors import PositionError, brief
from sweepstakes.game import referee_kernels
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import DETONATED
from sweepstakes.game.size import MAX_SIDE, Size

MINE, SAFE = "*", "."


class Board(NamedTuple):
    """An immutable mine layout; equal boards are equal values. `Board.parse(str(board)) == board`."""

    rows: int
    cols: int
    layout: bytes
    """One byte per cell, row by row: 1 for a mine, 0 for no mine."""

    @classmethod
    def of(cls, rows: int, cols: int, mines: Iterable[tuple[int, int]]) -> Board:
        """Return a board from the cells of its mines."""
        rows, cols, _ = Size.of(rows, cols, mines=0)
        layout = bytearray(rows * cols)
        for row, col in mines:
            if not (0 <= row < rows and 0 <= col < cols):
                raise PositionError(f"a mine at ({brief(row)}, {brief(col)}) is not on a board of {rows} x {cols}")
            layout[row * cols + col] = 1
        return cls(rows, cols, bytes(layout))

    @classmethod
    def parse(cls, text: str) -> Board:
        """Return a board from rows of `*` (mine) and `.` (no mine)."""
        lines = [line.strip() for line in text.strip().splitlines()]
        if not lines or len(lines) > MAX_SIDE or not 0 < len(lines[0]) <= MAX_SIDE:
            raise PositionError(f"a board has 1 to {MAX_SIDE} rows and columns of '{MINE}' and '{SAFE}'")
        for number, line in enumerate(lines, 1):
            if len(line) != len(lines[0]):
                raise PositionError(f"row {number} of the board has length {len(line)}, expected {len(lines[0])}")
            for mark in line:
                if mark not in (MINE, SAFE):
                    raise PositionError(f"row {number} of the board has {mark!r}, expected '{MINE}' or '{SAFE}'")
        return cls(len(lines), len(lines[0]), bytes(mark == MINE for line in lines for mark in line))

    def __str__(self) -> str:
        marks = "".join(MINE if mine else SAFE for mine in self.layout)
        return "\n".join(marks[i : i + self.cols] for i in range(0, len(marks), self.cols))

    @property
    def size(self) -> Size:
        """Rows, columns and number of mines."""
        return Size(self.rows, self.cols, self.layout.count(1))

    @property
    def mines(self) -> npt.NDArray[np.bool_]:
        """The layout: True where there is a mine. The array is read-only."""
        return np.frombuffer(self.layout, np.bool_).reshape(self.rows, self.cols)

    @property
    def clues(self) -> npt.NDArray[np.int8]:
        """The number of mines around each cell, or -1 if the cell is a mine itself."""
        revealed = self.revealed()
        revealed[revealed == DETONATED] = -1
        return revealed.reshape(self.rows, self.cols)

    def revealed(self) -> npt.NDArray[np.int8]:
        """Return the code that each cell shows once opened, flat: its clue, or DETONATED."""
        revealed = np.empty(len(self.layout), np.int8)
        referee_kernels.count_mines(np.frombuffer(self.layout, np.uint8), self.rows, self.cols, revealed)
        return revealed

    def is_mine(self, cell: Cell) -> bool:
        """Return whether the cell holds a mine."""
        if not (0 <= cell.row < self.rows and 0 <= cell.col < self.cols):
            raise PositionError(f"{cell} is not on a board of {self.rows} x {self.cols}")
        return self.layout[cell.row * self.cols + cell.col] == 1

    def drawing(self) -> Drawing:
        """Return the drawing of the board, with every cell open and the mines visible."""
        shown = "".join("." if code == DETONATED else str(code) for code in self.revealed().tolist())
        return Drawing(self.rows, self.cols, shown, mines=self.layout)

    def _repr_svg_(self) -> str:
        return svg(self)
