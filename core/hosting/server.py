"""The server: starts hosts and workers, kills them on request or when they hold too much, and reports their deaths.

The server is a warm, fresh interpreter that never holds a plan, a seed of a tournament or a board, and runs no
third-party code itself. A worker gets the plan after its start, so no host shares an ancestor that held it. A process
is a fork of the server or, if the server *spawns*, a fresh interpreter that does the same (`begin`).

For each process the server holds one end of a socket, the *lease*: the client holds the other end. Over the lease the
server sends the process id and, when the process has died, how it died. The server kills a process when the client
writes `KILL` to the lease, and when the client closes it or dies. From `LOADED` on, it limits a host.

A process leads a process group of its own, which neither a host nor what it starts can leave where system calls can be
filtered (see `sealing`), so that killing the group kills all of them. Elsewhere processes that a host leaves behind
become children of the server (Linux), which kills them. When the client dies, or no process is left that could request
processes, the server kills all of them and ends. When the server dies, the kernel kills what it started (Linux).
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import warnings
from collections import Counter, deque
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

from sweepstakes import logs, os_support
from sweepstakes.hosting import sealing
from sweepstakes.hosting.forked import (
    DIED,
    DIED_OF_MEMORY,
    DIED_OF_TASKS,
    FORK,
    FORK_REQUEST,
    KILL,
    NOT_STARTED,
    REPORT,
    SHUTDOWN_SECONDS,
    STARTED,
)

CHECK_SECONDS = 0.1
"""Seconds between two checks of the memory and threads of hosts."""
MAX_TASKS = 512
"""Maximum threads and processes of a host, including those that it started."""
_MAX_REQUEST = 1 << 16
_LOG = logs.logger(__name__)


class _Forked(NamedTuple):
    pid: int
    lease: socket.socket
    memory: int | None
    """Bytes that a host may hold in addition to `before`."""
    before: int | None = None
    """The memory that a host held when it had loaded what it needs; None before that, and for a worker."""


class _Request(NamedTuple):
    memory: int
    entry: str
    files: list[int]
    expires: float
    """When the server stops trying."""


def main(control: int, parent: int, log: int | None = None, spawns: bool = False) -> NoReturn:
    """Run a server. `control` is its end of the socket for requests, `parent` its client.

    `log` is the open file of the log: a server does not know its path, since hosts are forked from it.
    """
    if log is not None:
        logs.start("server", log)
        _LOG.info("started by process %d", parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGALRM, lambda *_: os.getppid() == parent or sys.exit(0))
    warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
    os_support.adopt_orphans()
    os_support.hide_memory()
    sealing.prepare()
    server = _Server(socket.socket(fileno=control), parent, spawns)
    try:
        server.serve()
        _LOG.info("ends: its client is gone")
    except SystemExit:
        _LOG.info("ends: its client needs no more processes")
    except Exception as error:  # noqa: BLE001 - the client reads the last line
        _LOG.error("ends: internal error, %s: %s", type(error).__name__, error)
        sys.excepthook(*sys.exc_info())
    finally:
        server.shut_down()
        os._exit(0)


def begin(parent: int, files: list[int], entry: str, calls: list[list[Any]]) -> None:
    """Run a process that was spawned: load what a server has loaded, and do what a fork of the server does."""
    os_support.die_with_parent(parent)
    os_support.hide_memory()
    sealing.prepare()
    for each in calls:
        call(*each)
    call(entry, os_support.detach(parent, files))


def call(entry: str, *arguments: Any, **named: Any) -> Any:
    """Return what `module:function` returns."""
    module, _, name = entry.partition(":")
    return getattr(importlib.import_module(module), name)(*arguments, **named)


def excess(host: int, before: int, memory: int | None, orphans: int = 0) -> int | None:
    """Return which limit a host exceeds, with all that it started; None if it exceeds none.

    `before` is the memory that the host held at its start, `memory` what it may add. `orphans` is the number of
    processes that it started and that are no longer its descendants, because their parents have ended.
    """
    processes = os_support.process_tree(host, MAX_TASKS + 1)
    found = [held for each in processes if (held := os_support.memory(each))]
    if sum(each.threads for each in found) + orphans > MAX_TASKS:
        return DIED_OF_TASKS
    if memory is not None and sum(each.held for each in found) - before > memory:
        shares = [os_support.share_of_memory(each) for each in processes[1:]]  # a fork shares most of it
        if found[0].held + sum(shares) - before > memory:
            return DIED_OF_MEMORY
    return None


class _Server:
    """Starts and kills processes."""

    def __init__(self, connection: socket.socket, parent: int, spawns: bool) -> None:
        self._connection = connection
        self._parent = parent
        self._spawns = spawns
        self._calls: list[list[Any]] = []
        """What spawned hosts call at their start."""
        self._forked: dict[int, _Forked] = {}
        """The living hosts and workers by process id."""
        self._requests: deque[_Request] = deque()
        """Requests whose process has not been started yet."""
        self._refused: _Request | None = None
        """The last request that the system has refused."""
        self._killed_for: dict[int, int] = {}
        """Why the server has killed a host: `DIED_OF_MEMORY` or `DIED_OF_TASKS`."""
        self._checked = 0.0
        self._wake_up, child_died = os.pipe()
        os.set_blocking(self._wake_up, False)
        os.set_blocking(child_died, False)
        signal.set_wakeup_fd(child_died, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Serve requests and report deaths, until no process is left that could send a request."""
        while os.getppid() == self._parent:
            leases = {each.lease: each for each in self._forked.values() if each.lease.fileno() >= 0}
            timeout = CHECK_SECONDS if self._forked or self._requests else 1.0
            watched: list[socket.socket | int] = [self._connection, self._wake_up, *leases]
            ready, _, _ = select.select(watched, [], [], timeout)
            if self._wake_up in ready:
                with suppress(BlockingIOError):
                    os.read(self._wake_up, 4096)
                self._reap()
            for lease in ready:
                if isinstance(lease, socket.socket) and lease in leases and leases[lease].pid in self._forked:
                    self._obey(leases[lease])
            if self._connection in ready and not self._receive():
                return
            while self._requests and self._start(self._requests[0]):
                self._requests.popleft()
            if self._forked and time.monotonic() - self._checked > CHECK_SECONDS:
                self._check_hosts()
                self._checked = time.monotonic()

    def _obey(self, its: _Forked) -> None:
        """Obey what the client has written to a lease. Kill the process if the client has ended."""
        try:
            wanted = its.lease.recv(64)
        except OSError:
            wanted = b""
        if wanted and KILL not in wanted:
            held = os_support.memory(its.pid)
            self._forked[its.pid] = its._replace(before=held.held if held else 0)
            return
        os_support.kill_group(its.pid)
        if not wanted:
            _LOG.info("process %d is killed: its lease was closed", its.pid)
            its.lease.close()  # it would stay readable

    def _receive(self) -> bool:
        """Receive a request; return False if no process is left that could send one."""
        data, files, _, _ = socket.recv_fds(self._connection, _MAX_REQUEST, 4)
        if not data:
            return False
        if data[:1] == FORK:
            (memory,) = FORK_REQUEST.unpack_from(data, 1)
            entry = data[1 + FORK_REQUEST.size :].decode()
            for file in files:
                os.set_inheritable(file, False)
            self._requests.append(_Request(memory, entry, files, time.monotonic() + os_support.FORK_SECONDS))
            return True
        if self._spawns:
            self._calls.append(json.loads(data[1:]))
            return True
        signal.setitimer(signal.ITIMER_REAL, 1, 1)  # this may compile for minutes; the server must end with its client
        call(*json.loads(data[1:]))
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.collect()
        gc.freeze()  # processes share the memory of these objects as long as no garbage collector touches them
        return True

    def _start(self, request: _Request) -> bool:
        """Try to start a process and report the outcome. Return False to be retried."""
        memory, entry, files, expires = request
        server = os.getpid()
        try:
            pid = self._spawn(entry, files[:-1]) if self._spawns else os.fork()
        except OSError as error:
            if time.monotonic() < expires:
                if request is not self._refused:
                    self._refused = request
                    _LOG.warning("the system refuses to start a process (%s): trying again", error.strerror)
                return False
            _LOG.error("the system refuses to start a process (%s): given up", error.strerror)
            with socket.socket(fileno=files.pop()) as lease, suppress(OSError):
                lease.send(REPORT.pack(NOT_STARTED, 0, error.errno or 0, 0.0, 0))
            for file in files:
                os.close(file)
            return True
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                logs.stop()
                call(entry, os_support.detach(server, files[:-1]))
            finally:
                os._exit(1)
        lease = socket.socket(fileno=files.pop())
        for file in files:
            os.close(file)  # only the process holds them, so that its death closes them
        self._forked[pid] = _Forked(pid, lease, memory if memory >= 0 else None)
        with suppress(OSError):
            lease.send(REPORT.pack(STARTED, pid, 0, 0.0, 0))
        return True

    def _spawn(self, entry: str, files: list[int]) -> int:
        """Start a fresh interpreter with these files, and return its process id. A host gets its own standard error."""
        host = len(files) == 3
        words = f"{os.getpid()}, {files}, {entry!r}, {self._calls if host else []}"
        code = f"import sys; sys.path[:] = {sys.path!r}; from sweepstakes.hosting.server import begin; begin({words})"
        for file in files:
            os.set_inheritable(file, True)
        errors = [(os.POSIX_SPAWN_DUP2, files[2], 2)] if host else []
        return os.posix_spawn(sys.executable, [sys.executable, "-c", code], os.environ, file_actions=errors)

    def _check_hosts(self) -> None:
        """Kill every host that exceeds its memory or threads, with the processes that it started."""
        orphans = Counter(map(os_support.group, self._orphans()))
        for pid, its in self._forked.items():
            if its.before is not None and (kind := excess(pid, its.before, its.memory, orphans[pid])) is not None:
                if pid not in self._killed_for:
                    self._killed_for[pid] = kind
                    what = "memory than it may" if kind == DIED_OF_MEMORY else f"than {MAX_TASKS} threads and processes"
                    _LOG.warning("host %d is killed: it holds more %s", pid, what)
                os_support.kill_group(pid)
        self._kill_orphans()

    def _reap(self) -> None:
        """Report the processes that have died, and kill the processes that they left behind."""
        reaped = False
        for pid, status, cpu_seconds in os_support.reap():
            reaped = True
            died = self._forked.pop(pid, None)
            if died is not None:
                left = self._kill_orphans()
                with suppress(OSError):
                    kind = self._killed_for.pop(pid, DIED)
                    died.lease.send(REPORT.pack(kind, pid, status, cpu_seconds, left))
                died.lease.close()
        if reaped:
            self._kill_orphans()

    def _orphans(self) -> list[int]:
        """Return the children of this process that it has not started itself."""
        return [pid for pid in os_support.children(os.getpid()) if pid not in self._forked]

    def _kill_orphans(self) -> int:
        """Kill the children of this process that it has not started itself, and return their number."""
        orphans = self._orphans()
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return len(orphans)

    def shut_down(self) -> None:
        """Kill all processes and orphans, and wait until they are gone."""
        for pid in self._forked:
            os_support.kill_group(pid)
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        while time.monotonic() < deadline:
            self._reap()
            try:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            except AttributeError:  # macOS before Python 3.13
                if not self._forked:
                    return
            time.sleep(0.002)
