"""Says once that more is going on on this machine than it has cores for."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import monotonic

from sweepstakes.tournaments.resolve.machine import usable_cores

SECONDS = 10.0
"""Seconds between two looks at the load."""


class LoadWarning:
    """Looks at the load of the machine now and then, and has one line said when it exceeds the cores.

    While `workers` processes play, these are the load that is expected.
    """

    def __init__(self, workers: int, say: Callable[[str], None], clock: Callable[[], float] = monotonic) -> None:
        self._say = say
        self._clock = clock
        self._cores = usable_cores()
        self._expected = float(self._cores)
        self._next = clock() if hasattr(os, "getloadavg") else float("inf")
        self.check()
        self._expected = max(self._cores, workers) + 1.0

    def check(self) -> None:
        """Look at the load, unless that was done a moment ago or the line was said."""
        if self._clock() < self._next:
            return
        self._next = self._clock() + SECONDS
        load, *_ = os.getloadavg()
        if load > self._expected:
            self._next = float("inf")
            cores = f"{self._cores} core{'s' if self._cores > 1 else ''}"
            advice = "games take longer; the time that the process of an agent waits for a core is not charged to it"
            self._say(f"the load of this machine is {load:.1f}, with {cores} to play on: {advice}")
