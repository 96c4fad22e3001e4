"""The time in which a host was ready to compute and had to wait for a core: other processes took it from the agent.

This time is taken off the agent's clock. An agent that sleeps is not ready, and gains nothing. Nor does one that starts
threads and processes which wait for each other: its clock never runs slower than these compute together. However busy
the machine is, the clock runs at a twentieth of its speed at least, so that every game ends.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from sweepstakes.hosting import os_support

if TYPE_CHECKING:
    from sweepstakes.hosting.hosts import Host

MAX_SHARE = 0.95
"""The largest share of any time that is taken off the clock."""

_UNMEASURED = 0.05
"""The part of the time of a game in which its waiting is not measured."""
_LEAST_GROWTH = 1.02
"""By how much a game has to grow until its waiting is measured again."""


class Waiting:
    """Measures how long a host waits for a core, from now on."""

    def __init__(self, host: Host) -> None:
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

    def __init__(self, host: Host, game_seconds: float) -> None:
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
