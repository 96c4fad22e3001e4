"""What the supervisor needs of whoever starts the worker processes: the fork server's client, or `SpawnedWorkers`."""

from __future__ import annotations

import socket
from typing import NamedTuple, Protocol

from sweepstakes.plugins.executors.local.protocol import HeartbeatBlock


class WorkerStarted(NamedTuple):
    """A worker has been started for a slot. It will send READY over its connection."""

    slot: int
    pid: int
    connection: socket.socket
    block: HeartbeatBlock
    """The heartbeat of the worker."""


class WorkerDied(NamedTuple):
    """The worker of a slot has died, perhaps before it was started."""

    slot: int
    status: int
    """The exit code, or minus the number of the signal."""
    cpu_seconds: float
    """The processor time that the worker used in its life."""


class WorkerProcesses(Protocol):
    """Starts and kills workers, and reports what becomes of each."""

    slots: int
    """How many workers there are at a time."""
    socket: socket.socket
    """It can be read when there are messages."""

    def start(self, slot: int) -> None:
        """Start a worker for a slot that has none; `WorkerStarted` or `WorkerDied` is reported."""

    def kill(self, slot: int) -> None:
        """Kill the worker of the slot, if it still lives; its death is reported in any case."""

    def messages(self) -> list[WorkerStarted | WorkerDied]:
        """What has been reported since the last call; `RunError` if nothing can be started any more."""
