"""A host that the referee has started by `subprocess`, without a host server: see `spawned_process`."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO, Any

from sweepstakes.errors import HostingError
from sweepstakes.hosting import environment, host_server, os_support
from sweepstakes.hosting.hosts import MAX_READS, READ, START_SECONDS, Clock, Death, Host, Poll
from sweepstakes.hosting.spawned_process import OWN_THREAD, SpawnedProcess
from sweepstakes.hosting.written import Written

_LAST_WORDS_SECONDS = 0.5
"""Seconds in which the last lines of a dead host have to be there; processes that it left behind may write for ever."""


class SpawnedHost(Host):
    """A host that is a child of this process, over a connection.

    `memory` is what it may hold more than at its start, in bytes, or -1; it is checked now and then while the referee
    waits, as is the number of its threads and processes (Linux). `on_death` is called when the host is dead.
    """

    def __init__(
        self,
        warm: Sequence[str] | None,
        memory: int,
        on_wait: Callable[[], None],
        on_death: Callable[[SpawnedHost], None],
    ) -> None:
        super().__init__(on_wait)
        hello = {"warm": None if warm is None else list(warm)}
        try:
            self.process = SpawnedProcess(
                "sweepstakes.hosting.host", "spawned_main", hello, environment.minimal(), output=subprocess.PIPE
            )
        except OSError as error:
            raise os_support.no_more_processes(error.errno) from None
        self._memory = memory
        self._held_before = 0
        self._checked = 0.0
        self._killed_for = host_server.DIED
        self._on_death = on_death
        self._connection: socket.socket | None = None
        self._clock: int | None = None
        self._answering = 0.0
        """Seconds that the referee has waited for the host: they stand for its processor time where none is told."""
        self._reader = _OutputReader(self.process.output, self._written)
        self._listening = threading.Thread(target=self._reader.listen, name=f"{OWN_THREAD}-output", daemon=True)
        self._listening.start()

    @property
    def pid(self) -> int:
        """The process id of the host; waits until it has connected, and so has loaded what it needs."""
        if self._connection is None and not self.dead:
            connection = self.process.accept(START_SECONDS, self._on_wait)
            if connection is None:
                self._order_death()
                death = self._await_death(START_SECONDS)
                how = os_support.how_it_died(death.status)
                wrote = repr(self.output[-200:])
                raise HostingError(f"the host of an agent did not start: it {how}, after it wrote {wrote}")
            connection.setblocking(False)
            self._connection = connection
            self._read_poll = _poll(connection, writing=False)
            clock = os_support.cpu_clock(self.process.pid)
            with suppress(AttributeError, OSError):
                time.clock_gettime(clock)
                self._clock = clock
            memory = os_support.memory(self.process.pid)
            self._held_before = memory.held if memory else 0
        return self.process.pid

    def cpu_seconds(self) -> float:
        """The processor time that the host has used in its life, as far as the system tells."""
        if not self.dead and self.pid:
            if self._clock is None:
                self._cpu = self._answering
            else:
                with suppress(OSError):  # if it has just died
                    self._cpu = time.clock_gettime(self._clock)
        return self._cpu

    def waited(self) -> None:
        """Kill the host if it has too much, with what it started: its own limits do not count all of it."""
        super().waited()
        if monotonic() - self._checked > host_server.CHECK_SECONDS:
            self._checked = monotonic()
            memory = self._memory if self._memory >= 0 else None
            kind = host_server.excess(self.process.pid, self._held_before, memory)
            if kind is not None:
                self._killed_for = kind
                self._order_death()

    def __del__(self) -> None:
        if not self.dead:
            self._order_death()
            self.process.wait(host_server.SHUTDOWN_SECONDS)
            self._close()

    def close_input(self) -> None:
        """Close the standard input of a program."""
        if self._connection is not None:
            with suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)

    def _read_output(self) -> None:
        self._reader.read()

    def _write(self, data: bytes) -> int:
        assert self._connection is not None
        return self._connection.send(data)

    def _read(self) -> bytes:
        assert self._connection is not None
        try:
            return self._connection.recv(READ)
        except ConnectionError:
            return b""

    def _receive(self, clock: Clock) -> bytes:
        begun = monotonic()
        try:
            return super()._receive(clock)
        finally:
            self._answering += monotonic() - begun

    def _readable(self) -> Poll:
        return self._read_poll

    def _writable(self) -> Poll:
        assert self._connection is not None
        return _poll(self._connection, writing=True)

    def _order_death(self) -> None:
        self.process.kill()

    def _await_death(self, seconds: float) -> Death:
        ended = self.process.wait(seconds)
        if ended is None:
            pid = self.process.pid
            raise HostingError(f"process {pid}, the host of an agent, did not end within {seconds:g} s")
        self._cpu = max(ended.cpu_seconds, self._cpu)
        self._close()
        return Death(self._killed_for, *ended)

    def _close(self) -> None:
        self.dead = True
        if self._connection is not None:
            self._connection.close()
        self.process.close()
        self._on_death(self)
        self._listening.join(_LAST_WORDS_SECONDS)


class _OutputReader:
    """Reads what the agent writes, in a thread of its own: not every system can wait for a pipe and a connection.

    Where a pipe can be polled, `read` takes at once what the agent has written before it answered.
    """

    def __init__(self, output: IO[bytes], written: Written) -> None:
        self._output = output
        self._written = written
        self._lock = threading.Lock()
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(output, select.POLLIN)
            os.set_blocking(output.fileno(), False)

    def listen(self) -> None:
        """Read to the end of the pipe."""
        with suppress(OSError, ValueError):
            while self._read_once() != 0:
                if self._poll is not None:
                    self._poll.poll()
        with self._lock:
            self._output.close()

    def read(self) -> None:
        """Read what is there; bounded, since an agent may write without end."""
        if self._poll is not None:
            with suppress(OSError, ValueError):
                for _ in range(MAX_READS):
                    if self._read_once() <= 0:
                        return

    def _read_once(self) -> int:
        """Read some bytes and return how many: 0 at the end of the pipe, -1 if there are none yet."""
        with self._lock:
            try:
                data = os.read(self._output.fileno(), READ)
            except BlockingIOError:
                return -1
            self._written.add(data)
            return len(data)


def _poll(connection: socket.socket, *, writing: bool) -> Poll:
    """What waits until the connection can be read from or written to."""
    if not hasattr(select, "poll"):
        return _Select(connection, writing)
    poll = select.poll()
    poll.register(connection, select.POLLOUT if writing else select.POLLIN)
    return poll


class _Select:
    """`select.poll` for one connection, on systems without it."""

    def __init__(self, connection: socket.socket, writing: bool) -> None:
        self._connection = connection
        self._writing = writing

    def poll(self, milliseconds: float, /) -> Sequence[Any]:
        mine = [self._connection]
        wanted = ([], mine) if self._writing else (mine, [])
        readable, writable, _ = select.select(*wanted, [], milliseconds / 1000)
        return readable or writable
