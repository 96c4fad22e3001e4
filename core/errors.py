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
from collections.abc import Iterable


class SweepstakesError(Exception):
    """Base of all errors that are answered by one clear line instead of a traceback."""


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
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f" (did you mean '{near[0]}'?)"
    return f" (known: {', '.join(names)})" if names else ""
