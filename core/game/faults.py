"""The faults of agents, as exceptions that the referee turns into the ending of a game."""

from __future__ import annotations

from pathlib import PurePath

from sweepstakes.game.result import Ending
from sweepstakes.untrusted.exceptions import describe_error, is_ours, is_out_of_memory, traceback_entries
from sweepstakes.untrusted.text import clean


class AgentFault(Exception):  # noqa: N818 - it becomes the fault of a game
    """Raised by an agent's stand-in in the referee's process: the agent, which lives elsewhere, is at fault."""

    def __init__(self, ending: Ending, what: str, trace: str = "") -> None:
        super().__init__(what)
        self.ending = ending
        self.what = what
        """What the agent did, as the end of a sentence whose subject is the agent."""
        self.trace = trace
        """The traceback of the agent's exception, if there was one."""


def fault_of(error: BaseException) -> AgentFault:
    """An exception of an agent as a fault: its class, its text and the innermost line outside this package."""
    place = ""
    for file, line, names in reversed(traceback_entries(error)):
        # A guard hides its frame: the text is the same with and without one.
        if not is_ours(file) and "__tracebackhide__" not in names:
            place = f" (line {line} of {clean(PurePath(file).name, 60)})"
            break
    ending = Ending.MEMORY if is_out_of_memory(error) else Ending.ERROR
    return AgentFault(ending, f"raised {describe_error(error)}{place}")
