"""The clocks of an agent in a host: they stop while nobody can play, and while the host waits for a core.

A host that is ready to compute but has to wait for a core loses that time to other processes, so it is taken off the
agent's clock. An agent that sleeps is not ready and gains nothing. Neither does an agent whose own threads and
processes wait for each other, since its clock never runs slower than they compute together. However busy the machine
is, the clock runs at least at a twentieth of its normal speed, so that every game ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, inf
from time import monotonic
from typing import Any, Protocol

from sweepstakes import logs, os_support
from sweepstakes.game.faults import Fault, FaultKind
from sweepstakes.hosting.forked import Process
from sweepstakes.limits import Limits, exceeded_limit

STANDSTILL_SECONDS = 0.1
"""If the referee wakes up later than this, the delay is taken off the agent's clock."""
SLICE_SECONDS = 0.05
"""Seconds that the referee waits at a time. When it wakes up much later than that, the machine stood still."""
_SLICE_MS = ceil(1000 * SLICE_SECONDS)
SHORT_SECONDS = 0.5
"""Up to this limit the first slice of the wait counts too, so it is measured from the start whether the host waits for
a core."""
MAX_SHARE = 0.95
"""The largest share of any time that is taken off the clock."""
_MIN_CREDIT = 0.001
"""The share of a limit below which no more waiting is taken off the clock, because the time is practically used up."""
_UNMEASURED = 0.05
"""The part of the time of a game in which its waiting is not measured: a quick game needs no credit."""
_MIN_GROWTH = 1.02
"""The factor by which a game must grow before its waiting is measured again, since measuring takes longer than a quick
turn."""
_MOMENT = 1e-6
_BUSY = 0.5
"""If a host has computed for at least this share of a time limit, the machine was not the cause of a time-out."""
_LOG = logs.logger(__name__)


class Poll(Protocol):
    """`select.poll()`, or that of a test."""

    def poll(self, milliseconds: float, /) -> Sequence[Any]:
        """Return what can be read or written, after at most `milliseconds`."""


class HostTimeout(TimeoutError):  # noqa: N818 - it becomes a fault of the agent
    """The host did not answer within `seconds`."""

    def __init__(self, seconds: float, busy_from: float) -> None:
        super().__init__()
        self.seconds = seconds
        self.busy_from = busy_from
        """If the host has used less processor time than this in total, the machine may have been slow."""


