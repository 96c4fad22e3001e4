"""The result of a game: its ending and its counts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple, get_type_hints

from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.untrusted.text import clean

LONGEST_FAULT = 1000
"""Maximum length of the sentence about a fault, in characters."""
MAX_MEASURE = 1 << 53
"""An upper bound of every count and measure of a game. A float represents it exactly."""
_MAX_MEASURES = 100
_LONGEST_NAME = 100
_MAX_BYTES_OF_MOVES = 1 << 26
"""Maximum size of the packed turns of a game, in bytes."""
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""Characters that `text.clean` never leaves in a text."""


class Ending(StrEnum):
    """How a game ended. ILLEGAL_MOVE and all later members are faults of the agent."""

    WON = "won"
    LOST = "lost"
    FINISHED = "finished"
    GAVE_UP = "gave up"
    ILLEGAL_MOVE = "illegal move"
    ERROR = "error"
    STALLED = "stalled"
    TIME_OUT = "time-out"
    CRASH = "crash"
    MEMORY = "memory"
    TRUNCATED = "truncated answer"
    EMPTY = "empty answer"
    UNREADABLE = "unreadable answer"

    number: int
    """Its position among the endings, used as its code in `ResultColumns`."""
    is_fault: bool
    """Whether the game ended by a fault of the agent."""
    repeatable: bool
    """Whether the game ends this way on every machine. Exceeded limits and crashes may not occur elsewhere."""

    def __init__(self, text: str) -> None:  # stored, since properties of an enum are slow
        self.number = len(type(self).__members__)
        self.is_fault = text not in ("won", "lost", "finished", "gave up")
        self.repeatable = text not in ("time-out", "crash", "memory")


ENDINGS = {ending.value: ending for ending in Ending}
"""Endings by their text; faster than `Ending(text)`."""


_NO_MEASURES: Mapping[str, float | None] = MappingProxyType({})


