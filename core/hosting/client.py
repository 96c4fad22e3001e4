"""The referee's side of hosts: starts them through the server, asks them, measures their time, and kills them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic

from sweepstakes import logs, os_support
from sweepstakes.errors import HostingError, ServerGoneError
from sweepstakes.game.faults import Fault, FaultKind
from sweepstakes.hosting import frames
from sweepstakes.hosting.channel import READ, Pipes
from sweepstakes.hosting.clock import Clock, HostTimeout
from sweepstakes.hosting.forked import (
    DIED,
    DIED_OF_MEMORY,
    DIED_OF_TASKS,
    SERVER_DIED,
    START_SECONDS,
    WARM_UP,
    Death,
    Process,
    Server,
)
from sweepstakes.hosting.host import EXIT_FILES_CLOSED, HOW_IT_ENDED
from sweepstakes.hosting.server import MAX_TASKS
from sweepstakes.hosting.written import Written
from sweepstakes.limits import NO_LIMITS, Limits

DEATH_SECONDS = 60.0
"""Maximum seconds for the death of a killed host before the run is stopped. Only a stuck kernel needs more."""
PINGS = 40
"""Round trips by which the referee measures whether it is faster to share one core with its hosts."""
MEASURE_SECONDS = 10.0
"""Seconds after which this is measured again, since another process may have used the core for a moment."""
_MAX_SLOWDOWN = 1.5
"""How much slower one core may appear before the referee and its hosts use several: see `worth_sharing`."""
_LOG = logs.logger(__name__)


class HostGone(EOFError):  # noqa: N818 - it becomes a fault of the agent
    """The host has died or closed its files."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.what)
        self.fault = fault


class Hosts:
    """Starts hosts by `server`, or by a server of its own, which is started when the first host is needed.

    With `warm`, hosts of an own server start with the engine and these built-in agents compiled.

    `on_wait` is called several times a second while the referee waits for a host. With `core`, the referee and its
    hosts share that core of the machine if this turns out to be faster.
    """

    def __init__(
        self,
        server: Server | None = None,
        *,
        warm: Sequence[str] | None = None,
        core: int | None = None,
        on_wait: Callable[[], None] | None = None,
    ) -> None:
        self._server = server
        self._own_server = server is None
        self._warm = warm
        self._core = core if hasattr(os, "sched_setaffinity") else None
        self._all_cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set[int]()
        self._shares_core = False
        self._measure_at = 0.0
        """The time at which the next host is measured."""
        self._on_wait = on_wait or (lambda: None)
        os_support.check_files(1)

    def __enter__(self) -> Hosts:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> Server:
        """Return the server, which is started if necessary, without waiting until it is ready."""
        if self._server is None:
            self._server = server = Server()
            if self._warm is not None:
                server.call(WARM_UP, list(self._warm))
        return self._server

    def start(self, limits: Limits = NO_LIMITS) -> Host:
        """Return a new, empty host; the memory limit does not count what it holds at its start."""
        memory = -1 if limits.memory_mb is None else limits.memory_mb * os_support.MB
        try:
            process, channel = self.open().start_host(memory)
        except OSError as error:
            raise HostingError(f"the host of an agent cannot be started: {error.strerror}") from None
        host = Host(process, channel, limits.memory_mb, self._on_wait)
        try:
            host.await_start()  # from here on its time may be measured
            if self._core is not None and monotonic() > self._measure_at:
                self._measure(host, self._core)
        except BaseException:
            host.kill()
            raise
        if self._shares_core and self._core is not None:
            self._shares_core = self._pin({self._core}, host)
        return host

    def release(self) -> None:
        """Let this process use every core again."""
        if self._shares_core:
            with suppress(OSError):
                os.sched_setaffinity(0, self._all_cores)

    def close(self) -> None:
        """End the server if it is this object's own."""
        self.release()
        if self._own_server and self._server is not None:
            server, self._server = self._server, None  # first: a signal handler may call this method again
            server.close()

    def __del__(self) -> None:
        self.close()

    def _pin(self, cores: set[int], host: Host) -> bool:
        """Make this process and the host run on these cores. Return False if the system refuses."""
        with suppress(OSError):
            os.sched_setaffinity(0, cores)
            os.sched_setaffinity(host.pid, cores)
            return True
        return False

    def _measure(self, host: Host, core: int) -> None:
        """Measure whether round trips are faster on one core."""
        self._measure_at = monotonic() + MEASURE_SECONDS
        self._shares_core = False
        self._pin(self._all_cores, host)
        apart = _ping(host)
        self._shares_core = self._pin({core}, host) and worth_sharing(_ping(host), apart)
        if not self._shares_core:
            self._pin(self._all_cores, host)


