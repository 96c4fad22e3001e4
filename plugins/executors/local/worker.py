"""The worker: plays games in a process of its own, which strangers' code may ruin."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import numpy as np

from sweepstakes.errors import SweepstakesError
from sweepstakes.executor import Chunk, Fixture, Limits, Row, Stage
from sweepstakes.game.result import Ending
from sweepstakes.plugins.executors._fault_attribution import attribute_fault
from sweepstakes.plugins.executors.local import os_support, protocol
from sweepstakes.plugins.executors.local.protocol import BASE, GAME, STARTED, TASK, TURN
from sweepstakes.plugins.executors.local.time_guard import Guard
from sweepstakes.untrusted.exceptions import text_of, told

FLUSH = 0.1
"""Seconds after which finished games are sent although the task goes on, so that few are left to send at its end."""
GROWN = 512
"""Megabytes by which a worker may have grown, from what games left behind, before it is replaced."""
_SIGNALS = sorted(signal.valid_signals())


def main(file: int, slot: protocol.Slot, payload: bytes, keeper: int) -> NoReturn:
    """Play whatever the supervisor sends, until it hangs up. The process never returns from here."""
    link = _apart(file, keeper)
    try:
        stage: Stage
        limits: Limits
        stage, limits = pickle.loads(payload)  # the supervisor's own
        worker = _Worker(link, slot, stage, limits)
    except BaseException as error:  # noqa: BLE001 - plugins are imported here and may raise anything
        _fail(link, error)
    try:
        link.sendall(protocol.frame((protocol.READY,)))
        worker.serve()
    except BaseException as error:  # noqa: BLE001 - an agent may have left the process in any state
        if worker.used:
            os._exit(protocol.RUINED)
        _fail(link, error)  # a mistake of ours must not pass for a crash of the agent


def _apart(file: int, keeper: int) -> socket.socket:
    """Cut this process off from the others: its own group, no terminal, no files but one socket."""
    with suppress(OSError):
        os.setpgid(0, 0)
    os_support.die_with_parent(keeper)
    for number in _SIGNALS:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    for number in (signal.SIGINT, signal.SIGPIPE):  # Ctrl-C is for the supervisor to answer
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    far = os_support.far_file(file)
    os.closerange(3, far)  # the keeper's files too, and that of the slots, which stay mapped without it
    return socket.socket(fileno=far)


def _fail(link: socket.socket, error: BaseException) -> NoReturn:
    """Our own fault, or that of a plugin that is no agent: it stops the run."""
    text = text_of(error, 400) if issubclass(type(error), SweepstakesError) else told(error, 400)
    with suppress(OSError):
        link.sendall(protocol.frame((protocol.FAILED, text)))
    os._exit(1)


class _Worker:
    def __init__(self, link: socket.socket, slot: protocol.Slot, stage: Stage, limits: Limits) -> None:
        self._link = link
        self._slot = slot
        self._limits = limits
        self._player = stage.open()
        self._guard = Guard(slot, limits, self._hand_over)
        self.used = False
        """Whether an agent has been called in this process: from then on a failure need not be ours."""
        self._inode = os.fstat(link.fileno()).st_ino
        self._condition = _condition()
        held = os_support.memory()
        self._born_with = held.data if held else 0

    def serve(self) -> NoReturn:
        frames = protocol.Frames()
        while True:
            try:
                data = self._link.recv(65536)
            except OSError:
                data = b""
            if not data:
                os._exit(0)
            for task, *chunk in frames.feed(data):
                self._play(task, Chunk(*chunk))

    def _play(self, task: int, chunk: Chunk) -> None:
        slot = self._slot
        slot[GAME] = -1
        slot[TASK] = task
        self._limit_memory()
        rows: list[tuple[Any, ...]] = []
        sent = monotonic()
        state = protocol.DONE
        for game, fixture in enumerate(chunk.fixtures()):
            slot[GAME] = game
            row, healthy = self._one(fixture)
            if row is None:
                state = protocol.RETIRE
                break
            slot[TURN] = slot[STARTED] = 0
            self._check_link()
            rows.append((game, *row))
            if healthy and self._guard.first is not None:  # what explaining leaves behind is nobody's fault
                healthy = self._fit()
                if healthy:
                    self._limit_memory()
            if not healthy:
                state = protocol.RETIRE
                break
            if monotonic() - sent > FLUSH:
                self._send((protocol.ROWS, task, rows, protocol.MORE))
                rows = []
                sent = monotonic()
        if state == protocol.DONE and not self._fit():
            state = protocol.RETIRE
        self._send((protocol.ROWS, task, rows, state))

    def _one(self, fixture: Fixture) -> tuple[tuple[Any, ...] | None, bool]:
        """A game, as (result, seconds, moves, took) or (ending, what was wrong, seconds, took); whether to go on.

        None instead of a game that was not begun because of what the agent's earlier ones did to the process: another
        worker plays it.
        """
        guard = self._guard
        guard.begin()
        try:
            row = self._player.play(fixture, guard)
            plain = _plain(row)
        except BaseException as error:  # noqa: BLE001 - ours, a plugin's, or what the agent did to the process
            ending, what = attribute_fault(error)
            if not guard.called and self.used:
                return None, False
            if not guard.called and ending is not Ending.MEMORY:
                _fail(self._link, error)
            if ending is Ending.MEMORY:
                os_support.limit_data(None)
            if guard.late:  # the agent's time was over before
                ending, what = Ending.TIME_OUT, guard.late
            return self._broken_off(ending, what), False
        finally:
            self.used |= guard.called
        if guard.first is not None:
            if None in row.result.measures.values():  # perhaps it left no memory
                os_support.limit_data(None)
        elif guard.late:
            return self._broken_off(Ending.TIME_OUT, guard.late), True
        healthy = row.result.ending is not Ending.MEMORY
        if not healthy:
            os_support.limit_data(None)
        return plain, healthy

    def _broken_off(self, ending: Ending, what: str) -> tuple[Any, ...]:
        """A game that came to no row; a second playing that came to none leaves that of the first."""
        guard = self._guard
        if guard.first is not None:
            return _plain(guard.first._replace(took=guard.took()))
        return ending.value, what, guard.seconds(), guard.took()

    def _hand_over(self, row: Row) -> None:
        self._send((protocol.PLAYED, int(self._slot[TASK]), (int(self._slot[GAME]), *_plain(row))))

    def _limit_memory(self) -> None:
        """Allow so much from here on. What earlier games left behind is not held against this one."""
        allowed = self._limits.memory_mb
        if allowed is not None and (now := os_support.memory()) is not None:
            self._slot[BASE] = now.held
            os_support.limit_data(now.data + allowed * os_support.MB)

    def _fit(self) -> bool:
        """Whether this process is still as it was, so that the next agent does not suffer from this one."""
        try:
            grown = ((now := os_support.memory()) is not None) and now.data - self._born_with > GROWN * os_support.MB
            return not grown and _condition() == self._condition
        except (MemoryError, RecursionError):
            return False

    def _send(self, message: tuple[Any, ...]) -> None:
        self._check_link()
        try:
            self._link.sendall(protocol.frame(message))
        except OSError:
            os._exit(protocol.LOST_FILES)

    def _check_link(self) -> None:
        """Leave, while the game that did it is still named in the slot, if somebody closed our socket."""
        try:
            same = os.fstat(self._link.fileno()).st_ino == self._inode
        except OSError:
            same = False
        if not same:
            os._exit(protocol.LOST_FILES)


def _plain(row: Row) -> tuple[Any, ...]:
    return (tuple(row.result.size), row.result.as_row()), row.seconds, row.moves, row.took


def _condition() -> tuple[Any, ...]:
    """What an agent may have changed for those that play after it."""
    try:
        folder = Path.cwd()
    except OSError:
        folder = Path()
    timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    return (
        threading.active_count(),
        os_support.has_children(os.getpid()),
        folder,
        [signal.getsignal(number) for number in _SIGNALS],
        signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        [signal.getitimer(which)[0] > 0 for which in timers],
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
        sys.gettrace(),
        sys.getprofile(),
        gc.isenabled(),
        np.geterr(),
    )
