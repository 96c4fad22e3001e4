"""The referee's side of hosts: starts them, asks them, measures their time, and kills them."""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakSet

from sweepstakes.errors import HostingError
from sweepstakes.game.faults import Fault, FaultKind
from sweepstakes.hosting import environment, host_server, os_support
from sweepstakes.hosting import frames as wire
from sweepstakes.hosting.host import EXIT_FILES_CLOSED, HOW_IT_ENDED
from sweepstakes.hosting.host_server import (
    DIED_OF_MEMORY,
    DIED_OF_TASKS,
    MOST_TASKS,
    NOT_STARTED,
    REPORT,
    REQUEST,
    STARTED,
)
from sweepstakes.hosting.waiting import Waiting
from sweepstakes.hosting.written import Written

if TYPE_CHECKING:
    from sweepstakes.hosting.spawned_host import SpawnedHost

SLICE_SECONDS = 0.05
"""Seconds that the referee waits at a time. When it wakes up much later than that, the machine stood still."""
STANDSTILL_SECONDS = 0.1
"""By how much later: from there on the lateness is taken off the agent's clock."""
SHORT_SECONDS = 0.5
"""Below this limit the first slice of the wait counts too: whether the host waits for a core is measured at once."""
_LEAST_CREDIT = 0.001
"""The share of a limit below which no more waiting is taken off the clock: it has run out."""
SERVER_DIED = -1
"""The kind of a death that nobody reported: the server died, and with it all its hosts."""
SERVER_GONE = "the process that starts the hosts of agents is gone"
START_SECONDS = 300.0
"""Seconds until a host has to be forked: the server may have to compile first."""
DEATH_SECONDS = 60.0
"""Seconds that the death of a killed host may take before the run is stopped; only a stuck kernel needs more."""
PINGS = 40
"""Round trips by which the referee finds out whether it is faster to share one core with its hosts."""
_BUSY = 0.5
"""The share of a time limit that a host must have computed, so that the machine cannot be what was slow."""
READ = 1 << 16
"""Bytes that are read or written at a time."""
MAX_READS = 16
"""How often the output of a host is read at a time: it may be written without end."""
_SLICE_MS = round(1000 * SLICE_SECONDS)


class HostGone(Exception):  # noqa: N818 - it becomes a fault of the agent
    """The host has died or closed its files."""

    def __init__(self, how: str, *, of_memory: bool = False) -> None:
        super().__init__(how)
        self.fault = Fault(FaultKind.MEMORY if of_memory else FaultKind.DIED, how)
        self.of_memory = of_memory


class HostTimeout(Exception):  # noqa: N818 - it becomes a fault of the agent
    """The host did not answer in time."""

    def __init__(self, after: float, cpu_before: float) -> None:
        super().__init__()
        self.after = after
        """Seconds after the question when the processor time of the host was first read."""
        self.cpu_before = cpu_before
        """The processor time that the host had used by then."""


class Death(NamedTuple):
    """How a host died."""

    kind: int
    status: int
    cpu_seconds: float
    left: int = 0
    """How many processes it left behind."""


