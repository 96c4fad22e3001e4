"""What the referee does about mines, first clicks and blanks."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.size import Size

CHOICES = {"on_mine": ("continue", "end"), "first_click": ("any", "safe", "opening")}
"""What the rules that are words may be."""


class Rules(NamedTuple):
    """The rules of a game; an immutable value."""

    on_mine: Literal["continue", "end"] = "continue"
    """An opened mine goes off and play goes on, or it ends the game."""
    first_click: Literal["any", "safe", "opening"] = "any"
    """The first opened cell may be a mine, is never a mine, or is a blank."""
    start: Cell | None = None
    """A cell that the referee opens before the first turn, the same for every agent."""
    flood: bool = True
    """Opening a blank opens its neighbours, on and on."""

    def protected(self, size: Size, first: Cell) -> tuple[int, ...]:
        """The cells, as flat indices, that hold no mine when `first` is opened first."""
        if self.first_click == "any":
            return ()
        if self.first_click == "safe":
            return (first.row * size.cols + first.col,)
        cells = [first]
        if self.first_click == "opening":
            cells += neighbours(size.rows, size.cols, *first)
        return tuple(sorted(row * size.cols + col for row, col in cells))

    def check(self, size: Size) -> None:
        """`PositionError` if a game of this size could not be set up, wherever the agent starts."""
        rows, cols, mines = size
        for key, allowed in CHOICES.items():
            if getattr(self, key) not in allowed:
                raise PositionError(f"{key}={getattr(self, key)}: expected {' or '.join(allowed)}")
        if self.start is not None and not isinstance(self.start, Cell):
            raise PositionError(f"start cell {self.start!r}: expected Cell(row, col)")
        if self.start is not None and not (0 <= self.start.row < rows and 0 <= self.start.col < cols):
            raise PositionError(f"start cell {self.start} is not on a board of {rows} x {cols}")
        first = self.start or Cell(min(1, rows - 1), min(1, cols - 1))  # the most neighbours a cell here can have
        room = size.cells - len(self.protected(size, first))
        if mines > room:
            raise PositionError(
                f"{mines} mines on {rows} x {cols} leave no room for a first click that is "
                f"{'a blank' if self.first_click == 'opening' else 'safe'}: expected at most {room}"
            )

    def __str__(self) -> str:
        words = [f"on_mine={self.on_mine}", f"first_click={self.first_click}"]
        if self.start is not None:
            words.append(f"start={self.start.row},{self.start.col}")
        if not self.flood:
            words.append("flood=no")
        return " ".join(words)
