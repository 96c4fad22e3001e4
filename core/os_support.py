"""Calls of the operating system for processes, memory and limits. Calls that a system lacks do nothing there."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import HostingError, RunError

LINUX = sys.platform.startswith("linux")
_SET_PARENT_DEATH_SIGNAL, _GET_DUMPABLE, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 3, 4, 36
MB = 1 << 20
_SIGNALS = sorted(signal.valid_signals())
_TICKS = os.sysconf("SC_CLK_TCK")
_MAX_TREE = 512
"""The maximum number of processes whose schedules are read."""
_HIGH_NUMBER = 200
_HIGH_FILES = 8
"""The maximum number of files of one process that have high numbers at the same time."""
FORK_SECONDS = 60.0
"""Seconds in which starting a process is tried again if the system refuses: other processes may end meanwhile."""
_SIZES = [re.compile(rb"\n%b:\s*(\d+) kB" % key) for key in (b"VmData", b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")]
_SHARES = [re.compile(rb"\n%b:\s*(\d+) kB" % key) for key in (b"Pss_Anon", b"Pss_Shmem", b"SwapPss")]
_THREADS = re.compile(rb"\nThreads:\s*(\d+)")


def _prctl(option: int, value: int = 0) -> int:
    """Call `prctl`. Return 0 on systems without it (Linux has it)."""
    return int(ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)) if LINUX else 0


def die_with_parent(parent: int) -> None:
    """Make the kernel kill this process when its parent dies, even in the middle of a loop in C (Linux)."""
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # the parent died before the call
        os._exit(1)


def detach(parent: int, files: Sequence[int]) -> list[int]:
    """Give a process that was just started a session and signals of its own, and no files but copies of `files`.

    Return the copies, with numbers far above those that an agent's own files get. The standard files are null devices.
    The process ignores Ctrl-C, which the user's command handles, and dies with its parent.
    """
    with suppress(OSError):
        os.setsid()
    die_with_parent(parent)
    for number in _SIGNALS:
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    copies = [_copy_to_high_number(file) for file in files]
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    for below, above in pairwise([2, *sorted(copies), 1 << 16]):
        os.closerange(below + 1, above)
    return copies


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own, however it was detached (Linux)."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def hide_memory() -> None:
    """Forbid other processes of the same user to read or trace this one (Linux)."""
    _prctl(_SET_DUMPABLE, 0)


@contextmanager
def hidden_memory() -> Iterator[None]:
    """Hide the memory of this process, as `hide_memory` does, until the block ends."""
    before = _prctl(_GET_DUMPABLE)
    hide_memory()
    try:
        yield
    finally:
        if before == 1:
            _prctl(_SET_DUMPABLE, 1)


def _copy_to_high_number(file: int) -> int:
    _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    high = _HIGH_NUMBER if maximum == resource.RLIM_INFINITY else min(_HIGH_NUMBER, maximum - _HIGH_FILES)
    return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, high)


def check_files(workers: int) -> None:
    """Raise `RunError` if this process may not open as many files as playing with `workers` takes."""
    needed = 64 + 4 * workers
    allowed, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < needed:
        user_can_raise = maximum == resource.RLIM_INFINITY or maximum >= needed
        what = f"raise the limit (`ulimit -n {needed}`)" if user_can_raise else "have the limit raised"
        what += ", or take fewer workers" if workers > 1 else ""
        raise RunError(
            f"only {allowed} files may be open at once here (`ulimit -n`), but playing takes {needed}: {what}"
        )


def check_memory(memory_mb: int | None) -> None:
    """Raise `RunError` if a limit of the system, as batch systems set, leaves an agent less than `memory_mb`.

    The process of an agent is counted as large as this one.
    """
    if not LINUX or memory_mb is None:
        return
    for option, limit, key in (("d", resource.RLIMIT_DATA, "VmData"), ("v", resource.RLIMIT_AS, "VmSize")):
        allowed, _ = resource.getrlimit(limit)
        if allowed == resource.RLIM_INFINITY:
            continue
        found = re.search(rf"\n{key}:\s*(\d+) kB", Path("/proc/self/status").read_text())
        process_mb = (int(found[1]) << 10) // MB + 1 if found else 0
        needed = memory_mb + process_mb
        if allowed < needed * MB:
            here = f"a process may have {allowed // MB} MB of memory here (`ulimit -{option}`)"
            parts = f"{process_mb} for its process and {memory_mb} by `memory_mb`"
            rest = allowed // MB - process_mb
            lower = f", or set `memory_mb` to {rest} or less" if rest > 0 else ""
            raise RunError(f"{here}, an agent takes {needed} ({parts}): have the limit raised{lower}")


def cpu_seconds(pid: int) -> float:
    """Return the processor time of a process in all threads. Raise `OSError` if there is no such process (Linux)."""
    return time.clock_gettime((~pid << 3) | 2)


def children(pid: int) -> list[int]:
    """Return the processes whose parent is `pid`, zombies too (Linux; elsewhere none are found).

    A child that ends at this moment may hide another one from this call, but not from the next.
    """
    if not lists_children():
        return [child for child, parent in _parents() if parent == pid]
    found: list[int] = []
    with suppress(OSError):  # the process has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_bytes().split())
    return found


@functools.cache
def lists_children() -> bool:
    """Whether the kernel lists the children of each thread; True without /proc, where none are found."""
    return not LINUX or Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _parents() -> Iterator[tuple[int, int]]:
    """Yield every process, zombies too, with its parent."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                # the line is `pid (name) state parent ...`, and the name may contain anything, brackets too
                line = (entry / "stat").read_bytes()
                yield int(entry.name), int(line.rpartition(b")")[2].split()[1])


