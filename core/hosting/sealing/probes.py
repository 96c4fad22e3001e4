"""What a sealed process attempts for `sweepstakes check --sealed`, which shows what this machine enforces."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sweepstakes.hosting import sealing
from sweepstakes.hosting.sealing import landlock, seccomp

_REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)
"""The errors by which the kernel refuses something to a sealed process."""
_SECONDS = 60
"""Seconds after which a probe is killed."""
_READ_MEMORY = 310
"""The number of the system call process_vm_readv."""


class Place(NamedTuple):
    """The targets of probes."""

    own: Path
    """A file that the sealed process may read."""
    other: Path
    """A file next to it that does not belong to the agent."""
    parent: int
    """A process of the same user outside the sealed one."""
    port: int
    """The TCP port on which the parent listens. UDP is sent to the same number."""


class Outcome(NamedTuple):
    """The outcome of a probe."""

    name: str
    must_work: bool
    worked: bool
    why: str = ""
    """The error, if it did not work."""


def _shared_memory(place: Place) -> None:
    path = Path(f"/dev/shm/sweepstakes-{os.getpid()}")
    path.write_text("new")
    path.unlink()


def _udp(place: Place) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"board", ("127.0.0.1", place.port))


def _fork(place: Place) -> None:
    child = os.fork()
    if not child:
        os._exit(0)
    os.waitpid(child, 0)


def _read_memory(place: Place) -> None:
    """Read a byte of the parent process, which forked this one and so has the same addresses."""
    byte = ctypes.create_string_buffer(1)
    near, far = (
        ctypes.create_string_buffer(struct.pack("=QQ", at, 1), 16) for at in (ctypes.addressof(byte), id(type))
    )
    libc = ctypes.CDLL(None, use_errno=True)
    numbers = (_READ_MEMORY, place.parent, ctypes.addressof(near), 1, ctypes.addressof(far), 1, 0)
    if libc.syscall(*map(ctypes.c_long, numbers)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _compute_in_threads(place: Place) -> None:
    import numpy as np

    sums: list[float] = []
    threads = [threading.Thread(target=lambda: sums.append(float((np.eye(300) @ np.eye(300)).sum()))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if sums != [300.0] * 4:
        raise ArithmeticError(f"expected four times 300, not {sums}")


REFUSED: dict[str, Callable[[Place], object]] = {
    "read a file that is not its own": lambda place: place.other.read_text(),
    "write a file": lambda place: place.other.with_name("new").write_text("new"),
    "write to /dev/shm": _shared_memory,
    "connect by TCP": lambda place: socket.create_connection(("127.0.0.1", place.port), timeout=10).close(),
    "send by UDP": _udp,
    "start a process": _fork,
    "start a program": lambda place: subprocess.run(["/bin/true"], check=True),
    "send a signal to another process": lambda place: os.kill(place.parent, 0),
    "read the memory of another process": _read_memory,
    "change its priority": lambda place: os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + 1),
}
"""Actions that a sealed process must not be able to perform."""
ALLOWED: dict[str, Callable[[Place], object]] = {
    "read its own file": lambda place: place.own.read_text(),
    "compute in threads": _compute_in_threads,
}
"""Actions that a sealed process must be able to perform."""


def offered() -> list[tuple[str, str]]:
    """Return what this machine offers for sealing: a name, and what is available or missing."""
    version = landlock.version() if sys.platform.startswith("linux") else 0
    scopes = "" if version >= landlock.SCOPES else f", signals are kept in from version {landlock.SCOPES} on"
    return [
        ("Landlock", f"version {version}{scopes}" if version else "missing"),
        ("seccomp", seccomp.lacking() or "there"),
        ("sealed", "; ".join(sealing.missing()) or "possible"),
    ]


def try_all() -> Iterator[Outcome]:
    """Run each probe in its own sealed process, on a machine that can seal."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _main; _main()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for name in (*REFUSED, *ALLOWED):
            said = json.loads(process.stdout.readline() or b'{"error": "its process ended without a word"}')
            worked = "error" not in said if name in ALLOWED else said.get("code") not in _REFUSALS
            yield Outcome(name, name in ALLOWED, worked, said.get("error", ""))


def _main() -> None:
    """Import what a host imports, fork a process for each probe, and print the outcomes."""
    import numpy  # noqa: F401

    sealing.prepare()
    with (
        tempfile.TemporaryDirectory(prefix="sweepstakes-") as folder,
        socket.create_server(("127.0.0.1", 0)) as tcp,
    ):
        place = Place(Path(folder, "own.py"), Path(folder, "other.py"), os.getpid(), tcp.getsockname()[1])
        for path in (place.own, place.other):
            path.write_text("text")
        for probe in (*REFUSED.values(), *ALLOWED.values()):
            ours, theirs = os.pipe()
            child = os.fork()
            if not child:
                tcp.close()
                _try(probe, place, theirs)
            os.close(theirs)
            with os.fdopen(ours) as answer:
                print(answer.readline().strip() or '{"error": "it ended without a word"}', flush=True)
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _try(probe: Callable[[Place], object], place: Place, answer: int) -> None:
    """Seal this forked process, run the probe, write the outcome, and exit."""
    signal.alarm(_SECONDS)
    said: dict[str, object] = {}
    try:
        sealing.seal([*sealing.python_paths(), str(place.own), f"{sealing.NAMES}{place.own.parent}"])
        probe(place)
    except BaseException as error:  # noqa: BLE001 - the caller judges every kind of error
        said = {"error": f"{type(error).__name__}: {error}", "code": getattr(error, "errno", None)}
    os.write(answer, json.dumps(said).encode() + b"\n")
    os._exit(0)
