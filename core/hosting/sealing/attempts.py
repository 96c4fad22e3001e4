"""What a sealed process must not be able to do and what it must, tried for real by one that seals itself off.

`try_all` starts a process, which has a child to aim at, seals itself off and makes every attempt. No attempt does harm
where it succeeds: signals have the number 0, files are made in a folder that is removed.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_SECONDS = 60
_PTRACE, _PROCESS_VM_READV = 101, 310
_PTRACE_SEIZE = 0x4206


class Outcome(NamedTuple):
    """What came of an attempt."""

    name: str
    must_work: bool
    worked: bool
    why: str = ""
    """The error, if it did not work."""


class _Place(NamedTuple):
    folder: Path
    """With `own`, which may be read, and `other`."""
    parent: int


def _call(number: int, *arguments: object) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.syscall(ctypes.c_long(number), *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _read_memory(place: _Place) -> None:
    buffer = ctypes.create_string_buffer(8)
    near = (ctypes.c_uint64 * 2)(ctypes.addressof(buffer), 8)
    far = (ctypes.c_uint64 * 2)(id(type), 8)
    _call(_PROCESS_VM_READV, place.parent, near, ctypes.c_long(1), far, ctypes.c_long(1), ctypes.c_long(0))


def _fork(_: _Place) -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def _threads(_: _Place) -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _calculate(_: _Place) -> None:
    import numpy as np

    if np.arange(10).sum() != 45:
        raise OSError("the sum is wrong")


def _socket(family: int, kind: int, protocol: int = 0) -> Callable[[_Place], None]:
    return lambda _: socket.socket(family, kind, protocol).close()


REFUSED: dict[str, Callable[[_Place], object]] = {
    "read the file of another agent": lambda place: (place.folder / "other").read_bytes(),
    "read a file of the system": lambda _: Path("/etc/passwd").read_bytes(),
    "list a folder": lambda place: list(place.folder.iterdir()),
    "create a file": lambda place: (place.folder / "new").touch(),
    "create a file in /dev/shm": lambda place: Path(f"/dev/shm/sweepstakes-{place.parent}").touch(),
    "change its own file": lambda place: (place.folder / "own").open("r+").close(),
    "remove a file": lambda place: (place.folder / "unneeded").unlink(),
    "change the mode of a file": lambda place: (place.folder / "other").chmod(0o644),
    "use TCP": _socket(socket.AF_INET, socket.SOCK_STREAM),
    "use UDP": _socket(socket.AF_INET, socket.SOCK_DGRAM),
    "use Multipath TCP": _socket(socket.AF_INET, socket.SOCK_STREAM, 262),
    "use a local socket": _socket(socket.AF_UNIX, socket.SOCK_STREAM),
    "fork": _fork,
    "start a program": lambda _: subprocess.run(["/bin/true"], check=False),
    "send a signal to another process": lambda place: os.kill(place.parent, 0),
    "trace another process": lambda place: _call(_PTRACE, *map(ctypes.c_long, (_PTRACE_SEIZE, place.parent, 0, 0))),
    "read the memory of another process": _read_memory,
    "read it by way of /proc": lambda place: Path(f"/proc/{place.parent}/mem").open("rb").close(),
    "read the command of another process": lambda place: Path(f"/proc/{place.parent}/cmdline").read_bytes(),
    "renice itself": lambda _: os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0)),
    "choose processors": lambda _: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "make memory that counts as nobody's": lambda _: os.close(os.memfd_create("memory")),
    "share memory": lambda _: mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS).close(),
    "leave its session": lambda _: os.setsid(),
}
"""What a sealed process must be refused."""
WORKS: dict[str, Callable[[_Place], object]] = {
    "read its own file": lambda place: (place.folder / "own").read_bytes(),
    "start threads": _threads,
    "calculate with numpy": _calculate,
    "send a signal to itself": lambda _: os.kill(os.getpid(), 0),
}
"""What a sealed process must be able to do."""


def offered() -> list[tuple[str, str]]:
    """What this machine has for sealing: a name, and what is there, or what is missing."""
    from sweepstakes.hosting import sealing
    from sweepstakes.hosting.sealing import landlock, seccomp

    version = landlock.version() if sys.platform.startswith("linux") else 0
    scopes = "" if version >= landlock.SCOPES else f", signals are kept in from version {landlock.SCOPES} on"
    return [
        ("Landlock", f"version {version}{scopes}" if version else "missing"),
        ("seccomp", seccomp.lacking() or "there"),
        ("sealed", "; ".join(sealing.missing()) or "possible"),
    ]


def try_all(*, sealed: bool = True) -> Iterator[Outcome]:
    """Make every attempt in a process that is sealed; without `sealed` in one that is not, to compare."""
    with tempfile.TemporaryDirectory(prefix="sweepstakes-") as folder:
        for name in ("own", "other", "unneeded"):
            Path(folder, name).write_bytes(b"text")
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _main; _main({folder!r}, {sealed!r})"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        for path in Path("/dev/shm").glob("sweepstakes-*") if not sealed else ():
            path.unlink()
    lines = done.stdout.splitlines()
    if not lines:
        last = (done.stderr.splitlines() or ["it ended without a word"])[-1]
        yield Outcome("seal itself off", must_work=True, worked=False, why=last)
    for line in lines:
        yield Outcome(*json.loads(line))


def _main(folder: str, sealed: bool) -> None:
    """In the process that is started: its child seals itself off and writes the outcomes; it is what they aim at."""
    import numpy  # noqa: F401 - as in a host

    from sweepstakes.hosting import sealing

    parent = os.getpid()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    signal.alarm(_SECONDS)
    place = _Place(Path(folder), parent)
    if sealed:
        sealing.seal([*sealing.python_paths(), f"{folder}/own"])
    for attempts, must_work in ((REFUSED, False), (WORKS, True)):
        for name, attempt in attempts.items():
            try:
                attempt(place)
                outcome = Outcome(name, must_work, worked=True)
            except (OSError, ValueError) as error:
                outcome = Outcome(name, must_work, worked=False, why=str(error))
            os.write(1, json.dumps(outcome).encode() + b"\n")
    os._exit(0)
