"""A program in a host, for the steps that check it."""

from __future__ import annotations

from sweepstakes.hosting.forked import Death
from sweepstakes.hosting.hosted_agent import Program

_MAX_LINE = 1 << 20


class CheckedProgram:
    """A `RunningProgram` in a host. Each line has to be read or answered within `seconds`.

    The host raises what the steps expect: `HostTimeout` is a `TimeoutError`, `HostGone` an `EOFError`.
    """

    def __init__(self, program: Program, seconds: float) -> None:
        self._program = program
        self._host = program.host
        self._seconds = seconds
        self._death: Death | None = None
        program.max_length = _MAX_LINE  # the steps have a dialogue of their own

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""
        self._host.clock.start(self._seconds)
        self._program.send(lines)

    def ask(self, line: str) -> str:
        """Write a line and read its answer."""
        self._host.clock.start(self._seconds)
        return self._program.ask(line)

    def close(self) -> None:
        """Close its standard input."""
        self._host.close_input()

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for its end; return whether it has ended."""
        if self._death is None and not self._host.dead:
            self._death = self._host.wait(seconds)
        return self._host.dead

    def children(self) -> int:
        """Return how many processes it left behind at its end."""
        return self._death.left if self._death is not None else 0

    def errors(self) -> str:
        """Return what it wrote to standard error; if that is long, the beginning and the end."""
        return self._host.output

    def kill(self) -> None:
        """End it, with all that it started."""
        self._host.kill()
