"""Agents that attack the referee, each other and the machine, for tests of what SECURITY.md promises.

Each attacks in the first turn of every game and otherwise plays like `calm`. An attack that gets something forbidden
returns it. The agent then raises `Gained`, which the tests look for in the row of the game.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import inspect
import json
import mmap
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sweepstakes import Agent, Cell, Turn, View, hookimpl

HOURS = 3600
CHILDREN = 200
CHAIN_SECONDS = 20.0
kept: list[Any] = []
quiet = contextlib.suppress(BaseException)
libc = ctypes.CDLL(None, use_errno=True)


class Gained(Exception):  # noqa: N818 - not an error of the agent
    """The attack got something that it must not get."""


Deed = Callable[["Attacker"], object]
DEEDS: dict[str, dict[str, Deed]] = {"anywhere": {}, "sealed": {}, "fault": {}}


def harmless(deed: Deed) -> Deed:
    """The attack gains nothing under any isolation except `none`, and the game continues."""
    DEEDS["anywhere"][deed.__name__] = deed
    return deed


def harmless_if_sealed(deed: Deed) -> Deed:
    """The attack gains nothing if the agent is sealed."""
    DEEDS["sealed"][deed.__name__] = deed
    return deed


def costs_the_game(deed: Deed) -> Deed:
    """The attack may end its own game by a fault, but no other game."""
    DEEDS["fault"][deed.__name__] = deed
    return deed


# Frames and objects


def is_referees(thing: object) -> bool:
    """Return whether a board is the referee's. A board of another size was only used to compile the engine."""
    kind = type(thing).__name__
    if kind == "Board":
        return "rows=4" in repr(thing) or getattr(thing, "rows", 0) == 4
    return kind in ("Game", "Plan", "PlanPlayer", "RunWriter", "Tournament", "Fixture")


def found_in(things: Any) -> list[str]:
    return [type(thing).__name__ for thing in things if is_referees(thing)]


@harmless
def walk_the_stack(_: Attacker) -> object:
    found: list[str] = []
    frame: Any = sys._getframe()
    while frame is not None:
        found += found_in([*frame.f_locals.values(), *frame.f_globals.values()])
        frame = frame.f_back
    for frame in sys._current_frames().values():
        found += found_in(frame.f_locals.values())
    return found


@harmless
def walk_the_heap(_: Attacker) -> object:
    gc.unfreeze()
    return found_in(gc.get_objects())


@harmless
def inspect_the_callers(_: Attacker) -> object:
    return [name for each in inspect.stack(0) for name in found_in(each.frame.f_locals.values())]


@harmless
def walk_a_traceback(_: Attacker) -> object:
    try:
        raise ValueError
    except ValueError as error:
        trace: Any = error.__traceback__
        frame = trace.tb_frame
        found = []
        while frame is not None:
            found += found_in(frame.f_locals.values())
            frame = frame.f_back
        return found


@harmless
def search_its_memory(_: Attacker) -> object:
    """Look for what only the plan has: the parameters of another agent."""
    pattern = re.compile(rb"token-[0-9a-f]{32}")
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, *_rest = line.split()
        if rights.startswith("rw") and "[v" not in line:
            first, last = (int(number, 16) for number in place.split("-"))
            if found := pattern.search((ctypes.c_char * (last - first)).from_address(first)):
                return found[0].decode()
    return None


@harmless
def derive_the_seed_from_its_own(attacker: Attacker) -> object:
    """The seed of its random numbers is derived from the tournament's seed, so try every small seed."""
    from sweepstakes.game.game import _text
    from sweepstakes.game.rng import derive_keyed

    rules = _text(attacker.view.rules)
    return [
        seed
        for seed in range(2000)
        for number in range(2)
        if derive_keyed(seed, "agent", "uniform", 4, 4, 3, rules, "exact-clues", number) == attacker._seed
    ]


# Other processes


def others() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and int(path.name) != os.getpid()]


def of_the_run() -> list[int]:
    """Return the host server, the fork server, the supervisor and workers, as far as this process can find them."""
    found = {os.getppid()}
    with quiet:
        for pid in others():
            with quiet:
                if b"sweepstakes" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.add(pid)
    return sorted(found)


