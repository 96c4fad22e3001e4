"""`local`: in processes of this machine, with hard limits.

An agent can do to its worker what it likes. It costs it one game: the one that was on when the worker died
or had to be killed. Games of the same task that were reported stand, the others are played by the next
worker.

A game that is played a second time, to explain it, is reported before that. If the worker is lost meanwhile,
that row stands, with its measures missing: it is no fault.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from sweepstakes import RunError, hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload
from sweepstakes.plugins.executors.local import os_support
from sweepstakes.plugins.executors.local.forkserver_client import KeeperLink
from sweepstakes.plugins.executors.local.supervisor import Supervisor


class Local(Executor):
    """Plays in `workers` processes of this machine; limits are enforced by killing the process."""

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise RunError(f"{workers} workers: expected at least 1")
        if not hasattr(os, "fork"):
            raise RunError("the executor 'local' needs Linux or macOS: take 'serial', which has no limits")
        self.workers = workers

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows of every game, each exactly once, in lists as they come in."""
        os_support.check_files(self.workers)
        with KeeperLink((workload, limits), self.workers) as keeper:
            yield from Supervisor(keeper, workload, chunks, limits).rows()


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `local`."""
    return {"local": Local}
