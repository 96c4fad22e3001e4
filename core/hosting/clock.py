"""The clocks of an agent in a host: they stop while nobody can play, and while the host waits for a core.

A host that is ready to compute but has to wait for a core loses that time to other processes, so it is taken off the
agent's clock. An agent that sleeps is not ready and gains nothing. Neither does one whose own threads and processes
wait for each other: its clock never runs slower than these compute together. However busy the machine is, the clock
runs at a twentieth of its speed or faster, so that every game ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, inf
from time import monotonic
from typing import Any, Protocol

from sweepstakes.game.faults import Fault, FaultKind
from sweepstakes.hosting import os_support
from sweepstakes.limits import Limits, exceeded_limit

SLICE_SECONDS = 0.05
"""Seconds that the referee waits at a time. When it wakes up much later than that, the machine stood still."""
_SLICE_MS = ceil(1000 * SLICE_SECONDS)
SHORT_SECONDS = 0.5
"""Up to this limit the first slice of the wait counts too: whether the host waits for a core is measured at once."""
MAX_SHARE = 0.95
"""The largest share of any time that is taken off the clock."""
_MIN_CREDIT = 0.001
"""The share of a limit below which no more waiting is taken off the clock: it has run out."""
_UNMEASURED = 0.05
"""The part of the time of a game in which its waiting is not measured: a quick game needs no credit."""
_MIN_GROWTH = 1.02
"""By which factor a game has to grow until its waiting is measured again: that takes longer than a quick turn."""
_MOMENT = 1e-6


class Poll(Protocol):
    """`select.poll()`, or that of a test."""

    def poll(self, milliseconds: float, /) -> Sequence[Any]:
        """Return what can be read or written, after at most `milliseconds`."""


class TimedHost(Protocol):
    """What a clock needs of a host."""

    stood_still: float
    """Seconds taken off the agent's clock: the machine stood still, or the host waited for a core."""
    known_cpu_seconds: float
    """What `cpu_seconds` returned last."""

    @property
    def pid(self) -> int:
        """The process id."""

    def cpu_seconds(self) -> float:
        """Return the processor time that the host has used in its life."""

    def note_lateness(self, late: float, cpu_before: float) -> float:
        """Return the seconds in which the machine stood still when the referee woke up `late` seconds too late."""

    def on_wait(self) -> None:
        """Called several times a second while the referee waits for the host."""


class HostTimeout(TimeoutError):  # noqa: N818 - it becomes a fault of the agent
    """The host did not answer in time."""

    def __init__(self, after: float, cpu_before: float) -> None:
        super().__init__()
        self.after = after
        """Seconds after the question when the processor time of the host was first read."""
        self.cpu_before = cpu_before
        """The processor time that the host had used by then."""


class Waiting:
    """Measures how long a host waits for a core, from now on."""

    def __init__(self, host: TimedHost) -> None:
        self._pid = host.pid
        self._before = os_support.schedule(self._pid)

    def of(self, seconds: float) -> float:
        """Of the `seconds` since the beginning, return those in which the host waited for a core."""
        now = os_support.schedule(self._pid)
        waited = now.waited - self._before.waited
        computed = max(now.computed - self._before.computed, 0.0)
        return max(min(waited, seconds - computed, MAX_SHARE * seconds), 0.0)


