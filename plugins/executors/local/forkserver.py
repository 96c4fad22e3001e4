"""The keeper: starts workers, reports their deaths, and lets nothing outlive itself.

It is a fresh interpreter (never a fork of the supervisor, which may have threads) that loads and compiles
everything once; a worker is a fork of it and starts warm in milliseconds. It runs no agent, so it has
nothing to fear: when the supervisor goes, in whatever way, its end of the control socket closes and the
keeper kills all that is left.

Every worker leads a process group of its own, which takes an agent's children along when it is killed.
Children that were detached from it fall to the keeper when their parents die (Linux), and what falls to it
is killed.
"""

from __future__ import annotations

import gc
import importlib
import importlib.metadata
import os
import pickle
import select
import signal
import socket
import sys
import time
import warnings
from contextlib import suppress

from sweepstakes import plugins
from sweepstakes.hookspecs import PROJECT
from sweepstakes.plugins.executors.local import os_support, protocol
from sweepstakes.plugins.executors.local.protocol import Control

PATIENCE = 5.0
"""Seconds in which killed processes must have gone at the end; only a stuck kernel needs more."""


def main(control: int, shared: int, seats: int) -> None:
    """Serve the supervisor until it goes. The arguments are its socket and the file of the slots."""
    link = socket.socket(fileno=control)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    warnings.filterwarnings("ignore", message=".*multi-threaded, use of fork", category=DeprecationWarning)
    os_support.adopt_orphans()
    payload = _receive_payload(link)
    _warm(payload)
    gc.collect()
    gc.freeze()  # what is here now stays: workers share its pages as long as no collector touches them
    keeper = _Keeper(link, protocol.slots(shared, seats), payload)
    try:
        keeper.serve()
    finally:
        keeper.end()


def _receive_payload(link: socket.socket) -> bytes:
    size = int.from_bytes(_exactly(link, 8), "big")
    return _exactly(link, size)


def _exactly(link: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = link.recv(size - len(data))
        if not part:
            sys.exit(0)
        data += part
    return bytes(data)


def _warm(payload: bytes) -> None:
    """Import and compile what every game needs, before any clock runs. What goes wrong, a worker reports."""
    from sweepstakes.warm_up import warm_up

    warm_up(quiet=True)
    with suppress(Exception):
        pickle.loads(payload)  # the supervisor's own
    for name in sorted(plugins.BUILT_IN):  # files that somebody dropped in stay out: importing them may start threads
        with suppress(Exception):
            importlib.import_module(f"{plugins.__name__}.{name}")
    importlib.metadata.entry_points(group=PROJECT)  # remembers what is installed


class _Keeper:
    def __init__(self, link: socket.socket, slots: list[protocol.Slot], payload: bytes) -> None:
        self._link = link
        self._slots = slots
        self._payload = payload
        self._pids: dict[int, int] = {}
        self._killed: set[int] = set()
        self._supervisor = os.getppid()
        self._wake, child_died = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(child_died, False)
        signal.set_wakeup_fd(child_died, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> None:
        """Do what the supervisor asks and tell it who died, until it goes."""
        self._tell(Control(protocol.IS_UP, 0))
        link = self._link.fileno()
        while os.getppid() == self._supervisor:
            ready, _, _ = select.select([link, self._wake], [], [], 1.0)
            if self._wake in ready:
                with suppress(BlockingIOError):
                    os.read(self._wake, 4096)
                self._bury()
            if link in ready:
                data, sockets, _, _ = socket.recv_fds(self._link, protocol.CONTROL_BYTES, 1)
                if len(data) < protocol.CONTROL_BYTES:
                    return
                order = Control.unpack(data)
                if order.kind == protocol.START:
                    self._start(order.seat, sockets[0])
                else:
                    self._kill(order.seat)

    def _start(self, seat: int, file: int) -> None:
        me = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                signal.set_wakeup_fd(-1)
                from sweepstakes.plugins.executors.local import worker

                worker.main(file, self._slots[seat], self._payload, me)
            finally:
                os._exit(1)
        os.close(file)  # the worker alone holds its end, so that its death closes it
        with suppress(OSError):
            os.setpgid(pid, pid)  # so does the worker: whoever comes first
        self._pids[pid] = seat
        self._tell(Control(protocol.STARTED_ONE, seat, pid))

    def _kill(self, seat: int) -> None:
        self._bury()  # one that is dead already died by itself
        for pid, where in self._pids.items():
            if where == seat:
                self._killed.add(pid)
                _kill_group(pid)

    def _bury(self) -> None:
        """Take note of the dead, and kill what they leave behind."""
        anybody = False
        while True:
            try:
                pid, status, used = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            anybody = True
            if pid in self._pids:
                with suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)  # the number stays the group's as long as it has members
                seat = self._pids.pop(pid)
                by_us = pid in self._killed
                self._killed.discard(pid)
                spent = used.ru_utime + used.ru_stime
                self._tell(Control(protocol.DIED, seat, os.waitstatus_to_exitcode(status), by_us, spent))
        if anybody:  # a killed orphan wakes us again, when its own children have fallen to us
            for pid in os_support.children(os.getpid()):
                if pid not in self._pids:
                    with suppress(OSError):
                        os.kill(pid, signal.SIGKILL)

    def end(self) -> None:
        """Kill everything and wait until it is gone."""
        for pid in self._pids:
            _kill_group(pid)
        last = time.monotonic() + PATIENCE
        while time.monotonic() < last:
            self._bury()
            try:
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            except AttributeError:  # macOS before Python 3.13
                if not self._pids:
                    return
            time.sleep(0.002)

    def _tell(self, message: Control) -> None:
        with suppress(OSError):  # a supervisor that has gone is noticed by reading
            self._link.sendall(message.pack())


def _kill_group(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)
