"""Files that somebody named: only regular ones of a bounded size are read, and nothing keeps us waiting."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from sweepstakes.errors import SweepstakesError, located


def read_file(path: Path, most: int, kind: type[SweepstakesError]) -> bytes:
    """The bytes of a regular file; an error of that kind says what is there instead. A pipe or device is not read."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
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
    """Write a file, and the folders above it if they are missing; an error of that kind says why it cannot be.

    A pipe is written if somebody reads it.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        make_folder(path.parent)
        handle = os.open(path, flags, 0o666)  # at once: to open a pipe without a reader would wait for one
        with os.fdopen(handle, "wb") as file:
            os.set_blocking(handle, True)
            file.write(data)
    except FileExistsError:
        raise kind(f"{located(path)}: cannot be written: {located(path.parent)} is not a folder") from None
    except OSError as error:
        raise kind(f"{located(path)}: cannot be written: {error.strerror}") from None


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it is there; `OSError` if that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except RecursionError:  # one folder below the other, a thousand times
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path)) from None


def exists(path: Path) -> bool:
    """Whether something is there; False too where nothing can be, as under a name that is too long."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether a regular file is there; False too where none can be."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether a folder is there; False too where none can be."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
