"""Starts workers without fork: each is a fresh interpreter, and one is started in advance.

A worker needs seconds to import and load everything, so a spare one does that while the others play; it replaces the
next worker that dies. Where agents live in hosts of their own, which have spares too, workers seldom die, and the first
spare worker is started after the first death.

Every process has a thread here that waits for its connection, sends it the payload, and waits for its death. The
supervisor's thread starts and kills; on Linux a process may die with the thread that started it.
"""

from __future__ import annotations

import pickle
import socket
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from sweepstakes.hosting import environment, os_support
from sweepstakes.hosting.spawned_process import SpawnedProcess
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.spawned_worker import SIZE_BYTES
from sweepstakes.plugins.executors.local.worker_processes import WorkerDied, WorkerStarted

CONNECT_SECONDS = 600.0
"""Seconds in which a worker has to connect: it may have to compile first."""
GRACE_SECONDS = 3.0
"""Seconds that workers have at the end of a run to end their hosts and themselves, before they are killed."""
SPARES = 1
"""Workers that are started in advance."""


class _Worker:
    """One worker process, for a slot or in reserve."""

    def __init__(self, process: SpawnedProcess, number: int) -> None:
        self.process = process
        self.number = number
        """The number of its heartbeat block."""
        self.slot: int | None = None
        """None for a spare worker."""
        self.connection: socket.socket | None = None
        """The supervisor's end of the connection, until it has been handed over."""
        self.reported = False
        """Whether the supervisor has been told of its start."""
        self.thread: threading.Thread | None = None


class SpawnedWorkers:
    """Runs workers during a `with` block; at the end of the block none of them is left."""

    def __init__(self, payload: Any, slots: int, hosted: Sequence[str] | None = None) -> None:
        self.slots = slots
        self._hosted = None if hosted is None else list(hosted)
        data = pickle.dumps(payload)
        self._payload = len(data).to_bytes(SIZE_BYTES, "big") + data
        self._lock = threading.Lock()
        """For everything that the threads change."""
        self._messages: deque[WorkerStarted | WorkerDied] = deque()
        self._workers: set[_Worker] = set()
        self._keeps_spare = hosted is None
        self._wants_spare = False
        self._closed = False

    def __enter__(self) -> SpawnedWorkers:
        self.socket, self._wake_up = socket.socketpair()
        for each in (self.socket, self._wake_up):
            each.setblocking(False)
        blocks = self.slots + SPARES
        self._file = _HeartbeatFile(protocol.heartbeat_bytes(blocks))
        self._blocks = protocol.heartbeat_blocks(self._file.number, blocks)
        self._free = list(range(blocks))
        """The numbers of the blocks that no living worker has."""
        return self

    def __exit__(self, *_: object) -> None:
        """Let every worker end itself with its hosts; kill the ones that do not."""
        with self._lock:
            self._closed = True
            workers = list(self._workers)
            for message in self._messages:
                if isinstance(message, WorkerStarted):
                    message.connection.close()
            self._messages.clear()
        for worker in workers:
            if worker.connection is not None:
                worker.connection.close()
            worker.process.release()
        for seconds in (GRACE_SECONDS, None):
            last = None if seconds is None else monotonic() + seconds
            for worker in workers:
                assert worker.thread is not None
                worker.thread.join(None if last is None else max(last - monotonic(), 0.0))
                if worker.thread.is_alive():
                    worker.process.kill()
        self.socket.close()
        self._wake_up.close()
        self._file.close()

    def start(self, slot: int) -> None:
        """Give the slot the spare worker, or start one."""
        with self._lock:
            spares = [worker for worker in self._workers if worker.slot is None]
            if spares:
                spares[0].slot = slot
                if spares[0].connection is not None:
                    self._report_start(spares[0])
        if not spares:
            self._launch(slot)

    def kill(self, slot: int) -> None:
        """Kill the worker of the slot, if it still lives; its death is reported in any case."""
        with self._lock:
            workers = [worker for worker in self._workers if worker.slot == slot]
        for worker in workers:
            worker.process.kill()

    def messages(self) -> list[WorkerStarted | WorkerDied]:
        """What has been reported since the last call."""
        with suppress(BlockingIOError):
            self.socket.recv(4096)
        with self._lock:
            messages = list(self._messages)
            self._messages.clear()
            launch = self._wants_spare and all(worker.reported for worker in self._workers)
            self._wants_spare &= not launch
        if launch:  # no other worker is being started, and there is no spare one
            self._launch(None)
        return messages

    def _launch(self, slot: int | None) -> None:
        with self._lock:
            number = self._free.pop()
        hello = {"heartbeats": self._file.path, "number": number, "hosted": self._hosted}
        module = "sweepstakes.plugins.executors.local.spawned_worker"
        try:
            process = SpawnedProcess(module, "main", hello, environment.full(), files=self._file.passed)
        except OSError as error:
            raise os_support.no_more_processes(error.errno) from None
        worker = _Worker(process, number)
        worker.slot = slot
        worker.thread = threading.Thread(target=self._attend, args=(worker,), daemon=True)
        with self._lock:
            self._workers.add(worker)
        worker.thread.start()

    def _attend(self, worker: _Worker) -> None:
        """In a thread for each worker: connect it, and report its start and its death."""
        process = worker.process
        connection = process.accept(CONNECT_SECONDS)
        if connection is None:
            process.kill()
        else:
            with suppress(OSError):  # if it has just died
                connection.sendall(self._payload)
            with self._lock:
                if self._closed:
                    connection.close()
                else:
                    worker.connection = connection
                    if worker.slot is not None:
                        self._report_start(worker)
        ended = process.wait()
        assert ended is not None
        process.close()
        with self._lock:
            self._workers.discard(worker)
            self._free.append(worker.number)
            if self._closed:
                return
            if worker.slot is not None:
                self._keeps_spare = True
                self._messages.append(WorkerDied(worker.slot, *ended))
                self._notify()
            elif worker.connection is not None:
                worker.connection.close()

    def _report_start(self, worker: _Worker) -> None:
        """Report the start of a worker that has a slot and a connection; the lock is held."""
        assert worker.slot is not None
        assert worker.connection is not None
        block = self._blocks[worker.number]
        self._messages.append(WorkerStarted(worker.slot, worker.process.pid, worker.connection, block))
        worker.connection = None
        worker.reported = True
        self._wants_spare = self._keeps_spare
        self._notify()

    def _notify(self) -> None:
        """Have the supervisor call `messages`."""
        with suppress(OSError):  # if it is full, the supervisor is about to
            self._wake_up.send(b"!")


class _HeartbeatFile:
    """A temporary file that other processes can map, by its path.

    Where open files can be passed on, no other process finds it: it has no name, and its path is that of the open file.
    """

    def __init__(self, size: int) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if sys.platform == "win32":
            self._folder = tempfile.TemporaryDirectory(prefix="sweepstakes-", ignore_cleanup_errors=True)
            self._open = Path(self._folder.name, "heartbeats").open("w+b")  # noqa: SIM115
        else:
            self._open = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        self._open.truncate(size)
        self.number = self._open.fileno()
        self.path = f"/dev/fd/{self.number}" if self._folder is None else str(Path(self._folder.name, "heartbeats"))
        self.passed = (self.number,) if self._folder is None else ()
        """The files that a process must be given to open the path."""

    def close(self) -> None:
        """Remove the file."""
        self._open.close()
        if self._folder is not None:
            self._folder.cleanup()
