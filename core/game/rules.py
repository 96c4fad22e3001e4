"""The rules of a game: mines, first click, start cell and flooding.

Values, defaults, words and texts of all rules are declared here, once. Files, options, forms, frames, lines and pages
read them from here. A new rule needs a field of `Rules`, an entry of `RULES` and code in the referee.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from sweepstakes.errors import PositionError, brief
from sweepstakes.game.cell import Cell, neighbours, parse_cell
from sweepstakes.game.size import Size
from sweepstakes.untrusted.text import clean

OnMine = Literal["continue", "end"]
FirstClick = Literal["any", "safe", "opening"]


class Rule(NamedTuple):
    """How one rule is written and offered."""

    kind: Literal["word", "flag", "cell"]
    """Whether a value is one of several words, a bool, or a cell or None."""
    title: str
    """The name of its field in a form."""
    help: str
    """The help of its option: `--on-mine WORD`, `--start ROW,COL`, and `--no-flood`, which turns a flag off."""
    phrases: Mapping[Any, str]
    """The values as people say them. An empty phrase is left out."""
    otherwise: str = ""
    """How people say any other value, with `{}` in its place."""
    example: Any = None
    """A value other than the default, if there is one. `check` plays games with it."""

    @property
    def words(self) -> tuple[str, ...]:
        """The allowed words in tournament files, of a word or a flag."""
        return tuple(map(self.write, self.phrases))

    def phrase(self, value: Any) -> str:
        """Return a value as people say it."""
        found = self.phrases.get(value)
        return self.otherwise.format(value) if found is None else found

    def write(self, value: Any) -> str:
        """Return the word for a value in tournament files and in positions."""
        if self.kind == "flag":
            return "yes" if value else "no"
        return f"{value.row},{value.col}" if self.kind == "cell" else str(value)

    def read(self, name: str, word: str) -> Any:
        """Return the value of a word of the rule `name`, or raise `PositionError`."""
        if self.kind == "cell":
            cell = parse_cell(word)
            if cell is None:
                raise PositionError(f"{name}={clean(word, 60)}: expected ROW,COL")
            return cell
        if word not in self.words:
            raise PositionError(f"{name}={clean(word, 60)}: expected {' or '.join(self.words)}")
        return word == "yes" if self.kind == "flag" else word


RULES = {
    "first_click": Rule(
        "word",
        "First click",
        "Whether the first cell opened may be a mine (any), is safe, or is safe and has clue 0 (opening).",
        {
            "any": "first click may hit a mine",
            "safe": "safe first click",
            "opening": "first click opens a blank",
        },
    ),
    "on_mine": Rule(
        "word",
        "Mines",
        "Whether the game continues or ends when an agent opens a mine.",
        {"continue": "game continues after a mine", "end": "first mine ends the game"},
    ),
    "start": Rule("cell", "Start", "Cell to open before the first turn.", {None: ""}, "game begins at {}", Cell(2, 3)),
    "flood": Rule(
        "flag",
        "Flooding",
        "Do not open the neighbours of cells with clue 0.",
        {True: "", False: "blanks do not open their neighbours"},
    ),
}
"""All rules by name, in the order in which people say them. `Rules` has the order of tournament files."""


class Rules(NamedTuple):
    """The rules of a game; an immutable value."""

    on_mine: OnMine = "continue"
    """Whether the game continues or ends after a mine is opened."""
    first_click: FirstClick = "any"
    """Whether the first opened cell may be a mine, is never a mine, or is always a blank."""
    start: Cell | None = None
    """A cell that the referee opens before the first turn, the same for every agent."""
    flood: bool = True
    """Whether opening a blank also opens its neighbours, and in turn those of every blank among them."""

    @classmethod
    def of(cls, values: Mapping[str, Any], default: Rules | None = None) -> Rules:
        """Return rules with these values, and `default` for all others. A start cell may be any pair of numbers."""
        rules = (default or cls())._replace(**values)
        return rules._replace(start=None if rules.start is None else Cell(*rules.start))

    @classmethod
    def parse(cls, text: str) -> Rules:
        """Read rules from a text as written by `str(rules)` or `options`. Raise `PositionError` if it is not valid."""
        values: dict[str, Any] = {}
        for word in text.split():
            key, equals, value = word.partition("=")
            if not equals or key not in cls._fields:
                keys = ", ".join(f"{key}=" for key in cls._fields)
                raise PositionError(f"{brief(word)} in the first line: expected {keys} or noise=")
            values[key] = RULES[key].read(key, value)
        return cls.of(values)

    @property
    def last_mine(self) -> int:
        """The number of the detonated mine that ends the game: 1 for the first, 0 if no mine ends it."""
        return int(self.on_mine == "end")

    def options(self) -> dict[str, str]:
        """Return the rules as words of a tournament file, by name. The start cell is included only if there is one."""
        return {key: RULES[key].write(value) for key, value in self._asdict().items() if value is not None}

    def arguments(self, omit: Rules | None = None) -> list[str]:
        """Return the options of the command line for these rules, except for values that are the same in `omit`."""
        words = []
        for key, value in self._asdict().items():
            rule, option = RULES[key], key.replace("_", "-")
            if rule.kind == "flag":
                words += [] if value else [f"--no-{option}"]
            elif rule.phrase(value) and (omit is None or value != getattr(omit, key)):
                words += [f"--{option}", rule.write(value)]
        return words

    def protected(self, size: Size, first: Cell) -> tuple[int, ...]:
        """Return the cells, as flat indices, that hold no mine when `first` is opened first."""
        if self.first_click == "any":
            return ()
        if self.first_click == "safe":
            return (first.row * size.cols + first.col,)
        cells = [first]
        if self.first_click == "opening":
            cells += neighbours(size.rows, size.cols, *first)
        return tuple(sorted(row * size.cols + col for row, col in cells))

    def check(self, size: Size) -> None:
        """Raise `PositionError` if some first click of the agent could not be protected on a board of this size."""
        rows, cols, mines = size
        for key, rule in RULES.items():
            if rule.kind == "word" and getattr(self, key) not in rule.words:
                raise PositionError(f"{key}={getattr(self, key)}: expected {' or '.join(rule.words)}")
        if self.start is not None and not isinstance(self.start, Cell):
            raise PositionError(f"start cell {self.start!r}: expected Cell(row, col)")
        if self.start is not None and not (0 <= self.start.row < rows and 0 <= self.start.col < cols):
            raise PositionError(f"start cell {self.start} is not on a board of {rows} x {cols}")
        first = self.start or Cell(min(1, rows - 1), min(1, cols - 1))  # has the most neighbours
        room = size.cells - len(self.protected(size, first))
        if mines > room:
            raise PositionError(
                f"{mines} mines on {rows} x {cols} leave no room for a first click that is "
                f"{'a blank' if self.first_click == 'opening' else 'safe'}: expected at most {room}"
            )

    @property
    def words(self) -> str:
        """The rules in words for people. `str` has the words of tournament files."""
        return ", ".join(filter(None, self.phrases))

    @property
    def phrases(self) -> tuple[str, ...]:
        """A phrase for each rule. Those of a free start and of flooding are empty."""
        return tuple(rule.phrase(getattr(self, key)) for key, rule in RULES.items())

    def __str__(self) -> str:
        said = {key: value for key, value in self._asdict().items() if RULES[key].phrase(value)}
        return " ".join(f"{key}={RULES[key].write(value)}" for key, value in said.items())


CLASSIC = Rules("end", "safe")
"""The rules of classic Minesweeper: the first mine ends the game, and the first click is never one."""
