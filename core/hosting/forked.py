"""The client's end of a server (see `server`) and of the processes that it starts: hosts and workers.

A command that will play calls `start_early` first, so that the server imports while the command does. This module
imports nothing that takes time.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from typing import IO, Any, NamedTuple

from sweepstakes import logs, os_support
from sweepstakes.errors import ServerGoneError
from sweepstakes.hosting import environment
from sweepstakes.hosting.channel import Pipes, pipes

CALL, FORK = b"C", b"F"
"""Kinds of requests to a server. CALL: JSON of `module:function` and its arguments follows, to be called in the server
itself or, if it spawns, in every host. FORK: see `FORK_REQUEST`."""
FORK_REQUEST = struct.Struct("<q")
"""The bytes of memory that the new process may add to those at its start, or -1. `module:function` follows, which is
called in the new process with the list of its files. The files come with the request; the last one is the server's end
of the lease."""
KILL, LOADED = b"K", b"S"
"""What a client writes to a lease: kill the process; limit the host, which has loaded what it needs."""
REPORT = struct.Struct("<Biidi")
"""A message over the lease: its kind, the process id, the exit code (or minus the number of the signal), the processor
time of the process, and the number of processes that it left behind."""
STARTED, DIED, DIED_OF_MEMORY, DIED_OF_TASKS, NOT_STARTED, SERVER_DIED = range(6)
"""Kinds of reports. SERVER_DIED is never sent. It means that the server has died, and with it everything that it
started."""
_PACKETS = socket.SOCK_SEQPACKET if os_support.LINUX else socket.SOCK_DGRAM
START_SECONDS = 300.0
"""Maximum seconds for the start of a process. The server may have to compile first."""
SHUTDOWN_SECONDS = 5.0
"""Seconds that an ending server waits for killed processes to be gone."""
HOST = "sweepstakes.hosting.host:main"
"""What runs in a host."""
WARM_UP = "sweepstakes.warm_up:warm_up_built_in"
"""Called with the names of built-in agents before hosts are forked, so that every host starts with compiled code."""


class Death(NamedTuple):
    """How a process died."""

    kind: int
    status: int
    """The exit code, or minus the number of the signal."""
    cpu_seconds: float
    left: int = 0
    """The number of processes that it left behind."""


class Process:
    """A process that a server has started or will start, by the client's end of its lease."""

    def __init__(self, lease: socket.socket) -> None:
        self._lease = lease
        self._pid = 0
        self.dead = False
        self.known_cpu_seconds = 0.0
        """What `cpu_seconds` returned last."""

    @property
    def pid(self) -> int:
        """The process id; waits until the process has been started."""
        if not self._pid:
            self._lease.settimeout(START_SECONDS)
            try:
                kind, self._pid, status, *_ = REPORT.unpack(self._lease.recv(REPORT.size))
            except (OSError, struct.error):
                raise ServerGoneError from None
            if kind == NOT_STARTED:
                raise os_support.no_more_processes(status)
        return self._pid

    def cpu_seconds(self) -> float:
        """Return the processor time that the process has used in its life, in all its threads."""
        if not self.dead:
            with suppress(OSError):  # it has just died
                self.known_cpu_seconds = os_support.cpu_seconds(self.pid)
        return self.known_cpu_seconds

    def kill(self) -> None:
        """Kill the process and everything that it started."""
        with suppress(OSError):
            self._lease.send(KILL)

    def wait(self, seconds: float) -> Death | None:
        """Wait until the process has died. Return None if it is still alive after `seconds`."""
        try:
            self.pid  # noqa: B018 - the report of the start comes first
            self._lease.settimeout(seconds)
            report = self._lease.recv(REPORT.size)
        except TimeoutError:
            return None
        except (OSError, ServerGoneError):
            report = b""
        if len(report) != REPORT.size:
            return Death(SERVER_DIED, -9, 0.0)
        kind, _, status, cpu, left = REPORT.unpack(report)
        self.known_cpu_seconds = max(cpu, self.known_cpu_seconds)
        return Death(kind, status, self.known_cpu_seconds, left)

    def limit(self) -> None:
        """Limit a host from now on, because it has loaded what it needs."""
        with suppress(OSError):
            self._lease.send(LOADED)

    def close(self) -> None:
        """Close the lease; the server then kills the process."""
        self.dead = True
        self._lease.close()


