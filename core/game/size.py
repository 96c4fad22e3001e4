"""The size of a board: rows, columns and mines."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from operator import index
from typing import NamedTuple

from sweepstakes.errors import PositionError, brief

MAX_SIDE = 1000
_TEXT = re.compile(
    r"([0-9]{1,4})x([0-9]{1,4})(?: */ *([0-9]{1,7})|(?: *@ *| at )([0-9]*\.?[0-9]+(?:e-[0-9]{1,3})?))", re.ASCII
)


class Size(NamedTuple):
    """Rows, columns and mines."""

    rows: int
    cols: int
    mines: int

    @classmethod
    def of(cls, rows: int, cols: int, *, mines: int | None = None, density: float | None = None) -> Size:
        """Return a size from a mine count or a density. Raise `PositionError` if no such board can exist.

        A density gives floor(density x cells + 1/2) mines, computed in decimal arithmetic.
        """
        try:
            rows, cols, mines = int(index(rows)), int(index(cols)), None if mines is None else int(index(mines))
            density = None if density is None else float(density)
        except (TypeError, ValueError):
            raise PositionError(
                f"no board of {brief(rows)} x {brief(cols)} with {brief(mines if density is None else density)}: "
                "expected numbers"
            ) from None
        if not (1 <= rows <= MAX_SIDE and 1 <= cols <= MAX_SIDE):
            raise PositionError(f"no board of {brief(rows)} x {brief(cols)}: expected 1 to {MAX_SIDE} rows and columns")
        if (mines is None) == (density is None):
            raise PositionError("expected either a number of mines or a density")
        cells = rows * cols
        if density is not None:
            if not 0 <= density <= 1:
                raise PositionError(f"density {density}: expected 0 to 1")
            mines = math.floor(Decimal(repr(density)) * cells + Decimal("0.5"))
        assert mines is not None
        if not 0 <= mines <= cells:
            raise PositionError(f"{brief(mines)} mines on {rows} x {cols}: expected 0 to {cells}")
        return cls(rows, cols, mines)

    @classmethod
    def parse(cls, text: str) -> Size:
        """Return a size from a preset's name, or from rows, columns and mines or density.

        Examples: `16x30/99`, `16x30@0.2`, and `16x30 at 0.2`, the form in tables.
        """
        text = text.strip()
        if text in PRESETS:
            return PRESETS[text]
        found = _TEXT.fullmatch(text)
        if found is None:
            raise PositionError(
                f"unknown board size {brief(text)}: expected {', '.join(PRESETS)}, rows x columns / mines such as "
                "16x30/99, or rows x columns @ density such as 16x30@0.2"
            )
        rows, cols, mines, density = found.groups()
        if mines is not None:
            return cls.of(int(rows), int(cols), mines=int(mines))
        return cls.of(int(rows), int(cols), density=float(density))

    @property
    def cells(self) -> int:
        """Rows times columns."""
        return self.rows * self.cols

    def __str__(self) -> str:
        return f"{self.rows}x{self.cols}/{self.mines}"


PRESETS = {
    "beginner": Size(9, 9, 10),
    "intermediate": Size(16, 16, 40),
    "expert": Size(16, 30, 99),
}
