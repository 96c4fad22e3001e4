"""The supervisor's end of the keeper."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from types import TracebackType
from typing import IO, Any, NoReturn

from sweepstakes.errors import RunError
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.forkserver import PATIENCE
from sweepstakes.plugins.executors.local.protocol import CONTROL_BYTES, Control

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class KeeperLink:
    """A keeper, as long as the `with` lasts: at its end no process of it is left."""

    def __init__(self, payload: Any, seats: int) -> None:
        self._payload = pickle.dumps(payload)
        self._seats = seats
        self._data = b""

    def __enter__(self) -> KeeperLink:
        ours, theirs = socket.socketpair()
        self.socket = ours
        self._complaints: IO[bytes] = tempfile.TemporaryFile()
        with _shared_file(protocol.size_of(self._seats)) as shared:
            self.slots = protocol.slots(shared.fileno(), self._seats)
            files = (theirs.fileno(), shared.fileno())
            code = (
                f"import sys; sys.path[:] = {sys.path!r}; "
                "from sweepstakes.plugins.executors.local.forkserver import main; "
                f"main({files[0]}, {files[1]}, {self._seats})"
            )
            # One core for each worker: libraries with a thread for every core would get in each other's way.
            environment = {**dict.fromkeys(_ONE_THREAD, "1"), **os.environ}
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._complaints,
                pass_fds=files,
                env=environment,
                start_new_session=True,  # Ctrl-C and Ctrl-Z at the terminal are for the supervisor alone
            )
        theirs.close()
        try:
            with suppress(OSError):  # a keeper that did not come up says why when we read
                ours.sendall(len(self._payload).to_bytes(8, "big") + self._payload)
            while not self.messages():
                pass
        except BaseException:
            self.__exit__(None, None, None)
            raise
        ours.setblocking(False)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hang up, upon which the keeper kills everything and leaves."""
        self.socket.close()
        try:
            self._process.wait(2 * PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        finally:
            self._complaints.close()

    def start(self, seat: int, theirs: socket.socket) -> None:
        """Have a worker started on the seat, with this socket."""
        try:
            socket.send_fds(self.socket, [Control(protocol.START, seat).pack()], [theirs.fileno()])
        except OSError:
            self._dead()
        finally:
            theirs.close()

    def kill(self, seat: int) -> None:
        """Have the worker on the seat killed, if it is still alive; its death is reported in any case."""
        try:
            self.socket.sendall(Control(protocol.KILL, seat).pack())
        except OSError:
            self._dead()

    def messages(self) -> list[Control]:
        """What the keeper has reported."""
        try:
            data = self.socket.recv(65536)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self._dead()
        self._data += data
        whole = len(self._data) - len(self._data) % CONTROL_BYTES
        data, self._data = self._data[:whole], self._data[whole:]
        return [Control.unpack(data[i : i + CONTROL_BYTES]) for i in range(0, whole, CONTROL_BYTES)]

    def _dead(self) -> NoReturn:
        """`RunError` with the last words of a keeper that is gone."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else f"exit code {self._process.returncode}"
        raise RunError(f"the process that starts the workers is gone: {last}")


def _shared_file(size: int) -> IO[bytes]:
    """A file that processes can share through memory, on no disk where that can be had."""
    in_memory = hasattr(os, "memfd_create")
    file = os.fdopen(os.memfd_create("sweepstakes"), "w+b") if in_memory else tempfile.TemporaryFile()  # noqa: SIM115
    file.truncate(size)
    return file
