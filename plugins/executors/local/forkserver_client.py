"""The supervisor's end of the connection to the fork server."""

from __future__ import annotations

import json
import os
import pickle
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, Any, NoReturn

from sweepstakes.errors import RunError
from sweepstakes.hosting import environment
from sweepstakes.hosting.early_process import take
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.forkserver import SHUTDOWN_SECONDS
from sweepstakes.plugins.executors.local.protocol import CONTROL_BYTES, ControlMessage
from sweepstakes.plugins.executors.local.worker_processes import WorkerDied, WorkerStarted

FORK_SERVER = "sweepstakes.plugins.executors.local.forkserver"
"""The module whose `main` is the fork server."""


class ForkServerClient:
    """Runs a fork server during a `with` block; at the end of the block no process of the fork server is left."""

    def __init__(self, payload: Any, slots: int, hosted: Sequence[str] | None = None) -> None:
        self._hosted = hosted
        self._payload = pickle.dumps((environment.full(), pickle.dumps(payload)))
        self.slots = slots
        self._data = b""
        self._connections: dict[int, socket.socket] = {}
        """The connections to workers that have been asked for and not been reported yet, by slot."""

    def __enter__(self) -> ForkServerClient:
        self._process, self.socket, self._stderr = take(FORK_SERVER)
        settings = json.dumps({"slots": self.slots, "hosted": self._hosted}).encode()
        try:
            with _shared_file(protocol.heartbeat_bytes(self.slots)) as shared:
                self._blocks = protocol.heartbeat_blocks(shared.fileno(), self.slots)
                with suppress(OSError):  # `messages` raises the error of a fork server that did not start
                    socket.send_fds(self.socket, [b"."], [shared.fileno()])
                    for data in (settings, self._payload):
                        self.socket.sendall(len(data).to_bytes(8, "big") + data)
            while not self._receive():
                pass
        except BaseException:
            self.__exit__()
            raise
        self.socket.setblocking(False)
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection, upon which the fork server kills all workers and ends."""
        self.socket.close()
        for connection in self._connections.values():
            connection.close()
        try:
            self._process.wait(2 * SHUTDOWN_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            self._stderr.close()

    def start(self, slot: int) -> None:
        """Have the fork server start a worker for the slot, with its end of the connection to the supervisor."""
        self._connections[slot], worker_end = socket.socketpair()
        try:
            socket.send_fds(self.socket, [ControlMessage(protocol.START, slot).pack()], [worker_end.fileno()])
        except OSError:
            self._raise_server_died()
        finally:
            worker_end.close()

    def kill(self, slot: int) -> None:
        """Have the fork server kill the worker of the slot, if it still lives; its death is reported in any case."""
        try:
            self.socket.sendall(ControlMessage(protocol.KILL, slot).pack())
        except OSError:
            self._raise_server_died()

    def messages(self) -> list[WorkerStarted | WorkerDied]:
        """What the fork server has reported; `RunError` if it has ended."""
        messages: list[WorkerStarted | WorkerDied] = []
        for kind, slot, value, cpu_seconds in self._receive():
            if kind == protocol.WORKER_STARTED:
                messages.append(WorkerStarted(slot, value, self._connections.pop(slot), self._blocks[slot]))
            elif kind == protocol.WORKER_DIED:
                messages.append(WorkerDied(slot, value, cpu_seconds))
        return messages

    def _receive(self) -> list[ControlMessage]:
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self._raise_server_died()
        self._data += data
        whole = len(self._data) - len(self._data) % CONTROL_BYTES
        data, self._data = self._data[:whole], self._data[whole:]
        return [ControlMessage.unpack(data[i : i + CONTROL_BYTES]) for i in range(0, whole, CONTROL_BYTES)]

    def _raise_server_died(self) -> NoReturn:
        """Raise `RunError` with the last line that the fork server wrote to its standard error."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(SHUTDOWN_SECONDS)
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else f"exit code {self._process.returncode}"
        raise RunError(f"the process that starts the workers is gone: {last}")


def _shared_file(size: int) -> IO[bytes]:
    """A file that processes can map into their memory; it is on no disk where the system has such files."""
    in_memory = hasattr(os, "memfd_create")
    file = os.fdopen(os.memfd_create("sweepstakes"), "w+b") if in_memory else tempfile.TemporaryFile()  # noqa: SIM115
    file.truncate(size)
    return file
