"""The calls of the operating system that hosts and workers need; one that a system does not have does nothing there."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import re
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import HostingError, RunError

LINUX = sys.platform.startswith("linux")
_SET_PARENT_DEATH_SIGNAL, _GET_DUMPABLE, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 3, 4, 36
MB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")
_MAX_TREE = 512
"""Processes whose schedules are read, at most."""
_HIGH_NUMBER = 200
_HIGH_FILES = 8
"""Files of one process that have high numbers at the same time, at most."""
FORK_SECONDS, FORK_PAUSE = 60.0, 0.1
"""Seconds in which a process is started that the system refuses at first, and between two attempts: others may hold
all processes that a user may have, and end."""
_SIZES = [re.compile(rb"\n%b:\s*(\d+) kB" % key) for key in (b"VmData", b"RssAnon", b"RssShmem", b"VmSwap", b"VmPTE")]
_SHARES = [re.compile(rb"\n%b:\s*(\d+) kB" % key) for key in (b"Pss_Anon", b"Pss_Shmem", b"SwapPss")]
_THREADS = re.compile(rb"\nThreads:\s*(\d+)")


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent dies, even in the middle of a loop in C (Linux)."""
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the parent died before the call
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every descendant that loses its own, however it was detached (Linux)."""
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def hide_memory() -> None:
    """Have the kernel refuse other processes of the same user to read or trace this one (Linux)."""
    if LINUX:
        ctypes.CDLL(None, use_errno=True).prctl(_SET_DUMPABLE, 0, 0, 0, 0)


@contextmanager
def hidden_memory() -> Iterator[None]:
    """Hide the memory of this process, as `hide_memory` does, for as long as the block lasts."""
    libc = ctypes.CDLL(None, use_errno=True) if LINUX else None
    before = libc.prctl(_GET_DUMPABLE, 0, 0, 0, 0) if libc is not None else 1
    hide_memory()
    try:
        yield
    finally:
        if libc is not None and before == 1:
            libc.prctl(_SET_DUMPABLE, 1, 0, 0, 0)


def copy_to_high_number(file: int) -> int:
    """A copy of the file descriptor with a number far above those that an agent's own files get."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    high = _HIGH_NUMBER if most == resource.RLIM_INFINITY else min(_HIGH_NUMBER, most - _HIGH_FILES)
    return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, high)


def check_files(workers: int) -> None:
    """`RunError` if this process may not have as many files open as playing with so many workers takes."""
    needed = 64 + 4 * workers
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed != resource.RLIM_INFINITY and allowed < needed:
        user_can_raise = most == resource.RLIM_INFINITY or most >= needed
        what = f"raise the limit (`ulimit -n {needed}`)" if user_can_raise else "have the limit raised"
        what += ", or take fewer workers" if workers > 1 else ""
        raise RunError(f"{allowed} files may be open at once here (`ulimit -n`), playing takes {needed}: {what}")


def check_room(memory_mb: int | None) -> None:
    """`RunError` if a limit of the system, which batch systems set, leaves an agent less memory than it may hold.

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


def cpu_clock(pid: int) -> int:
    """The number of the clock that counts the processor time of a process, for `time.clock_gettime` (Linux)."""
    return (~pid << 3) | 2


def children(pid: int) -> list[int]:
    """The processes whose parent is `pid`, zombies too (Linux; elsewhere none are found).

    One that ends meanwhile may hide another from this call, and not from the next.
    """
    if not _lists_children():
        return [child for child, parent in _parents() if parent == pid]
    found: list[int] = []
    with suppress(OSError):  # the process has ended
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_bytes().split())
    return found


@functools.cache
def _lists_children() -> bool:
    """Whether the kernel lists the children of each thread; or there is no /proc, and none are found."""
    return not LINUX or Path(f"/proc/self/task/{os.getpid()}/children").exists()


def _parents() -> Iterator[tuple[int, int]]:
    """Every process, zombies too, with its parent."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, IndexError, ValueError):
                # the line is `pid (name) state parent ...`, and the name may contain anything, brackets too
                line = (entry / "stat").read_bytes()
                yield int(entry.name), int(line.rpartition(b")")[2].split()[1])


def process_tree(root: int, most: int) -> list[int]:
    """The process with its descendants, so many at most (Linux; elsewhere it alone)."""
    tree = [root]
    for each in tree:  # grows meanwhile
        tree += children(each)
        if len(tree) >= most:
            break
    return tree[:most]


