"""`local`: plays in processes of this machine, with hard limits.

Three kinds of process take part. The *supervisor* (supervisor.py) is the process that runs the tournament. It starts
one *fork server* (forkserver.py), which forks *workers* (worker.py) on request, kills them on request, and reports
how each of them died. A worker plays the games of one task after another.

Whatever an agent does to its worker costs that agent one game: the game that was being played when the worker died or
had to be killed. Rows that the worker had sent before count; another worker plays the other games of the task.

A game that is played a second time, to explain it, has its first row sent before the second playing begins. If the
worker dies during the second playing, the first row counts, with its measures missing: it is no fault.

How a worker gets killed: `Supervisor._check_limits` finds a worker over a limit and calls `Supervisor._kill`, which
notes the cause and sends KILL through `ForkServerClient.kill`; `ForkServer._kill_worker` sends SIGKILL to the worker's
process group; `ForkServer._reap_children` reports the death; `Supervisor._attribute_death` decides which game is lost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from sweepstakes import RunError, hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload
from sweepstakes.hosting import os_support
from sweepstakes.plugins.executors.local.forkserver_client import ForkServerClient
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
        with ForkServerClient((workload, limits), self.workers, workload.warm_agents()) as fork_server:
            yield from Supervisor(fork_server, workload, chunks, limits).rows()


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `local`."""
    return {"local": Local}
