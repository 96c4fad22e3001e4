"""The supervisor: sends tasks to workers, enforces the limits, and decides which game is lost when a worker dies."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from selectors import EVENT_READ, DefaultSelector
from time import monotonic
from typing import Any

from sweepstakes import Ending, RunError
from sweepstakes.executor import Chunk, Fixture, Limits, Row, Workload, exceeded_limit
from sweepstakes.hosting import os_support
from sweepstakes.inference.explaining import second_limits
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.protocol import CPU_BEFORE, MEMORY_BEFORE
from sweepstakes.plugins.executors.local.row_decoder import WROTE_INTO_FILES, RowDecoder
from sweepstakes.plugins.executors.local.worker_processes import WorkerDied, WorkerProcesses, WorkerStarted
from sweepstakes.plugins.executors.local.worker_slot import DeathCause, Heartbeat, Task, WorkerSlot, WorkerState
from sweepstakes.untrusted.text import clean

POLL_SECONDS = 0.2
"""Seconds between two checks of all workers when no message arrives."""
STALL_SECONDS = 120.0
"""Seconds that a worker may be silent while no agent's clock runs: compiling, setting up, cleaning up."""
MAX_CRASHES = 3
"""Workers of one slot that die in a row, with no game finished and no agent at fault, before the run is stopped."""

CLOSED_FILES = "closed the files of its process"
UNUSABLE_PROCESS = "left its process in a state in which nobody can play"
_EXIT_CODES = {protocol.EXIT_SOCKET_CLOSED: CLOSED_FILES, protocol.EXIT_UNUSABLE: UNUSABLE_PROCESS}


