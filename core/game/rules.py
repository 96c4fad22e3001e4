"""The rules of a game: mines, first click, start cell and flooding.

Choices, defaults, words and texts of all rules are declared here; files, options, frames and lines read them from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

from sweepstakes.errors import PositionError, brief
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.size import Size
from sweepstakes.untrusted.text import clean

OnMine = Literal["continue", "end"]
FirstClick = Literal["any", "safe", "opening"]
CHOICES: dict[str, tuple[str, ...]] = {"on_mine": get_args(OnMine), "first_click": get_args(FirstClick)}
"""The allowed values of the rules that are words."""
_YES_NO = {True: "yes", False: "no"}
WORDS = {
    "first_click": {
        "any": "first click may hit a mine",
        "safe": "safe first click",
        "opening": "first click opens a blank",
    },
    "on_mine": {"continue": "game continues after a mine", "end": "first mine ends the game"},
}
"""The allowed values of these rules as people say them."""


class Rules(NamedTuple):
    """The rules of a game; an immutable value."""

    on_mine: OnMine = "continue"
    """Whether the game continues after a mine is opened, or ends."""
    first_click: FirstClick = "any"
    """The first opened cell may be a mine, is never a mine, or is a blank."""
    start: Cell | None = None
    """A cell that the referee opens before the first turn, the same for every agent."""
    flood: bool = True
    """Whether opening a blank opens its neighbours, and so on for every blank among them."""

    @classmethod
    def of(cls, values: Mapping[str, Any], default: Rules | None = None) -> Rules:
        """Return rules with these values, and `default` for all others. A start cell may be any pair of numbers."""
        rules = (default or cls())._replace(**values)
        return rules._replace(start=None if rules.start is None else Cell(*rules.start))

    @classmethod
    def parse(cls, text: str) -> Rules:
        """The rules in a text such as `str(rules)` or `options` writes; `PositionError` if it is not one."""
        values: dict[str, Any] = {}
        for word in text.split():
            key, equals, value = word.partition("=")
            if not equals or key not in cls._fields:
                keys = ", ".join(f"{key}=" for key in cls._fields)
                raise PositionError(f"{brief(word)} in the first line: expected {keys} or noise=")
            values[key] = _parse_start(value) if key == "start" else _parse_word(key, value)
        return cls.of(values)

    @property
    def last_mine(self) -> int:
        """The number of the detonated mine that ends the game: 1 for the first, 0 if no mine ends it."""
        return int(self.on_mine == "end")

    def options(self) -> dict[str, str]:
        """Return the rules as words of a tournament file, by name. The start cell is included only if there is one."""
        start = {} if self.start is None else {"start": f"{self.start.row},{self.start.col}"}
        return {"on_mine": self.on_mine, "first_click": self.first_click, **start, "flood": _YES_NO[self.flood]}

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
        return ", ".join(filter(None, self.phrases))

    @property
    def phrases(self) -> tuple[str, ...]:
        """A phrase for each rule; the last two are empty for a free start and for flooding."""
        start = "" if self.start is None else f"game begins at {self.start}"
        flood = "" if self.flood else "blanks do not open their neighbours"
        return (*(words[getattr(self, key)] for key, words in WORDS.items()), start, flood)

    def __str__(self) -> str:
        options = self.options()
        if self.flood:
            del options["flood"]
        return " ".join(f"{key}={value}" for key, value in options.items())


def _parse_word(key: str, value: str) -> str | bool:
    allowed = CHOICES.get(key, tuple(_YES_NO.values()))
    if value not in allowed:
        raise PositionError(f"{key}={clean(value, 60)}: expected {' or '.join(allowed)}")
    return value if key in CHOICES else value == "yes"


def _parse_start(value: str) -> Cell:
    row, _, col = value.partition(",")
    if not (row.isdecimal() and col.isdecimal() and len(row + col) < 9):
        raise PositionError(f"start={clean(value, 60)}: expected ROW,COL")
    return Cell(int(row), int(col))
