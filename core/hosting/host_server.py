"""The host server: forks hosts, kills them on request or when they hold too much memory, and reports their deaths.

The server is a warm Python process that never held a plan, a seed of a tournament or a board, and runs no third-party
code itself. For each host it holds one end of a socket, the *lease*: the referee holds the other end. Over the lease
the server sends the process id of the host and, when the host has died, how it died. The server kills a host when the
referee writes to the lease, and when the referee closes it or dies.

A host leads a process group of its own, which neither it nor what it starts can leave where system calls can be
filtered (see `sealing`), so that killing the group kills all of them. Elsewhere processes that a host leaves behind
become children of the server (Linux), which kills them. When nobody is left who could ask for hosts, the server kills
all of them and ends.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import struct
import sys
import time
import warnings
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple, NoReturn

from sweepstakes.hosting import host, os_support, sealing

CHECK_SECONDS = 0.1
"""Seconds between two checks of what hosts hold."""
MOST_TASKS = 512
"""How many threads and processes a host may have at once, with what it started."""
SHUTDOWN_SECONDS = 5.0
"""Seconds that the server waits at its end for killed processes to be gone."""
REQUEST = struct.Struct("<q")
"""A request for a host: the bytes of memory that it may hold more than at its start, or -1. Four files come with it:
those that become its files 0, 1 and 2, and the server's end of the lease."""
REPORT = struct.Struct("<Biidi")
"""A message over the lease: its kind, the process id, the exit code or minus the number of the signal, the processor
time of the host, and how many processes it left behind."""
STARTED, DIED, DIED_OF_MEMORY, DIED_OF_TASKS, NOT_STARTED = range(5)


class _Hosted(NamedTuple):
    pid: int
    lease: socket.socket
    memory: int | None
    before: int
    """The memory that the host held at its start."""


class _Request(NamedTuple):
    memory: int
    files: list[int]
    expires: float
    """When the server gives up."""


def run(control: int, warm: Sequence[str] | None) -> NoReturn:
    """The whole life of a server that is a process of its own.

    `control` is its end of the socket for requests. With `warm`, every host starts with the engine and these built-in
    agents compiled.
    """
    connection = socket.socket(fileno=control)
    if warm is not None:
        warm_up(warm)
    serve(connection)


def warm_up(agents: Sequence[str]) -> None:
    """Import and compile the engine and these built-in agents, so that every host starts with them."""
    from sweepstakes.compiling.warm_up import warm_up as compile_kernels
    from sweepstakes.registry.registry import Registry

    registry = Registry(third_party=False)
    noises = [registry.noise(name) for name in ("exact-clues", "hidden(rate=0.25)")] if agents else []
    compile_kernels([registry.agent(name) for name in agents], noises, guesses=False, quiet=True)


