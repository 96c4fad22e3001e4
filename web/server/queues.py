"""Requests that wait for another process: each lane has a thread and a queue of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from sweepstakes.web.server.api_error import Refused

MOST = 16
"""How many requests of a lane may be under way, the one that is being answered among them."""


class Later(NamedTuple):
    """Work that waits for another process: whoever gets it has it done in that lane."""

    lane: str
    work: Callable[[], Any]
    """May return another `Later`."""


class Lanes:
    """Does the work of each lane one after the other; no lane holds up another, nor the threads of plain requests."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._waiting: dict[str, int] = {}

    async def do(self, later: Later) -> Any:
        """What the work returns; `Refused` if its lane has too many waiting."""
        lane = later.lane
        with self._lock:
            if self._waiting.setdefault(lane, 0) >= self._most:
                raise Refused(503, f"{self._most} requests are waiting for {lane} already: ask again in a while")
            self._waiting[lane] += 1
            if lane not in self._threads:
                self._threads[lane] = ThreadPoolExecutor(1, f"lane of {lane}")
            future = self._threads[lane].submit(later.work)
        future.add_done_callback(lambda _: self._leave(lane))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Take no more work; the threads end when what they wait for has ended."""
        with self._lock:
            for threads in self._threads.values():
                threads.shutdown(wait=False)

    def _leave(self, lane: str) -> None:
        with self._lock:
            self._waiting[lane] -= 1