class Waiting:
    """Measures how long a process waits for a core, from now on."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._before = os_support.schedule(pid)

    def of(self, seconds: float) -> float:
        """Return how many of the `seconds` since the beginning the process has waited for a core."""
        now = os_support.schedule(self._pid)
        waited = now.waited - self._before.waited
        computed = max(now.computed - self._before.computed, 0.0)
        return max(min(waited, seconds - computed, MAX_SHARE * seconds), 0.0)


class Clock:
    """The time that a host has for one question. `on_wait` is called several times a second while the referee waits."""

    def __init__(self, host: Process, on_wait: Callable[[], None], now: Callable[[], float] = monotonic) -> None:
        self.host = host
        self.now = now
        self._on_wait = on_wait
        self.stood_still = 0.0
        """Seconds taken off the agent's clock: the machine stood still, or the host waited for a core."""
        self.start(inf)

    def start(self, seconds: float) -> None:
        """Begin again. What follows must be done within `seconds`."""
        self._seconds = seconds
        self._begun = self._seen = self.now()
        self._deadline = self._begun + seconds
        self._after, self._cpu_before = 0.0, self.host.known_cpu_seconds
        self._waiting: Waiting | None = None
        self._taken_off = 0.0
        if seconds <= SHORT_SECONDS:
            self._measure_waiting()

    def wait(self, poll: Poll) -> None:
        """Wait until something can be read or written. Raise `HostTimeout` after the deadline."""
        now, host = self.now, self.host
        while True:
            begun = now()
            if begun - self._seen > SLICE_SECONDS:  # something held the referee up
                self.forgive(begun - self._seen, host.known_cpu_seconds)
            left = self._deadline - begun
            if left <= 0:
                left += self._take_off_waiting(begun)
            if left <= 0:
                raise HostTimeout(self._seconds, self._cpu_before + _BUSY * (self._seconds - self._after))
            pause = SLICE_SECONDS if left > SLICE_SECONDS else left
            cpu = host.known_cpu_seconds if self._waiting is None else host.cpu_seconds()
            events = poll.poll(_SLICE_MS if left > SLICE_SECONDS else ceil(1000 * left))
            self._seen = now()
            if not os_support.LINUX:  # other systems do not measure another process
                host.known_cpu_seconds += self._seen - begun
            self.forgive(self._seen - begun - pause, cpu)
            if events:
                return
            if self._waiting is None:
                self._measure_waiting()
            self._on_wait()

    def forgive(self, late: float, cpu_before: float) -> None:
        """Move the deadline by the time that the machine stood still when the referee is `late` seconds too late.

        `cpu_before` is the processor time of the host before that: perhaps it kept the referee from its core.
        """
        if late > STANDSTILL_SECONDS and (standstill := late - (self.host.cpu_seconds() - cpu_before)) > 0:
            _LOG.warning("the machine stood still for %.2f s: taken off the clock of the agent", standstill)
            self.take_off(standstill)

    def _measure_waiting(self) -> None:
        self._waiting, self._measured_from = Waiting(self.host.pid), self.now()
        self._after, self._cpu_before = self._measured_from - self._begun, self.host.cpu_seconds()
        self._taken_off = 0.0

    def _take_off_waiting(self, now: float) -> float:
        """Move the deadline by the time that the host has waited for a core. Return the seconds, or 0 if they are few.

        If the referee waits for a core too, it observes a standstill. What was taken off for that is not taken off
        again.
        """
        if self._waiting is None:
            return 0.0
        more = self._waiting.of(now - self._measured_from) - self._taken_off
        return self.take_off(more) if more >= _MIN_CREDIT * self._seconds else 0.0

    def take_off(self, seconds: float) -> float:
        """Move the deadline by these seconds, which do not count against the agent, and return them."""
        self._taken_off += seconds
        self._deadline += seconds
        self.stood_still += seconds
        return seconds


class GameClock:
    """The time that an agent takes for the turns of one game.

    Near the limit of the game, waiting in turns that were each within their limit is taken off too.
    """

    def __init__(self, clock: Clock, limits: Limits) -> None:
        self._clock = clock
        self._spent = 0.0
        self._waiting: Waiting | None = None
        self._stood_before = clock.stood_still
        self._credit = self._measured_at = self.allowed = 0.0
        self.set_limits(limits)

    def set_limits(self, limits: Limits) -> None:
        """Put the next turns under these limits."""
        self._limits = limits
        self._turn_seconds = inf if limits.turn_seconds is None else limits.turn_seconds
        self._game_seconds = inf if limits.game_seconds is None else limits.game_seconds

    def start_turn(self) -> None:
        """Start the clock of the host for the next turn."""
        if self._waiting is None and self._spent > _UNMEASURED * self._game_seconds:
            self._waiting = Waiting(self._clock.host.pid)
        self.allowed = self._turn_seconds
        if self._game_seconds < self._spent + self._turn_seconds:
            self._take_off_waiting()
            self.allowed = min(self._turn_seconds, max(self._game_seconds - self._spent, 0.0))
        self._clock.start(self.allowed)
        self._begun = self._clock.now() - self._clock.stood_still

    def end_turn(self) -> None:
        """Add the time since `start_turn` to that of the game."""
        self._spent += self._clock.now() - self._clock.stood_still - self._begun

    def exceeded(self) -> Fault:
        """Return the fault of an agent that has used up the time of its turn."""
        seconds = self.allowed + _MOMENT
        fault = exceeded_limit(self._limits, seconds, self._spent + seconds)
        return fault or Fault(FaultKind.TURN_TIME, f"{self.allowed:g}")

    def _take_off_waiting(self) -> None:
        if self._waiting is None or self._spent < _MIN_GROWTH * self._measured_at:
            return
        taken_off = self._clock.stood_still - self._stood_before + self._credit
        more = max(self._waiting.of(self._spent + taken_off) - taken_off, 0.0)
        self._credit += more
        self._spent -= more
        self._measured_at = self._spent
