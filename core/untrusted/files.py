"""Files that a user named: only regular files of a bounded size are read, and no pipe or device can block."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from sweepstakes.errors import SweepstakesError, located


def open_at_once(path: str, flags: int) -> int:
    """The opener of `open` that waits for no writer of a pipe; `open` closes what it opened if that is a folder."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


def read_file(path: Path, most: int, kind: type[SweepstakesError]) -> bytes:
    """The bytes of a regular file of at most `most` bytes; an error of class `kind` if there is no such file."""
    try:
        with open(path, "rb", opener=open_at_once) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise kind(f"{located(path)}: cannot be read: it is not a regular file")
            data = file.read(most + 1)
    except OSError as error:
        raise kind(f"{located(path)}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise kind(f"{located(path)}: cannot be read: no file has such a name") from None
    if len(data) > most:
        raise kind(f"{located(path)}: cannot be read: it has more than {most:,} bytes")
    return data


def write_file(path: Path, data: bytes, kind: type[SweepstakesError]) -> None:
    """Write a file, and make missing folders above it; an error of class `kind` says why that is not possible.

    A pipe can be written to if another process has opened it for reading.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        make_folder(path.parent)
        handle = os.open(path, flags, 0o666)  # O_NONBLOCK: opening a pipe would wait for a reader
        with os.fdopen(handle, "wb") as file:
            os.set_blocking(handle, True)
            file.write(data)
    except FileExistsError:
        raise kind(f"{located(path)}: cannot be written: {located(path.parent)} is not a folder") from None
    except OSError as error:
        raise kind(f"{located(path)}: cannot be written: {error.strerror}") from None


def make_folder(path: Path) -> None:
    """Make a folder, and missing folders above it, unless it exists; `OSError` if that is not possible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except RecursionError:  # a path of a thousand nested folders
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path)) from None


def exists(path: Path) -> bool:
    """Whether the path exists; False also for an invalid path, such as one that is too long."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether the path is a regular file; False also for an invalid path."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether the path is a folder; False also for an invalid path."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
