"""The fork server: starts workers, kills them on request, reports their deaths, and leaves no process behind.

The fork server is a fresh interpreter (never a fork of the supervisor, which may have threads) that imports and
compiles everything once. Before it receives the plan it forks the host server (see `sweepstakes.hosting`), from which
the hosts of agents are forked that are not built in. A worker is a fork of it and starts warm in milliseconds. The fork
server runs no agent, so no agent can harm it. When the supervisor ends, in whatever way, its end of the control socket
closes, and the fork server kills all workers and ends too.

Every worker leads a process group of its own: killing the group kills the agent's child processes too. A child process
that left the group becomes a child of the fork server when its parent dies (Linux), and the fork server kills it.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import select
import signal
import socket
import sys
import time
import warnings
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from sweepstakes.compiling.warm_up import is_compiled
from sweepstakes.hosting import host_server, os_support
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.protocol import ControlMessage
from sweepstakes.plugins.executors.local.worker import warm_up

SHUTDOWN_SECONDS = 5.0
"""Seconds that the fork server waits at its end for killed processes to be gone; only a stuck kernel needs more."""


def main(control: int) -> None:
    """Serve the supervisor, at the other end of the socket `control`, until it ends.

    First come the file of the heartbeat blocks, the number of worker slots, and the built-in agents whose compiled code
    the hosts of other agents need (None if there will be no hosts). The plan comes last: when it is read, the host
    server has been forked.
    """
    connection = socket.socket(fileno=control)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
    os_support.adopt_orphans()
    if is_compiled():  # otherwise the supervisor compiles, and this process waits for that
        warm_up()
    first, files, _, _ = socket.recv_fds(connection, 1, 1)
    if not first:
        sys.exit(0)
    (shared,) = files
    settings = json.loads(_receive_sized(connection))
    slots, hosted = settings["slots"], settings["hosted"]
    warm_up()
    host_control = _fork_host_server(connection, shared, hosted) if hosted is not None else None
    os_support.hide_memory()
    variables, payload = pickle.loads(_receive_sized(connection))  # the supervisor's own
    os.environ.update(variables)
    with suppress(Exception):  # a worker reports the errors that come up
        pickle.loads(payload)  # imports what it needs
    gc.collect()
    gc.freeze()  # workers share the memory of these objects as long as no garbage collector touches them
    server = ForkServer(connection, protocol.heartbeat_blocks(shared, slots), payload, host_control)
    try:
        server.serve()
    finally:
        server.shut_down()


def _receive_sized(connection: socket.socket) -> bytes:
    """The next bytes, which come after their number."""
    return _receive_exactly(connection, int.from_bytes(_receive_exactly(connection, 8), "big"))


def _receive_exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return bytes(data)


def _fork_host_server(connection: socket.socket, shared: int, warm: Sequence[str]) -> int:
    """Fork the host server before this process receives the plan; returns the socket by which hosts are requested.

    The hosts fork from a process that never held plan, seed or board, and that cannot reach the supervisor.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    parent = os.getpid()
    if os.fork() == 0:
        try:
            os_support.die_with_parent(parent)
            ours.close()
            connection.close()
            os.close(shared)
            host_server.warm_up(warm)
            host_server.serve(theirs)
        finally:
            os._exit(1)
    theirs.close()
    os.set_inheritable(ours.fileno(), True)
    return ours.detach()


class ForkServer:
    """Starts and kills workers as the supervisor requests, and reports every worker's death to the supervisor."""

    def __init__(
        self,
        connection: socket.socket,
        blocks: list[protocol.HeartbeatBlock],
        payload: bytes,
        host_control: int | None,
    ) -> None:
        self._host_control = host_control
        self._host_servers = set(os_support.children(os.getpid()))
        self._connection = connection
        self._blocks = blocks
        self._payload = payload
        self._slot_of: dict[int, int] = {}
        """The slot of every living worker, by its process id."""
        self._requests: deque[tuple[int, int]] = deque()
        """The workers that could not be forked yet: their slots, and their ends of the connection."""
        self._supervisor = os.getppid()
        self._wake_up, child_died = os.pipe()
        os.set_blocking(self._wake_up, False)
        os.set_blocking(child_died, False)
        signal.set_wakeup_fd(child_died, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Carry out the supervisor's requests and report deaths, until the supervisor ends."""
        self._report(ControlMessage(protocol.SERVER_READY, 0))
        connection = self._connection.fileno()
        while os.getppid() == self._supervisor:
            timeout = os_support.FORK_PAUSE if self._requests else 1.0
            ready, _, _ = select.select([connection, self._wake_up], [], [], timeout)
            if self._wake_up in ready:
                with suppress(BlockingIOError):
                    os.read(self._wake_up, 4096)
                self._reap_children()
            if connection in ready:
                data, sockets, _, _ = socket.recv_fds(self._connection, protocol.CONTROL_BYTES, 1)
                if len(data) < protocol.CONTROL_BYTES:
                    return
                request = ControlMessage.unpack(data)
                if request.kind == protocol.START:
                    self._requests.append((request.slot, sockets[0]))
                else:
                    self._kill_worker(request.slot)
            while self._requests and self._start_worker(*self._requests[0]):
                self._requests.popleft()

    def _start_worker(self, slot: int, file: int) -> bool:
        """Fork a worker for the slot, if the system can; `file` is the worker's end of its connection."""
        fork_server = os.getpid()
        try:
            pid = os.fork()
        except OSError:  # others may hold all processes that a user may have; the supervisor waits for a while
            return False
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                from sweepstakes.plugins.executors.local import worker

                worker.main(file, self._blocks[slot], self._payload, fork_server, slot, self._host_control)
            finally:
                os._exit(1)
        os.close(file)  # only the worker holds its end, so that its death closes the connection
        with suppress(OSError):
            os.setpgid(pid, pid)  # the worker makes the same call: one of the two comes first
        self._slot_of[pid] = slot
        self._report(ControlMessage(protocol.WORKER_STARTED, slot, pid))
        return True

    def _kill_worker(self, slot: int) -> None:
        """Kill the worker of the slot and its process group."""
        for pid, its_slot in self._slot_of.items():
            if its_slot == slot:
                os_support.kill_group(pid)

    def _reap_children(self) -> None:
        """Report the workers that have died, and kill the processes that they left behind."""
        reaped = False
        for pid, status, cpu_seconds in os_support.reap():
            reaped = True
            if pid in self._slot_of:
                slot = self._slot_of.pop(pid)
                self._report(ControlMessage(protocol.WORKER_DIED, slot, status, cpu_seconds))
        if reaped:
            self._kill_orphans()

    def _kill_orphans(self) -> None:
        """Kill the children of this process that are no workers.

        The death of each one wakes this process again, which then finds the orphan's own children among its own.
        """
        for pid in os_support.children(os.getpid()):
            if pid not in self._slot_of and pid not in self._host_servers:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)

    def shut_down(self) -> None:
        """Kill all workers and orphans, end the host server, and wait until they are gone."""
        for pid in self._slot_of:
            os_support.kill_group(pid)
        if self._host_control is not None:
            os.close(self._host_control)  # and with the workers' copies gone, the host server ends by itself
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        while time.monotonic() < deadline:
            self._reap_children()
            try:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            except AttributeError:  # macOS before Python 3.13
                if not self._slot_of:
                    return
            time.sleep(0.002)

    def _report(self, message: ControlMessage) -> None:
        with suppress(OSError):  # `serve` notices that the supervisor has ended
            self._connection.sendall(message.pack())
