"""The lines that the referee exchanges with a program that plays, without any input or output: docs/protocol.md.

    referee  sweepstakes 1                                 program  ready name=first-c version=1 option=window:int:4
    referee  option window 6
    referee  game 2 3 1 on_mine=end first_click=any flood=yes seed=7 turn_seconds=10
    referee  turn ......                                   program  open 0
    referee  turn 1.....                                   program  flag 1 open 3 why=guess p=0.3
    referee  end lost
    referee  quit

What a program wrote is untrusted: every line is bounded and checked, and only its beginning is quoted.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Literal, NamedTuple, Protocol, cast

import numpy as np

from sweepstakes.errors import ParameterError, brief, did_you_mean
from sweepstakes.game.codes import WITHHELD
from sweepstakes.game.faults import FaultKind
from sweepstakes.game.result import max_cells_in_turn
from sweepstakes.game.turn import Turn, Why
from sweepstakes.game.view import View
from sweepstakes.limits import Limits
from sweepstakes.noise import EXACT, Noise
from sweepstakes.untrusted.text import clean

GREETING = "sweepstakes 1"
"""The first line that a program reads: the number is that of the protocol."""
QUIT = "quit"
"""The last line that a program reads."""
MAX_READY = 4000
"""Maximum characters of the answer to the greeting."""
MAX_OPTIONS = 100
CHANGES = "changes"
"""What a program writes after `wants=` if it wants changes instead of whole boards."""
RESERVED = frozenset(("agent", "as", "command", "files"))
"""Names that no option may have: they have another meaning in tournament files."""

OptionType = Literal["int", "float", "bool", "text"]
OptionValue = int | float | bool | str

_QUOTED = 60
_MAX_WORD = 40
_MAX_TEXT = 200
_MAX_KEYS = 1000
"""Maximum characters of an answer besides its cells."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_OPTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_INT = re.compile(r"[+-]?[0-9]{1,19}", re.ASCII)
_FLOAT = re.compile(r"[+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
_DIGITS = 18
"""Maximum number of digits of a cell. Such a number fits 64 bits and is far off every board."""
_WORD = re.compile("[^ ]+")
_LONG = 10_000
"""From this length on, the words of an answer are read one by one, so that few are in memory at a time."""
_ANSWERS = "expected open, flag, unflag or resign"
_READY = "expected ready name=NAME version=VERSION"


class ProtocolError(ValueError):
    """Raised for an invalid answer; its text is the end of a sentence whose subject is the agent."""

    kind = FaultKind.UNREADABLE_ANSWER


class ReportedError(ProtocolError):
    """Raised for the answer `error TEXT`: the program cannot continue, and says why."""

    kind = FaultKind.REPORTED_ERROR


class Option(NamedTuple):
    """A parameter of a program."""

    name: str
    type: OptionType
    default: OptionValue
    truth: tuple[str, str] = ("no", "yes")
    """How the program spells the values of a `bool`."""


class Ready(NamedTuple):
    """How a program describes itself."""

    name: str
    version: str
    wants: frozenset[str] = frozenset()
    options: tuple[Option, ...] = ()


def parse_ready(line: str) -> Ready:
    """Parse the answer to the greeting: `ready name=N version=V [wants=changes] [option=NAME:TYPE:DEFAULT ...]`."""
    words = _checked(line, MAX_READY, _READY).split()
    if words[0] != "ready":
        raise _wrong(line, _READY)
    values: dict[str, str] = {}
    options: dict[str, Option] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not equals:
            raise _wrong(line, f"{_READY}, found '{clean(word, 20)}'")
        if key == "option":
            option = _option(line, value)
            if option.name in options:
                raise _wrong(line, f"expected the option {option.name} once")
            options[option.name] = option
        values[key] = value
    for key in ("name", "version"):
        if key not in values:
            raise _wrong(line, _READY)
        if len(values[key]) > _MAX_WORD or not _NAME.fullmatch(values[key]):
            raise _wrong(line, f"expected a {key} of at most {_MAX_WORD} letters, digits, '-', '_' and '.'")
    if len(options) > MAX_OPTIONS:
        raise _wrong(line, f"expected at most {MAX_OPTIONS} options")
    wants = frozenset(word for word in values.get("wants", "").split(",") if word)
    return Ready(values["name"], values["version"], wants, tuple(options.values()))


def _option(line: str, text: str) -> Option:
    name, _, rest = text.partition(":")
    kind, colon, default = rest.partition(":")
    if not colon:
        raise _wrong(line, f"expected option=NAME:TYPE:DEFAULT, found '{clean(text, 20)}'")
    if len(name) > _MAX_WORD or not _OPTION_NAME.fullmatch(name) or name in RESERVED:
        raise _wrong(line, f"'{clean(name, 20)}' cannot be the name of an option")
    if kind not in _TYPES:
        raise _wrong(line, f"expected the option {name} to be {_list(_TYPES)}, found '{clean(kind, 20)}'")
    value = _default(kind, default)
    if value is None:
        raise _wrong(line, f"expected {_TYPES[kind]} as the default of {name}, found '{clean(default, 20)}'")
    truth = ("false", "true") if kind == "bool" and default in ("false", "true") else ("no", "yes")
    return Option(name, cast(OptionType, kind), value, truth)


_TYPES = {
    "int": "an integer of 64 bits",
    "float": "a number",
    "bool": "yes or no",
    "text": f"a text of at most {_MAX_TEXT} printable ASCII characters",
}
"""The types of options, and how messages name their values."""


def _default(kind: str, text: str) -> OptionValue | None:
    """Parse the default of an option. Return None if it does not fit the type."""
    value: OptionValue | None = text
    if kind == "int":
        value = int(text) if _INT.fullmatch(text) else None
    elif kind == "float":
        value = float(text) if _FLOAT.fullmatch(text) else None
    elif kind == "bool":
        value = {"yes": True, "true": True, "no": False, "false": False}.get(text)
    return value if value is not None and _text(kind, value) is not None else None


def _text(kind: str, value: Any, truth: tuple[str, str] = ("no", "yes")) -> str | None:
    """Format the value of an option for a program; None if the value has another type."""
    if kind == "bool":
        return truth[value] if isinstance(value, bool) else None
    if kind == "text":
        plain = isinstance(value, str) and len(value) <= _MAX_TEXT and value.isascii() and value.isprintable()
        return value if plain and value == value.strip() else None
    if isinstance(value, bool):
        return None
    if kind == "int":
        return str(value) if isinstance(value, int) and -(2**63) <= value < 2**63 else None
    if isinstance(value, int) and abs(value) < 2**63:
        return str(value)
    return repr(value) if isinstance(value, float) and isfinite(value) else None


def option_lines(ready: Ready, parameters: Mapping[str, Any]) -> list[str]:
    """Return the lines `option NAME VALUE` for the user's parameters. Raise `ParameterError` if one does not fit."""
    owner = f"agent '{ready.name}'"
    types = {option.name: option.type for option in ready.options}
    for name, value in parameters.items():
        if name not in types:
            hint = did_you_mean(name, types) if types else " (it takes none)"
            raise ParameterError(f"{owner} has no parameter {brief(name)}{hint}")
        if _text(types[name], value) is None:
            raise ParameterError(f"{owner}: {name}: {brief(value)} is invalid: expected {_TYPES[types[name]]}")
    given = [option for option in ready.options if option.name in parameters]
    return [
        f"option {option.name} {_text(option.type, parameters[option.name], option.truth)}".rstrip() for option in given
    ]


def game_lines(view: View, seed: int, limits: Limits) -> list[str]:
    """Return the line that begins a game, and under noise the 45 lines of its likelihoods."""
    noise = view.noise
    rules = view.rules._replace(flood=view.rules.flood and noise.floods)
    words = [f"game {view.rows} {view.cols} {view.mines}", *(f"{key}={word}" for key, word in rules.options().items())]
    if noise != EXACT:
        words.append(f"noise={_one_word(noise.name)}")
    words.append(f"seed={seed}")
    words += [f"{key}={_number(value)}" for key, value in limits._asdict().items() if value is not None]
    return [" ".join(words), *(likelihood_lines(noise) if noise != EXACT else ())]


@lru_cache(maxsize=64)
def likelihood_lines(noise: Noise) -> tuple[str, ...]:
    """Return a line for each number of neighbours N and of mines M: `likelihood N M P0 P1 ... P8 PWITHHELD`."""
    table = noise.table.tolist()
    return tuple(
        f"likelihood {n} {k} " + " ".join(map(_number, table[n][k][: WITHHELD + 1]))
        for n in range(9)
        for k in range(n + 1)
    )


def _number(value: float) -> str:
    """Format a number in the shortest form that is parsed as the same number."""
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else repr(float(value))


def _one_word(text: str) -> str:
    """Turn a text into one word of at most 200 printable ASCII characters."""
    return "".join(mark if "!" <= mark <= "~" else "_" for mark in text[:_MAX_TEXT])


def turn_line(view: View) -> str:
    """Return the question for a turn: every mark of the board, in one word."""
    return f"turn {view.marks}"


def change_line(before: View, after: View) -> str:
    """Return the question for a turn: the cells whose marks have changed, as `change CELL=MARK ...`."""
    if before.data == after.data:
        return "change"
    changed = np.flatnonzero(np.frombuffer(before.data, np.int8) != np.frombuffer(after.data, np.int8)).tolist()
    marks = after.marks
    return "change " + " ".join([f"{cell}={marks[cell]}" for cell in changed])


def end_line(ending: str) -> str:
    """Return the line that ends a game, from the text of its `Ending`: `end won`, `end gave-up`."""
    return f"end {ending.replace(' ', '-')}"


def error_line(fault: str) -> str:
    """Return the line that reports a fault to the program, before the game ends."""
    return f"error {clean(fault, _MAX_TEXT)}".encode("ascii", "replace").decode()


def max_answer(cells: int) -> int:
    """Return the maximum characters of an answer on a board of `cells`."""
    return _MAX_KEYS + 8 * max_cells_in_turn(cells)


def parse_answer(line: str, rows: int, cols: int) -> Turn:
    """Parse an answer: `open 17 18 flag 40 unflag 3 why=proof p=0.12`, or `resign`.

    Cells off the board are accepted here. The referee refuses them with a message that names them.
    """
    line = _checked(line, max_answer(rows * cols), _ANSWERS)
    if line.count(" ") > (max_cells := max_cells_in_turn(rows * cols)) + _MAX_KEYS:
        raise ProtocolError(f"named more than {max_cells} cells in a turn: expected each cell once")
    words: Iterator[str] = iter(line.split()) if len(line) < _LONG else (found[0] for found in _WORD.finditer(line))
    opens, flags, unflags = array("q"), array("q"), array("q")
    lists = {"open": opens, "flag": flags, "unflag": unflags}
    first = next(words)
    resigned = first == "resign"
    into = lists.get(first)
    if into is None and not resigned:
        raise _wrong(line, _ANSWERS)
    why: Why = "random"
    probability: float | None = None
    fallback = False
    for word in words:
        if word.isdigit() and len(word) <= _DIGITS and into is not None:
            into.append(int(word))
        elif word in lists and not resigned:
            into = lists[word]
        elif "=" in word:
            key, _, value = word.partition("=")
            if key == "why":
                why = _reason(line, value)
            elif key == "p":
                probability = _probability(line, value)
            elif key == "fallback":
                if value not in ("yes", "no"):
                    raise _wrong(line, "expected fallback=yes or fallback=no")
                fallback = value == "yes"
        elif into is not None and word[0] == "-" and word[1:].isdigit() and len(word) <= _DIGITS + 1:
            into.append(int(word))
        else:
            expected = "nothing after resign" if resigned else f"numbers of cells of at most {_DIGITS} digits"
            raise _wrong(line, f"expected {expected}, found '{clean(word, 20)}'")
    if resigned:
        return Turn()
    if not (opens or flags or unflags):
        raise _wrong(line, f"expected the numbers of cells after {first}, or resign")
    return Turn(_cells(opens), _cells(flags), _cells(unflags), why, probability, None, fallback)


def _cells(numbers: array[int]) -> Any:
    return np.frombuffer(numbers, np.int64) if numbers else ()


def _reason(line: str, value: str) -> Why:
    if value not in ("proof", "guess", "random"):
        raise _wrong(line, "expected why=proof, why=guess or why=random")
    return cast(Why, value)


def _probability(line: str, value: str) -> float:
    if not _FLOAT.fullmatch(value) or not 0 <= float(value) <= 1:
        raise _wrong(line, "expected p=0 to p=1")
    return float(value)


def _checked(line: str, max_length: int, expected: str) -> str:
    """Return a line of a program that has at least one word. Raise `ReportedError` if it reports an error."""
    if len(line) > max_length:
        raise ProtocolError(f"answered a line of more than {max_length:,} characters that begins {_quote(line)}")
    line = line.strip(" \r\n")
    if not (line.isascii() and line.isprintable()):
        raise ProtocolError(f"answered {_quote(line)}, a line with characters other than printable ASCII: {expected}")
    if not line:
        raise ProtocolError(f"answered an empty line: {expected}")
    if line == "error" or line.startswith("error "):
        reported = clean(line.removeprefix("error"), _MAX_TEXT)
        raise ReportedError(f"reported the error '{reported}'" if reported else "reported an error without a message")
    return line


def _wrong(line: str, expected: str) -> ProtocolError:
    return ProtocolError(f"answered {_quote(line)}: {expected}")


def _quote(line: str) -> str:
    return f"'{clean(line, _QUOTED)}'"


def _list(words: Mapping[str, object]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}"


class Lines(Protocol):
    """A program's standard input and output, by lines. Both methods may raise exceptions of their owner."""

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""

    def ask(self, line: str) -> str:
        """Write a line and read its answer, without the line break.

        Bytes are decoded as Latin-1, so that any byte beyond ASCII is found and refused. A line written before the
        question is not an answer. `LineDialogue.max_length` bounds what has to be read.
        """


class LineDialogue:
    """What the referee says to a program, from the greeting on."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self.max_length = MAX_READY
        """Maximum characters of the next answer. No more are read."""
        self.changes = False
        """Whether changes are sent after the first turn of a game, because the program wants them."""
        self._before: View | None = None

    def greet(self, parameters: Mapping[str, Any] | None = None) -> Ready:
        """Greet the program and set its options.

        Raise `ProtocolError` if its answer is not valid, `ParameterError` if it does not take a parameter.
        """
        ready = parse_ready(self._lines.ask(GREETING))
        options = option_lines(ready, parameters or {})
        if options:
            self._lines.send(options)
        self.changes = CHANGES in ready.wants
        return ready

    def start_game(self, view: View, seed: int, limits: Limits) -> None:
        """Announce a game; `seed` is that of the agent's random numbers."""
        self._before = None
        self.max_length = max_answer(view.rows * view.cols)
        self._lines.send(game_lines(view, seed, limits))

    def act(self, view: View) -> Turn:
        """Ask for a turn. Raise `ProtocolError` if the answer is not valid."""
        before, self._before = self._before, view
        question = change_line(before, view) if self.changes and before is not None else turn_line(view)
        return parse_answer(self._lines.ask(question), view.rows, view.cols)

    def end_game(self, ending: str, fault: str = "") -> None:
        """Report how the game ended, and the fault of the agent if there was one."""
        self._before = None
        self._lines.send([*([error_line(fault)] if fault else []), end_line(ending)])
