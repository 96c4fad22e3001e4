"""The supervisor: sends tasks to workers, collects rows, and reassigns the games of a lost worker once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from selectors import EVENT_READ, DefaultSelector
from time import monotonic

from sweepstakes import RunError, logs, os_support
from sweepstakes.errors import ServerGoneError
from sweepstakes.executor import Chunk, Finished, Fixture, Row, Workload, count_games
from sweepstakes.hosting import environment
from sweepstakes.hosting.forked import SERVER_DIED, Process, Server
from sweepstakes.limits import Limits, second_limits
from sweepstakes.plugins.executors.local.worker import ENTRY, SPAWNED_ENTRY, Said, Task, WorkerSetup

_LOG = logs.logger(__name__)
POLL_SECONDS = 0.2
"""Seconds between two checks of the workers when no message arrives."""
START_SECONDS = 600.0
"""Seconds in which a worker must get ready; it may have to compile first."""
UNLIMITED_TURN_SECONDS = 3600.0
"""Seconds allowed for a turn if turns are not limited; a worker that is silent for longer has stalled."""
LAST_SECONDS, DEATH_SECONDS = 1.0, 60.0
"""Seconds to wait for a worker to die after it has closed its connection, and after it was killed."""


class _Worker:
    """What the supervisor knows about a worker."""

    def __init__(self, process: Process, connection: Connection, now: float) -> None:
        self.process = process
        self.connection = connection
        self.ready = False
        self.task: Task | None = None
        self.done = 0
        """Games of the task whose rows have arrived."""
        self.first_row: Row | None = None
        """The row of the next game, while it is being played a second time."""
        self.heard = now
        """The time at which the last message was sent or arrived."""


class Supervisor:
    """Plays the games of one run in worker processes, which the server starts.

    A worker that is silent for more than `stall_seconds` in addition to a turn is killed. `now` is the clock.
    """

    def __init__(
        self,
        server: Server,
        workers: int,
        workload: Workload,
        limits: Limits,
        stall_seconds: float,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._server = server
        self._workload = workload
        self._limits = limits
        self._now = now
        turn = second_limits(limits).turn_seconds
        self._silence = stall_seconds + (UNLIMITED_TURN_SECONDS if turn is None else turn)
        self._workers: list[_Worker | None] = [None] * workers
        self._chunks: Iterator[Chunk] = iter(())
        self._lost: deque[Task] = deque()
        """Games that a lost worker did not finish; they are played before new chunks."""
        self._selector = DefaultSelector()
        self._failed_starts = 0

    def rows(self, chunks: Iterable[Chunk]) -> Iterator[list[Finished]]:
        """Send tasks to workers and yield the rows that come back, until all games of the chunks are played.

        Yield several times a second, with an empty list if no game has finished. When all games are played, this can be
        called again with other chunks, since the workers keep running.
        """
        self._chunks = iter(chunks)
        while self._assign_tasks():
            rows: list[Finished] = []
            try:
                for key, _ in self._selector.select(POLL_SECONDS):
                    self._receive(key.data, rows)
                self._check_silence(rows)
                if rows:
                    self._assign_tasks()  # before the yield, so that no worker waits for the caller
            except RunError:
                yield rows  # finished games count even if the run stops
                raise
            yield rows

    def close(self) -> None:
        """End the workers and the server."""
        workers = [worker for worker in self._workers if worker is not None]
        self._workers = [None] * len(self._workers)
        self._selector.close()
        for worker in workers:
            worker.connection.close()
        self._server.close()
        for worker in workers:
            if worker.ready:
                _LOG.info("worker %d ended: the run needs no more workers", worker.process.pid)
            worker.process.close()

    def _assign_tasks(self) -> bool:
        """Give each idle worker the next task and start missing workers. Return False if all games are played."""
        busy = False
        for number, worker in enumerate(self._workers):
            if worker is not None and worker.task is not None:
                busy = True
                continue
            task = self._next_task()
            if task is None:
                continue
            busy = True
            if worker is None:
                worker = self._start_worker(number)
            worker.task, worker.done = task, 0
            if worker.ready:
                self._send_task(worker)
        return busy

    def _next_task(self) -> Task | None:
        if self._lost:
            return self._lost.popleft()
        chunk = next(self._chunks, None)
        return None if chunk is None else Task(chunk)

    def _start_worker(self, number: int) -> _Worker:
        process, connection = self._server.start_worker(SPAWNED_ENTRY if self._server.spawns else ENTRY)
        worker = self._workers[number] = _Worker(process, connection, self._now())
        self._selector.register(connection, EVENT_READ, number)
        hosted = self._workload.warm_agents()
        with suppress(OSError):  # its death will be noticed
            connection.send(WorkerSetup(number, environment.full(), hosted, self._workload, self._limits))
        return worker

    def _send_task(self, worker: _Worker) -> None:
        worker.heard = self._now()
        with suppress(OSError):  # its death will be noticed
            worker.connection.send(worker.task)

    def _receive(self, number: int, rows: list[Finished]) -> None:
        """Handle a message from a worker and add its rows to `rows`."""
        worker = self._workers[number]
        assert worker is not None
        try:
            said, *content = worker.connection.recv()
        except (EOFError, OSError):
            self._lose(number, rows)
            return
        worker.heard = self._now()
        if said is Said.READY:
            worker.ready = True
            _LOG.info("worker %d is ready", worker.process.pid)
            self._failed_starts = 0
            self._send_task(worker)
        elif said is Said.FAILED:
            raise RunError(content[0])
        elif said is Said.FIRST_ROW:
            (worker.first_row,) = content
        elif said is Said.ROWS:
            finished, done = content
            rows += finished
            worker.done += count_games(finished)
            if done:
                worker.task = None

    def _check_silence(self, rows: list[Finished]) -> None:
        """Kill each worker that has been silent for too long."""
        for number, worker in enumerate(self._workers):
            if worker is not None and worker.task is not None:
                allowed = self._silence if worker.ready else START_SECONDS
                if self._now() - worker.heard > allowed:
                    worker.process.kill()
                    self._lose(number, rows, f"was silent for more than {allowed:g} s")

    def _lose(self, number: int, rows: list[Finished], how: str = "") -> None:
        """Reassign the games that a dead worker has not finished; raise `RunError` if that happened to them before.

        A game that was played to its end counts, even if the worker died while explaining it.
        """
        worker = self._workers[number]
        assert worker is not None
        death = worker.process.wait(LAST_SECONDS)
        if death is None:  # it closed its connection but still runs
            worker.process.kill()
            death = worker.process.wait(DEATH_SECONDS)
        self._workers[number] = None
        self._selector.unregister(worker.connection)
        worker.connection.close()
        worker.process.close()
        if death is None or death.kind == SERVER_DIED:
            raise ServerGoneError(self._server.last_words())
        how = how or f"died ({os_support.cause_of_death(death.status)})"
        _LOG.warning("worker %d %s", worker.process.pid, how)
        task = worker.task
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts > 1:
                raise RunError(f"two workers in a row were lost before they could play: the last {how}")
        if task is None:
            return
        careful = task.careful
        if worker.first_row is not None:
            rows.append(worker.first_row)
            worker.done += 1
        elif worker.ready:
            if careful:
                raise RunError(self._twice(task.chunk.fixtures()[worker.done], how))
            careful = True
        rest = task.chunk.cut(worker.done, len(task.chunk.numbers))
        if len(rest.numbers):
            title = self._workload.title(rest.fixtures()[0])
            _LOG.warning("%d games from %s on are given to another worker", len(rest.numbers), title)
            self._lost.append(Task(rest, careful))

    def _twice(self, fixture: Fixture, how: str) -> str:
        return (
            f"the process that played {self._workload.title(fixture)} {how}, for the second time: an agent under"
            " `isolation: none`, a score, a noise or a board source may be the cause; what is finished is stored, and"
            " the same command resumes"
        )
