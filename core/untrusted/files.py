"""Files that a user named: only regular files of a bounded size are read, and no pipe or device can block."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from sweepstakes.errors import SweepstakesError, located
from sweepstakes.untrusted.text import clean


def open_at_once(path: str, flags: int) -> int:
    """Return an opener for `open` that does not wait for the writer of a pipe. `open` closes the descriptor of a
    folder."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))


@contextmanager
def opened(path: Path, kind: type[SweepstakesError], inside: Path | None = None) -> Iterator[BufferedReader]:
    """Open a regular file for reading. Raise an error of class `kind` if it does not exist.

    If `inside` is set, the real path of the file must be inside that real folder. This is checked after opening, so
    that it does not help to replace a link in the meantime.
    """
    try:
        with open(path, "rb", opener=open_at_once) as file:
            status = os.fstat(file.fileno())
            if inside is not None:
                real = os.path.realpath(path)
                if not is_inside(real, inside) or not os.path.samestat(os.lstat(real), status):
                    raise kind(leaves_folder(path, inside))
            if not stat.S_ISREG(status.st_mode):
                raise kind("cannot be read: it is not a regular file", path)
            yield file
    except OSError as error:
        raise kind(f"cannot be read: {error.strerror}", path) from None
    except ValueError:
        raise kind("cannot be read: not a valid file name", path) from None


def read_file(path: Path, most: int, kind: type[SweepstakesError], inside: Path | None = None) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes, opened as by `opened`."""
    with opened(path, kind, inside) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise kind(f"cannot be read: it has more than {most:,} bytes", path)
    return data


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Return whether the real path is inside the real folder. Links in both are followed."""
    real, home = os.path.realpath(path), os.path.realpath(folder)
    return real != home and os.path.commonpath([real, home]) == home


def leaves_folder(path: Path, folder: Path) -> str:
    """Return the message about a path that really is outside the folder. It names the link."""
    link = first_link(path, folder) or path
    try:
        target = f" to {clean(str(link.readlink()), 60)}"
    except OSError:
        target = ""
    return f"{located(link)} is a link{target}, out of the agent's folder: expected a copy of the file"


def first_link(path: Path, folder: Path) -> Path | None:
    """Return the first part of the path below the folder that is a symbolic link."""
    path, folder = collapsed(path), collapsed(folder)
    below = [each for each in reversed([path, *path.parents]) if folder in each.parents]
    return next((each for each in below or [path] if each.is_symlink()), None)


def collapsed(path: Path) -> Path:
    """Return the absolute path without `..`, links not followed."""
    return Path(os.path.normpath(path.absolute()))


def write_file(path: Path, data: bytes, kind: type[SweepstakesError]) -> None:
    """Write a file and create missing folders above it. Raise an error of class `kind` if that is not possible.

    Writing to a pipe works if another process has opened it for reading.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        make_folder(path.parent)
        handle = os.open(path, flags, 0o666)  # O_NONBLOCK: opening a pipe would wait for a reader
        with os.fdopen(handle, "wb") as file:
            os.set_blocking(handle, True)
            file.write(data)
    except FileExistsError:
        raise kind(f"cannot be written: {located(path.parent)} is not a folder", path) from None
    except OSError as error:
        raise kind(f"cannot be written: {error.strerror}", path) from None


def make_folder(path: Path) -> None:
    """Make a folder, and missing folders above it, unless it exists. Raise `OSError` if that is not possible."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except RecursionError:  # a path of a thousand nested folders
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path)) from None


def exists(path: Path) -> bool:
    """Return whether the path exists. An invalid path, such as one that is too long, does not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Return whether the path is a regular file. An invalid path is not."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Return whether the path is a folder. An invalid path is not."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_url(text: str) -> bool:
    """Return whether a text is a URL rather than the name of a file."""
    return bool(re.match(r"\s*(https?://|\?[a-z]+=)", text, re.IGNORECASE))
