"""Processes that are started by `subprocess` and connect back: nothing forks, and nothing needs Unix.

The starting process listens on the loopback interface, for this one process only, until it has connected. What the new
process needs to connect, a port and a secret token, it reads from its standard input, which no other process sees.
A connection that does not begin with the token is dropped.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from time import monotonic
from typing import IO, Any, NamedTuple, cast

from sweepstakes.hosting import os_support

LOOPBACK = "127.0.0.1"
TOKEN_SECONDS = 5.0
"""Seconds that a connection may take to send the token."""
MOST_STRANGERS = 50
"""Connections that may be about to send a token at once; with more, the oldest is dropped."""
_TOKEN_BYTES = 32
_WELCOME = b"+"
_SLICE = 0.05


class Exit(NamedTuple):
    """How a process ended."""

    status: int
    """The exit code, or minus the number of the signal."""
    cpu_seconds: float
    """The processor time of its life; 0 where the system does not tell."""


class SpawnedProcess:
    """A process that runs the function `name` of a module, and can connect back once.

    `hello` is plain data that the process reads with `read_hello`. `output` is where its standard output and error go.
    `files` are numbers of open files that it has too, where the system can pass them on; `environment` are its
    environment variables. The process should end when its standard input does: that is when this process ends.
    """

    def __init__(
        self,
        module: str,
        name: str,
        hello: Mapping[str, Any],
        environment: Mapping[str, str],
        *,
        output: int = subprocess.DEVNULL,
        files: Sequence[int] = (),
    ) -> None:
        self._token = secrets.token_hex(_TOKEN_BYTES)
        self._lock = threading.Lock()
        self.exit: Exit | None = None
        """How the process ended, once that is known."""
        self._listener = socket.create_server((LOOPBACK, 0))
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        """The port on which the process is awaited."""
        last = monotonic() + os_support.FORK_SECONDS
        code = f"import sys; sys.path[:] = {sys.path!r}; from {module} import {name}; {name}()"
        command = [sys.executable, "-c", code]
        while True:
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=files,
                    env=environment,
                    start_new_session=True,  # only the starting process gets Ctrl-C and Ctrl-Z from the terminal
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
                break
            except BlockingIOError:  # others may hold all processes that a user may have
                if monotonic() > last:
                    self._listener.close()
                    raise
                time.sleep(os_support.FORK_PAUSE)
            except BaseException:
                self._listener.close()
                raise
        self.pid = self._process.pid
        assert self._process.stdin is not None
        self._lifeline: IO[bytes] = self._process.stdin
        line = json.dumps({**hello, "port": self.port, "token": self._token, "parent": os.getpid()}) + "\n"
        with suppress(OSError):  # `accept` finds that it has died
            self._lifeline.write(line.encode())
            self._lifeline.flush()

    @property
    def output(self) -> IO[bytes]:
        """The other end of its standard output and error, if they go to a pipe."""
        assert self._process.stdout is not None
        return self._process.stdout

    def accept(self, seconds: float, on_wait: Callable[[], None] = lambda: None) -> socket.socket | None:
        """The connection of the process; None if the process dies, or does not connect in so many seconds."""
        last = monotonic() + seconds
        pending: dict[socket.socket, tuple[float, bytes]] = {}
        with self._listener as listener, selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)

            def drop(connection: socket.socket) -> None:
                del pending[connection]
                selector.unregister(connection)
                connection.close()

            try:
                while monotonic() < last:
                    for key, _ in selector.select(_SLICE):
                        if key.data is None:
                            with suppress(OSError):
                                connection, _ = listener.accept()
                                connection.setblocking(False)
                                selector.register(connection, selectors.EVENT_READ, connection)
                                pending[connection] = (monotonic(), b"")
                        else:
                            connection = cast(socket.socket, key.data)
                            begun, said = pending[connection]
                            data = _receive_some(connection, len(self._token) - len(said))
                            said += data
                            if data and len(said) < len(self._token):
                                pending[connection] = begun, said
                            elif hmac.compare_digest(said, self._token.encode()) and _welcome(connection):
                                selector.unregister(connection)
                                del pending[connection]
                                return connection
                            else:
                                drop(connection)
                    now = monotonic()
                    for connection in [each for each, (begun, _) in pending.items() if now - begun > TOKEN_SECONDS]:
                        drop(connection)
                    while len(pending) > MOST_STRANGERS:
                        drop(next(iter(pending)))
                    if self.poll() is not None:
                        return None
                    on_wait()
                return None
            finally:
                for connection in list(pending):
                    drop(connection)

    def poll(self) -> Exit | None:
        """How the process ended; None if it has not."""
        with self._lock:
            if self.exit is None:
                if hasattr(os, "wait4"):
                    for _, status, cpu_seconds in os_support.reap(self.pid):
                        self._process.returncode = status
                        self.exit = Exit(status, cpu_seconds)
                elif (code := self._process.poll()) is not None:
                    self.exit = Exit(code, 0.0)
            return self.exit

    def wait(self, seconds: float | None = None) -> Exit | None:
        """Wait until the process has ended, at most so many seconds; None if it still lives then."""
        if seconds is None and hasattr(os, "waitid"):
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)  # blocks; `poll` then takes the status
        last = None if seconds is None else monotonic() + seconds
        pause = 0.0005
        while (ended := self.poll()) is None and (last is None or monotonic() < last):
            time.sleep(pause)
            pause = min(2 * pause, 0.02)
        return ended

    def kill(self) -> None:
        """Kill the process, and where the system has process groups those of its children that stayed in its group."""
        with self._lock:
            if self.exit is not None:
                return
            if not hasattr(os, "killpg"):
                self._process.kill()
                return
            os_support.kill_group(self.pid)

    def release(self) -> None:
        """Close its standard input, upon which the process ends by itself."""
        with suppress(OSError):
            self._lifeline.close()

    def close(self) -> None:
        """Close everything that is held of the process, which is dead."""
        self._listener.close()
        self.release()


def _receive_some(connection: socket.socket, most: int) -> bytes:
    try:
        return connection.recv(most)
    except OSError:
        return b""


def _welcome(connection: socket.socket) -> bool:
    """Tell the process that its token is right; whether it is still there."""
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setblocking(True)
        connection.sendall(_WELCOME)
    except OSError:
        return False
    return True


def read_hello() -> dict[str, Any]:
    """What the starting process has to say; called in the new process."""
    line = bytearray()
    while not line.endswith(b"\n"):  # nothing beyond the line is read
        if not (byte := os.read(0, 1)):
            os._exit(1)
        line += byte
    hello: dict[str, Any] = json.loads(line)
    return hello


def connect_back(hello: Mapping[str, Any]) -> socket.socket:
    """The connection to the starting process; called in the new process, which ends if there is none."""
    while True:
        try:
            connection = socket.create_connection((LOOPBACK, hello["port"]), TOKEN_SECONDS)
        except ConnectionRefusedError:
            os._exit(1)  # it awaits nobody any more
        except OSError:
            continue
        with suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.sendall(hello["token"].encode())
            if connection.recv(1) == _WELCOME:
                connection.settimeout(None)
                return connection
        connection.close()  # strangers were in the way


def end_with(file: int, clean_up: Callable[[], None] = lambda: None) -> None:
    """Have this process end when nobody holds the other end of the pipe, whatever its main thread does."""

    def watch() -> None:
        with suppress(OSError):
            while os.read(file, 64):
                pass
        try:
            clean_up()
        finally:
            os._exit(0)

    threading.Thread(target=watch, name=f"{OWN_THREAD}-lifeline", daemon=True).start()


OWN_THREAD = "sweepstakes"
"""How the names of threads begin that this package starts in a process that plays."""


def other_threads() -> int:
    """How many threads of this process were not started by this package for itself."""
    return sum(not thread.name.startswith(f"{OWN_THREAD}-") for thread in threading.enumerate())
