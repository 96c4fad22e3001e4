"""The view: what an agent sees of a game."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes import wiring
from sweepstakes.drawing.drawing import Drawing
from sweepstakes.drawing.svg import svg
from sweepstakes.errors import PositionError, brief
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.codes import CODES, COVERED, DETONATED, FLAG, marks_of
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import MAX_SIDE, Size
from sweepstakes.noise import EXACT, Noise
from sweepstakes.spec import Spec


class View(NamedTuple):
    """A snapshot of a game in progress: an immutable value, `View.parse(str(view)) == view`.

    It consists only of numbers and bytes, so an agent cannot reach the mines through it or change the game.
    """

    rows: int
    cols: int
    mines: int
    """The number of mines on the whole board."""
    rules: Rules
    noise: Noise
    data: bytes
    """The code that each cell shows (see `sweepstakes.game.codes`), row by row."""

    @property
    def shown(self) -> npt.NDArray[np.int8]:
        """The code that each cell shows, as a read-only array [row, col].

        -1 covered, -2 flag, -3 detonated, 0 to 8 a clue, 9 open with its clue withheld.
        """
        return np.ndarray((self.rows, self.cols), np.int8, self.data)

    @property
    def marks(self) -> str:
        """The mark of each cell, row by row without breaks, as `parse` reads them."""
        return marks_of(self.data)

    def covered(self) -> list[Cell]:
        """Return the cells that can be opened or flagged, row by row."""
        return self._where(COVERED)

    def flagged(self) -> list[Cell]:
        """Return the cells under a flag, row by row."""
        return self._where(FLAG)

    def detonated(self) -> list[Cell]:
        """Return the cells whose mine went off, row by row."""
        return self._where(DETONATED)

    def open(self) -> list[Cell]:
        """Return the safe cells that are open, row by row."""
        return [self._cell(i) for i in np.flatnonzero(np.frombuffer(self.data, np.int8) >= 0).tolist()]

    def is_covered(self, cell: tuple[int, int]) -> bool:
        """Return whether the cell can be opened or flagged."""
        return self._code(cell) == COVERED

    def is_flagged(self, cell: tuple[int, int]) -> bool:
        """Return whether the cell has a flag."""
        return self._code(cell) == FLAG

    def is_open(self, cell: tuple[int, int]) -> bool:
        """Return whether the cell is open and safe, with or without its clue."""
        return self._code(cell) >= 0

    def clue(self, cell: tuple[int, int]) -> int | None:
        """Return the clue that the cell shows, or None if it is not open or its clue is withheld."""
        code = self._code(cell)
        return code if 0 <= code <= 8 else None

    def neighbours(self, cell: tuple[int, int]) -> tuple[Cell, ...]:
        """Return the up to eight cells around a cell, row by row."""
        return neighbours(self.rows, self.cols, *cell)

    def drawing(self) -> Drawing:
        """Return the drawing of the view."""
        return Drawing(self.rows, self.cols, self.marks)

    def _repr_svg_(self) -> str:
        return svg(self)

    def _cell(self, index: int) -> Cell:
        return Cell(*divmod(index, self.cols))

    def _where(self, code: int) -> list[Cell]:
        return [self._cell(i) for i in np.flatnonzero(np.frombuffer(self.data, np.int8) == code).tolist()]

    def _code(self, cell: tuple[int, int]) -> int:
        row, col = cell
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise PositionError(f"({row}, {col}) is not on a board of {self.rows} x {self.cols}")
        code = self.data[row * self.cols + col]
        return code if code < 128 else code - 256

    def __repr__(self) -> str:
        noise = "" if self.noise == EXACT else f", {self.noise.name}"
        counts = f"{self.data.count(COVERED & 0xFF)} covered, {self.data.count(FLAG & 0xFF)} flags"
        return f"<View {self.rows}x{self.cols}/{self.mines}, {counts}{noise}>"

    def __str__(self) -> str:
        head = f"{self.rows} {self.cols} {self.mines} {self.rules}"
        if self.noise != EXACT:
            head += f" noise={self.noise.name}"
        marks = self.marks
        return "\n".join([head, *(marks[i : i + self.cols] for i in range(0, len(marks), self.cols))])

    @classmethod
    def parse(cls, text: str, *, mines: int | None = None, noise: Noise | None = None) -> View:
        """Read a view from text: a line `rows cols mines`, which may name rules and noise, then the rows of the board.

        `.` is covered, `F` a flag, `*` a detonated mine, a digit a clue, `?` an open cell whose clue is withheld. The
        first line may be omitted if the argument `mines` is passed, which also overrides it.
        """
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        rules = Rules()
        size: tuple[int, int] | None = None
        if lines and len(lines[0].split()) > 1:
            *size_words, words = _split_head(lines.pop(0))
            size = (int(size_words[0]), int(size_words[1]))
            mines = int(size_words[2]) if mines is None else mines
            rules, named = read_options(words)
            if noise is None and named:
                if (spec := Spec.parse(named)).file:
                    raise PositionError(f"noise={brief(named)}: a position names a noise: expected no file")
                noise = wiring.installed().noise(spec)
        if not lines:
            raise PositionError("the position has no rows")
        rows, cols = len(lines), len(lines[0])
        if size is not None and size != (rows, cols):
            raise PositionError(f"the first line says {size[0]} x {size[1]}, the rows below it are {rows} x {cols}")
        if rows > MAX_SIDE or cols > MAX_SIDE:
            raise PositionError(f"no board of {rows} x {cols}: expected 1 to {MAX_SIDE} rows and columns")
        for number, line in enumerate(lines, 1):
            if len(line) != cols:
                raise PositionError(f"row {number} of the position has length {len(line)}, expected {cols}")
            for mark in line:
                if mark not in CODES:
                    raise PositionError(
                        f"row {number} of the position has {mark!r}: expected '.' covered, a digit, "
                        "'F' flag, '*' detonated or '?' withheld"
                    )
        if mines is None:
            raise PositionError("the mine count is missing: begin with a line `rows cols mines`")
        size_checked = Size.of(rows, cols, mines=mines)
        rules.check(size_checked)
        data = np.array([CODES[mark] for line in lines for mark in line], np.int8).tobytes()
        return cls(rows, cols, size_checked.mines, rules, noise or EXACT, data)


def _split_head(line: str) -> tuple[str, str, str, str]:
    words = line.split(maxsplit=3)
    if len(words) < 3 or not all(word.isdecimal() and len(word) < 9 for word in words[:3]):
        raise PositionError(f"the position begins with {brief(line)}: expected `rows cols mines`")
    return words[0], words[1], words[2], words[3] if len(words) > 3 else ""


def read_options(text: str) -> tuple[Rules, str]:
    """Read rules as written by `str(rules)`, followed by the name of the noise."""
    text, _, noise = f" {text}".partition(" noise=")
    return Rules.parse(text), noise.strip()
