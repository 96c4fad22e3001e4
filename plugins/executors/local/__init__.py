"""`local`: plays in processes of this machine.

The *supervisor* (supervisor.py) is the process that runs the tournament. It has *workers* (worker.py) started, by a
server (`sweepstakes.hosting.server`) that forks them or, with `start=spawn`, starts fresh interpreters. A worker plays
the games of one task after another and sends their rows; both exchange pickled tuples, since a worker is trusted: an
agent that is not built in lives in a host, which the worker has the server start.

A worker that dies or is silent for too long is killed, and costs nobody a game: another worker plays what the first one
has not finished. If that one is lost too, the run stops with a line that names the game. Under `isolation: none` agents
live in the worker, so one that crashes or hangs stops the run. Their time is checked after each turn (time_guard.py).

A game that is played a second time, to explain it, has its first row sent before the second playing begins. If the
worker dies during the second playing, the first row counts, with its measures missing: it is no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Literal

from sweepstakes import RunError, hookimpl
from sweepstakes.executor import Chunk, Executor, Finished, Limits, Workload
from sweepstakes.hosting import os_support
from sweepstakes.hosting.describing import end_describing
from sweepstakes.hosting.forked import WARM_UP, Server, take_server
from sweepstakes.plugins.executors.local import worker
from sweepstakes.plugins.executors.local.supervisor import Supervisor

StartMethod = Literal["fork", "spawn"]
"""How worker processes are started."""
DEFAULT_START: StartMethod = "fork"
STALL_SECONDS = 120.0
"""Seconds, besides those of a turn, that a worker may be silent: making a board, measuring a game."""


class Local(Executor):
    """Plays in `workers` processes of this machine.

    `start` says how processes are started: `fork`, the default, is fast; `spawn` starts fresh interpreters, which takes
    seconds. A process that makes a board or measures a game for more than `stall_seconds` has stalled.
    """

    def __init__(self, workers: int, start: StartMethod = DEFAULT_START, stall_seconds: float = STALL_SECONDS) -> None:
        if workers < 1:
            raise RunError(f"{workers} workers: expected at least 1")
        self.workers = workers
        self.start = start
        self.stall_seconds = stall_seconds

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Finished]]:
        """Yield the rows of every game, each exactly once, in lists as they arrive."""
        with self.supervisor(workload, limits) as supervisor:
            for rows in supervisor.rows(chunks):
                if rows:
                    yield rows

    @contextmanager
    def supervisor(self, workload: Workload, limits: Limits) -> Iterator[Supervisor]:
        """Start a supervisor and its processes, which may play several times; at the end no process is left."""
        os_support.check_files(self.workers)
        end_describing()  # a long run does not need those processes
        hosted = workload.warm_agents()
        with ExitStack() as stack:
            if hosted is not None:
                stack.enter_context(os_support.hidden_memory())  # agents of the same user must not read it
            if self.start == "spawn":
                server = Server(spawn=True)
            else:
                server = take_server()
                server.call(f"{worker.__name__}:warm_up")
            if hosted is not None and (hosted or not server.spawns):  # spawned hosts load the engine only when needed
                server.call(WARM_UP, list(hosted))
            supervisor = Supervisor(server, self.workers, workload, limits, self.stall_seconds)
            yield stack.enter_context(closing(supervisor))


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `local`."""
    return {"local": Local}