class Supervisor:
    """Plays the games of one run in worker processes, however these are started."""

    def __init__(self, processes: WorkerProcesses, workload: Workload, limits: Limits) -> None:
        self._processes = processes
        self._limits, self._second_limits = limits, second_limits(limits)
        self._chunks: Iterator[Chunk] = iter(())
        self._requeued: deque[Task] = deque()
        """Games that a worker did not get to: they are played before new chunks."""
        self._isolated_agents: set[int] = set()
        """Agents in whose games a worker died. Their tasks are isolated from then on, so that the next death is
        certainly theirs and no game has to be played again to find out."""
        self._interrupted: set[Fixture] = set()
        """The games of agents in hosts in which a worker died: each is played again once."""
        self._decoder = RowDecoder(workload)
        self._slots = [WorkerSlot(number) for number in range(processes.slots)]
        self._selector = DefaultSelector()
        self._selector.register(processes.socket, EVENT_READ)

    def rows(self, chunks: Iterable[Chunk]) -> Iterator[list[Row]]:
        """Send tasks to workers and yield the rows that come back, until all games of the chunks are played.

        It yields several times a second, an empty list if no game has finished. When it has ended by itself, it can be
        called again, with other chunks: the workers stay.
        """
        self._chunks = iter(chunks)
        while self._assign_tasks():
            rows: list[Row] = []
            for key, _ in self._selector.select(self._select_timeout()):
                if key.data is None:
                    for message in self._processes.messages():
                        rows += self._handle_report(message)
                elif key.data.connection is key.fileobj:  # it was not closed earlier in this loop
                    rows += self._receive_rows(key.data)
            for slot in self._slots:
                self._check_limits(slot)
            if rows:
                self._assign_tasks()  # before the yield, so that no worker waits for the caller
            yield rows

    def close(self) -> None:
        """Close the connections to the workers, upon which they end."""
        for slot in self._slots:
            slot.close()
        self._selector.close()

    # Tasks.

    def _assign_tasks(self) -> bool:
        """Give every slot without a task the next one; whether any slot has a task now."""
        for slot in self._slots:
            if slot.task is None:
                slot.task = self._next_task()
            if slot.task is None:
                continue
            if slot.state is WorkerState.NO_WORKER:
                self._start_worker(slot)
            elif slot.state is WorkerState.IDLE:
                if slot.may_play_task:
                    slot.send_task()
                else:
                    self._replace(slot)
        return any(slot.task is not None for slot in self._slots)

    def _next_task(self) -> Task | None:
        if self._requeued:
            return self._requeued.popleft()
        chunk = next(self._chunks, None)
        return Task(chunk, isolated=chunk.agent in self._isolated_agents) if chunk is not None else None

    def _start_worker(self, slot: WorkerSlot) -> None:
        slot.expect_worker()
        self._processes.start(slot.number)

    def _replace(self, slot: WorkerSlot) -> None:
        """Kill a worker that is at no fault; when its death is reported, the slot gets a new one."""
        slot.state = WorkerState.BEING_REPLACED
        self._processes.kill(slot.number)

    # Messages of workers.

    def _receive_rows(self, slot: WorkerSlot) -> list[Row]:
        """Handle the messages that a worker has sent, and return the rows in them."""
        rows: list[Row] = []
        try:
            for message in slot.receive():
                kind, *content = message
                if kind == protocol.READY:
                    if slot.state is WorkerState.STARTING:
                        slot.state = WorkerState.IDLE
                elif kind == protocol.FAILED:
                    raise RunError(clean(content[0], 400))
                elif kind == protocol.FIRST_ROW:
                    self._accept_first_row(slot, *content)
                else:
                    rows += self._accept_rows(slot, *content)
        except (TypeError, ValueError, LookupError):
            self._kill(slot, Ending.CRASH, WROTE_INTO_FILES)
            slot.disconnected = True
        if slot.disconnected:
            self._stop_listening(slot)
        return rows

    def _accept_first_row(self, slot: WorkerSlot, task_number: int, game: tuple[Any, ...]) -> None:
        """Keep the row of a game that the worker is about to play a second time."""
        self._decoder.keep_first_row(self._decoder.decode(self._current_task(slot, task_number), game[0], game))

    def _accept_rows(
        self, slot: WorkerSlot, task_number: int, games: list[tuple[Any, ...]], progress: int
    ) -> list[Row]:
        """The rows of the games that the worker has finished; at the end of its task the slot becomes free."""
        task = self._current_task(slot, task_number)
        rows = [
            self._decoder.merge_with_first_row(self._decoder.decode(task, index, game))
            for index, game in enumerate(games, slot.games_done)
        ]
        slot.games_done += len(rows)
        slot.crashes = 0
        if progress == protocol.MORE:
            return rows
        slot.task = None
        if progress == protocol.RETIRE:
            self._requeued += task.part(slot.games_done, task.games)
            self._replace(slot)
        else:
            slot.state = WorkerState.IDLE
        return rows

    def _current_task(self, slot: WorkerSlot, task_number: int) -> Task:
        """The task that the worker plays; `ValueError` if the worker names another one."""
        if slot.task is None or task_number != slot.task_number or slot.state is not WorkerState.PLAYING:
            raise ValueError("rows of another task")
        return slot.task

    def _stop_listening(self, slot: WorkerSlot) -> None:
        if slot.connection is not None and slot.connection in self._selector.get_map():
            self._selector.unregister(slot.connection)

    # Reports of starts and deaths.

    def _handle_report(self, message: WorkerStarted | WorkerDied) -> list[Row]:
        """Handle the report of a worker's start or death, and return the rows that a death brings."""
        slot = self._slots[message.slot]
        if isinstance(message, WorkerStarted):
            slot.attach(message)
            self._selector.register(message.connection, EVENT_READ, slot)
            return []
        rows = self._receive_rows(slot)  # the worker may have sent some before it died
        if slot.task is not None and slot.state is not WorkerState.BEING_REPLACED:
            rows += self._attribute_death(slot, slot.task, message)
        self._stop_listening(slot)
        slot.close()
        return rows

    def _attribute_death(self, slot: WorkerSlot, task: Task, death: WorkerDied) -> list[Row]:
        """Decide which game is lost because a worker died with a task; returns the row of that game, if there is one.

        The other games of the task that have no row are put back into the queue.
        """
        if slot.state is not WorkerState.PLAYING:
            self._count_crash(slot, death.status)
            return []  # the slot keeps the task for its next worker
        last = slot.read_heartbeat()
        slot.task = None
        if last.task != slot.task_number or last.game < slot.games_done:  # it died between two games: none is lost
            self._count_crash(slot, death.status)
            self._requeued += task.part(slot.games_done, task.games)
            return []
        cause = slot.kill_cause
        if cause is None:
            what = _EXIT_CODES.get(death.status) or os_support.how_it_died(death.status)
            cause = DeathCause(Ending.CRASH, what, last)
        elif not cause.applies_to(last):  # the worker began another game before it was killed
            self._requeued += task.part(slot.games_done, task.games)
            return []
        fixture = task.fixture(last.game)
        if last.is_of_host and fixture not in self._interrupted:  # the machine, and not the agent, may be at fault
            self._interrupted.add(fixture)
            self._requeued += task.part(slot.games_done, task.games)
            return []
        self._isolated_agents.add(task.chunk.agent)
        self._requeued += task.part(slot.games_done, last.game, isolated=True)
        if slot.agents != {task.chunk.agent}:  # perhaps another agent is at fault: the game is played again, isolated
            self._requeued += task.part(last.game, task.games, isolated=True)
            return []
        self._requeued += task.part(last.game + 1, task.games, isolated=True)
        slot.crashes = 0
        return [self._row_of_lost_game(slot, task, death, cause, last)]

    def _row_of_lost_game(
        self, slot: WorkerSlot, task: Task, death: WorkerDied, cause: DeathCause, last: Heartbeat
    ) -> Row:
        """The row of the game that a worker died in: lost by the agent's fault, unless it was a second playing."""
        fixture = task.fixture(last.game)
        took = max(monotonic() - last.game_started, 0.0) if last.game_started > 0 else 0.0
        first_row = self._decoder.take_first_row(fixture)
        if first_row is not None:  # the game was played to its end, and only explaining it failed
            return first_row._replace(took=took)
        cpu_seconds = max(death.cpu_seconds - slot.block[CPU_BEFORE], 0.0)
        return self._decoder.forfeit(fixture, cause.ending, cause.what, cpu_seconds, took)

    def _count_crash(self, slot: WorkerSlot, status: int) -> None:
        """Count a worker that died without an agent at fault; `RunError` if there are too many in a row."""
        slot.crashes += 1
        if slot.crashes >= MAX_CRASHES:
            how = os_support.how_it_died(status)
            raise RunError(f"{MAX_CRASHES} workers in a row died before a game: the last {how}")

    # Limits.

    def _select_timeout(self) -> float:
        """How long to wait for messages: until the next moment at which a worker could exceed a time limit."""
        now = monotonic()
        timeout = POLL_SECONDS
        for slot in self._slots:
            heartbeat = slot.read_heartbeat()
            if slot.state is WorkerState.PLAYING and heartbeat.turn_started and slot.kill_cause is None:
                turn, game, *_ = self._limits_of(heartbeat)
                if turn is not None:
                    timeout = min(timeout, heartbeat.turn_started + turn - now)
                if game is not None:
                    timeout = min(timeout, heartbeat.game_started + game - now)
        return max(timeout, 0.001)

    def _check_limits(self, slot: WorkerSlot) -> None:
        """Kill the worker if it exceeds a limit; `RunError` if it does not get ready to play."""
        if slot.state is WorkerState.NO_WORKER or slot.kill_cause is not None:
            return
        now = monotonic()
        heartbeat = slot.read_heartbeat()
        if heartbeat != slot.last_heartbeat:
            slot.last_heartbeat, slot.last_activity = heartbeat, now
        silent = now - slot.last_activity
        if slot.state is WorkerState.STARTING and silent > STALL_SECONDS:
            raise RunError(f"a worker was not ready to play after {STALL_SECONDS:g} s")
        if slot.state is not WorkerState.PLAYING:
            return
        if slot.disconnected:
            if silent > POLL_SECONDS:  # dying takes a moment: a worker that still lives has lost its files
                self._kill(slot, Ending.CRASH, CLOSED_FILES)
        elif heartbeat.turn_started:
            turn_seconds, game_seconds = now - heartbeat.turn_started, now - heartbeat.game_started
            fault = exceeded_limit(self._limits_of(heartbeat), turn_seconds, game_seconds)
            what = fault.what if fault is not None else ""
            if what:
                self._kill(slot, Ending.TIME_OUT, what)
            elif self._limits.memory_mb is not None:
                self._check_memory(slot, self._limits.memory_mb)
        elif silent > STALL_SECONDS:
            self._kill(slot, Ending.TIME_OUT, f"held up its process for more than {STALL_SECONDS:g} s")

    def _limits_of(self, heartbeat: Heartbeat) -> Limits:
        return self._second_limits if heartbeat.second_playing else self._limits

    def _check_memory(self, slot: WorkerSlot, allowed: int) -> None:
        """Kill a worker that holds too much memory: the worker's own limit does not count shared memory."""
        if monotonic() - slot.memory_checked < POLL_SECONDS or not slot.pid:
            return
        slot.memory_checked = monotonic()
        memory = os_support.memory(slot.pid)
        before = slot.block[MEMORY_BEFORE]
        if memory is not None and before and memory.held - before > allowed * os_support.MB:
            self._kill(slot, Ending.MEMORY, f"held more than {allowed} MB")

    def _kill(self, slot: WorkerSlot, ending: Ending, what: str) -> None:
        """Have the worker killed because of what its agent did.

        `_attribute_death` uses the cause when the death is reported.
        """
        if slot.kill_cause is None:
            slot.kill_cause = DeathCause(ending, what, slot.read_heartbeat())
            self._processes.kill(slot.number)
