"""The errors that a user can meet, as one tree.

SweepstakesError
├── PositionError       a board, view or size that cannot be read or cannot exist
├── ParameterError      a parameter that an agent, board source, noise or score does not take
├── PluginError         a plugin that does not load, or a name that no plugin offers
├── ConfigError         a tournament file or option with a value that is not allowed
├── RunError            a run directory that is locked, changed or damaged
│   ├── HostingError    an agent's process that this machine cannot start or end (not a fault of the agent)
│   │   └── ServerGoneError  the process that starts hosts and workers has died
│   └── LostGamesError  a file of games that somebody removed or changed while the run was being played
└── IllegalMove         a turn against the rules: a fault of the agent, which costs it the game
"""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Iterable
from enum import IntEnum
from pathlib import Path
from typing import ClassVar

from sweepstakes.untrusted.text import clean

MAX_MESSAGE_LENGTH = 480
"""Maximum length of a message. With its prefix the printed line has at most 500 characters."""


class ExitCode(IntEnum):
    """The exit codes of all commands."""

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        """Make the member `code`, with a `meaning`."""
        self = int.__new__(cls, code)
        self._value_ = code
        self.meaning = meaning
        return self

    SUCCESS = 0, "success"
    FAILED = 1, "a check failed or output was lost"
    INVALID = 2, "invalid input"
    UNVERIFIED = 3, "not everything could be verified"
    INTERNAL = 70, "internal error"
    INTERRUPTED = 130, "interrupted"


class SweepstakesError(Exception):
    """Base of the errors that the command line reports in one line, without a traceback.

    The message is one line of printable characters, whatever values it quotes. If it is about a file, it begins with
    `where`, the path of that file. `reason` is the rest.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.INVALID
    """The exit code of a command that ends with this error."""

    def __init__(self, message: object = "", where: str | Path = "") -> None:
        place = f"{located(where)}: " if where else ""
        text = clean(f"{place}{message}", MAX_MESSAGE_LENGTH)
        super().__init__(text)
        self.where = str(where)
        self.reason = text[len(place) :]


class PositionError(SweepstakesError):
    """A board, a view or a size that cannot be read or cannot exist."""


class ParameterError(SweepstakesError):
    """A parameter that an agent, board source, noise or score does not take."""


class PluginError(SweepstakesError):
    """A plugin that does not load, or a name that no plugin offers."""


class ConfigError(SweepstakesError):
    """A tournament file or an option with a value that is not allowed."""


class RunError(SweepstakesError):
    """A run directory that is locked by another run, belongs to another tournament, or is damaged."""


class HostingError(RunError):
    """The process of an agent cannot be started or does not end. This is not a fault of the agent."""


class ServerGoneError(HostingError):
    """The process that starts hosts and workers has died, and so have all processes that it started."""

    def __init__(self, why: str = "") -> None:
        super().__init__(f"the process that starts the hosts of agents is gone{why and f': {why}'}")


class LostGamesError(RunError):
    """The file of a run's games was removed, replaced or cut while the run was being played."""

    exit_code = ExitCode.FAILED


class IllegalMove(SweepstakesError):  # noqa: N818 - the term of chess libraries
    """A turn that breaks the rules. The message says which agent did what in which game."""


_LISTED = 20
"""Maximum number of known words that an error message lists."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of an error message: the nearest known word, or else a list of up to `_LISTED` known words."""
    names = sorted(known)
    near = difflib.get_close_matches(word[:100], names, n=1, cutoff=0.6)
    if near:
        return f" (did you mean '{near[0]}'?)"
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f" (known: {', '.join(names[:_LISTED])}{more})" if names else ""


_PYDANTIC = {
    "a valid integer": "a whole number",
    "a valid string": "text",
    "a valid boolean": "true or false",
    "a valid dictionary": "a mapping",
    "a valid ": "a ",
    "match pattern": "text that matches",
    "greater than or equal to": "at least",
    "less than or equal to": "at most",
    "greater than": "more than",
}
"""Words of pydantic's messages, and ours."""


def expectation(message: str) -> str:
    """Return pydantic's message about an invalid value in our words, as in "expected a whole number"."""
    text = re.sub(r" or instance of .*|, unable to .*| after validation, not .*", "", message)
    text = re.sub(r"^(?:Input should be|\w+ should have|\w+ should) ", "expected ", text)
    for theirs, ours in _PYDANTIC.items():
        text = text.replace(theirs, ours)
    return text[0].lower() + text[1:]


def brief(value: object, longest: int = 60) -> str:
    """Return the `repr` of a value for a message, cut to at most `longest` characters."""
    short = reprlib.Repr()
    short.maxlevel = 3
    short.maxstring = short.maxother = short.maxlong = longest
    try:
        return clean(short.repr(value), longest)
    except Exception:  # noqa: BLE001 - a third-party `repr` may raise anything; that of a very long int raises too
        return f"a very long {type(value).__name__}" if isinstance(value, int) else f"a {type(value).__name__}"


def located(path: str | Path) -> str:
    """Return a path for a message. A long path is cut to its end."""
    text = clean(str(path), 10_000)
    return text if len(text) <= 160 else f"...{text[-157:]}"