class Clock:
    """The time that a host has for one question."""

    def __init__(self, host: TimedHost, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._host = host
        self.start(inf)

    def start(self, seconds: float) -> None:
        """Begin again: what follows has to be done within `seconds`."""
        self._seconds = seconds
        self._begun = self._seen = self._now()
        self._deadline = self._begun + seconds
        self._after, self._cpu_before = 0.0, self._host.known_cpu_seconds
        self._waiting: Waiting | None = None
        self._taken_off = 0.0
        if seconds <= SHORT_SECONDS:
            self._measure_waiting()

    def wait(self, poll: Poll) -> None:
        """Wait until something can be read or written; `HostTimeout` after the deadline."""
        now, host = self._now, self._host
        while True:
            begun = now()
            if begun - self._seen > SLICE_SECONDS:  # something held the referee up
                self._forgive(begun - self._seen, host.known_cpu_seconds)
            left = self._deadline - begun
            if left <= 0:
                left += self._take_off_waiting(begun)
            if left <= 0:
                raise HostTimeout(self._after, self._cpu_before)
            pause = SLICE_SECONDS if left > SLICE_SECONDS else left
            cpu = host.known_cpu_seconds if self._waiting is None else host.cpu_seconds()
            events = poll.poll(_SLICE_MS if left > SLICE_SECONDS else ceil(1000 * left))
            self._seen = now()
            self._forgive(self._seen - begun - pause, cpu)
            if events:
                return
            if self._waiting is None:
                self._measure_waiting()
            host.on_wait()

    def _forgive(self, late: float, cpu_before: float) -> None:
        """Move the deadline by the time that the machine stood still when the referee is `late` seconds too late."""
        if standstill := self._host.note_lateness(late, cpu_before):
            self._deadline += standstill
            self._taken_off += standstill

    def _measure_waiting(self) -> None:
        self._waiting, self._measured_from = Waiting(self._host), self._now()
        self._after, self._cpu_before = self._measured_from - self._begun, self._host.cpu_seconds()
        self._taken_off = 0.0

    def _take_off_waiting(self, now: float) -> float:
        """Move the deadline by the time that the host has waited for a core; return the seconds, 0 for a few.

        A referee that waits for a core too sees a standstill: what was taken off for that is not taken off again.
        """
        if self._waiting is None:
            return 0.0
        more = self._waiting.of(now - self._measured_from) - self._taken_off
        if more < _MIN_CREDIT * self._seconds:
            return 0.0
        self._taken_off += more
        self._deadline += more
        self._host.stood_still += more
        return more


class GameClock:
    """The time that an agent takes for the turns of one game.

    Near the limit of the game, waiting in turns that each were in time is taken off too.
    """

    def __init__(self, host: TimedHost, clock: Clock, limits: Limits, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._host = host
        self._clock = clock
        self._spent = 0.0
        self._waiting: Waiting | None = None
        self._stood_before = host.stood_still
        self._credit = self._measured_at = 0.0
        self.set_limits(limits)

    def set_limits(self, limits: Limits) -> None:
        """Put the next turns under these limits."""
        self._limits = limits
        self._turn_seconds = inf if limits.turn_seconds is None else limits.turn_seconds
        self._game_seconds = inf if limits.game_seconds is None else limits.game_seconds

    def start_turn(self) -> None:
        """Start the clock of the host for the next turn."""
        if self._waiting is None and self._spent > _UNMEASURED * self._game_seconds:
            self._waiting = Waiting(self._host)
        self._allowed = self._turn_seconds
        if self._game_seconds < self._spent + self._turn_seconds:
            self._take_off_waiting()
            self._allowed = min(self._turn_seconds, max(self._game_seconds - self._spent, 0.0))
        self._clock.start(self._allowed)
        self._begun = self._now() - self._host.stood_still

    def end_turn(self) -> None:
        """Add the time since `start_turn` to that of the game."""
        self._spent += self._now() - self._host.stood_still - self._begun

    def exceeded(self) -> tuple[float, Fault]:
        """Return the seconds that the turn was allowed to take, and the fault of an agent that has exceeded them."""
        seconds = self._allowed + _MOMENT
        fault = exceeded_limit(self._limits, seconds, self._spent + seconds)
        return self._allowed, fault or Fault(FaultKind.TURN_TIME, f"{self._allowed:g}")

    def _take_off_waiting(self) -> None:
        if self._waiting is None or self._spent < _MIN_GROWTH * self._measured_at:
            return
        taken_off = self._host.stood_still - self._stood_before + self._credit
        more = max(self._waiting.of(self._spent + taken_off) - taken_off, 0.0)
        self._credit += more
        self._spent -= more
        self._measured_at = self._spent
