"""Processes that are started by `subprocess`: nothing forks, and nothing needs Unix.

A host has the same three pipes as one that a server forked, a worker one connection. On Windows, which cannot pass on
sockets by number, both get a socket over their standard input. A process reads the end of its standard input when the
process that started it ends.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic
from typing import IO, Any, NoReturn
from weakref import WeakSet

from sweepstakes import logs
from sweepstakes.hosting import environment, host, os_support, sealing, server
from sweepstakes.hosting.channel import READ, Channel, Poll, pipes
from sweepstakes.hosting.forked import DIED, SHUTDOWN_SECONDS, WARM_UP, Death

_LOG = logs.logger(__name__)
_WINDOWS = sys.platform == "win32"
GRACE_SECONDS = 3.0
"""Seconds that workers have at the end of a run to end their hosts and themselves, before they are killed."""


class SpawnedProcess:
    """A child of this process that calls `module:function` with this process's id, its files and the arguments.

    `memory` is what a host may hold more than at its start, in bytes, or -1 (Linux).
    """

    def __init__(
        self,
        entry: str,
        arguments: Sequence[Any],
        files: Sequence[int],
        variables: Mapping[str, str],
        memory: int = -1,
        errors: int = subprocess.DEVNULL,
    ) -> None:
        module, _, name = entry.partition(":")
        values = ", ".join(map(repr, (os.getpid(), list(files), *arguments)))
        code = f"import sys; sys.path[:] = {sys.path!r}; from {module} import {name}; {name}({values})"
        self._memory = memory
        self._death: Death | None = None
        self._killed_for = DIED
        self._held_before: int | None = None
        self._checked = 0.0
        expires, refused = monotonic() + os_support.FORK_SECONDS, False
        while True:
            try:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", code],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    pass_fds=files,
                    env=variables,
                    start_new_session=True,  # only the starting process gets Ctrl-C and Ctrl-Z from the terminal
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
                break
            except BlockingIOError as error:  # others may hold all processes that a user may have
                if monotonic() > expires:
                    raise os_support.no_more_processes(error.errno) from None
                if not refused:
                    refused = True
                    _LOG.warning("the system refuses to start a process (%s): trying again", error.strerror)
                time.sleep(os_support.FORK_PAUSE)
        self.pid = self._process.pid
        self.grace = 0.0
        """Seconds that the process has to end by itself when it is closed."""

    @property
    def lifeline(self) -> IO[bytes]:
        """The other end of its standard input."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def errors(self) -> IO[bytes]:
        """The other end of its standard error, if that goes to a pipe."""
        assert self._process.stderr is not None
        return self._process.stderr

    def kill(self) -> None:
        """Kill the process, and where the system has process groups those of its children that stayed in its group."""
        if self._death is None:
            if hasattr(os, "killpg"):
                os_support.kill_group(self.pid)
            else:
                self._process.kill()

    def wait(self, seconds: float) -> Death | None:
        """Wait until the process has died; None if it still lives after `seconds`."""
        expires, pause = monotonic() + seconds, 0.0005
        while self._death is None:
            if hasattr(os, "wait4"):
                for _, status, cpu_seconds in os_support.reap(self.pid):
                    self._process.returncode = status
                    self._death = Death(self._killed_for, status, cpu_seconds)
            elif (code := self._process.poll()) is not None:
                self._death = Death(self._killed_for, code, 0.0)
            if self._death is None:
                if monotonic() > expires:
                    return None
                time.sleep(pause)
                pause = min(2 * pause, 0.02)
        return self._death

    def started(self) -> None:
        """Limit the host from here on: it has loaded what it needs."""
        memory = os_support.memory(self.pid)
        self._held_before = memory.held if memory else 0

    def check(self) -> None:
        """Kill a host that has too much, with what it started: its own limits do not count all of it."""
        if self._held_before is None or monotonic() - self._checked < server.CHECK_SECONDS:
            return
        self._checked = monotonic()
        kind = server.excess(self.pid, self._held_before, self._memory if self._memory >= 0 else None)
        if kind is not None:
            self._killed_for = kind
            _LOG.warning("host %d is killed: it holds more %s", self.pid, server.held_too_much(kind))
            self.kill()

    def release(self) -> None:
        """Close its standard input, upon which a worker ends by itself."""
        with suppress(OSError):
            self.lifeline.close()

    def close(self) -> None:
        """End the process, if it has not ended, and close all that is held of it."""
        self.release()
        if self.wait(self.grace) is None:
            self.kill()
            self.wait(SHUTDOWN_SECONDS)


