"""Every error a user can meet, as one tree.

SweepstakesError
├── PositionError       a board or view that cannot be read or cannot be
├── ParameterError      a parameter that the named thing does not take
├── PluginError         a plugin that does not load, or a name nobody offers
├── ConfigError         a tournament file that says something impossible
├── RunError            a run directory that is locked, changed or damaged
└── IllegalMove         a turn against the rules: the agent's fault, it costs that agent the game
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable
from pathlib import Path

from sweepstakes.untrusted.text import clean

LONGEST = 480
"""Characters of the longest message: the line it is printed in has at most 500."""


class SweepstakesError(Exception):
    """Base of all errors that are answered by one clear line instead of a traceback.

    The message is one line of printable characters, whatever the values are that it echoes.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(clean(str(message), LONGEST))


class PositionError(SweepstakesError):
    """A board, a view or a size that cannot be read or cannot exist."""


class ParameterError(SweepstakesError):
    """A parameter that an agent, board source, noise or score does not take."""


class PluginError(SweepstakesError):
    """A plugin that does not load, or a name that no plugin offers."""


class ConfigError(SweepstakesError):
    """A tournament file or option that says something impossible."""


class RunError(SweepstakesError):
    """A run directory that is in use, does not fit the tournament, or is damaged."""


class IllegalMove(SweepstakesError):  # noqa: N818 - it names what happened, as in chess
    """A turn against the rules, with the sentence that says so."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The tail of an error message: the nearest known word, or the list of them all."""
    names = sorted(known)
    near = difflib.get_close_matches(word[:100], names, n=1, cutoff=0.6)
    if near:
        return f" (did you mean '{near[0]}'?)"
    return f" (known: {', '.join(names)})" if names else ""


def brief(value: object, longest: int = 60) -> str:
    """A value as a message echoes it: in Python's notation, at most so many characters of it."""
    short = reprlib.Repr()
    short.maxlevel = 3
    short.maxstring = short.maxother = short.maxlong = longest
    try:
        return clean(short.repr(value), longest)
    except Exception:  # noqa: BLE001 - a third party's value, or a number with too many digits to be printed
        return f"a very long {type(value).__name__}" if isinstance(value, int) else f"a {type(value).__name__}"


def located(path: str | Path) -> str:
    """A path as a message names it: the end of one that is too long to be read."""
    text = clean(str(path), 10_000)
    return text if len(text) <= 160 else f"...{text[-157:]}"