class Server:
    """Starts processes through a server, either an existing one that other processes use too, or a new one.

    A new server forks processes, or spawns them as fresh interpreters.
    """

    def __init__(self, control: socket.socket | None = None, *, spawn: bool = False) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self.spawns = spawn
        if control is not None:
            self.control = control
            return
        self.control, theirs = socket.socketpair(socket.AF_UNIX, _PACKETS)
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the server
        log = logs.file()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; from sweepstakes.hosting.server import main; "
            f"main({theirs.fileno()}, {os.getpid()}, {log}, {spawn})"
        )
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._stderr,
                pass_fds=(theirs.fileno(),) if log is None else (theirs.fileno(), log),
                env=environment.minimal(),
                start_new_session=True,  # only this process gets Ctrl-C and Ctrl-Z from the terminal
            )

    @property
    def pid(self) -> int:
        """The process id of the server if this object has started it; otherwise 0."""
        return self._process.pid if self._process is not None else 0

    def call(self, entry: str, *arguments: Any) -> None:
        """Make the server call `module:function` in its own process before it forks the next process.

        If the server spawns, every host calls it at its start.
        """
        self._send(CALL + json.dumps([entry, *arguments]).encode(), [])

    def start_host(self, memory: int) -> tuple[Process, Pipes]:
        """Start a host with three pipes. `memory` is the bytes that it may add to those at its start, or -1."""
        with pipes() as (channel, files):
            return self._fork(HOST, files, memory), channel

    def start_worker(self, entry: str) -> tuple[Process, Connection]:
        """Start a worker, which calls `module:function` with its files.

        The files are its end of the connection, and the socket by which it can request hosts.
        """
        ours, theirs = socket.socketpair()
        with ours, theirs:
            process = self._fork(entry, [theirs.fileno(), self.control.fileno()])
            return process, Connection(ours.detach())

    def _fork(self, entry: str, files: Sequence[int], memory: int = -1) -> Process:
        lease, server_end = socket.socketpair()
        with ExitStack() as if_it_fails, server_end:
            if_it_fails.callback(lease.close)
            self._send(FORK + FORK_REQUEST.pack(memory) + entry.encode(), [*files, server_end.fileno()])
            if_it_fails.pop_all()
        return Process(lease)

    def last_words(self) -> str:
        """Return the last line that the server wrote to its standard error if it has died, otherwise ""."""
        if self._process is None:
            return ""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SHUTDOWN_SECONDS)
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def close(self) -> None:
        """End the server if this object has started it. Everything that the server has started is killed."""
        process, self._process = self._process, None  # first: a signal handler may call this method again
        if process is None:
            return
        process.terminate()  # it may be compiling, and then does not see that the connection is closed
        self.control.close()
        try:
            process.wait(2 * SHUTDOWN_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self._stderr.close()

    def _send(self, data: bytes, files: Sequence[int]) -> None:
        try:
            socket.send_fds(self.control, [data], files)
        except OSError:
            raise ServerGoneError from None


_early: list[tuple[Server, object]] = []
"""The server that was started early and is not in use yet, with its variables and paths."""


def start_early(entry: str) -> None:
    """Start a server that forks, and make it call `module:function`."""
    if not _early:
        server = Server()
        server.call(entry)
        _early.append((server, _surroundings()))
        atexit.register(end_early)


def take_server() -> Server:
    """Return the server that was started early, or a new one if variables or paths have changed since."""
    while _early:
        server, surroundings = _early.pop()
        if surroundings == _surroundings():
            return server
        server.close()
    return Server()


def end_early() -> None:
    """End the server that was started early, if it is not in use."""
    while _early:
        _early.pop()[0].close()


def _surroundings() -> object:
    return environment.minimal(), list(sys.path), logs.path()