def serve(connection: socket.socket) -> NoReturn:
    """Fork hosts as they are requested; never returns."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
    os_support.adopt_orphans()
    os_support.hide_memory()
    sealing.prepare()
    gc.collect()
    gc.freeze()  # hosts share the memory of these objects as long as no garbage collector touches them
    server = HostServer(connection)
    try:
        server.serve()
    finally:
        server.shut_down()
        os._exit(0)


def excess(host: int, before: int, memory: int | None, orphans: int = 0) -> int | None:
    """Of what a host with all that it started has too much; None if of nothing.

    `before` is the memory that the host held at its start, `memory` what it may hold more. `orphans` are processes that
    it started and that are no longer its descendants: they lost their parents, or were made children of the server.
    """
    processes = os_support.process_tree(host, MOST_TASKS + 1)
    found = [held for each in processes if (held := os_support.memory(each))]
    if sum(each.threads for each in found) + orphans > MOST_TASKS:
        return DIED_OF_TASKS
    if memory is not None and sum(each.held for each in found) - before > memory:
        shares = [os_support.share_of_memory(each) for each in processes[1:]]  # a fork has most of it in common
        if found[0].held + sum(shares) - before > memory:
            return DIED_OF_MEMORY
    return None


class HostServer:
    """Forks and kills hosts."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._parent = os.getppid()
        self._hosts: dict[int, _Hosted] = {}
        """The living hosts by process id."""
        self._requests: deque[_Request] = deque()
        """Those whose host could not be forked yet."""
        self._killed_for: dict[int, int] = {}
        """Why this process has killed a host: `DIED_OF_MEMORY` or `DIED_OF_TASKS`."""
        self._checked = 0.0
        self._wake_up, child_died = os.pipe()
        os.set_blocking(self._wake_up, False)
        os.set_blocking(child_died, False)
        signal.set_wakeup_fd(child_died, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Carry out requests and report deaths, until nobody can request anything."""
        while os.getppid() == self._parent:
            leases = {each.lease: each for each in self._hosts.values() if each.lease.fileno() >= 0}
            timeout = CHECK_SECONDS if self._hosts or self._requests else 1.0
            watched: list[socket.socket | int] = [self._connection, self._wake_up, *leases]
            ready, _, _ = select.select(watched, [], [], timeout)
            if self._wake_up in ready:
                with suppress(BlockingIOError):
                    os.read(self._wake_up, 4096)
                self._reap()
            for lease in ready:
                if isinstance(lease, socket.socket) and lease in leases:
                    os_support.kill_group(leases[lease].pid)  # a request to kill it, or the end of the referee
                    try:
                        gone = not lease.recv(64)
                    except OSError:
                        gone = True
                    if gone:
                        lease.close()  # it would be readable for ever
            if self._connection in ready:
                data, files, _, _ = socket.recv_fds(self._connection, REQUEST.size, 4)
                if not data:
                    return
                (memory,) = REQUEST.unpack(data)
                self._requests.append(_Request(memory, files, time.monotonic() + os_support.FORK_SECONDS))
            while self._requests and self._start(self._requests[0]):
                self._requests.popleft()
            if timeout == CHECK_SECONDS and time.monotonic() - self._checked > CHECK_SECONDS:
                self._check_hosts()
                self._checked = time.monotonic()

    def _start(self, request: _Request) -> bool:
        """Fork a host and report its start, or why there is none; whether the request is done."""
        memory, files, expires = request
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            if time.monotonic() < expires:
                return False
            with socket.socket(fileno=files[3]) as lease, suppress(OSError):
                lease.send(REPORT.pack(NOT_STARTED, 0, error.errno or 0, 0.0, 0))
            for file in files[:3]:
                os.close(file)
            return True
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                for file in range(3):
                    os.dup2(os_support.copy_to_high_number(files[file]), file)
                host.main(server)
            finally:
                os._exit(1)
        lease = socket.socket(fileno=files[3])
        for file in files[:3]:
            os.close(file)
        before = os_support.memory(pid) if memory >= 0 else None
        self._hosts[pid] = _Hosted(pid, lease, memory if memory >= 0 else None, before.held if before else 0)
        with suppress(OSError):
            lease.send(REPORT.pack(STARTED, pid, 0, 0.0, 0))
        return True

    def _check_hosts(self) -> None:
        """Kill every host that, with the processes it started, has more memory or more threads than it may."""
        orphans = Counter(map(os_support.group, self._orphans()))
        for pid, its in self._hosts.items():
            if (kind := excess(pid, its.before, its.memory, orphans[pid])) is not None:
                self._killed_for.setdefault(pid, kind)
                os_support.kill_group(pid)
        self._kill_orphans()

    def _reap(self) -> None:
        """Report the hosts that have died, and kill the processes that they left behind."""
        reaped = False
        for pid, status, cpu_seconds in os_support.reap():
            reaped = True
            died = self._hosts.pop(pid, None)
            if died is not None:
                left = self._kill_orphans()
                with suppress(OSError):
                    kind = self._killed_for.pop(pid, DIED)
                    died.lease.send(REPORT.pack(kind, pid, status, cpu_seconds, left))
                died.lease.close()
        if reaped:
            self._kill_orphans()

    def _orphans(self) -> list[int]:
        """The children of this process that are no hosts."""
        return [pid for pid in os_support.children(os.getpid()) if pid not in self._hosts]

    def _kill_orphans(self) -> int:
        """Kill the children of this process that are no hosts; returns how many there were."""
        orphans = self._orphans()
        for pid in orphans:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return len(orphans)

    def shut_down(self) -> None:
        """Kill all hosts and orphans, and wait until they are gone."""
        for pid in self._hosts:
            os_support.kill_group(pid)
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        while time.monotonic() < deadline:
            self._reap()
            try:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            except AttributeError:  # macOS before Python 3.13
                if not self._hosts:
                    return
            time.sleep(0.002)
