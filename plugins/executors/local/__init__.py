"""`local`: plays in processes of this machine, with hard limits.

Three kinds of process take part. The *supervisor* (supervisor.py) is the process that runs the tournament. It starts
one *fork server* (forkserver.py), which forks *workers* (worker.py) on request, kills them on request, and reports
how each of them died. A worker plays the games of one task after another.

Where nothing is to be forked (`start=spawn`), there is no fork server: the supervisor starts each worker as a fresh
process (spawned_workers.py, spawned_worker.py), which connects back to it over the loopback interface with a secret
token, and has one in reserve. Both ways have the same interface (worker_processes.py).

Whatever an agent does to its worker costs that agent one game: the game that was being played when the worker died or
had to be killed. Rows that the worker had sent before count; another worker plays the other games of the task.

A game that is played a second time, to explain it, has its first row sent before the second playing begins. If the
worker dies during the second playing, the first row counts, with its measures missing: it is no fault.

How a worker gets killed: `Supervisor._check_limits` finds a worker over a limit and calls `Supervisor._kill`, which
notes the cause and sends KILL through `ForkServerClient.kill`; `ForkServer._kill_worker` sends SIGKILL to the worker's
process group; `ForkServer._reap_children` reports the death; `Supervisor._attribute_death` decides which game is lost.
Without fork, `SpawnedWorkers.kill` kills the process, and the thread that waits for it reports the death.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Literal

from sweepstakes import RunError, hookimpl
from sweepstakes.executor import Chunk, Executor, Limits, Row, Workload
from sweepstakes.hosting import os_support
from sweepstakes.hosting.describing import end_describing
from sweepstakes.plugins.executors.local.forkserver_client import ForkServerClient
from sweepstakes.plugins.executors.local.spawned_workers import SpawnedWorkers
from sweepstakes.plugins.executors.local.supervisor import Supervisor
from sweepstakes.plugins.executors.local.worker_processes import WorkerProcesses

StartMethod = Literal["fork", "spawn"]
"""How worker processes are started."""
DEFAULT_START: StartMethod = "fork" if hasattr(os, "fork") else "spawn"


class Local(Executor):
    """Plays in `workers` processes of this machine; limits are enforced by killing the process.

    `start` says how processes are started: `fork` (the default where the system has it) is fast; `spawn` works on every
    system, takes seconds at the start, and does not promise memory limits and the end of agents' own child processes.
    """

    def __init__(self, workers: int, start: StartMethod = DEFAULT_START) -> None:
        if workers < 1:
            raise RunError(f"{workers} workers: expected at least 1")
        if start == "fork" and not hasattr(os, "fork"):
            raise RunError("start 'fork': this system has no fork: expected spawn")
        self.workers = workers
        self.start = start

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Row]]:
        """The rows of every game, each exactly once, in lists as they come in."""
        with self.supervisor(workload, limits) as supervisor:
            for rows in supervisor.rows(chunks):
                if rows:
                    yield rows

    @contextmanager
    def supervisor(self, workload: Workload, limits: Limits) -> Iterator[Supervisor]:
        """A supervisor with its processes, which may play several times; at the end no process is left."""
        os_support.check_files(self.workers)
        end_describing()  # a long run needs no process for that
        hosted = workload.warm_agents()
        given = (workload, limits), self.workers, hosted
        processes: WorkerProcesses
        with ExitStack() as stack:
            if hosted is not None:
                stack.enter_context(os_support.hidden_memory())  # agents of the same user must not read it
            if self.start == "spawn":
                processes = stack.enter_context(SpawnedWorkers(*given))
            else:
                processes = stack.enter_context(ForkServerClient(*given))
            yield stack.enter_context(closing(Supervisor(processes, workload, limits)))


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `local`."""
    return {"local": Local}