class Hosts:
    """Starts hosts by a host server: one that other processes use too (`control` is the socket), or one of its own.

    A server of its own is started at the first need. With `warm`, its hosts start with the engine and these built-in
    agents compiled. With `spawn`, by default where the system has no `fork`, there is no server: each host is started
    by this process, and loads what it needs itself. With `adopt`, this process has no children but such hosts, and
    kills what they leave behind (Linux).

    `on_wait` is called now and then while the referee waits for a host. With `core`, the referee and its hosts share
    that core of the machine if this turns out to be faster: then nothing has to be moved between cores. With `spares`,
    one host is started in advance.
    """

    def __init__(
        self,
        control: socket.socket | None = None,
        *,
        warm: Sequence[str] | None = None,
        core: int | None = None,
        spares: bool = True,
        on_wait: Callable[[], None] | None = None,
        spawn: bool = not hasattr(os, "fork"),
        adopt: bool = False,
    ) -> None:
        self._spares = spares
        self._spawns = spawn
        self._adopts = adopt
        self._spawned: WeakSet[SpawnedHost] = WeakSet()
        """The living hosts that this object has started without a server."""
        self._control = control
        self._process: subprocess.Popen[bytes] | None = None
        self._warm = warm
        self._core = core
        self._shares_core: bool | None = None if core is not None and hasattr(os, "sched_setaffinity") else False
        """Whether referee and hosts share one core; None before it was measured."""
        self._all_cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
        self._on_wait = on_wait or (lambda: None)
        self._spare: tuple[int, Host] | None = None
        os_support.check_files(1)

    def __enter__(self) -> Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Start the server, if there is none, without waiting until it can fork hosts."""
        self._connection()

    def start(self, memory: int | None = None) -> Host:
        """A new host, which has nothing in it yet; `memory` is what it may hold more than at its start, in bytes."""
        asked = -1 if memory is None else memory
        host = None
        if self._spare is not None:
            amount, spare = self._spare
            self._spare = None
            if amount == asked:
                host = spare
            else:
                spare.kill()
        if host is None:
            host = self._launch(asked)
        try:
            host.pid  # noqa: B018 - waits until it has been started: from here on its time may be measured
            if self._shares_core is None:
                self._measure(host)
            if self._spares:
                self._spare = asked, self._launch(asked)
        except BaseException:
            host.kill()
            raise
        self._share(host)
        return host

    def release(self) -> None:
        """Let this process use every core again."""
        if self._shares_core:
            with suppress(OSError):
                os.sched_setaffinity(0, self._all_cores)

    def close(self) -> None:
        """Kill the spare host, and end the server if it is this object's own."""
        if self._spare is not None:
            self._spare[1].kill()
            self._spare = None
        self.release()
        process, control = self._process, self._control
        if process is not None:
            assert control is not None
            self._process = self._control = None  # first: a signal handler may call this method again
            process.terminate()  # it may be compiling, and then does not see that the connection is closed
            control.close()
            try:
                process.wait(2 * host_server.SHUTDOWN_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def __del__(self) -> None:
        self.close()

    def _connection(self) -> socket.socket:
        if self._control is None:
            self._control, self._process = _start_server(self._warm)
        return self._control

    def pids(self) -> set[int]:
        """The process ids of the hosts that are children of this process."""
        return {host.process.pid for host in self._spawned}

    def kill_all(self) -> None:
        """Kill every host that is a child of this process, and what they left behind; for the end of the process."""
        hosts = list(self._spawned)
        for host in hosts:
            host.process.kill()
        for host in hosts:  # from then on their children are children of this process
            host.process.wait(host_server.SHUTDOWN_SECONDS)
        self._kill_orphans()

    def _launch(self, memory: int) -> Host:
        if not self._spawns:
            return self._fork(memory)
        from sweepstakes.hosting.spawned_host import SpawnedHost

        self.release()  # the new process may use every core too
        host = SpawnedHost(self._warm, memory, self._on_wait, self._forget)
        self._spawned.add(host)
        return host

    def _forget(self, host: SpawnedHost) -> None:
        self._spawned.discard(host)
        self._kill_orphans()

    def _kill_orphans(self) -> None:
        """Kill the children of this process that are no hosts: a host has left them behind."""
        if self._adopts:
            pids = self.pids()
            for pid in os_support.children(os.getpid()):
                if pid not in pids:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
                        os.waitpid(pid, 0)

    def _fork(self, memory: int) -> Host:
        connection = self._connection()
        ours: list[int] = []
        theirs: list[int] = []
        with ExitStack() as if_it_fails, ExitStack() as afterwards:
            try:
                for reads in (True, False, False):  # the standard input of the host, its output and its error
                    read, write = os.pipe()
                    theirs.append(read if reads else write)
                    ours.append(write if reads else read)
                    if_it_fails.callback(os.close, ours[-1])
                    afterwards.callback(os.close, theirs[-1])
                lease, server_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            except OSError as error:
                raise HostingError(f"the host of an agent cannot be started: {error.strerror}") from None
            if_it_fails.callback(lease.close)
            afterwards.callback(server_end.close)
            try:
                socket.send_fds(connection, [REQUEST.pack(memory)], [*theirs, server_end.fileno()])
            except OSError:
                raise HostingError(SERVER_GONE) from None
            if_it_fails.pop_all()
        return ForkedHost(lease, ours, self._on_wait)

    def _share(self, host: Host) -> None:
        if self._shares_core and self._core is not None:
            try:
                os.sched_setaffinity(0, {self._core})
                os.sched_setaffinity(host.pid, {self._core})
            except OSError:
                self._shares_core = False

    def _measure(self, host: Host) -> None:
        """Find out whether round trips are faster on one core, by pinging the host both ways."""
        assert self._core is not None
        try:
            apart = _ping(host)
            self._shares_core = True
            self._share(host)
            slower = self._shares_core and _ping(host) > apart
        except (HostGone, HostTimeout) as error:  # there is no agent in it yet
            raise HostingError(f"the host of an agent does not answer: {error}".rstrip(": ")) from None
        if slower:
            self._shares_core = False
            with suppress(OSError):
                os.sched_setaffinity(0, self._all_cores)
                os.sched_setaffinity(host.pid, self._all_cores)


def _ping(host: Host) -> float:
    """Seconds of a round trip: the median of several."""
    times = []
    for _ in range(PINGS):
        begun = monotonic()
        host.ask(wire.json_frame(wire.PING, 0, None), DEATH_SECONDS, wire.HEAD)
        times.append(monotonic() - begun)
    return sorted(times)[PINGS // 2]


def _start_server(warm: Sequence[str] | None) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    """Start a host server as a process of its own."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from sweepstakes.hosting.host_server import run; run({theirs.fileno()}, {warm!r})"
    )
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            env=environment.minimal(),
            start_new_session=True,  # only this process gets Ctrl-C and Ctrl-Z from the terminal
        )
    return ours, process


class Poll(Protocol):
    """What `select.poll()` gives: waits until something can be read or written."""

    def poll(self, milliseconds: float, /) -> Sequence[Any]:
        """What can be read or written, after so many milliseconds at most."""


class Host(ABC):
    """One host process, as the referee holds it."""

    def __init__(self, on_wait: Callable[[], None]) -> None:
        self._on_wait = on_wait
        self._written = Written()
        self._buffer = b""
        """What has been read and is not part of an answer yet: only programs send more than one line at once."""
        self._cpu = 0.0
        self.number = 0
        """The number of the last question."""
        self.stood_still = 0.0
        """Seconds taken off the agent's clock: the machine stood still, or the host waited for a core (`waiting`)."""
        self.dead = False
        self._input_closed = False

    @property
    @abstractmethod
    def pid(self) -> int:
        """The process id of the host; waits until it has been started."""

    @abstractmethod
    def cpu_seconds(self) -> float:
        """The processor time that the host has used in its life, in all its threads."""

    @property
    def output(self) -> str:
        """What the agent has written to its standard output and error since `take_output`; of a program, to its error.

        If that is long, its beginning and its end.
        """
        if not self.dead:  # the numbers of its files may be those of another host by now
            self._read_output()
        return self._written.text

    def take_output(self) -> bytes:
        """Return what the agent has written, as far as it is kept, and forget it."""
        if not self.dead:
            self._read_output()
        return self._written.take()

    def ask(self, frame: bytes, seconds: float, longest: int) -> bytes:
        """Send a question and return the frame that answers it.

        Raises `HostGone` or `HostTimeout`; `wire.WireError` for an answer longer than `longest` bytes.
        """
        self._on_wait()
        clock = Clock(self, seconds)
        self._send(frame, clock)
        return self._rest_of_answer(b"", clock, longest)

    def _rest_of_answer(self, data: bytes, clock: Clock, longest: int) -> bytes:
        """The whole answer of which `data` has arrived."""
        while len(data) < 4:
            data += self._receive(clock)
        (length,) = wire.LENGTH.unpack_from(data)
        if not wire.HEAD - 4 <= length <= longest:
            raise wire.WireError("an answer of impossible length")
        if len(data) < length + 4:
            whole = bytearray(data)
            while len(whole) < length + 4:
                whole += self._receive(clock)
            data = bytes(whole)
        if len(data) > length + 4:
            raise wire.WireError("more than one answer")
        return data

    def send(self, data: bytes, seconds: float) -> None:
        """Send bytes, as they are."""
        self._on_wait()
        self._send(data, Clock(self, seconds))

    def read_line(self, seconds: float, longest: int) -> bytes:
        """The next line of a program, without its end; `wire.WireError` if it is longer than `longest` bytes."""
        clock = Clock(self, seconds)
        while b"\n" not in self._buffer:
            if len(self._buffer) > longest:
                raise wire.WireError("a line of impossible length")
            self._buffer += self._receive(clock)
        line, _, self._buffer = self._buffer.partition(b"\n")
        if len(line) > longest:
            raise wire.WireError("a line of impossible length")
        return line

    @property
    def waiting(self) -> bytes:
        """What a program has written without having been asked, as far as it has arrived."""
        if not self.dead:
            with suppress(OSError):
                self._buffer += self._read()
        return self._buffer

    def kill_for_time(self, timeout: HostTimeout, seconds: float) -> bool:
        """Kill the host, which did not answer in so many seconds; whether the machine may have been what was slow.

        It was not if the host computed for half of the time, or has processes that may have.
        """
        alone = not os_support.children(self.pid)
        self.kill()
        return alone and self.cpu_seconds() - timeout.cpu_before < _BUSY * (seconds - timeout.after)

    def kill(self) -> Death:
        """Kill the host with all that it started, and wait until it is dead."""
        if self.dead:
            return Death(host_server.DIED, 0, self._cpu)
        self._order_death()
        try:
            return self._await_death(DEATH_SECONDS)
        except HostingError:
            if self.dead:  # it never lived
                return Death(SERVER_DIED, 0, 0.0)
            raise

    @abstractmethod
    def close_input(self) -> None:
        """Close the standard input of a program."""

    def wait(self, seconds: float) -> Death | None:
        """How the host has ended by itself; None if it is still there after so many seconds."""
        try:
            return self._await_death(seconds)
        except HostingError:
            return None

    def note_lateness(self, late: float, cpu_before: float) -> float:
        """The seconds in which the machine stood still when the referee woke up `late` seconds too late, if it did.

        `cpu_before` is the processor time of the host before that: perhaps it kept the referee from its core.
        """
        if late <= STANDSTILL_SECONDS:
            return 0.0
        standstill = max(late - (self.cpu_seconds() - cpu_before), 0.0)
        self.stood_still += standstill
        return standstill

    def waited(self) -> None:
        """Called now and then while the referee waits for the host."""
        self._on_wait()

    @abstractmethod
    def _write(self, data: bytes) -> int:
        """Send some of the bytes; how many. `BlockingIOError` if none can be sent now, `OSError` if none ever will."""

    @abstractmethod
    def _read(self) -> bytes:
        """Some bytes that the host has sent; none if it has closed its end. `BlockingIOError` if there are none yet."""

    @abstractmethod
    def _read_output(self) -> None:
        """Take what the agent has written, so that it never waits for the referee."""

    @abstractmethod
    def _readable(self) -> Poll:
        """Waits until there is something to read."""

    @abstractmethod
    def _writable(self) -> Poll:
        """Waits until something can be sent."""

    @abstractmethod
    def _order_death(self) -> None:
        """Have the host killed."""

    @abstractmethod
    def _await_death(self, seconds: float) -> Death:
        """Wait for the death of the host; `HostingError` if it still lives after so many seconds."""

    def _send(self, data: bytes, clock: Clock) -> None:
        try:
            sent = self._write(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._gone() from None
        if sent < len(data):
            poll = self._writable()
            while sent < len(data):
                clock.wait(poll)
                self._read_output()
                with suppress(BlockingIOError):
                    try:
                        sent += self._write(data[sent : sent + READ])
                    except (BrokenPipeError, ConnectionError):
                        raise self._gone() from None

    def _receive(self, clock: Clock) -> bytes:
        """Some bytes of an answer."""
        while True:
            clock.wait(self._readable())
            try:
                data = self._read()
            except BlockingIOError:
                self._read_output()
                continue
            if not data:
                raise self._gone()
            return data

    def _gone(self) -> HostGone:
        """Why the host does not answer any more; it is dead afterwards."""
        lives = False
        try:
            death = self._await_death(0.2)
        except HostingError:
            lives = True
            death = self.kill()
        if death.kind == SERVER_DIED:
            raise HostingError(SERVER_GONE)
        if death.kind == DIED_OF_MEMORY:
            return HostGone("memory than it may", of_memory=True)
        if death.kind == DIED_OF_TASKS:
            return HostGone(f"had more than {MOST_TASKS} threads and processes at once")
        if lives:
            return HostGone(HOW_IT_ENDED[EXIT_FILES_CLOSED])
        return HostGone(HOW_IT_ENDED.get(death.status) or os_support.how_it_died(death.status))


class ForkedHost(Host):
    """A host that a host server forked: three pipes, and the lease that the server watches."""

    def __init__(self, lease: socket.socket, files: list[int], on_wait: Callable[[], None]) -> None:
        super().__init__(on_wait)
        self._lease = lease
        self._question, self._answer, self._error = files
        for file in files:
            os.set_blocking(file, False)
        self._poll = select.poll()
        self._poll.register(self._answer, select.POLLIN)
        self._poll.register(self._error, select.POLLIN)
        self._pid = 0
        self._clock = 0

    @property
    def pid(self) -> int:
        """The process id of the host; waits until it has been started."""
        if not self._pid:
            self._lease.settimeout(START_SECONDS)
            try:
                kind, self._pid, status, *_ = REPORT.unpack(self._lease.recv(REPORT.size))
            except (OSError, struct.error):
                self._close()
                raise HostingError(SERVER_GONE) from None
            if kind == NOT_STARTED:
                self._close()
                raise os_support.no_more_processes(status)
            assert kind == STARTED
            self._clock = os_support.cpu_clock(self._pid)
        return self._pid

    def cpu_seconds(self) -> float:
        """The processor time that the host has used in its life, in all its threads."""
        if not self.dead and self.pid:
            with suppress(OSError):  # if it has just died
                self._cpu = time.clock_gettime(self._clock)
        return self._cpu

    def ask(self, frame: bytes, seconds: float, longest: int) -> bytes:
        """Send a question and return the frame that answers it."""
        data = b""
        begun = monotonic()
        self._on_wait()
        try:
            sent = os.write(self._question, frame)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._gone() from None
        if sent == len(frame) and seconds > SHORT_SECONDS:
            for attempt in range(2):
                # On the core of the referee, a host has often answered before the call that asked it returns.
                try:
                    data = os.read(self._answer, READ)
                except BlockingIOError:
                    if attempt:
                        break
                    events = self._poll.poll(_SLICE_MS)
                    self.note_lateness(monotonic() - begun - SLICE_SECONDS, self._cpu)
                    if not events:
                        break
                    continue
                if not data:
                    raise self._gone()
                if len(data) >= wire.HEAD and len(data) == wire.LENGTH.unpack_from(data)[0] + 4 <= longest:
                    return data  # nearly always
                break
        clock = Clock(self, seconds, min(monotonic() - begun, SLICE_SECONDS))
        if sent < len(frame):
            self._send(frame[sent:], clock)
        return self._rest_of_answer(data, clock, longest)

    def close_input(self) -> None:
        """Close the standard input of a program."""
        if not self._input_closed:
            self._input_closed = True
            os.close(self._question)

    def __del__(self) -> None:
        if not self.dead:
            self._close()  # upon which the server kills the host

    def _close(self) -> None:
        self.dead = True
        self._lease.close()
        self.close_input()
        for file in (self._answer, self._error):
            os.close(file)

    def _write(self, data: bytes) -> int:
        return os.write(self._question, data)

    def _read(self) -> bytes:
        return os.read(self._answer, READ)

    def _readable(self) -> Poll:
        return self._poll

    def _writable(self) -> Poll:
        poll = select.poll()
        poll.register(self._question, select.POLLOUT)
        return poll

    def _read_output(self) -> None:
        for _ in range(MAX_READS):  # a host that never stops writing must not keep the referee from its clock
            try:
                data = os.read(self._error, READ)
            except OSError:
                return
            if not data:
                with suppress(KeyError, OSError):
                    self._poll.unregister(self._error)
                return
            self._written.add(data)

    def _order_death(self) -> None:
        with suppress(OSError):
            self._lease.send(b"K")

    def _await_death(self, seconds: float) -> Death:
        pid = self.pid  # the report of the start comes first
        self._lease.settimeout(seconds)
        try:
            report = self._lease.recv(REPORT.size)
        except TimeoutError:
            raise HostingError(f"process {pid}, the host of an agent, did not end within {seconds:g} s") from None
        except OSError:
            report = b""
        whole = len(report) == REPORT.size
        kind, _, status, cpu, left = REPORT.unpack(report) if whole else (SERVER_DIED, 0, -9, 0.0, 0)
        self._read_output()
        self._cpu = max(cpu, self._cpu)
        self._close()
        return Death(kind, status, cpu, left)


class Clock:
    """The time for one question. It stands still while nobody can play, or while the host waits for a core."""

    def __init__(self, host: Host, seconds: float, waited: float = 0.0) -> None:
        """`waited` are those of the seconds that have passed already."""
        self._host = host
        self._seconds = seconds
        self._begun = monotonic() - waited
        self._deadline = self._begun + seconds
        self._after, self._cpu_before = 0.0, -1.0
        self._waiting: Waiting | None = None
        self._standstill = self._credit = 0.0
        """Seconds since `_waiting` began that were taken off, because of a standstill and because of waiting."""
        if seconds <= SHORT_SECONDS:
            self._measure_waiting()

    def wait(self, poll: Poll) -> None:
        """Wait until something can be read or written; `HostTimeout` after the deadline."""
        while True:
            begun, cpu = monotonic(), self._host.cpu_seconds()
            if self._cpu_before < 0:
                self._after, self._cpu_before = begun - self._begun, cpu
            left = self._deadline - begun
            if left <= 0:
                left += self._take_off_waiting(begun)
            if left <= 0:
                raise HostTimeout(self._after, self._cpu_before)
            pause = min(left, SLICE_SECONDS)
            events = poll.poll(ceil(1000 * pause))
            standstill = self._host.note_lateness(monotonic() - begun - pause, cpu)
            self._deadline += standstill
            self._standstill += standstill
            if events:
                return
            if self._waiting is None:
                self._measure_waiting()
            self._host.waited()

    def _measure_waiting(self) -> None:
        self._waiting, self._measured_from, self._standstill = Waiting(self._host), monotonic(), 0.0

    def _take_off_waiting(self, now: float) -> float:
        """Put the deadline off by the time that the host has waited for a core; return by how much, 0 if by little.

        A referee that waits for a core too sees a standstill: what was taken off for that is not taken off again.
        """
        if self._waiting is None:
            return 0.0
        taken_off = self._standstill + self._credit
        more = self._waiting.of(now - self._measured_from) - taken_off
        if more < _LEAST_CREDIT * self._seconds:
            return 0.0
        self._credit += more
        self._deadline += more
        self._host.stood_still += more
        return more
