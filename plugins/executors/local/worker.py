"""The worker: plays games in its own process. It runs only trusted code, unless `isolation` is `none`."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from enum import Enum, auto
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, NamedTuple, NoReturn

from sweepstakes import logs, plugins
from sweepstakes.executor import Chunk, Limits, Row, Workload
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.forked import Server
from sweepstakes.plugins.executors.local.time_guard import TimeGuard
from sweepstakes.registry.blame import describe_failure

_LOG = logs.logger(__name__)
ENTRY, SPAWNED_ENTRY = f"{__name__}:main", f"{__name__}:main_spawned"
FLUSH_SECONDS = 0.1
"""Seconds after which a worker sends finished games in the middle of a task, so that few are left at its end."""
ALIVE_SECONDS = 2.0
"""Seconds without a message after which a worker that is playing reports that it is alive."""


class Said(Enum):
    """The kind of a worker's message. Messages are tuples that begin with their kind."""

    READY = auto()
    """The worker waits for its first task."""
    ALIVE = auto()
    ROWS = auto()
    """The next games of the task are finished. Content: their rows, and whether the task is done."""
    FIRST_ROW = auto()
    """The next game is about to be played a second time. Content: the row that counts if the worker dies meanwhile, or
    None after the second playing."""
    FAILED = auto()
    """The run must stop, though no agent is at fault. Content: the reason."""


class WorkerSetup(NamedTuple):
    """The first message to a worker."""

    number: int
    variables: dict[str, str]
    """The environment variables."""
    hosted: Sequence[str] | None
    """Built-in agents whose compiled code hosts need; None if there are no hosts."""
    workload: Workload
    limits: Limits


class Task(NamedTuple):
    """The games of a chunk, to be played by one worker."""

    chunk: Chunk
    careful: bool = False
    """Whether a worker has died or stalled in these games. Then each row is sent immediately, so that the supervisor
    knows which game is being played."""


class _SupervisorGone(Exception):  # noqa: N818 - this ends the process but is not an error
    """The supervisor has closed the connection or ended."""


def main(files: list[int]) -> NoReturn:
    """Play the tasks that the supervisor sends, until it closes the connection. Never returns.

    `files` are the worker's end of the connection, and the socket to the server that started this process.
    """
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        file, control = files
        connection = _Connection(file)
        setup: WorkerSetup = connection.receive()
        os.environ.update(setup.variables)
        logs.enter("worker")
        _LOG.info("started as worker %d by process %d", setup.number, os.getppid())
        try:
            _Worker(connection, setup, Server(socket.socket(fileno=control))).serve()
        except Exception as error:  # noqa: BLE001 - from a plugin or this package: errors of agents are caught earlier
            if not isinstance(error, _SupervisorGone):
                _LOG.error("ends: %s", describe_failure(error, 400))
                connection.send(Said.FAILED, describe_failure(error, 400))
            else:
                _LOG.info("ends: the supervisor has closed the connection")
    except _SupervisorGone:
        pass
    finally:
        os._exit(0)


def main_spawned(files: list[int]) -> NoReturn:
    """Run `main` in a fresh interpreter, after loading what a forked worker gets from its server."""
    warm_up()
    main(files)


class _Connection:
    """The worker's end of the connection."""

    def __init__(self, file: int) -> None:
        self._connection = Connection(file)
        self.sent = 0.0
        """The time at which the last message was sent."""

    def receive(self) -> Any:
        try:
            return self._connection.recv()  # unpickles, but only what the supervisor sent
        except (EOFError, OSError):
            raise _SupervisorGone from None

    def send(self, what: Said, *content: Any) -> None:
        self.sent = monotonic()
        data = pickle.dumps((what, *content))
        try:
            self._connection.send_bytes(data)
        except OSError:
            raise _SupervisorGone from None

    def say_alive(self, now: float) -> None:
        if now - self.sent > ALIVE_SECONDS:
            self.send(Said.ALIVE)


def warm_up() -> None:
    """Import what every game needs, before any clock runs. What is needed was compiled by the main process."""
    from sweepstakes.warm_up import load_compiled

    load_compiled()
    for name in sorted(plugins.BUILT_IN):  # not dropped-in plugins: importing third-party code may start threads
        with suppress(Exception):
            importlib.import_module(f"{plugins.__name__}.{name}")
    importlib.import_module("sweepstakes.tournaments.running.game_player")  # the setup's workload needs it


def warm_up_early() -> None:
    """Call `warm_up` unless it would compile: the supervisor compiles, and this process waits for it."""
    from sweepstakes.warm_up import is_compiled

    if is_compiled():
        warm_up()


class _Worker:
    def __init__(self, connection: _Connection, setup: WorkerSetup, server: Server) -> None:
        self._connection = connection
        hosts = None
        if setup.hosted is not None:
            cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
            core = cores[setup.number % len(cores)] if cores else None
            hosts = Hosts(server, core=core, on_wait=lambda: connection.say_alive(monotonic()))
        self._player = setup.workload.open(setup.limits, hosts)
        self._guard = TimeGuard(setup.limits, connection.say_alive, lambda row: connection.send(Said.FIRST_ROW, row))

    def serve(self) -> NoReturn:
        self._connection.send(Said.READY)
        while True:
            self._play(self._connection.receive())

    def _play(self, task: Task) -> None:
        rows: list[Row] = []
        flush_at = monotonic() + FLUSH_SECONDS
        for fixture in task.chunk.fixtures():
            rows.append(self._player.play(fixture, self._guard))
            if task.careful or monotonic() > flush_at:
                rows = self._flush(rows, everything=task.careful)
                flush_at = monotonic() + FLUSH_SECONDS
        self._player.end_chunk()
        self._connection.send(Said.ROWS, self._player.pack(rows), True)

    def _flush(self, rows: list[Row], *, everything: bool) -> list[Row]:
        """Send finished games. Packed games wait for the end of the chunk, since each block adds a header."""
        if not everything and self._player.packs(rows[-1].fixture):
            self._connection.say_alive(monotonic())
            return rows
        self._connection.send(Said.ROWS, self._player.pack(rows), False)
        return []
