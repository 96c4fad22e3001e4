"""The rules of a game: mines, first click, start cell and flooding."""

from __future__ import annotations

from typing import Literal, NamedTuple

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.size import Size

CHOICES = {"on_mine": ("continue", "end"), "first_click": ("any", "safe", "opening")}
"""The allowed values of the rules that are words."""
_ON_MINE = {"continue": "play goes on after a mine", "end": "the first mine ends the game"}
_FIRST_CLICK = {
    "any": "the first click may be a mine",
    "safe": "the first click is safe",
    "opening": "the first click opens a blank",
}


class Rules(NamedTuple):
    """The rules of a game; an immutable value."""

    on_mine: Literal["continue", "end"] = "continue"
    """Whether the game continues after a mine is opened, or ends."""
    first_click: Literal["any", "safe", "opening"] = "any"
    """The first opened cell may be a mine, is never a mine, or is a blank."""
    start: Cell | None = None
    """A cell that the referee opens before the first turn, the same for every agent."""
    flood: bool = True
    """Whether opening a blank opens its neighbours, and so on for every blank among them."""

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
        """`PositionError` if some first click of the agent could not be protected on a board of this size."""
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

    @property
    def words(self) -> str:
        """The rules as people say them; `str` has the words of tournament files."""
        words = [_ON_MINE[self.on_mine], _FIRST_CLICK[self.first_click]]
        if self.start is not None:
            words.append(f"the game begins at {self.start}")
        if not self.flood:
            words.append("a blank does not open its neighbours")
        return ", ".join(words)

    def __str__(self) -> str:
        words = [f"on_mine={self.on_mine}", f"first_click={self.first_click}"]
        if self.start is not None:
            words.append(f"start={self.start.row},{self.start.col}")
        if not self.flood:
            words.append("flood=no")
        return " ".join(words)
