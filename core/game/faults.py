"""The faults of agents, as values and as exceptions. The referee ends a game that raises one."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import PurePath
from typing import NamedTuple

from sweepstakes.game.result import Ending, GameResult
from sweepstakes.untrusted.exceptions import describe_error, is_ours, is_out_of_memory, traceback_entries
from sweepstakes.untrusted.text import clean


class FaultKind(Enum):
    """A kind of mistake of an agent: the ending of the game, and a sentence with `{}` for the detail."""

    RAISED = Ending.ERROR, "raised {}"
    OUT_OF_MEMORY = Ending.MEMORY, "raised {}"
    UNREADABLE_ANSWER = Ending.ILLEGAL_MOVE, "{}"
    CANNOT_PLAY = Ending.ERROR, "cannot play: {}"
    NO_AGENT = Ending.ERROR, "cannot play: it {}"
    BAD_PARAMETER = Ending.ERROR, "cannot play: {}"
    """The detail is a whole sentence that begins with the name of the agent."""
    CHANGED_FILE = Ending.CRASH, "cannot play: {}"
    TURN_TIME = Ending.TIME_OUT, "took more than {} s for a turn"
    GAME_TIME = Ending.TIME_OUT, "took more than {} s for a game"
    START_TIME = Ending.TIME_OUT, "took more than {} s to start"
    TASK_TIME = Ending.TIME_OUT, "took more than {} s"
    GREETING_TIME = Ending.TIME_OUT, "took more than {} s to say `ready` (does it flush its standard output?)"
    FORFEIT = Ending.TIME_OUT, "forfeits: it took too long in {} games in a row:"
    """The agent does not play because it took too long in earlier games."""
    MEMORY = Ending.MEMORY, "held more {}"
    TASKS = Ending.CRASH, "had more than {} threads and processes at once"
    FILES_CLOSED = Ending.CRASH, "closed the files of its process"
    UNUSABLE = Ending.CRASH, "left its process in a state in which nobody can play"
    DIED = Ending.CRASH, "{}"
    WROTE_INTO_FILES = Ending.CRASH, "wrote into the files of its process"
    REPORTED_ERROR = Ending.ERROR, "{}"
    TRUNCATED_REPLY = Ending.TRUNCATED, "gave an answer that {}"
    EMPTY_REPLY = Ending.EMPTY, "gave an answer that {}"
    UNREADABLE_REPLY = Ending.UNREADABLE, "gave an answer that {}"
    ILLEGAL_REPLY = Ending.ILLEGAL_MOVE, "gave an answer that {}"
    """This kind and the following ones are the faults of language models."""

    ending: Ending
    words: str

    def __new__(cls, ending: Ending, words: str) -> FaultKind:
        """Make distinct members even if two have the same ending and words."""
        kind = object.__new__(cls)
        kind._value_ = len(cls.__members__)
        kind.ending, kind.words = ending, words
        return kind


FORFEITED = "forfeit after time-outs"
"""The kind of a forfeited game in tables and packed games."""
_FORFEIT_WORDS = re.compile(f"^agent '.*' {re.escape(FaultKind.FORFEIT.words)}".replace(r"\{\}", r"\d+"))


class Fault(NamedTuple):
    """What an agent did wrong in a game."""

    kind: FaultKind
    detail: str = ""
    place: str = ""
    """The line of the agent's code that raised."""
    last_line: str = ""
    """The last line of the standard error of a program that died."""

    @property
    def ending(self) -> Ending:
        """How the game ends."""
        return self.kind.ending

    @property
    def what(self) -> str:
        """What the agent did, as the end of a sentence whose subject is the agent."""
        place = f" ({self.place})" if self.place else ""
        after = f", after it wrote '{self.last_line}'" if self.last_line else ""
        return self.kind.words.replace("{}", self.detail) + place + after


class AgentFault(Exception):  # noqa: N818 - it becomes the fault of a game
    """Raised in the referee's process by the stand-in of an agent in another process, for a fault of that agent."""

    def __init__(self, fault: Fault, trace: str = "") -> None:
        super().__init__(fault.what)
        self.fault = fault
        self.trace = trace
        """The traceback of the agent's exception, if there was one."""

    @property
    def ending(self) -> Ending:
        """How the game ends."""
        return self.fault.ending

    @property
    def what(self) -> str:
        """What the agent did, as the end of a sentence whose subject is the agent."""
        return self.fault.what


def is_forfeit(result: GameResult) -> bool:
    """Return whether the agent forfeited a finished game because it took too long in earlier games.

    Rows have no column for the kind of a fault, so this kind is recognised by the words of `FaultKind.FORFEIT` in the
    stored sentence. No other code may read such a sentence.
    """
    return result.ending is FaultKind.FORFEIT.ending and not result.turns and bool(_FORFEIT_WORDS.match(result.fault))


def stored_kind(result: GameResult) -> str:
    """Return the kind under which tables count the fault of a finished game: `FORFEITED`, or its ending."""
    return FORFEITED if is_forfeit(result) else result.ending.value


def fault_of(error: BaseException) -> Fault:
    """Make a fault from an agent's exception: its class, its text and the innermost line outside this package."""
    place = ""
    for file, line, names in reversed(traceback_entries(error)):
        # A guard hides its own frame, so that the text is the same with and without a guard.
        if not is_ours(file) and "__tracebackhide__" not in names:
            place = f"line {line} of {clean(PurePath(file).name, 60)}"
            break
    kind = FaultKind.OUT_OF_MEMORY if is_out_of_memory(error) else FaultKind.RAISED
    return Fault(kind, describe_error(error), place)