class Schedule(NamedTuple):
    """What a process with its descendants has had of the cores since it began, in seconds."""

    computed: float = 0.0
    """Processor time of all of them, also of threads and children that have ended."""
    waited: float = 0.0
    """Time in which their threads were ready to compute and waited for a core, added up over the living threads."""


def schedule(root: int) -> Schedule:
    """What a process with its descendants has had of the cores; zeros where the system does not say (Linux does)."""
    ticks = waited = 0
    tree = [root]
    for pid in tree:  # grows meanwhile
        with suppress(OSError, ValueError):  # it has just ended, or there is no such file
            # the line is `pid (name) state parent ...`: these are utime, stime, cutime and cstime
            ticks += sum(map(int, _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[11:15]))
            for thread in Path(f"/proc/{pid}/task").iterdir():
                with suppress(OSError, IndexError, ValueError):
                    waited += int(_read(f"{thread}/schedstat").split()[1])
        if len(tree) < _MAX_TREE:
            tree += children(pid)
    return Schedule(ticks / _TICKS, waited / 1e9)


def _read(path: str) -> bytes:
    """A file of /proc, in half the time that `Path.read_bytes` takes."""
    file = os.open(path, os.O_RDONLY)
    try:
        return os.read(file, 4096)
    finally:
        os.close(file)


class Memory(NamedTuple):
    """Memory of a process in bytes, and its threads."""

    data: int
    """Private and writable, touched or not: what RLIMIT_DATA counts."""
    held: int
    """In use and not backed by a file: shared memory, what is swapped out, and the tables of its pages count."""
    tables: int
    """The tables alone: a process that reads places far apart fills gigabytes with them, and holds nothing else."""
    threads: int


def memory(pid: int | str = "self") -> Memory | None:
    """The memory of a process; None if it is gone, or where the system has no /proc (Linux has)."""
    try:
        status = Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return None
    data, *held = (int(found[1]) << 10 if (found := size.search(status)) else 0 for size in _SIZES)
    threads = _THREADS.search(status)
    return Memory(data, sum(held), held[-1], int(threads[1]) if threads else 1)


def share_of_memory(pid: int) -> int:
    """The bytes that a process holds, of what it has in common with others its share; all of it if that is unknown."""
    held = memory(pid)
    if held is None:
        return 0
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_bytes()
    except OSError:
        return held.held
    return held.tables + sum(int(found[1]) << 10 for size in _SHARES if (found := size.search(text)))


def no_more_processes(code: int | None) -> HostingError:
    """The error when the system starts no further process; `code` is the number of its own error."""
    why = os.strerror(code or 0)
    return HostingError(f"no further process can be started ({why}): end others or raise `ulimit -u`, and run again")


def group(pid: int) -> int:
    """The process group of a process; 0 if there is no such process."""
    try:
        return os.getpgid(pid)
    except OSError:
        return 0


def kill_group(pid: int) -> None:
    """Kill a process and the group that it leads; the process alone if it does not lead one yet.

    The kernel kills a group in one step: none of its processes can get out by forking.
    """
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)


def reap(child: int | None = None) -> Iterator[tuple[int, int, float]]:
    """Reap this child if it has ended, or every child that has, and kill what is left of the group it led.

    Yields the process id, the exit code or minus the number of the signal, and the processor time.
    """
    while True:
        try:
            if hasattr(os, "waitid"):  # macOS has it from Python 3.13 on
                which = os.P_ALL if child is None else os.P_PID
                ended = os.waitid(which, child or 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                if ended is None:
                    return
                with suppress(OSError):
                    os.killpg(ended.si_pid, signal.SIGKILL)  # until it is reaped, nobody else has its number
                pid, status, usage = os.wait4(ended.si_pid, 0)
            else:
                pid, status, usage = os.wait4(-1 if child is None else child, os.WNOHANG)
                if not pid:
                    return
                with suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
        except ChildProcessError:
            return
        yield pid, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        if child is not None:
            return


def how_it_died(status: int) -> str:
    """The end of a process in words, from its exit code, or from minus the number of the signal that killed it."""
    return f"{'ended its process with' if status >= 0 else 'lost its process to'} {cause_of_death(status)}"


def cause_of_death(status: int) -> str:
    """The exit code or the signal that ended a process, as in `exit code 3` or `SIGKILL`."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return signal.Signals(-status).name
    except ValueError:
        return f"signal {-status}"