@harmless
def read_memory_by_way_of_proc(_: Attacker) -> object:
    got = []
    for pid in of_the_run():
        with contextlib.suppress(OSError), Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
            memory.seek(id(type))
            got.append((pid, len(memory.read(8))))
    return got


@harmless
def read_memory_by_a_system_call(_: Attacker) -> object:
    got = []
    for pid in of_the_run():
        buffer = ctypes.create_string_buffer(8)
        near = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(buffer), 8), 16)
        far = ctypes.create_string_buffer(struct.pack("=QQ", id(type), 8), 16)
        if libc.syscall(310, pid, near, 1, far, 1, 0) > 0:
            got.append(pid)
    return got


@harmless
def read_environments(_: Attacker) -> object:
    got = []
    for pid in of_the_run():
        for name in ("environ", "maps", "fd/0", "fd/3", "cwd/tournament.yaml"):
            with contextlib.suppress(OSError):
                read = Path(f"/proc/{pid}/{name}").read_bytes()
                if read or name not in ("environ", "maps"):  # those of a process that has just ended are empty
                    got.append((pid, name, len(read)))
    return got


@harmless
def take_open_files(_: Attacker) -> object:
    got = []
    for pid in of_the_run():
        with contextlib.suppress(OSError):
            handle = os.pidfd_open(pid)
            got += [(pid, number) for number in range(12) if libc.syscall(438, handle, number, 0) >= 0]
    return got


@harmless
def trace_others(_: Attacker) -> object:
    return [pid for pid in of_the_run() if libc.ptrace(0x4206, pid, 0, 0) == 0]  # PTRACE_SEIZE stops nobody


@harmless
def signal_others(_: Attacker) -> object:
    """Send signal 0 only: a process that receives it could also be stopped or killed."""
    got = []
    for pid in of_the_run():
        with contextlib.suppress(OSError):
            os.kill(pid, 0)
            got.append(pid)
    with contextlib.suppress(OSError):
        os.kill(1, 0)
        got.append(1)
    return got


@harmless
def stop_and_kill_others(attacker: Attacker) -> object:
    """Send real signals, after signal 0 has shown that no outside process receives them."""
    if got := signal_others(attacker):
        return got
    for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL):
        for pid in of_the_run():
            with contextlib.suppress(OSError):
                os.kill(pid, number)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with contextlib.suppress(OSError):
            os.kill(-1, number)
    return None


@harmless
def slow_others_down(_: Attacker) -> object:
    got: list[Any] = []
    for pid in of_the_run():
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, 19)
            got.append(pid)
        with contextlib.suppress(OSError):
            os.sched_setaffinity(pid, {0})
            got.append(pid)
        with contextlib.suppress(OSError):
            os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
            got.append(pid)
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_USER, 0, 19)
        got.append("user")
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        got.append("faster")
    return got


# Modules and clocks of its own process


@harmless
def patch_modules(_: Attacker) -> None:
    from sweepstakes.game import game, referee_kernels, result
    from sweepstakes.plugins.scores import standard

    for module in (game, referee_kernels, result, standard):
        for name in list(vars(module)):
            if not name.startswith("__"):
                setattr(module, name, lambda *_, **__: True)


@costs_the_game
def patch_numpy_and_random(_: Attacker) -> None:
    for module in (random, np.random):
        for name in ("random", "randint", "seed", "default_rng"):
            setattr(module, name, lambda *_, **__: 0)
    for name in ("zeros", "count_nonzero", "array_equal", "frombuffer"):
        setattr(np, name, lambda *_, **__: 0)


