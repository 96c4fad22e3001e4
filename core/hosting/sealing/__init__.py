"""A host process shuts itself off, before the first line of an agent's code is run in it.

`contain` is for the isolation `process` and works as far as the system allows. `seal` is for `sealed`: all of it, or a
`SealingError`. Neither can be undone, and both go on through fork, exec and new threads.

What a sealed process is refused, and by what:

| attempt | refused by |
|---|---|
| reading files but its own, the interpreter's and installed packages | Landlock |
| writing, creating, removing, renaming files | Landlock; file size limit 0 |
| changing modes, owners, times and attributes of files | seccomp |
| TCP | Landlock, seccomp |
| UDP, Multipath TCP, sockets of every kind | seccomp |
| fork, vfork, new namespaces | seccomp |
| exec, but of the agent's own program | seccomp, Landlock |
| signals to other processes | Landlock |
| tracing other processes, reading their memory | Landlock, seccomp |
| priorities, processors and limits of any process | seccomp |
| memory that counts as nobody's | seccomp |
| rights of root | no capabilities, seccomp |

That a file exists, with its size and times, is no secret from a sealed process: Landlock does not judge `stat`.
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
"""How many files a sealed process may have open: pipes and pairs of sockets hold memory that counts as nobody's."""

THREADS = 512
"""How many threads a sealed process may have, where the system can count them."""

_OF_FILES_AND_USERS = (*range(9), 10, 31)
"""The capabilities that root keeps where it is contained, from CAP_CHOWN to CAP_SETPCAP, CAP_NET_BIND_SERVICE and
CAP_SETFCAP. With others it can read what Landlock keeps from it (CAP_PERFMON: the environment of any process), or raise
its limits (CAP_SYS_RESOURCE)."""


class SealingError(SweepstakesError):
    """A process that cannot be sealed: the message says what the machine lacks or what failed."""


def missing() -> list[str]:
    """What this machine lacks for `seal`, one sentence each; an empty list if a process can be sealed here."""
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
    """Do once, in the process that hosts are forked from, what `contain` and `seal` would do in each of them.

    Call it when the kernels are compiled: `python_paths` names what is in numba's cache by then.
    """
    if not sys.platform.startswith("linux"):
        return
    system_calls.prepare()
    missing()
    seccomp.prepare()
    python_paths()


def contain() -> list[str]:
    """Keep this process from reaching into others, as far as the system allows; return what was done.

    These are `no_new_privs`; `capabilities`: root keeps those that concern files and users; `landlock`: no process
    outside can be traced, its memory read, or its priority changed by files in /proc and /sys, which cannot be written,
    as compiled code that other processes load cannot;
    `scopes`: none gets a signal; and `seccomp`: no memory that counts as nobody's, no other process is limited or
    reniced, and none leaves the process group. Other files, connections, fork and exec are as they were. What the
    process starts is contained too.

    Call it while the process has one thread: Landlock covers only the thread that calls.
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
    tempfile.tempdir = None  # it may be a folder in which this process can make no files any more
    return done


def _compiled_code() -> str:
    """The folder of compiled code that other commands load, also if this one keeps its own elsewhere."""
    if folder := protected_folder():
        return folder
    usual = Path(PLACE, f"sweepstakes-{os.geteuid()}")
    with suppress(OSError):  # an agent that made it could put its own code into it
        usual.mkdir(0o700)
    return str(usual) if usual.is_dir() and usual.resolve() == usual else ""


def seal(readable: Iterable[str], *, program: Sequence[str] | None = None, exact: Iterable[str] = ()) -> None:
    """Leave this process nothing but to read these files, compute, and use what it has open.

    `readable` are files, and folders with all that is in them, `python_paths()` among them for a Python agent. A folder
    with `NAMES` before it can be listed, and nothing in it read: Python finds a module only in a folder that it can
    list. What does not exist is left out. `exact` are real paths of an agent's own files, of which one that a link
    leads elsewhere by now is left out. With `program`, the words of a command, the process may become that program,
    which may read what `program_paths` says.

    Root reads no more than an owner may, and has another real user then, whose threads are counted.

    The process must have one thread, since Landlock covers only the thread that calls; later threads are sealed. What
    it has open stays open: close what it shall not have. What it writes must go to pipes, since files take nothing
    more. Limits on memory and time are the caller's; hard limits stay, a sealed process cannot raise them. Where
    anything fails a `SealingError` says so, and the process must not go on: it may be half sealed.
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
