"""Locks by which processes share the work of compiling: while one compiles a kernel, the others wait and load it.

A lock is a file next to those of the kernel's cache. The kernel releases it when its holder dies.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic, sleep

MAX_WAIT = 120.0
"""Seconds after which a kernel is compiled here although another process seems to do so."""
_POLL = 0.02

_held: dict[str, int] = {}
_yielding = [False]


class CompiledElsewhereError(Exception):
    """Another process is compiling a kernel that is needed here, and this one has something else to do."""


class Turns:
    """Whether something was left to another process."""

    left = False


_turns = Turns()


@contextmanager
def yielding() -> Iterator[Turns]:
    """In this block, raise `CompiledElsewhereError` instead of waiting for another process."""
    _turns.left, _yielding[0] = False, True
    try:
        yield _turns
    finally:
        _yielding[0] = False


def lock(path: str, *, nested: bool) -> None:
    """Take the lock of a kernel that is about to be compiled. Another process may have compiled it meanwhile.

    A kernel inside another one is always waited for. No two kernels call each other, so no two processes can wait for
    each other.
    """
    if path in _held:
        return
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:  # the cache cannot be written, so nobody could load what another compiles
        return
    begun = monotonic()
    while not _try(file):
        if _yielding[0] and not nested:
            os.close(file)
            _turns.left = True
            raise CompiledElsewhereError
        if monotonic() - begun > MAX_WAIT:
            os.close(file)
            return
        sleep(_POLL)
    _held[path] = file


def release(path: str) -> None:
    """Give a lock back, if this process holds it."""
    if (file := _held.pop(path, None)) is not None:
        with suppress(OSError):
            os.close(file)


def release_all() -> None:
    """Give all locks back, because compiling has failed."""
    for path in list(_held):
        release(path)


def _try(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