class Spawner:
    """Starts hosts and workers as children of this process; hosts load the compiled code of the built-in agents `warm`.

    With `adopt`, this process has no other children, and kills what its hosts leave behind (Linux).
    """

    def __init__(self, warm: Sequence[str] | None = None, *, adopt: bool = False) -> None:
        self.warm = warm
        self._processes: WeakSet[SpawnedProcess] = WeakSet()
        self._adopts = adopt
        if adopt:
            os_support.adopt_orphans()

    def start_host(self, memory: int) -> tuple[SpawnedProcess, Channel]:
        """A new host."""
        self._kill_orphans()
        entry, variables = "sweepstakes.hosting.spawned:host_main", environment.minimal()
        warm = [list(self.warm or ())]
        if _WINDOWS:
            process = SpawnedProcess(entry, warm, [], variables, memory, subprocess.PIPE)
            channel: Channel = _SocketChannel(_share_socket(process), process.errors)
        else:
            with pipes() as (piped, files):
                process, channel = SpawnedProcess(entry, warm, files, variables, memory, files[2]), piped
        self._processes.add(process)
        return process, channel

    def start_worker(self, entry: str) -> tuple[SpawnedProcess, Connection]:
        """A new worker. Its only file is its end of the connection."""
        if _WINDOWS:
            process = SpawnedProcess(entry, [], [], environment.full())
            ours = _share_socket(process)
        else:
            ours, theirs = socket.socketpair()
            with theirs:
                process = SpawnedProcess(entry, [], [theirs.fileno()], environment.full())
        process.grace = GRACE_SECONDS
        self._processes.add(process)
        return process, Connection(ours.detach())

    def close(self) -> None:
        """End every process, and kill what hosts left behind."""
        processes = list(self._processes)
        for process in processes:
            process.release()
            if not process.grace:
                process.kill()
        for process in processes:
            process.close()  # from then on their children are children of this process
        self._kill_orphans()

    def _kill_orphans(self) -> None:
        """Kill the children of this process that are no hosts: a host has left them behind."""
        if self._adopts:
            pids = {process.pid for process in self._processes}
            for pid in os_support.children(os.getpid()):
                if pid not in pids:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                        os.waitpid(pid, 0)


def host_main(parent: int, files: list[int], warm: Sequence[str]) -> NoReturn:
    """The whole life of a host: load what agents need, and serve the referee."""
    try:
        host.isolate(parent)
        if not os_support.LINUX:  # which kills this process when the referee dies
            end_with_parent()
        if warm:  # an agent that uses no compiled code needs none
            server.call(WARM_UP, warm)
        sealing.prepare()
        if _WINDOWS:
            host.serve(_Connection(_shared_socket()))
    except BaseException:  # noqa: BLE001 - the referee reads it
        sys.excepthook(*sys.exc_info())
        os._exit(host.EXIT_UNUSABLE)
    host.main(parent, files)


def worker_files(files: list[int]) -> list[int]:
    """The files of a worker, in the worker."""
    return [_shared_socket().detach()] if _WINDOWS else files


def end_with_parent(clean_up: Callable[[], None] = lambda: None) -> None:
    """Have this process end when its parent does, and so closes the pipe of the standard input."""
    lifeline = os.dup(0)

    def watch() -> None:
        with suppress(OSError):
            while os.read(lifeline, 64):
                pass
        try:
            clean_up()
        finally:
            os._exit(0)

    threading.Thread(target=watch, daemon=True).start()


def _share_socket(process: SpawnedProcess) -> socket.socket:
    """A socket whose other end the process gets over its standard input (Windows)."""
    ours, theirs = socket.socketpair()
    with theirs:
        shared: bytes = theirs.share(process.pid)  # type: ignore[attr-defined]
    with suppress(OSError):  # its death will be noticed
        process.lifeline.write(len(shared).to_bytes(4, "big") + shared)
        process.lifeline.flush()
    return ours


def _shared_socket() -> socket.socket:
    """The other end of the socket, in the process."""
    size = int.from_bytes(os.read(0, 4), "big")
    connection: socket.socket = socket.fromshare(os.read(0, size))  # type: ignore[attr-defined]
    return connection


class _SocketChannel:
    """A socket for questions and answers, and a pipe for what the agent writes (Windows).

    A thread reads the pipe, since Windows cannot wait for a pipe and a socket.
    """

    def __init__(self, connection: socket.socket, errors: IO[bytes]) -> None:
        connection.setblocking(False)
        self._connection = connection
        self.read: Callable[[int], bytes] = connection.recv
        self.write: Callable[[bytes], int] = connection.send
        self.readable: Poll = _Select([connection], [])
        self._output: list[bytes] = []
        threading.Thread(target=self._listen, args=(errors,), daemon=True).start()

    def _listen(self, errors: IO[bytes]) -> None:
        with suppress(OSError), errors:
            while data := os.read(errors.fileno(), READ):
                self._output = [*self._output[-8:], data]

    def writable(self) -> Poll:
        return _Select([], [self._connection])

    def read_output(self) -> bytes:
        output, self._output = self._output, []
        return b"".join(output)

    def close_input(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self._connection.close()


class _Select:
    """`select.poll` on systems without it."""

    def __init__(self, reading: list[socket.socket], writing: list[socket.socket]) -> None:
        self._reading, self._writing = reading, writing

    def poll(self, milliseconds: float, /) -> Sequence[Any]:
        readable, writable, _ = select.select(self._reading, self._writing, [], milliseconds / 1000)
        return readable or writable


class _Connection:
    """The host's end of a socket for questions and answers, on a system where a socket is no file (Windows)."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.read, self.write = connection.recv, connection.send

    def keep_for_host(self) -> None:
        pass

    def become(self, words: list[str]) -> NoReturn:
        """Start the program, and carry bytes to and from it."""
        program = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert program.stdin is not None
        assert program.stdout is not None
        stdin, stdout = program.stdin, program.stdout

        def carry_questions() -> None:
            with suppress(OSError), stdin:
                while data := self.read(READ):
                    stdin.write(data)
                    stdin.flush()

        threading.Thread(target=carry_questions, daemon=True).start()
        while data := os.read(stdout.fileno(), READ):
            self._connection.sendall(data)
        os._exit(program.wait())