@harmless
def patch_clocks(_: Attacker) -> None:
    for name in ("monotonic", "perf_counter", "process_time", "time", "clock_gettime"):
        setattr(time, name, lambda *_: 0.0)
    for number in (signal.SIGTERM, signal.SIGALRM, signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    signal.signal = lambda *_: None


@costs_the_game
def stop_its_clock(_: Attacker) -> None:
    from numba.core import event

    patch_clocks(_)
    with event.trigger_event("numba:compile", data={}):
        while True:
            pass


@costs_the_game
def patch_the_wire(_: Attacker) -> None:
    from sweepstakes.hosting import frames

    frames.turn_frame = lambda number, *_: answer(b"T", number, b"\xff" * 31)
    frame: Any = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    frames.done_frame = frames.fault_frame = lambda *_: b"\xff" * 70_000  # type: ignore[assignment]
    raise ValueError("reported by a patched function")


# Frames of the protocol


def number_of_the_question() -> int:
    frame: Any = sys._getframe()
    while frame.f_code.co_name != "serve":
        frame = frame.f_back
    number: int = frame.f_locals["number"]
    return number


def say(*frames: bytes, pieces: int = 1 << 20) -> None:
    """Write into every file that is open."""
    data = b"".join(frames)
    for file in range(3, 300):
        with contextlib.suppress(OSError):
            for place in range(0, len(data), pieces):
                os.write(file, data[place : place + pieces])


def answer(kind: bytes, number: int, body: bytes = b"", length: int | None = None) -> bytes:
    return struct.pack("<IcI", 5 + len(body) if length is None else length, kind, number) + body


def turn(number: int, opens: int = 0, form: int = 0, evidence: int = 0, body: bytes = b"", p: float = -1.0) -> bytes:
    return answer(b"T", number, struct.pack("<BB5xdIIII", 0, form, p, opens, 0, 0, evidence) + body)


def fault(*parts: object) -> bytes:
    return json.dumps(parts).encode()


FRAMES: dict[str, Callable[[int], bytes]] = {
    "too_short": lambda n: answer(b"T", n, length=2),
    "no_length": lambda n: b"\0\0\0\0",
    "huge_length": lambda n: answer(b"T", n, length=0xFFFFFFFF),
    "large_length": lambda n: answer(b"T", n, length=100_000),
    "another_number": lambda n: turn(n + 1),
    "number_before": lambda n: turn(max(n - 1, 0)),
    "many_in_advance": lambda n: b"".join(turn(n + i) for i in range(1000)),
    "done": lambda n: answer(b"D", n),
    "done_with_json": lambda n: answer(b"D", n, b'{"offers": []}'),
    "absurd_count": lambda n: turn(n, 0xFFFFFFFF),
    "absurd_evidence": lambda n: turn(n, evidence=0xFFFFFFFF),
    "count_without_cells": lambda n: turn(n, 1000),
    "endless_evidence": lambda n: turn(n, evidence=3, body=struct.pack("<qqq", 0, -5, 0)),
    "unknown_form": lambda n: turn(n, 1, 77, body=bytes(8)),
    "half_a_cell": lambda n: turn(n, 1, 1, body=bytes(8)),
    "half_a_number": lambda n: turn(n, 1, 1, body=bytes(4)),
    "odd_probability": lambda n: turn(n, 1, body=bytes(8), p=float("nan")),
    "cells_nowhere": lambda n: turn(n, 2, 1, body=struct.pack("<qq", -(1 << 62), 1 << 62)),
    "flat_nowhere": lambda n: turn(n, 1, body=struct.pack("<q", -(1 << 63))),
    "unknown_kind": lambda n: answer(b"Q", n),
    "fault_time_out": lambda n: answer(b"F", n, fault("time-out", "took long", "")),
    "fault_finished": lambda n: answer(b"F", n, fault("finished", "won", "")),
    "fault_of_numbers": lambda n: answer(b"F", n, fault(1, 2, 3)),
    "fault_surrogates": lambda n: answer(b"F", n, b'["error", "\\ud800\\u0000\\u202e", "\\udfff"]'),
    "fault_nested": lambda n: answer(b"F", n, b"[" * 200_000),
    "fault_long_number": lambda n: answer(b"F", n, b"9" * 200_000),
    "fault_long_text": lambda n: answer(b"F", n, fault("error", "x" * 100_000, "y\n" * 70_000)),
    "fault_not_utf8": lambda n: answer(b"F", n, b"\xff\xfe"),
    "garbage": lambda n: os.urandom(100_000),
}


def forge(frame: Callable[[int], bytes], pieces: int) -> Deed:
    return lambda _: say(frame(number_of_the_question()), pieces=pieces)


for _name, _frame in FRAMES.items():
    DEEDS["fault"][f"forge_{_name}"] = forge(_frame, 1 << 20)
DEEDS["fault"]["forge_byte_by_byte"] = forge(FRAMES["number_before"], 1)


@costs_the_game
def answer_before_the_question(_: Attacker) -> None:
    """Ask for a signal, and have exited when it arrives."""
    number = number_of_the_question()
    say(turn(number), turn(number + 1))
    time.sleep(HOURS)


@costs_the_game
def answer_with_a_gigabyte(_: Attacker) -> None:
    say(struct.pack("<I", 1 << 30))
    while True:
        say(bytes(1 << 16))


@costs_the_game
def confuse_the_files(_: Attacker) -> None:
    for file in range(3, 300):
        with contextlib.suppress(OSError):
            os.dup2(2, file)
            os.set_blocking(file, False)


@costs_the_game
def write_errors_without_end(_: Attacker) -> None:
    """Write from threads, so that the reader never reaches the end."""

    def write() -> None:
        while True:
            os.write(2, bytes(1 << 16))

    for _i in range(3):
        threading.Thread(target=write, daemon=True).start()
    write()


# Memory, time and processes


@harmless
def print_megabytes(_: Attacker) -> None:
    for _i in range(20):
        print("\x1b[31m" * 20_000, flush=True)


@harmless
def make_memory_of_nobody(_: Attacker) -> object:
    got: list[str] = []
    with contextlib.suppress(OSError):
        os.memfd_create("x")
        got.append("memfd")
    if libc.shmget(0, 1 << 20, 0o1600) >= 0:
        got.append("segment")
    return got


@costs_the_game
def share_memory(_: Attacker) -> None:
    block = mmap.mmap(-1, 600 << 20)
    kept.append(block)
    for _i in range(600):
        block.write(bytes(1 << 20))
    time.sleep(HOURS)


@costs_the_game
def fill_memory_with_tables_of_pages(_: Attacker) -> object:
    """Read single bytes across an empty mapping that is twice as large as the memory limit."""
    size = 160 << 30
    where = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
    kept.append(where)
    where.madvise(mmap.MADV_NOHUGEPAGE)
    for place in range(0, size, 2 << 20):
        where[place]
    time.sleep(0.4)  # its memory is measured from time to time
    return Path("/proc/self/status").read_text().partition("VmPTE:")[2].split()[:2]


@costs_the_game
def fill_memory_in_threads(_: Attacker) -> None:
    def fill() -> None:
        while True:
            with contextlib.suppress(MemoryError):
                kept.append(np.ones(1 << 20))

    for _i in range(4):
        threading.Thread(target=fill, daemon=True).start()
    fill()


@costs_the_game
def fill_memory_in_children(_: Attacker) -> None:
    for _i in range(8):
        if os.fork() == 0:
            os.setsid()
            kept.append(np.ones(5 << 20))  # 40 MB each
            time.sleep(HOURS)
    time.sleep(HOURS)


@costs_the_game
def call_itself_without_end(_: Attacker) -> object:
    sys.setrecursionlimit(1 << 30)

    def call(depth: int) -> int:
        return max(map(call, [depth + 1]))

    return call(0) and None


@costs_the_game
def start_many_busy_threads(_: Attacker) -> None:
    """Start threads in C, which never yield, so that the referee gets no processor time."""
    words = np.zeros(1 << 16)
    for _i in range(100):
        threading.Thread(
            target=lambda: [np.sin(words, out=np.empty_like(words)) for _ in iter(int, 1)], daemon=True
        ).start()
    time.sleep(HOURS)


@costs_the_game
def leave_many_children(_: Attacker) -> None:
    """Start processes, half of them in sessions of their own, with lost parents."""
    for number in range(CHILDREN):
        if os.fork() == 0:
            if number % 2:
                os.setsid()
                if os.fork():
                    os._exit(0)
            time.sleep(HOURS)
            os._exit(0)


@costs_the_game
def leave_a_chain_of_processes(_: Attacker) -> None:
    """Each link starts the next one in a new session and exits, so that a search for it finds nothing."""
    if os.fork():
        return
    end = time.monotonic() + CHAIN_SECONDS
    while time.monotonic() < end:
        with quiet:
            os.setsid()
            if os.fork():
                os._exit(0)
    time.sleep(HOURS)


@costs_the_game
def leave_a_chain_in_its_group(_: Attacker) -> None:
    """The same without new sessions, with many chains at once."""
    for _i in range(20):
        if os.fork() == 0:
            end = time.monotonic() + CHAIN_SECONDS
            while time.monotonic() < end:
                if os.fork():
                    os._exit(0)
            time.sleep(HOURS)
    os._exit(0)


@costs_the_game
def fork_without_end(_: Attacker) -> None:
    """A fork bomb that stops by itself after a while if nobody stops it."""
    end = time.monotonic() + CHAIN_SECONDS
    while time.monotonic() < end:
        with quiet:
            os.fork()
    time.sleep(HOURS)


@costs_the_game
def let_children_answer(_: Attacker) -> None:
    """Each child continues as if it were the host."""
    for _i in range(5):
        if os.fork() == 0:
            return


@costs_the_game
def outlive_the_game_in_a_child(_: Attacker) -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                say(turn(0))
                time.sleep(0.01)
        os._exit(0)
    os._exit(0)


@costs_the_game
def outlive_the_game_in_a_thread(_: Attacker) -> None:
    number = number_of_the_question()

    def write() -> None:
        for later in range(number, number + 10_000):
            say(turn(later))

    threading.Thread(target=write, daemon=True).start()


@costs_the_game
def hang_at_the_end(_: Attacker) -> None:
    class Hanging:
        def __del__(self) -> None:
            time.sleep(HOURS)

    atexit.register(time.sleep, HOURS)
    kept.append(Hanging())
    threading.Thread(target=time.sleep, args=(HOURS,)).start()
    sys.exit(0)


@costs_the_game
def hang_when_it_is_forgotten(attacker: Attacker) -> None:
    class Hanging:
        def __del__(self) -> None:
            while True:
                pass

    attacker.kept = Hanging()


@costs_the_game
def stop_itself(_: Attacker) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


# What only a sealed process is refused


@harmless_if_sealed
def see_the_environment(_: Attacker) -> object:
    """Look for the user's environment variables: in its own, and in what is left of them in its memory."""
    wanted = re.compile(rb"environment-[0-9a-f]{32}")
    got = [name for name, value in os.environ.items() if wanted.search(value.encode(errors="replace"))]
    for path in ("/proc/self/environ", f"/proc/{os.getppid()}/environ"):
        with contextlib.suppress(OSError):
            got += [path] * bool(wanted.search(Path(path).read_bytes()))
    for line in Path("/proc/self/maps").read_text().splitlines():
        place, rights, *_rest = line.split()
        if rights.startswith("r") and "[v" not in line:
            first, last = (int(number, 16) for number in place.split("-"))
            if rights[1] == "w" and wanted.search((ctypes.c_char * (last - first)).from_address(first)):
                got.append(line)
    return got


@harmless_if_sealed
def leave_messages_for_others(attacker: Attacker) -> object:
    """Leave traces where any process could find them: shared memory, semaphores, pipes, locks and times of files."""
    from multiprocessing import shared_memory

    got: list[object] = []
    with quiet:
        block = shared_memory.SharedMemory(f"sweepstakes-{os.getpid()}", create=True, size=4096)
        got.append(block.name)
        block.unlink()
    name = f"/sweepstakes-{os.getpid()}".encode()
    if libc.sem_open(name, os.O_CREAT, 0o600, 1) not in (0, -1):
        libc.sem_unlink(name)
        got.append("semaphore")
    own = f"/proc/self/fd/{os.open(__file__, os.O_RDONLY)}"
    for folder in (attacker.folder, "/tmp", "/dev/shm"):
        with contextlib.suppress(OSError):
            path = f"{folder}/sweepstakes-pipe-{os.getpid()}"
            os.mkfifo(path)
            got.append(path)
            Path(path).unlink()
    for path in (__file__, os.__file__, own, np.__file__):
        with contextlib.suppress(OSError):
            os.utime(path)
            got.append(f"times of {path}")
        with quiet, Path(path).open("rb") as file:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            got.append(f"lock of {path}")
    return got


@harmless_if_sealed
def take_the_weights_of_another(attacker: Attacker) -> object:
    """Read files, change them, or replace them."""
    weights = Path(attacker.folder, "weights.bin")
    got: list[object] = []
    for attempt in (
        weights.read_bytes,
        lambda: weights.write_bytes(b"none"),
        lambda: weights.rename(weights.with_suffix(".old")),
        lambda: weights.with_suffix(".new").symlink_to(weights),
        lambda: Path(attacker.folder, "hard").hardlink_to(weights),
        weights.unlink,
        lambda: Path(f"/proc/self/cwd/{weights.name}").read_bytes(),
        lambda: Path(f"/proc/self/root{weights}").read_bytes(),
        lambda: os.open(weights, os.O_RDONLY | os.O_DIRECT),
        lambda: libc.truncate(str(weights).encode(), 0) == 0 or [].pop(),
    ):
        with contextlib.suppress(OSError, IndexError):
            got.append(str(attempt()))
    return got


@harmless_if_sealed
def guess_the_seed(attacker: Attacker) -> object:
    got = []
    for path in ("run/secret-seed", "run/games.sqlite", "run/tournament.yaml", "run/seed.json", "security.yaml"):
        with contextlib.suppress(OSError):
            got.append((path, len(Path(attacker.folder, path).read_bytes())))
    pids = [1, os.getppid()]
    with contextlib.suppress(OSError):
        pids += others()
    for pid in pids:
        for name in ("cmdline", "environ", "status", "stat"):
            with contextlib.suppress(OSError):
                got.append((f"{pid}/{name}", len(Path(f"/proc/{pid}/{name}").read_bytes())))
    return got[:5]


@harmless_if_sealed
def edit_files(attacker: Attacker) -> object:
    got = []
    for path in (__file__, f"{attacker.folder}/other.py", f"{attacker.folder}/weights.bin", f"{attacker.folder}/new"):
        with contextlib.suppress(OSError), Path(path).open("a"):
            got.append(path)
    for folder in (attacker.folder, "/tmp", "/dev/shm", "/var/tmp", str(Path.home())):
        with contextlib.suppress(OSError):
            file = Path(folder, f"sweepstakes-attack-{os.getpid()}")
            file.touch()
            file.unlink()
            got.append(folder)
    return got


@harmless_if_sealed
def read_other_files(attacker: Attacker) -> object:
    got = []
    for name in (f"{attacker.folder}/other.py", "/etc/passwd", "/etc/hostname", "/proc/1/cmdline", "/proc/net/tcp"):
        with contextlib.suppress(OSError):
            got.append((name, len(Path(name).read_bytes())))
    with contextlib.suppress(OSError):
        got.append((attacker.folder, len(list(Path(attacker.folder).iterdir()))))
    return got


@harmless_if_sealed
def start_processes(_: Attacker) -> object:
    got = []
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            os._exit(0)
        got.append("fork")
    for program in ("/bin/true", sys.executable):
        with contextlib.suppress(OSError):
            subprocess.run([program, "--version"], check=False, capture_output=True)
            got.append(program)
    return got


@harmless_if_sealed
def use_the_network(_: Attacker) -> object:
    got = []
    kinds = [
        (socket.AF_INET, socket.SOCK_STREAM),
        (socket.AF_INET, socket.SOCK_DGRAM),
        (socket.AF_UNIX, socket.SOCK_STREAM),
    ]
    for family, kind in (*kinds, (socket.AF_INET6, socket.SOCK_DGRAM)):
        with contextlib.suppress(OSError):
            socket.socket(family, kind).close()
            got.append((str(family), str(kind)))
    return got


@harmless_if_sealed
def renice_itself(_: Attacker) -> object:
    got = []
    with contextlib.suppress(OSError):
        os.nice(1)
        got.append("nice")
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, os.sched_getaffinity(0))
        got.append("affinity")
    return got


