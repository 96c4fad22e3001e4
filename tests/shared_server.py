"""One server for all tests of a process: a new one costs a second of processor time, and most tests need one.

Tests of the system tier, and those marked `own_server`, start their own servers.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

from sweepstakes import logs
from sweepstakes.hosting import environment
from sweepstakes.hosting.forked import Server


class SharedServer:
    """Replaces every new `Server` while `wanted` is True."""

    def __init__(self) -> None:
        self.wanted = False
        self._server: Server | None = None
        self._surroundings: object = None
        self._start = Server.__init__

    def install(self) -> None:
        """Make new servers clients of the shared one; their `close` leaves it running."""
        start, shared_control = self._start, self.control

        def start_or_share(self: Server, control: socket.socket | None = None, *, spawn: bool = False) -> None:
            start(self, shared_control() if control is None and not spawn else control, spawn=spawn)

        Server.__init__ = start_or_share  # type: ignore[method-assign]

    def control(self) -> socket.socket | None:
        """Return the connection to the shared server; None if the test needs its own, as in another environment."""
        if not self.wanted:
            return None
        if self._server is None:
            self._surroundings = _surroundings()
            self._server = Server.__new__(Server)
            self._start(self._server)
            self._server.call("sweepstakes.plugins.executors.local.worker:warm_up_early")  # nearly all tests need it
        return self._server.control if self._surroundings == _surroundings() else None

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()


def _surroundings() -> tuple[Any, ...]:
    """Return what a server inherits from the process that starts it."""
    return environment.minimal(), list(sys.path), logs.path()