def process_tree(root: int, limit: int) -> list[int]:
    """Return a process and its descendants, at most `limit` processes (Linux; elsewhere the process alone)."""
    tree = [root]
    for each in tree:  # grows meanwhile
        tree += children(each)
        if len(tree) >= limit:
            break
    return tree[:limit]


class Schedule(NamedTuple):
    """The seconds that a process with its descendants has computed and waited since it began."""

    computed: float = 0.0
    """Processor time of all of them, including threads and children that have ended."""
    waited: float = 0.0
    """Time in which threads were ready to compute and waited for a core, summed over the living threads."""


def schedule(root: int) -> Schedule:
    """Measure a process with its descendants. Return zeros on systems that do not measure them (Linux does)."""
    ticks = waited = 0
    for pid in process_tree(root, _MAX_TREE):
        with suppress(OSError, ValueError):  # it has just ended, or there is no such file
            # the line is `pid (name) state parent ...`: these are utime, stime, cutime and cstime
            ticks += sum(map(int, _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[11:15]))
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with suppress(OSError, IndexError, ValueError):
                    waited += int(_read(f"{thread}/schedstat").split()[1])
    return Schedule(ticks / _TICKS, waited / 1e9)


def _read(path: str) -> bytes:
    """Read a file of /proc, in half the time that `Path.read_bytes` takes."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


class Memory(NamedTuple):
    """Memory of a process in bytes, and its threads."""

    data: int
    """Private writable memory, used or not, which RLIMIT_DATA counts."""
    held: int
    """Memory in use and not backed by a file, including shared and swapped memory and page tables."""
    tables: int
    """The page tables alone: a process that reads places far apart can fill gigabytes with them."""
    threads: int


def memory(pid: int | str = "self") -> Memory | None:
    """Read the memory of a process. Return None if it is gone, or on systems without /proc (Linux has it)."""
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return None
    data, *held = (int(found[1]) << 10 if (found := size.search(status)) else 0 for size in _SIZES)
    threads = _THREADS.search(status)
    return Memory(data, sum(held), held[-1], int(threads[1]) if threads else 1)


def share_of_memory(pid: int) -> int:
    """Return the bytes that a process holds, including its share of common memory, or all of it if the share is
    unknown."""
    held = memory(pid)
    if held is None:
        return 0
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
    except OSError:
        return held.held
    return held.tables + sum(int(found[1]) << 10 for size in _SHARES if (found := size.search(text)))


def no_more_processes(code: int | None) -> HostingError:
    """Return the error for a system that starts no further process; `code` is its error number."""
    why = os.strerror(code or 0)
    return HostingError(f"no further process can be started ({why}): end others or raise `ulimit -u`, and run again")


def group(pid: int) -> int:
    """Return the process group of a process; 0 if there is no such process."""
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def kill_group(pid: int) -> None:
    """Kill a process and the group that it leads; the process alone if it does not lead one yet.

    The kernel kills a group in one step: no process of it can escape by forking.
    """
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)


def reap() -> Iterator[tuple[int, int, float]]:
    """Reap every child that has ended, and kill what is left of the group it led.

    Yields the process id, the exit code or minus the number of the signal, and the processor time.
    """
    with suppress(ChildProcessError):
        while True:
            child = -1
            if hasattr(os, "waitid"):  # macOS has it from Python 3.13 on
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None:
                    return
                child = ended.si_pid
                with suppress(OSError):
                    os.killpg(child, signal.SIGKILL)  # until it is reaped, no other process gets its number
            pid, status, usage = os.wait4(child, os.WNOHANG)
            if not pid:
                return
            yield pid, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def how_it_died(status: int) -> str:
    """Return the end of a process in words; `status` is the exit code, or minus the number of the signal."""
    return f"{'ended its process with' if status >= 0 else 'lost its process to'} {cause_of_death(status)}"


def cause_of_death(status: int) -> str:
    """Return the exit code or the signal that ended a process, as in `exit code 3` or `SIGKILL`."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
