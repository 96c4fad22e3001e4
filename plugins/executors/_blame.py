"""Who pays for what went wrong in our own code: the agent, once it has been called in that game."""

from __future__ import annotations

from sweepstakes.game.result import Ending
from sweepstakes.untrusted.exceptions import describe_error


def blame(error: BaseException) -> tuple[Ending, str]:
    """How a game ends whose agent had been called when this came out of the referee, and what the agent did.

    Nothing that an agent returns or raises comes this far. It may be what the agent did to the process, or a mistake
    of ours, or of a plugin that is no agent: the text says enough to find it.
    """
    if issubclass(type(error), MemoryError):
        return Ending.MEMORY, "left no memory"
    if issubclass(type(error), RecursionError):
        return Ending.ERROR, "left no room on the stack"
    if issubclass(type(error), KeyboardInterrupt):
        return Ending.ERROR, f"raised {describe_error(error)}"
    return Ending.ERROR, f"broke the referee: {describe_error(error)}"
