"""Agents that misbehave in every way we could think of, each in about a third of its games.

`calm` takes the same turns and does no harm, so the correct results of the others in their remaining games are known.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

from sweepstakes import Agent, Cell, Turn, View, hookimpl

HOURS = 3600
kept: list[Any] = []


class Weird(BaseException):
    def __str__(self) -> str:
        raise RuntimeError("not even a text")


class Endless:
    """An endless iterator of cells."""

    def __iter__(self) -> Iterator[Cell]:
        while True:
            pass


def python_hang() -> None:
    while True:
        pass


def stubborn_hang() -> None:
    """Ignore every exception and every signal."""
    for number in signal.valid_signals():
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(HOURS)


def hang_in_c() -> None:
    """Hold the interpreter's lock, so that no Python code of any thread runs."""
    ctypes.PyDLL(None).sleep(HOURS)


def raise_error() -> None:
    raise ValueError("on purpose")


def raise_weird() -> None:
    raise Weird


def raise_interrupt() -> None:
    raise KeyboardInterrupt


def leave() -> None:
    sys.exit("good bye")


def leave_hard() -> None:
    os._exit(7)


def kill_self() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_group() -> None:
    os.kill(0, signal.SIGKILL)


def segfault() -> None:
    ctypes.string_at(0)


def eat_memory() -> None:
    while True:
        kept.append(bytearray(16 << 20))


def eat_at_once() -> None:
    kept.append(np.zeros(1 << 40, np.uint8))


def eat_shared_memory() -> None:
    block = mmap.mmap(-1, 600 << 20)
    kept.append(block)
    for _ in range(600):
        block.write(bytes(1 << 20))
    time.sleep(HOURS)


def print_garbage() -> None:
    print("\x00\x80garbage" * 10_000)
    for file in (1, 2):
        os.write(file, b"\xff\x00\x01garbage\n" * 10_000)
    sys.stdin.read()
    assert os.read(0, 10) == b""


def close_files() -> None:
    os.closerange(0, 2000)


def write_everywhere() -> None:
    for file in range(3, 300):
        with contextlib.suppress(OSError):
            os.write(file, b"\x07\x00\x00\x00garbage" * 10)
    time.sleep(HOURS)


def leave_child() -> None:
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", str(HOURS)])


def leave_detached_child() -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(HOURS)
        os._exit(0)
    os.wait()


def leave_thread() -> None:
    threading.Thread(target=time.sleep, args=(HOURS,)).start()


def tamper() -> None:
    os.chdir("/")
    gc.disable()
    np.seterr(all="raise")
    sys.setrecursionlimit(5000)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.alarm(1)  # would kill the agent that plays next


def compile_long() -> None:
    """Announce compilation as numba does, since compile time counts for no turn."""
    with event.trigger_event("numba:compile", data={}):
        time.sleep(1.5)


def no_stack() -> None:
    """Leave so little memory that the referee cannot continue."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    for room in range(depth, depth + 50):
        with contextlib.suppress(RecursionError):
            sys.setrecursionlimit(room)
            return


def hire_assassin() -> None:
    """Kill the process a little later, when another agent may be playing in it."""
    target = os.getpid()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.3)
            os.kill(target, signal.SIGKILL)
        os._exit(0)
    os.wait()


DEEDS: dict[str, Callable[[], None]] = {
    name: action
    for name, action in globals().items()
    if callable(action) and getattr(action, "__module__", "") == __name__
}


class Calm(Agent):
    """Opens random cells."""

    def __init__(self, pause: float = 0) -> None:
        self.pause = pause
        self.first = True

    def act(self, view: View) -> Turn:
        time.sleep(self.pause)
        bad, self.first = self.first and self.rng.below(3) == 0, False
        covered = view.covered()
        turn = Turn(open=(covered[self.rng.below(len(covered))],), why="random")
        return self.bad_turn(turn) if bad else turn

    def bad_turn(self, turn: Turn) -> Turn:
        return turn


class Nasty(Calm):
    """Does a bad action in its first turn of some games."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = DEEDS[action]

    def bad_turn(self, turn: Turn) -> Turn:
        self.action()
        return turn


class Teller(Calm):
    """Plays like `calm`, and does a bad action in some games when it has to explain."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = DEEDS.get(action)

    def bad_turn(self, turn: Turn) -> Turn:
        if not self.explain:
            return turn
        if self.action is None:
            return turn._replace(why="guess")
        self.action()
        return turn


class Nonsense(Calm):
    """Answers something that is not a turn."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def bad_turn(self, turn: Turn) -> Turn:
        answers: dict[str, Any] = {
            "number": 42,
            "function": Turn(open=lambda: None),  # type: ignore[arg-type]
            "endless": Turn(open=Endless()),  # type: ignore[arg-type]
        }
        return answers[self.kind]  # type: ignore[no-any-return]


class SlowStart(Calm):
    """Its constructor hangs, in any process, once an agent has played a turn."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.played = Path(folder) / "played"
        if self.played.exists():
            python_hang()

    def act(self, view: View) -> Turn:
        self.played.touch()
        return super().act(view)


class Mark(Calm):
    """Makes a file at its first turn and then hangs, with a detached child."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder

    def act(self, view: View) -> Turn:
        leave_detached_child()
        (Path(self.folder) / str(os.getpid())).touch()
        hang_in_c()
        raise AssertionError


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    return {"calm": Calm, "nasty": Nasty, "teller": Teller, "nonsense": Nonsense, "slow-start": SlowStart, "mark": Mark}