def worth_sharing(shared: float, apart: float) -> bool:
    """Return whether to share one core, from the seconds of a round trip on one core and without a fixed core.

    While both processes are new, the scheduler often runs them on one core anyway and separates them later. Both
    measurements are then equal, although later round trips without a fixed core take five times as long.
    """
    return shared < _MAX_SLOWDOWN * apart


def _ping(host: Host) -> float:
    """Return the seconds of a round trip, the median of several."""
    times = []
    for _ in range(PINGS):
        begun = monotonic()
        host.ping(DEATH_SECONDS)
        times.append(monotonic() - begun)
    return sorted(times)[PINGS // 2]


class Host:
    """One host process, as the referee holds it. Its `clock` runs from one `clock.start` to the next."""

    def __init__(self, process: Process, channel: Pipes, memory_mb: int | None, on_wait: Callable[[], None]) -> None:
        self.process = process
        self._channel = channel
        self._write, self._read = channel.write, channel.read
        self._memory_mb = memory_mb
        self._on_wait = on_wait
        self._written = Written()
        self._buffer = b""
        """Bytes that have been read but belong to no answer yet. Only programs send more than one line at once."""
        self.number = 0
        """The number of the last question."""
        self.answer = b""
        """The last answer, or only its beginning if it was unreadable."""
        self._reason = ""
        """Why the host is killed, for the log."""
        self.clock = Clock(process, on_wait)

    @property
    def pid(self) -> int:
        """The process id of the host; waits until it has been started."""
        return self.process.pid

    @property
    def dead(self) -> bool:
        """Whether the host has ended, as far as the referee knows."""
        return self.process.dead

    def next_number(self) -> int:
        """Return the number of the next question."""
        self.number += 1
        return self.number

    def await_start(self) -> None:
        """Wait until the host answers, and so has loaded what it needs."""
        self.pid  # noqa: B018
        self.ping(START_SECONDS)
        self.process.limit()
        _LOG.info("host %d started", self.pid)

    def ping(self, seconds: float) -> None:
        """Let a host that has no agent yet answer. Raise `HostingError` if it does not do so within `seconds`."""
        self.clock.start(seconds)
        try:
            self.ask(frames.json_frame(frames.PING, 0, None), frames.HEAD)
        except (HostGone, HostTimeout, frames.FrameError) as error:
            wrote = f", after it wrote {self.output[-200:]!r}" if self.output else ""
            raise HostingError(f"the host of an agent did not start: it {error or 'did not answer'}{wrote}") from None

    @property
    def output(self) -> str:
        """What the agent has written since `take_output` to standard output and error, or a program to standard error.
        Only the beginning and the end of a long output are kept.
        """
        self._read_output()
        return self._written.text

    def take_output(self) -> bytes:
        """Return what the agent has written, as far as it is kept, and forget it."""
        self._read_output()
        return self._written.take()

    def ask(self, frame: bytes, max_length: int) -> bytes:
        """Send a question and return the frame that answers it.

        Raises `HostGone` or `HostTimeout`, or `frames.FrameError` for an answer longer than `max_length` bytes.
        """
        self.send(frame)
        return self.read_answer(max_length)

    def read_answer(self, max_length: int) -> bytes:
        """Return the frame that answers a question which was sent before: see `ask`."""
        try:
            data = self._read(READ)  # on the core of the referee, a host has often answered before `send` returns
        except BlockingIOError:
            data = self._receive()
        if not (frames.HEAD <= len(data) == frames.LENGTH.unpack_from(data)[0] + 4 <= max_length):
            data = self._rest_of_answer(data, max_length)
        self.answer = data
        return data

    def _rest_of_answer(self, data: bytes, max_length: int) -> bytes:
        """Return the whole answer that begins with `data`."""
        whole = bytearray(data)
        if not data:
            raise self._gone()
        while len(whole) < 4:
            whole += self._receive()
        self.answer = bytes(whole)
        (length,) = frames.LENGTH.unpack_from(whole)
        if not frames.HEAD - 4 <= length <= max_length:
            raise frames.FrameError("an answer of impossible length")
        while len(whole) < length + 4:
            whole += self._receive()
        if len(whole) > length + 4:
            raise frames.FrameError("more than one answer")
        return bytes(whole)

    def send(self, data: bytes) -> None:
        """Send bytes as they are. Raise `HostGone` or `HostTimeout` if the host does not take them."""
        self._on_wait()
        sent = 0
        while True:
            try:
                sent += self._write(data[sent : sent + READ] if sent else data)
            except BlockingIOError:
                pass
            except OSError:
                raise self._gone() from None
            if sent == len(data):
                return
            self.clock.wait(self._channel.writable())
            self._read_output()

    def read_line(self, max_length: int) -> bytes:
        """Return the next line of a program, without its end. Raise `frames.FrameError` if it exceeds `max_length`
        bytes."""
        while b"\n" not in self._buffer and len(self._buffer) <= max_length:
            self._buffer += self._receive()
        self.answer, _, rest = self._buffer.partition(b"\n")
        if len(self.answer) > max_length:
            raise frames.FrameError("a line of impossible length")
        self._buffer = rest
        return self.answer

    @property
    def waiting(self) -> bytes:
        """What a program has written without a question, as far as it has arrived."""
        if not self.dead:
            with suppress(OSError):
                self._buffer += self._read(READ)
        self.answer = self._buffer
        return self._buffer

    def close_input(self) -> None:
        """Close the standard input of a program."""
        self._channel.close_input()

    def kill(self, reason: str = "") -> Death:
        """Kill the host and everything that it started, and wait until it is dead. The log has the reason."""
        if self.dead:
            return Death(DIED, 0, self.process.known_cpu_seconds)
        self._reason = reason or self._reason
        self.process.kill()
        try:
            death = self.wait(DEATH_SECONDS)
        except HostingError:  # it never lived
            self._close()
            return Death(SERVER_DIED, 0, 0.0)
        if death is None:
            raise HostingError(f"process {self.pid}, the host of an agent, did not end within {DEATH_SECONDS:g} s")
        return death

    def wait(self, seconds: float) -> Death | None:
        """Return how the host has ended; None if it still lives after `seconds`."""
        death = self.process.wait(seconds)
        if death is not None:
            self._read_output()
            how, why = os_support.cause_of_death(death.status), self._reason and f": {self._reason}"
            cpu = death.cpu_seconds
            _LOG.info("host %d ended by %s after %.2f s of processor time%s", self.pid, how, cpu, why)
            self._close()
        return death

    def __del__(self) -> None:
        if not self.dead:
            self._close()

    def _close(self) -> None:
        self.process.close()
        self._channel.close()

    def _read_output(self) -> None:
        """Read what the agent has written, so that it never waits for the referee."""
        if not self.dead:  # the numbers of its files may be those of another host by now
            self._written.add(self._channel.read_output())

    def _receive(self) -> bytes:
        """Wait for some bytes of an answer."""
        while True:
            self.clock.wait(self._channel.readable)
            try:
                data = self._read(READ)
            except BlockingIOError:
                self._read_output()
                continue
            if not data:
                raise self._gone()
            return data

    def _gone(self) -> HostGone:
        """Return why the host no longer answers. It is dead afterwards."""
        death = self.wait(0.2)
        lives = death is None
        death = death or self.kill()
        if death.kind == SERVER_DIED:
            raise ServerGoneError
        if death.kind == DIED_OF_MEMORY:
            return HostGone(Fault(FaultKind.MEMORY, f"than {self._memory_mb} MB"))
        if death.kind == DIED_OF_TASKS:
            return HostGone(Fault(FaultKind.TASKS, f"{MAX_TASKS}"))
        status = EXIT_FILES_CLOSED if lives else death.status
        if status in HOW_IT_ENDED:
            return HostGone(Fault(HOW_IT_ENDED[status]))
        return HostGone(Fault(FaultKind.DIED, os_support.how_it_died(status)))
