"""The clock of an agent in a host: it stands still while nobody can play, and while the host waits for a core.

A host that is ready to compute and has to wait for a core loses that time to other processes, so it is taken off the
agent's clock. An agent that sleeps is not ready, and gains nothing. Nor does one that starts
threads and processes which wait for each other: its clock never runs slower than these compute together. However busy
the machine is, the clock runs at a twentieth of its speed at least, so that every game ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, inf
from time import monotonic
from typing import Any, Protocol

from sweepstakes.hosting import os_support

SLICE_SECONDS = 0.05
"""Seconds that the referee waits at a time. When it wakes up much later than that, the machine stood still."""
SHORT_SECONDS = 0.5
"""Below this limit the first slice of the wait counts too: whether the host waits for a core is measured at once."""
MAX_SHARE = 0.95
"""The largest share of any time that is taken off the clock."""
_LEAST_CREDIT = 0.001
"""The share of a limit below which no more waiting is taken off the clock: it has run out."""
_UNMEASURED = 0.05
"""The part of the time of a game in which its waiting is not measured."""
_LEAST_GROWTH = 1.02
"""By how much a game has to grow until its waiting is measured again."""


class Poll(Protocol):
    """`select.poll()`, or a test's."""

    def poll(self, milliseconds: float, /) -> Sequence[Any]:
        """Return what can be read or written, after at most this many milliseconds."""


class TimedHost(Protocol):
    """What a clock needs of a host."""

    stood_still: float
    """Seconds taken off the agent's clock: the machine stood still, or the host waited for a core."""

    @property
    def pid(self) -> int:
        """The process id."""

    def cpu_seconds(self) -> float:
        """The processor time that the host has used in its life."""

    def note_lateness(self, late: float, cpu_before: float) -> float:
        """Return the seconds in which the machine stood still when the referee woke up `late` seconds too late."""

    def waited(self) -> None:
        """Called now and then while the referee waits for the host."""


class HostTimeout(Exception):  # noqa: N818 - it becomes a fault of the agent
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
        """Of the `seconds` since the beginning, those in which the host waited for a core and did not compute."""
        now = os_support.schedule(self._pid)
        waited = now.waited - self._before.waited
        computed = max(now.computed - self._before.computed, 0.0)
        return max(min(waited, seconds - computed, MAX_SHARE * seconds), 0.0)


class GameCredit:
    """What is taken off the clock of a game at its limit: the waiting in all its turns, which each were in time.

    A quick game has no need of it, so the first part of a game is not measured: call `begin` when the game has taken
    more than `begins_at` seconds.
    """

    def __init__(self, host: TimedHost, game_seconds: float) -> None:
        self._host = host
        self._waiting: Waiting | None = None
        self.begins_at = _UNMEASURED * game_seconds
        self._stood_before = host.stood_still
        self._given = self._measured_at = 0.0

    def begin(self) -> None:
        """Measure from now on."""
        self.begins_at = inf
        self._waiting = Waiting(self._host)

    def take(self, spent: float) -> float:
        """The seconds to take off the `spent` seconds of the game so far, besides those that were taken off before.

        To measure takes longer than a quick turn, so it waits until the game has taken some more time.
        """
        if self._waiting is None or spent < _LEAST_GROWTH * self._measured_at:
            return 0.0
        taken_off = self._host.stood_still - self._stood_before + self._given
        more = max(self._waiting.of(spent + taken_off) - taken_off, 0.0)
        self._given += more
        self._measured_at = spent - more
        return more


class Clock:
    """The time for one question. It stands still while nobody can play, or while the host waits for a core."""

    def __init__(
        self, host: TimedHost, seconds: float, waited: float = 0.0, now: Callable[[], float] = monotonic
    ) -> None:
        """`waited` are those of the seconds that have passed already."""
        self._now = now
        self._host = host
        self._seconds = seconds
        self._begun = self._now() - waited
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
            begun, cpu = self._now(), self._host.cpu_seconds()
            if self._cpu_before < 0:
                self._after, self._cpu_before = begun - self._begun, cpu
            left = self._deadline - begun
            if left <= 0:
                left += self._take_off_waiting(begun)
            if left <= 0:
                raise HostTimeout(self._after, self._cpu_before)
            pause = min(left, SLICE_SECONDS)
            events = poll.poll(ceil(1000 * pause))
            standstill = self._host.note_lateness(self._now() - begun - pause, cpu)
            self._deadline += standstill
            self._standstill += standstill
            if events:
                return
            if self._waiting is None:
                self._measure_waiting()
            self._host.waited()

    def _measure_waiting(self) -> None:
        self._waiting, self._measured_from, self._standstill = Waiting(self._host), self._now(), 0.0

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
