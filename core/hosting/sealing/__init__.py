"""Restrict a host process before it runs the first line of an agent's code.

`contain` is for the isolation `process` and does as much as the system allows. `seal` is for `sealed`: it applies every
restriction or raises `SealingError`. Neither can be undone, and both persist through fork, exec and new threads.

What a sealed process may not do, and what refuses it:

| attempt | refused by |
|---|---|
| reading files other than its own, the interpreter's and installed packages | Landlock |
| writing, creating, removing, renaming files | Landlock; file size limit 0 |
| changing modes, owners, times and attributes of files | seccomp |
| TCP | Landlock, seccomp |
| UDP, Multipath TCP, sockets of every kind | seccomp |
| fork, vfork, new namespaces | seccomp |
| exec, except of the agent's own program | seccomp, Landlock |
| signals to other processes | Landlock |
| tracing other processes, reading their memory | Landlock, seccomp |
| priorities, processors and limits of any process | seccomp |
| memory that is charged to no process | seccomp |
| rights of root | no capabilities, seccomp |

A sealed process can see that a file exists, with its size and times, because Landlock does not restrict `stat`.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sweepstakes.compiling.protected_folder import PLACE, protected_folder
from sweepstakes.errors import SweepstakesError
from sweepstakes.hosting.sealing import landlock, seccomp, system_calls
from sweepstakes.hosting.sealing.landlock import NAMES
from sweepstakes.hosting.sealing.numba_cache import without_numba_cache
from sweepstakes.hosting.sealing.paths import program_paths, python_paths
from sweepstakes.hosting.sealing.system_calls import (
    drop_capabilities,
    forbid_new_privileges,
    limit_resource,
    limit_threads,
)

__all__ = [
    "NAMES",
    "SealingError",
    "contain",
    "limit_resource",
    "missing",
    "prepare",
    "program_paths",
    "python_paths",
    "seal",
    "without_numba_cache",
]

OPEN_FILES = 128
"""Maximum number of open files of a sealed process: pipes and socket pairs hold memory charged to no process."""

THREADS = 512
"""Maximum number of threads of a sealed process, where the system can count them."""

_OF_FILES_AND_USERS = (*range(9), 10, 31)
"""The capabilities that contained root keeps: CAP_CHOWN to CAP_SETPCAP, CAP_NET_BIND_SERVICE and CAP_SETFCAP. Others
would let it read what Landlock protects (CAP_PERFMON: the environment of any process) or raise its limits
(CAP_SYS_RESOURCE)."""


class SealingError(SweepstakesError):
    """The process cannot be sealed; the message says what the machine lacks or what failed."""


def missing() -> list[str]:
    """Return what this machine lacks for `seal`, one sentence each; an empty list if it lacks nothing."""
    lacks = seccomp.lacking()
    sentences = [lacks] if lacks else []
    if sys.platform.startswith("linux"):
        version = landlock.version()
        if not version:
            sentences.append("the kernel has no Landlock, or was started without it")
        elif version < landlock.SCOPES:
            sentences.append(
                f"the kernel's Landlock has version {version}; signals are kept in from version {landlock.SCOPES} on "
                "(Linux 6.12)"
            )
    return sentences


def prepare() -> None:
    """Do the common work of `contain` and `seal` once, in the process that hosts are forked from.

    Call it after the kernels are compiled, because `python_paths` includes what is in numba's cache at that time.
    """
    if not sys.platform.startswith("linux"):
        return
    system_calls.prepare()
    missing()
    seccomp.prepare()
    python_paths()


def contain() -> list[str]:
    """Keep this process from interfering with others, as far as the system allows. Return the restrictions applied.

    - `no_new_privs`: programs that it starts get no additional rights.
    - `capabilities`: root keeps only those that concern files and users.
    - `landlock`: processes outside cannot be traced and their memory cannot be read. Files in /proc and /sys, such as
      those that change priorities, cannot be written, nor can compiled code that other processes load.
    - `scopes`: processes outside get no signals.
    - `seccomp`: memory must be charged to a process, other processes cannot be limited or reniced, and no process
      leaves the process group.

    Other files, connections, fork and exec are not restricted. Processes that it starts are contained too. Call it
    while the process has one thread, because Landlock covers only the calling thread.
    """
    done: list[str] = []
    if not sys.platform.startswith("linux"):
        return done
    with suppress(OSError):
        forbid_new_privileges()
        done.append("no_new_privs")
    with suppress(OSError):
        drop_capabilities(_OF_FILES_AND_USERS)
        done.append("capabilities")
    with suppress(OSError):
        if landlock.version():
            done += ["landlock", "scopes"] if landlock.keep_apart(_compiled_code()) else ["landlock"]
    with suppress(OSError):
        if not seccomp.lacking():
            seccomp.refuse_to_reach_others()
            done.append("seccomp")
    tempfile.tempdir = None  # this process may no longer be able to create files in it
    return done


def _compiled_code() -> str:
    """Return the folder of compiled code that other commands load, even if this one uses another folder."""
    if folder := protected_folder():
        return folder
    usual = Path(PLACE, f"sweepstakes-{os.geteuid()}")
    with suppress(OSError):  # make it first: an agent that made it could put its own code into it
        usual.mkdir(0o700)
    return str(usual) if usual.is_dir() and usual.resolve() == usual else ""


def seal(readable: Iterable[str], *, program: Sequence[str] | None = None, exact: Iterable[str] = ()) -> None:
    """Allow this process only to read `readable`, compute, and use its open files.

    `readable` lists files, and folders with everything in them, including `python_paths()` for a Python agent. A folder
    that starts with `NAMES` can be listed but not read: Python finds a module only in a folder that it can list.
    `exact` lists real paths of an agent's own files; a path that has become a link to another file is ignored. Paths
    that do not exist are ignored too. With `program`, the words of a command, the process may become that program,
    which may read what `program_paths` returns.

    Root can then read only what a file's owner may read, and gets another real user whose threads are counted.

    The process must have one thread, since Landlock covers only the calling thread; threads started later are sealed.
    Open files stay open, so close those that the process must not have. It can write only to pipes, since files cannot
    grow. The caller sets limits on memory and time; a sealed process cannot raise hard limits. If anything fails,
    `SealingError` is raised. The process must then end, because it may be only partly sealed.
    """
    if lacks := missing():
        raise SealingError(f"cannot seal a process here: {'; '.join(lacks)}")
    more, executables = program_paths(program) if program is not None else ([], [])
    try:
        with os.scandir("/proc/self/task") as tasks:
            threads = len(list(tasks))
        if threads > 1:
            raise SealingError(f"cannot seal a process with {threads} threads: seal it before it starts any")
        limit_resource("CORE", 0)
        limit_resource("FSIZE", 0)
        limit_resource("NOFILE", OPEN_FILES)
        forbid_new_privileges()
        landlock.restrict([*readable, *more], executables, exact)
        limit_threads(THREADS, exec_follows=program is not None)
        drop_capabilities()
        seccomp.allow_only_play(execute=program is not None)
    except OSError as error:
        raise SealingError(f"cannot seal this process: {error.strerror or error}") from error
