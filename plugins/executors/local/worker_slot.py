"""A worker slot: what the supervisor knows of one worker and of the task that the worker plays."""

from __future__ import annotations

import socket
from contextlib import suppress
from enum import Enum, auto
from time import monotonic
from typing import Any, NamedTuple

from sweepstakes.executor import Chunk, Fixture
from sweepstakes.game.result import Ending
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.protocol import GAME, GAME_STARTED, PULSE, SECOND_PLAYING, TASK, TURN_STARTED
from sweepstakes.plugins.executors.local.worker_processes import WorkerStarted


class Task(NamedTuple):
    """The games of a chunk, to be played by one worker."""

    chunk: Chunk
    isolated: bool = False
    """Whether only a worker in which no other agent has played may play the task."""

    def part(self, first: int, last: int, *, isolated: bool = False) -> list[Task]:
        """A task of the games at the indices `first` to `last - 1`, in a list; an empty list if there are none."""
        return [Task(self.chunk.cut(first, last), isolated)] if first < last else []

    @property
    def games(self) -> int:
        """How many games the task has."""
        return len(self.chunk.numbers)

    def fixture(self, index: int) -> Fixture:
        """The game at an index of the chunk; `IndexError` if there is none."""
        return Fixture(self.chunk.agent, self.chunk.condition, self.chunk.numbers[index])


class Heartbeat(NamedTuple):
    """What a worker was doing when the supervisor read its heartbeat block."""

    task: int
    game: int
    turn_started: float
    """On the monotonic clock; 0 while no agent's clock runs, as `game_started`."""
    game_started: float
    second_playing: bool
    pulse: float = 0.0

    @property
    def is_of_host(self) -> bool:
        """Whether the agent of the game that is being played lives in a host, which cannot harm the worker."""
        return self.pulse > 0 and not self.game_started and not self.second_playing


class DeathCause(NamedTuple):
    """Why a worker died or is being killed, and what it was doing then."""

    ending: Ending
    what: str
    """What the agent did, as in "took more than 1 s for a turn"."""
    heartbeat: Heartbeat

    def applies_to(self, last: Heartbeat) -> bool:
        """Whether the worker was still playing the same game when it died, so that this game is the one to be lost."""
        noted = self.heartbeat
        return self.ending is Ending.CRASH or (
            (noted.task, noted.game, noted.game_started, noted.second_playing)
            == (last.task, last.game, last.game_started, last.second_playing)
        )


class WorkerState(Enum):
    """What the worker in a slot is there for; exactly one state holds at a time."""

    NO_WORKER = auto()
    """No worker was started yet, or the death of the last one has been reported."""
    STARTING = auto()
    """A worker was asked for, which has not reported READY yet."""
    IDLE = auto()
    """The worker waits for a task."""
    PLAYING = auto()
    """A task was sent to the worker, and the worker has not reported its end."""
    BEING_REPLACED = auto()
    """The worker is being killed so that another one takes its slot; its death is no agent's fault."""


class WorkerSlot:
    """The place of one worker after another; a slot never has two workers at a time.

    Two facts are no states, because they come on top of any of them. `kill_cause`: a kill takes effect only when the
    death is reported, and until then the worker may still report rows, which count, and so change its state.
    `disconnected`: an agent may close the socket of a worker that lives on.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self.connection: socket.socket | None = None
        """To the worker; None in the state NO_WORKER, and in STARTING until the worker has been started."""
        self.task: Task | None = None
        """The task that the worker plays, or that the next worker to be ready in this slot will play."""
        self.task_number = 0
        """The number of the task that was last sent to a worker of this slot."""
        self.crashes = 0
        """Workers that died in a row before one of them finished a game."""
        self._reset()

    def _reset(self) -> None:
        self.state = WorkerState.NO_WORKER
        self.pid = 0
        self.block: protocol.HeartbeatBlock = [0.0] * protocol.BLOCK_LENGTH
        """The heartbeat of the worker; it says nothing until the worker has been started."""
        self.disconnected = False
        self.kill_cause: DeathCause | None = None
        self.games_done = 0
        """Games of the task whose rows have arrived."""
        self.agents: set[int] = set()
        """The agents that have played in the worker."""
        self.decoder = protocol.FrameDecoder()
        self.memory_checked = 0.0
        self.last_heartbeat = Heartbeat(0, -1, 0.0, 0.0, second_playing=False)
        self.last_activity = monotonic()
        """When something last arrived from the worker or its heartbeat last changed."""

    def expect_worker(self) -> None:
        """Make the slot ready for a new worker, which has been asked for."""
        self._reset()
        self.state = WorkerState.STARTING

    def attach(self, started: WorkerStarted) -> None:
        """Take the worker that was started for this slot. It plays nothing yet."""
        self.pid, self.connection, self.block = started.pid, started.connection, started.block
        self.connection.setblocking(False)
        self.last_activity = monotonic()
        self.block[GAME] = -1
        for number in (TASK, TURN_STARTED, GAME_STARTED, SECOND_PLAYING, PULSE):
            self.block[number] = 0

    def close(self) -> None:
        """Forget the worker, which is dead or about to be killed."""
        if self.connection is not None:
            self.connection.close()
        self.connection = None
        self.state = WorkerState.NO_WORKER

    @property
    def may_play_task(self) -> bool:
        """Whether the task is allowed in this worker, given the agents that have played in it."""
        assert self.task is not None
        return not (self.task.isolated and self.agents - {self.task.chunk.agent})

    def send_task(self) -> None:
        """Send the task to the worker."""
        assert self.task is not None
        assert self.connection is not None
        self.task_number += 1
        self.state = WorkerState.PLAYING
        self.games_done = 0
        self.last_activity = monotonic()
        self.agents.add(self.task.chunk.agent)
        with suppress(OSError):  # the death of a worker that has just died will be reported
            self.connection.sendall(protocol.encode_frame((self.task_number, *self.task.chunk)))

    def receive(self) -> list[Any]:
        """The messages that have arrived from the worker; `ValueError` if something else has."""
        messages: list[Any] = []
        while self.connection is not None and not self.disconnected:
            try:
                data = self.connection.recv(1 << 20)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            self.last_activity = monotonic()
            self.disconnected = not data
            messages += self.decoder.feed(data)
        return messages

    def read_heartbeat(self) -> Heartbeat:
        """What the worker is doing now."""
        indices = (TASK, GAME, TURN_STARTED, GAME_STARTED, SECOND_PLAYING, PULSE)
        task, game, turn_started, game_started, second_playing, pulse = (self.block[i] for i in indices)
        return Heartbeat(int(task), int(game), turn_started, game_started, bool(second_playing), pulse)
