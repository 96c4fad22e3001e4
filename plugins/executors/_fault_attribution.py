"""Which ending and which sentence a game gets when an exception comes out of the referee after its agent was called."""

from __future__ import annotations

from sweepstakes.errors import PluginError, PositionError
from sweepstakes.game.result import Ending
from sweepstakes.untrusted.exceptions import describe_error, is_out_of_memory

FAILURES_OF_PLUGINS = (PluginError, PositionError)
"""What comes out of the referee if a board source, a noise or a score fails. It stops the run; no agent is charged."""


def attribute_fault(error: BaseException) -> tuple[Ending, str]:
    """The ending of a game that the exception broke off, and what its agent did, as in "left no memory".

    The referee catches whatever an agent returns or raises. An exception that leaves the referee all the same comes
    from what the agent did to the process, from a mistake in this package, or from a plugin that is no agent. The
    game's agent is charged with it, once it has been called; the sentence says enough to find the real cause.
    """
    if is_out_of_memory(error):
        return Ending.MEMORY, "left no memory"
    if issubclass(type(error), RecursionError):
        return Ending.ERROR, "left no room on the stack"
    if issubclass(type(error), KeyboardInterrupt):
        return Ending.ERROR, f"raised {describe_error(error)}"
    return Ending.ERROR, f"broke the referee: {describe_error(error)}"
