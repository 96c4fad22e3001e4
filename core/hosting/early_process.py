"""A Python process that is started before it is needed, so that its imports run beside those of this process.

Most of the time of a short run is spent on imports, here and in the process that starts the workers. A command that
will need such a process calls `start_early` first; whoever needs it calls `take`, which starts it if nobody did.
This module imports nothing that takes time.
"""

from __future__ import annotations

import atexit
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import IO, NamedTuple

from sweepstakes.hosting import environment


class StartedProcess(NamedTuple):
    """A process, our end of the socket to it, and the file of its standard error."""

    process: subprocess.Popen[bytes]
    socket: socket.socket
    stderr: IO[bytes]

    def end(self) -> None:
        """Kill the process, which nobody needs, and wait until it is gone."""
        self.process.kill()
        self.process.wait()
        self.socket.close()
        self.stderr.close()


_early: dict[str, tuple[StartedProcess, object]] = {}
"""The processes that nobody has taken yet, by module, each with the surroundings in which it was started."""


def start_early(module: str) -> None:
    """Start a process that imports `module` and calls its `main` with the file number of a socket to this process.

    Nothing is started where the system has no fork: `local` has no fork server there.
    """
    if hasattr(os, "fork") and module not in _early:
        _early[module] = _start(module), _surroundings()
        if len(_early) == 1:
            atexit.register(end_early)


def take(module: str) -> StartedProcess:
    """The process that was started early; a new one if there is none, or if variables or paths have changed since."""
    started, surroundings = _early.pop(module, (None, None))
    if started is not None:
        if surroundings == _surroundings() and started.process.poll() is None:
            return started
        started.end()
    return _start(module)


def end_early() -> None:
    """End the processes that were started and that nobody has taken."""
    while _early:
        _, (started, _) = _early.popitem()
        with suppress(OSError):
            started.end()


def _surroundings() -> object:
    return environment.minimal(), list(sys.path)


def _start(module: str) -> StartedProcess:
    ours, theirs = socket.socketpair()
    stderr = tempfile.TemporaryFile()  # noqa: SIM115 - it is open as long as the process
    code = f"import sys; sys.path[:] = {sys.path!r}; from {module} import main; main({theirs.fileno()})"
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            pass_fds=(theirs.fileno(),),
            env=environment.minimal(),
            start_new_session=True,  # only this process gets Ctrl-C and Ctrl-Z from the terminal
        )
    return StartedProcess(process, ours, stderr)
