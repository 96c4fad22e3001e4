"""`local`: plays in processes of this machine.

The *supervisor* (supervisor.py) is the process that runs the tournament. Its *workers* (worker.py) are started by a
server (`sweepstakes.hosting.server`). The server forks them or, with `start=spawn`, starts fresh interpreters. A worker
plays the games of one task after another and sends their rows. Supervisor and workers exchange pickled tuples, because
workers are trusted: agents that are not built in live in hosts, which the server starts when a worker asks for them.

A worker that is silent for too long is killed. No game is lost with a worker: another one plays what it has not
finished. If that worker is lost too, the run stops with a line that names the game. Under `isolation: none` agents live
in the worker, so an agent that crashes or hangs stops the run. Their time is checked after each turn (time_guard.py).

If a game is played a second time to explain it, its first row is sent beforehand. If the worker dies during the second
playing, the first row counts, with its measures missing, and the agent is not at fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from typing import Literal

from sweepstakes import RunError, hookimpl, os_support
from sweepstakes.executor import Chunk, Executor, Finished, Limits, Workload
from sweepstakes.hosting.describing import end_describing
from sweepstakes.hosting.forked import WARM_UP, Server, take_server
from sweepstakes.plugins.executors.local import worker
from sweepstakes.plugins.executors.local.supervisor import Supervisor

StartMethod = Literal["fork", "spawn"]
"""How worker processes are started."""
DEFAULT_START: StartMethod = "fork"
STALL_SECONDS = 120.0
"""Seconds, in addition to a turn, that a worker may be silent while it makes a board or measures a game."""


class Local(Executor):
    """Plays in `workers` processes of this machine.

    `start` says how processes are started: `fork`, the default, is fast; `spawn` starts fresh interpreters, which takes
    seconds. A process that makes a board or measures a game for more than `stall_seconds` counts as stalled.
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
        """Start a supervisor, which can play several times; end all its processes on leaving the block."""
        os_support.check_files(self.workers)
        end_describing()  # a long run does not need the processes that describe agents
        hosted = workload.warm_agents()
        with ExitStack() as stack:
            if hosted is not None:
                stack.enter_context(os_support.hidden_memory())  # agents run as the same user and must not read it
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