class GameResult(NamedTuple):
    """The counts of a finished game; every score is a function of it."""

    rows: int
    cols: int
    mines: int
    ending: Ending
    opened: int = 0
    """Safe cells open at the end."""
    right_flags: int = 0
    """Flags on mines at the end."""
    wrong_flags: int = 0
    """Flags on safe cells at the end."""
    detonated: int = 0
    """Mines set off."""
    turns: int = 0
    cells_clicked: int = 0
    """Cells that turns named and opened. Cells opened by floods and skipped cells do not count."""
    guesses: int = 0
    """Turns with the reason `guess` or `random` that opened a cell by name."""
    fallbacks: int = 0
    """Turns decided by a weaker method because the agent's own would have taken too long."""
    clicks: int | None = None
    """Cells that turns named and opened, flagged or unflagged. None in games of format 3."""
    three_bv: int | None = None
    """3BV of the board if the game was won and blanks open their neighbours, else 0. None in games of format 3."""
    fault: str = ""
    """What the agent did wrong, in a sentence."""
    measures: Mapping[str, float | None] = _NO_MEASURES
    """The values of measured scores by name. A value is None if the second playing of the game failed."""

    def as_row(self) -> tuple[Any, ...]:
        """Return all fields except the size, in the order of `COLUMNS`, as whole numbers and texts."""
        _, _, _, ending, *others, measures = self
        return (ending.value, *others, json.dumps(dict(measures), sort_keys=True) if measures else "{}")

    @classmethod
    def from_row(cls, size: Size, row: Sequence[Any]) -> GameResult:
        """Return the result in a row made by `as_row`. Raise `ValueError` with the reason if the row is not valid.

        Only `check_result` checks whether a game can have this result.
        """
        ending, *others, text = row
        if len(row) != len(COLUMNS):
            raise ValueError(f"{len(row)} columns, expected {len(COLUMNS)}")
        measures: Any = _NO_MEASURES
        if text != "{}":
            try:
                measures = json.loads(text) if type(text) is str else None
            except (ValueError, RecursionError):
                raise ValueError("measures that are not JSON") from None
        if type(ending) is str:  # `check_result` rejects anything else
            ending = ENDINGS.get(ending, ending)
        return cls._make((*size, ending, *others, measures))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the columns, since the default of `measures` cannot be pickled."""
        return _unpickled, (self[:3], self.as_row())

    @property
    def outcome(self) -> tuple[Any, ...]:
        """Return the fields that are the same each time the game is played: the size, the ending and all counts."""
        return self[:-2]

    def agrees(self, other: GameResult) -> bool:
        """Return whether the two outcomes are equal, ignoring counts that either does not know."""
        if self.outcome == other.outcome:
            return True
        pairs = zip(self.outcome, other.outcome, strict=True)
        return all(one == two or one is None or two is None for one, two in pairs)

    @property
    def size(self) -> Size:
        """The size of the board."""
        return Size(self.rows, self.cols, self.mines)

    @property
    def cells(self) -> int:
        """Cells on the board."""
        return self.rows * self.cols

    @property
    def safe(self) -> int:
        """Cells without a mine."""
        return self.rows * self.cols - self.mines

    @property
    def won(self) -> bool:
        """Whether every safe cell is open, no mine was detonated, and there was no fault."""
        return self.opened == self.safe and self.detonated == 0 and not self.ending.is_fault


def _unpickled(size: tuple[int, int, int], row: Sequence[Any]) -> GameResult:
    return GameResult.from_row(Size(*size), row)


COLUMNS: Mapping[str, str] = {
    name: "integer" if kind in (int, int | None) else "text" for name, kind in [*get_type_hints(GameResult).items()][3:]
}
"""The columns of a row and their types in SQL."""
OPTIONAL = frozenset(name for name in COLUMNS if GameResult._field_defaults.get(name, "") is None)
"""Counts that may be None, which means unknown: the game was stored before the column was introduced."""
_IS_OPTIONAL = [name in OPTIONAL for name in GameResult._fields[4:-2]]


def max_turns(cells: int) -> int:
    """Return the number of turns after which a game on a board with `cells` cells counts as stalled.

    No game needs as many: each cell can be opened, flagged and unflagged.
    """
    return 4 * cells + 16


def max_cells_in_turn(cells: int) -> int:
    """Return how many cells a turn may name on a board with `cells` cells."""
    return max_turns(cells)


def max_named_cells(cells: int) -> int:
    """Return the maximum number of cells that all turns of a game together may name, far more than any game needs."""
    return min(32 * max_turns(cells), 1 << 22)


def max_evidence_cells(cells: int) -> int:
    """Return the maximum number of cells in the evidence of all turns of a game together."""
    return min(1024 * max_turns(cells), 1 << 22)


class _Impossible(NamedTuple):
    """A property that no valid result has: a test for it, and the message about it."""

    holds: Callable[[Any, Any, Any], Any]
    """A test of a result or of columns, given the number of the ending and `Rules.last_mine`.

    Its arguments are numbers or arrays, so it uses only arithmetic, comparisons, `&` and `|`. Unknown counts are -1.
    """
    text: Callable[[GameResult], str]


_WON, _LOST, _FINISHED, _GAVE_UP = (ending.number for ending in list(Ending)[:4])


def _misfits(r: Any, ending: Any, last: Any) -> Any:
    """Return whether the referee would give these counts a different ending."""
    opened, detonated, cells = r.opened, r.detonated, r.cells
    covered = cells - opened - detonated - r.right_flags - r.wrong_flags
    cleared = opened == cells - r.mines
    some_mine_ends, no_mine_ends = last > 0, last == 0
    ended = some_mine_ends & (detonated >= last)
    return (
        ((ending == _WON) & ((cleared == 0) | (detonated > 0) | no_mine_ends & (covered > 0)))
        | ((ending == _LOST) & (no_mine_ends | (detonated != last)))
        | ((ending == _FINISHED) & (some_mine_ends | (covered > 0) | cleared & (detonated == 0)))
        | ((ending == _GAVE_UP) & (some_mine_ends & cleared | no_mine_ends & (covered == 0)))
        | ((ending >= _GAVE_UP) & ended)
    )


_IMPOSSIBLE = (
    _Impossible(lambda r, *_: r.opened > r.safe, lambda r: f"{r.opened} safe cells open of {r.safe}"),
    _Impossible(
        lambda r, *_: r.right_flags + r.detonated > r.mines,
        lambda r: f"{r.right_flags} mines flagged and {r.detonated} detonated of {r.mines}",
    ),
    _Impossible(
        lambda r, *_: r.wrong_flags > r.safe - r.opened,
        lambda r: f"{r.wrong_flags} wrong flags and {r.opened} open cells of {r.safe}",
    ),
    _Impossible(
        lambda r, *_: r.turns > max_turns(r.cells),
        lambda r: f"{r.turns} turns, of which there can be {max_turns(r.cells)}",
    ),
    _Impossible(
        lambda r, *_: r.cells_clicked > r.opened + r.detonated,
        lambda r: f"{r.cells_clicked} cells opened by name and {r.opened + r.detonated} open or detonated",
    ),
    _Impossible(
        lambda r, *_: (r.guesses > r.turns) | (r.guesses > r.cells_clicked) | (r.fallbacks > r.turns),
        lambda r: (
            f"{r.guesses} guesses and {r.fallbacks} fallbacks in {r.turns} turns that clicked {r.cells_clicked} cells"
        ),
    ),
    _Impossible(
        lambda r, *_: (r.clicks >= 0) & (r.clicks < r.cells_clicked + r.right_flags + r.wrong_flags),
        lambda r: (
            f"{r.clicks} clicks, {r.cells_clicked} cells opened by name and {r.right_flags + r.wrong_flags} flags"
        ),
    ),
    _Impossible(
        lambda r, ending, _: r.three_bv > r.opened * (ending == _WON),
        lambda r: f"a 3BV of {r.three_bv} and {r.opened} open cells",
    ),
    _Impossible(
        lambda r, ending, _: (ending > _GAVE_UP) != (r.fault != ""),
        lambda r: f"the fault {_brief(r.fault)}" if r.fault else "no fault named",
    ),
    _Impossible(
        _misfits,
        lambda r: (
            f"{r.opened} of {r.safe} safe cells open, {r.detonated} of {r.mines} mines detonated, "
            f"{r.right_flags} right and {r.wrong_flags} wrong flags"
        ),
    ),
)
"""All reasons why counts, an ending and a fault can be impossible, for one result and for columns of many."""


def impossible(results: Any, ending: Any, last_mine: Any) -> Any:
    """Return which results in columns are impossible. Checks counts, endings and whether there is a fault."""
    found = ending < 0
    for name in COLUMNS:
        if COLUMNS[name] == "integer" and name not in OPTIONAL:
            found = found | (getattr(results, name) < 0)
    for each in _IMPOSSIBLE:
        found = found | each.holds(results, ending, last_mine)
    return found


def check_result(result: GameResult, size: Size, rules: Rules) -> None:
    """Raise `ValueError` with the reason for a result that no game of this size under these rules can have.

    Call this for every result from a worker or a file. It checks that the types are exact, that the counts are
    possible, and that the referee gives these counts this ending.
    """
    ending, fault, measures = result.ending, result.fault, result.measures
    if result[:3] != size:
        raise ValueError(f"a board of {_brief(result[:3])}, expected {tuple(size)}")
    if type(ending) is not Ending:
        raise ValueError(f"the ending {_brief(ending)}, expected one of {', '.join(ENDINGS)}")
    for place, count in enumerate(result[4:-2]):
        if (type(count) is not int or not 0 <= count < MAX_MEASURE) and not (count is None and _IS_OPTIONAL[place]):
            raise ValueError(f"the count {_brief(count)}, expected a whole number from 0 on")
    if type(fault) is not str or (fault and (len(fault) > LONGEST_FAULT or _UNPRINTABLE.search(fault))):
        raise ValueError(f"the fault {_brief(fault)}, expected at most {LONGEST_FAULT} printable characters")
    if type(measures) not in (dict, MappingProxyType):
        raise ValueError(f"the measures {_brief(measures)}, expected numbers by name")
    if measures:
        _check_measures(measures)
    if None in result:
        unknown: dict[str, Any] = {name: -1 for name in OPTIONAL if getattr(result, name) is None}
        result = result._replace(**unknown)
    number, last_mine = ending.number, rules.last_mine
    for each in _IMPOSSIBLE:
        if each.holds(result, number, last_mine):
            where = f" ({rules.words})" if each.holds is _misfits else ""
            raise ValueError(f"'{ending}' with {each.text(result)}{where}")


def check_extras(seconds: Any, moves: Any, took: Any = None) -> None:
    """Raise `ValueError` with the reason for times or packed turns that no game can have. Each may be None."""
    for time in (seconds, took):
        if time is not None and not (isinstance(time, float) and isfinite(time) and time >= 0):
            raise ValueError(f"{_brief(time)} seconds, expected a number from 0 on")
    if moves is not None and not (type(moves) is bytes and len(moves) <= _MAX_BYTES_OF_MOVES):
        raise ValueError(f"the moves {_brief(moves)}, expected at most {_MAX_BYTES_OF_MOVES:,} bytes")


def _check_measures(measures: Any) -> None:
    if type(measures) not in (dict, MappingProxyType) or len(measures) > _MAX_MEASURES:
        raise ValueError(f"the measures {_brief(measures)}, expected at most {_MAX_MEASURES} numbers by name")
    for name, value in measures.items():
        if type(name) is not str or len(name) > _LONGEST_NAME or _UNPRINTABLE.search(name):
            raise ValueError(f"a measure called {_brief(name)}, expected at most {_LONGEST_NAME} printable characters")
        if value is not None and not (isinstance(value, float | int) and -MAX_MEASURE < value < MAX_MEASURE):
            raise ValueError(f"the measure {name} of {_brief(value)}, expected a finite number")


def _brief(thing: Any) -> str:
    """Return a wrong value in a few characters. For a very long number return only its length."""
    if type(thing) is int and thing.bit_length() > 200:
        return f"a number of {thing.bit_length()} bits"
    if type(thing) is bytes:
        return f"of {len(thing):,} bytes"
    return clean(repr(thing), 60)
