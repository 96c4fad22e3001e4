"""The worker: plays games in a process of its own, which third-party code may ruin."""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import signal
import socket
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn

import numpy as np

from sweepstakes import plugins
from sweepstakes.executor import Chunk, Fixture, Limits, Row, Workload
from sweepstakes.game.result import Ending
from sweepstakes.hosting import os_support, spawned_process
from sweepstakes.hosting.hosts import Hosts
from sweepstakes.plugins.executors._fault_attribution import FAILURES_OF_PLUGINS, attribute_fault
from sweepstakes.plugins.executors.local import protocol
from sweepstakes.plugins.executors.local.protocol import GAME, GAME_STARTED, MEMORY_BEFORE, PULSE, TASK, TURN_STARTED
from sweepstakes.plugins.executors.local.time_guard import TimeGuard
from sweepstakes.registry.blame import describe_failure

FLUSH_SECONDS = 0.1
"""Seconds after which a worker sends finished games in the middle of a task, so that few are left at its end."""
MAX_GROWTH_MB = 512
"""Megabytes by which a worker may grow, from what games left behind, before it is replaced."""
_SIGNALS = sorted(signal.valid_signals())
_TIMERS = [getattr(signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(signal, name)]


def main(
    file: int,
    block: protocol.HeartbeatBlock,
    payload: bytes,
    fork_server: int,
    slot: int,
    host_control: int | None,
) -> NoReturn:
    """Play whatever tasks the supervisor sends, until the supervisor closes the connection. Never returns.

    The arguments are the worker's end of the connection, its heartbeat block, the pickled workload with its limits, the
    process id of the fork server, the number of the worker's slot, and the socket by which hosts are requested.
    """
    connection, control = _isolate_process(file, host_control, fork_server)
    play(connection, block, payload, None if control is None else make_hosts(block, slot, control))


def play(connection: socket.socket, block: protocol.HeartbeatBlock, payload: bytes, hosts: Hosts | None) -> NoReturn:
    """Play the tasks that come over the connection, until it is closed. `hosts` starts the hosts of agents."""
    try:
        workload: Workload
        limits: Limits
        workload, limits = pickle.loads(payload)  # the supervisor's own
        worker = _Worker(connection, block, workload, limits, hosts)
    except BaseException as error:  # noqa: BLE001 - plugins are imported here and may raise anything
        _stop_run(connection, error)
    try:
        connection.sendall(protocol.encode_frame((protocol.READY,)))
        worker.serve()
    except BaseException as error:  # noqa: BLE001 - an agent may have left the process in any state
        if worker.agent_called:
            os._exit(protocol.EXIT_UNUSABLE)
        _stop_run(connection, error)  # a mistake in this package must not pass for a crash of the agent


def _isolate_process(
    file: int, host_control: int | None, fork_server: int
) -> tuple[socket.socket, socket.socket | None]:
    """Cut this process off from the others: a process group of its own, no terminal, no open file but its sockets."""
    with suppress(OSError):
        os.setpgid(0, 0)
    os_support.die_with_parent(fork_server)
    reset_signals()
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    high = os_support.copy_to_high_number(file)
    control = None if host_control is None else os_support.copy_to_high_number(host_control)
    os.closerange(3, high)  # the fork server's files too, and the shared file, which stays mapped when it is closed
    return socket.socket(fileno=high), None if control is None else socket.socket(fileno=control)


def warm_up() -> None:
    """Import and compile what every game needs, before any clock runs."""
    from sweepstakes.compiling.warm_up import warm_up as compile_kernels

    compile_kernels(quiet=True)
    for name in sorted(plugins.BUILT_IN):  # no dropped-in plugins: importing third-party code may start threads
        with suppress(Exception):
            importlib.import_module(f"{plugins.__name__}.{name}")


def reset_signals() -> None:
    """The signals as they are in a new process; Ctrl-C is left to the supervisor."""
    for number in _SIGNALS:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    for name in ("SIGINT", "SIGPIPE"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)


def make_hosts(
    block: protocol.HeartbeatBlock, number: int, control: socket.socket | None, warm: Sequence[str] | None = None
) -> Hosts:
    """What starts the hosts of the worker with this number, with which they share a core.

    `control` is the socket to a host server. Without it the worker starts each host itself, and a host loads the
    compiled code of the built-in agents `warm`.
    """

    def beat() -> None:
        block[PULSE] += 1

    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    core = cores[number % len(cores)] if cores else None
    return Hosts(control, warm=warm, core=core, on_wait=beat, spawn=control is None, adopt=control is None)


def _stop_run(connection: socket.socket, error: BaseException) -> NoReturn:
    """Report an exception that is no agent's fault, but this package's or another plugin's: it stops the run."""
    text = describe_failure(error, 400)
    with suppress(OSError):
        connection.sendall(protocol.encode_frame((protocol.FAILED, text)))
    os._exit(1)


class _Worker:
    def __init__(
        self,
        connection: socket.socket,
        block: protocol.HeartbeatBlock,
        workload: Workload,
        limits: Limits,
        hosts: Hosts | None,
    ) -> None:
        self._connection = connection
        self._block = block
        self._limits = limits
        self._hosts = hosts
        self._player = workload.open(limits, hosts)
        self._guard = TimeGuard(block, limits, self._limit_memory, self._send_first_row)
        self.agent_called = False
        """Whether an agent has been called in this process: from then on an exception may be an agent's fault."""
        self._socket_at_start = _identity(connection)
        self._state_at_start = self._state()
        memory = os_support.memory()
        self._data_at_start = memory.data if memory else 0

    def serve(self) -> NoReturn:
        decoder = protocol.FrameDecoder()
        while True:
            try:
                data = self._connection.recv(65536)
            except OSError:
                data = b""
            if not data:
                if self._hosts is not None:
                    self._hosts.kill_all()
                os._exit(0)
            for task, *chunk in decoder.feed(data):
                self._play_task(task, Chunk(*chunk))

    def _play_task(self, task: int, chunk: Chunk) -> None:
        """Play the games of the chunk and send their rows; after a game that ruined the process, ask to be replaced."""
        block = self._block
        block[GAME] = -1
        block[TASK] = task
        self._lift_memory_limit()
        rows: list[tuple[Any, ...]] = []
        last_sent = monotonic()
        progress = protocol.DONE
        for index, fixture in enumerate(chunk.fixtures()):
            block[GAME] = index
            row, reusable = self._play_game(fixture)
            if row is None:
                progress = protocol.RETIRE
                break
            block[TURN_STARTED] = block[GAME_STARTED] = 0
            self._exit_if_socket_closed()
            rows.append((index, *row))
            if reusable and self._guard.agent_called and self._guard.first_row is not None:
                reusable = self._is_reusable()  # what a second playing leaves behind is no fault
                if reusable:
                    self._lift_memory_limit()
            if not reusable:
                progress = protocol.RETIRE
                break
            if monotonic() - last_sent > FLUSH_SECONDS:
                self._send((protocol.ROWS, task, rows, protocol.MORE))
                rows = []
                last_sent = monotonic()
        self._player.end_chunk()
        if progress == protocol.DONE and not self._is_reusable():
            progress = protocol.RETIRE
        self._send((protocol.ROWS, task, rows, progress))

    def _play_game(self, fixture: Fixture) -> tuple[tuple[Any, ...] | None, bool]:
        """The row of a game as plain data, and whether this process may play another game.

        The row is (result, seconds, moves, took, output, files), or (ending, deed, seconds, took) of a game that
        was broken off. It is None if an exception came before the agent of this game was called, in a process in which
        agents have been called before: what they did to the process may be the cause, so another worker plays the game.
        """
        guard = self._guard
        guard.start_game()
        try:
            row = self._player.play(fixture, guard)
            plain = _as_plain_data(row)
        except BaseException as error:  # noqa: BLE001 - from this package, a plugin, or what the agent did
            ending, what = attribute_fault(error)
            if not guard.agent_called and self.agent_called:
                return None, False
            if not guard.agent_called or issubclass(type(error), FAILURES_OF_PLUGINS):
                _stop_run(self._connection, error)
            if ending is Ending.MEMORY:
                os_support.limit_data(None)
            if guard.exceeded:  # the agent had exceeded its time limit before the exception
                ending, what = Ending.TIME_OUT, guard.exceeded
            return self._row_of_broken_off_game(ending, what), False
        finally:
            self.agent_called |= guard.agent_called
        if guard.first_row is not None:
            if None in row.result.measures.values():  # perhaps the second playing left no memory
                os_support.limit_data(None)
        elif guard.exceeded:
            return self._row_of_broken_off_game(Ending.TIME_OUT, guard.exceeded), True
        reusable = row.result.ending is not Ending.MEMORY or not guard.agent_called
        if not reusable:
            os_support.limit_data(None)
        return plain, reusable

    def _row_of_broken_off_game(self, ending: Ending, what: str) -> tuple[Any, ...]:
        """The row of a game that was broken off; if that was its second playing, the row of the first one."""
        guard = self._guard
        if guard.first_row is not None:
            return _as_plain_data(guard.first_row._replace(took=guard.wall_seconds()))
        return ending.value, what, guard.cpu_seconds(), guard.wall_seconds()

    def _send_first_row(self, row: Row) -> None:
        game = (int(self._block[GAME]), *_as_plain_data(row))
        self._send((protocol.FIRST_ROW, int(self._block[TASK]), game))

    def _limit_memory(self) -> None:
        """Apply the memory limit to this process, in which an agent is about to live, unless it applies already.

        What earlier tasks left behind does not count.
        """
        allowed = self._limits.memory_mb
        if allowed is not None and not self._block[MEMORY_BEFORE] and (memory := os_support.memory()) is not None:
            self._block[MEMORY_BEFORE] = memory.held
            os_support.limit_data(memory.data + allowed * os_support.MB)

    def _lift_memory_limit(self) -> None:
        """Let this process have all memory: the referee's own, and that of agents in hosts, is not limited here."""
        if self._block[MEMORY_BEFORE]:
            self._block[MEMORY_BEFORE] = 0
            os_support.limit_data(None)

    def _is_reusable(self) -> bool:
        """Whether this process is still as it was at its start, so that the next agent is not affected by this one."""
        try:
            memory = os_support.memory()
            grown = memory is not None and memory.data - self._data_at_start > MAX_GROWTH_MB * os_support.MB
            return not grown and self._state() == self._state_at_start
        except (MemoryError, RecursionError):
            return False

    def _send(self, message: tuple[Any, ...]) -> None:
        self._exit_if_socket_closed()
        try:
            self._connection.sendall(protocol.encode_frame(message))
        except OSError:
            os._exit(protocol.EXIT_SOCKET_CLOSED)

    def _exit_if_socket_closed(self) -> None:
        """End this process if an agent closed its socket, while the heartbeat still names the game that did it."""
        if _identity(self._connection) != self._socket_at_start:
            os._exit(protocol.EXIT_SOCKET_CLOSED)

    def _state(self) -> tuple[Any, ...]:
        return _process_state(self._hosts.pids() if self._hosts is not None else ())


def _as_plain_data(row: Row) -> tuple[Any, ...]:
    return (tuple(row.result.size), row.result.as_row()), row.seconds, row.moves, row.took, row.output, row.files


def _identity(connection: socket.socket) -> int:
    """What tells the socket from another that has its number; -1 if there is none, 0 where the system cannot tell."""
    if sys.platform == "win32":
        return 0
    try:
        return os.fstat(connection.fileno()).st_ino
    except OSError:
        return -1


def _process_state(hosts: Collection[int]) -> tuple[Any, ...]:
    """What an agent may have changed in this process, which has these hosts, for the agents that play after it."""
    try:
        folder = Path.cwd()
    except OSError:
        folder = Path()
    return (
        spawned_process.other_threads(),
        os_support.has_children(os.getpid(), apart_from=hosts),
        folder,
        [signal.getsignal(number) for number in _SIGNALS],
        signal.pthread_sigmask(signal.SIG_BLOCK, ()) if hasattr(signal, "pthread_sigmask") else None,
        [signal.getitimer(which)[0] > 0 for which in _TIMERS],
        sys.getrecursionlimit(),
        sys.getswitchinterval(),
        sys.gettrace(),
        sys.getprofile(),
        gc.isenabled(),
        np.geterr(),
    )