class Calm(Agent):
    """Opens random cells."""

    def __init__(self, token: str = "", weights: str = "") -> None:
        self.token = token
        if weights:
            assert Path(weights).read_bytes() == b"weights"

    def act(self, view: View) -> Turn:
        covered = view.covered()
        return Turn(open=(covered[self.rng.below(len(covered))],), why="random")


class Attacker(Calm):
    """Attacks in the first turn of each game."""

    kept: object = None

    def __init__(self, deed: str, folder: str = "") -> None:
        super().__init__()
        self.deed = next(deeds[deed] for deeds in DEEDS.values() if deed in deeds)
        self.folder = folder
        self.first = True

    def act(self, view: View) -> Turn:
        self.view = view
        turn = super().act(view)
        first, self.first = self.first, False
        if first and (gained := self.deed(self)):
            raise Gained(str(gained)[:200])
        return turn


class Abandoner(Calm):
    """Sleeps in its second turn, and opens another first cell when it gets the same game again."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.folder = folder
        self.turns = 0

    def act(self, view: View) -> Turn:
        self.turns += 1
        if self.turns == 1:
            mark = Path(self.folder, f"game-{self.rng.below(1 << 60)}")
            self.known = mark.exists()
            mark.touch()
            return Turn(open=(view.covered()[-1 if self.known else 0],), why="random")
        if not self.known:
            time.sleep(HOURS)
        return super().act(view)


class Flipper(Calm):
    """Flags all cells but one, removes the flags, and so on, as long as this is allowed."""

    def act(self, view: View) -> Turn:
        cells = np.arange(1, view.rows * view.cols)
        return Turn(flag=cells, unflag=cells if view.flagged() else ())


class HangsInTheConstructor(Calm):
    """Starts successfully once in each process, as in the trial of agents, and then never again."""

    made = 0

    def __init__(self) -> None:
        super().__init__()
        HangsInTheConstructor.made += 1
        while HangsInTheConstructor.made > 1:
            pass


class Index:
    def __index__(self) -> int:
        raise KeyboardInterrupt

    def __eq__(self, other: object) -> bool:
        raise SystemExit

    def __hash__(self) -> int:
        raise MemoryError

    def __repr__(self) -> str:
        raise RecursionError

    def __iter__(self) -> Iterator[Any]:
        yield from (Cell(0, 0) for _ in range(10**9))


class Answers(Calm):
    """Answers with objects that misbehave when they are used."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def act(self, view: View) -> Turn:
        class Sub(Turn):
            def __iter__(self) -> Iterator[Any]:
                raise SystemExit

            def __len__(self) -> int:
                raise MemoryError

        many: dict[str, Callable[[], Any]] = {
            "index": lambda: Turn(open=[(Index(), Index())]),  # type: ignore[list-item]
            "itself": Index,
            "lazy": lambda: Turn(open=Index()),  # type: ignore[arg-type]
            "subclass": lambda: Sub(open=[(0, 0)]),
            "strides": lambda: Turn(open=np.lib.stride_tricks.as_strided(np.zeros(1, np.int64), (10**9,), (0,))),
            "dtype": lambda: Turn(open=np.zeros(3, "V7")),
            "objects": lambda: Turn(open=np.array([Index()] * 3, object)),
            "evidence": lambda: Turn(open=[Cell(0, 0)], evidence={Cell(0, 0): [Cell(0, 0)] * 10**7}),
            "text": lambda: "x" * 10**8,
        }
        made: Turn = many[self.kind]()
        return made


KINDS = ("index", "itself", "lazy", "subclass", "strides", "dtype", "objects", "evidence", "text")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    return {
        "calm": Calm,
        "attacker": Attacker,
        "hanging": HangsInTheConstructor,
        "answers": Answers,
        "abandoner": Abandoner,
        "flipper": Flipper,
    }
