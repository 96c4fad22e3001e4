"""Queues for the work that waits for another process: one thread and one queue for each process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from sweepstakes.web.server.api_error import ApiError

MAX_PENDING = 16
"""Maximum number of requests in a queue, including the one that is being answered."""


class QueuedWork(NamedTuple):
    """A function that waits for another process, and the name of the queue whose thread has to call it."""

    queue: str
    work: Callable[[], Any]
    """May return another `QueuedWork`."""


class WorkQueues:
    """Runs the work of each queue in order. A slow queue delays neither other queues nor requests without a queue."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._threads: dict[str, ThreadPoolExecutor] = {}
        self._pending: dict[str, int] = {}

    async def run(self, queued: QueuedWork) -> Any:
        """Return the result of the work; raise `ApiError` if its queue is full."""
        queue = queued.queue
        with self._lock:
            if self._pending.setdefault(queue, 0) >= MAX_PENDING:
                raise ApiError(503, f"{MAX_PENDING} requests are already waiting for {queue}: try again in a moment")
            self._pending[queue] += 1
            if queue not in self._threads:
                self._threads[queue] = ThreadPoolExecutor(1, f"queue of {queue}")
            future = self._threads[queue].submit(queued.work)
        future.add_done_callback(lambda _: self._count_finished(queue))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Accept no more work. Each thread ends when the work in its queue is done."""
        with self._lock:
            for threads in self._threads.values():
                threads.shutdown(wait=False)

    def _count_finished(self, queue: str) -> None:
        with self._lock:
            self._pending[queue] -= 1
