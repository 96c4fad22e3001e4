"""Landlock: what files, connections and processes this process may reach from now on.

A ruleset names kinds of access that are *handled*: those are refused, except where a rule allows them. A process that
has restricted itself is in a *domain*. It can enter further ones and never leave any, and what it starts is in the
same. A process in a domain may not trace, or look into the memory of, one outside it; this holds for root too.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from sweepstakes.hosting.sealing.system_calls import system_call

NAMES = "names:"
"""Before a folder: the names in it and below it may be listed, and no file there is readable because of that."""

SCOPES = 6
"""The version of Landlock, that of Linux 6.12, which keeps signals and abstract sockets within the domain."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_AND_REMOVE = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_ALL_OF_FILES_AND_FOLDERS = (1 << 16) - 1
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1
_NO_LOG = 1 << 0


@functools.cache
def version() -> int:
    """The version of Landlock that this kernel has; 0 if it has none, or was started without it."""
    try:
        return system_call(_CREATE_RULESET, 0, 0, _VERSION)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            return 0
        raise


def keep_apart(protected: str = "") -> bool:
    """Enter a domain in which files and connections are as they were, but for /proc and /sys, where nothing is written.

    Files there change the priority of other processes, or freeze and kill whole groups of them. Nothing can be changed
    in the folder `protected` either, if there is one: it has compiled code that other processes load. In the folders
    above it no entries can be made or removed.

    Return whether signals are scoped too: what is outside gets none from here, nor connections to sockets with abstract
    names. In any case it can not be traced.
    """
    scopes = _ABSTRACT_SOCKETS | _SIGNALS if version() >= SCOPES else 0
    refer = _REFER if version() > 1 else 0  # without it no file could be renamed into another folder
    changes = _WRITE_FILE
    if protected:
        changes |= _MAKE_AND_REMOVE | (_TRUNCATE if version() > 2 else 0)
    ruleset = _ruleset(changes | refer, 0, scopes)
    _allow(ruleset, "/", refer)
    for path in ("/proc/self", *_all_but({"/proc", "/sys", protected})):
        _allow(ruleset, path, changes)
    _enter(ruleset)
    return bool(scopes)


def _all_but(left_out: Collection[str], folder: str = "/") -> Iterator[str]:
    """The paths that make up a folder without some that are somewhere in it: a rule has no exceptions."""
    for path in map(str, Path(folder).iterdir()):
        if any(each.startswith(f"{path}/") for each in left_out):
            yield from _all_but(left_out, path)
        elif path not in left_out:
            yield path


def restrict(readable: Iterable[str], executable: Iterable[str] = (), exact: Iterable[str] = ()) -> None:
    """Enter a domain in which nothing can be reached but this: files for reading, programs, and /dev/null.

    `exact` are real paths of files for reading: one that leads elsewhere by now, over a link, is left out.

    A folder stands for all that is in it; with `NAMES` before it, only for the names. A path that does not exist, or
    that this user cannot reach, is left out. `version()` must be at least `SCOPES`.
    """
    ruleset = _ruleset(_ALL_OF_FILES_AND_FOLDERS, _BIND_TCP | _CONNECT_TCP, _ABSTRACT_SOCKETS | _SIGNALS)
    for path in readable:
        if path.startswith(NAMES):
            _allow(ruleset, path.removeprefix(NAMES), _READ_DIR)
        else:
            _allow(ruleset, path, _READ_FILE | _READ_DIR)
    for path in exact:
        _allow(ruleset, path, _READ_FILE, exact=True)
    for path in executable:
        _allow(ruleset, path, _EXECUTE | _READ_FILE)
    _allow(ruleset, os.devnull, _READ_FILE | _WRITE_FILE | _TRUNCATE)
    _enter(ruleset)


class _Handled(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("connections", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


def _ruleset(files: int, connections: int, scopes: int) -> int:
    """A new ruleset, as a file descriptor."""
    handled = _Handled(files, connections, scopes)
    size = ctypes.sizeof(handled) if connections or scopes else 8  # the first version has one field
    return system_call(_CREATE_RULESET, ctypes.addressof(handled), size, 0)


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("file", ctypes.c_int32))


def _allow(ruleset: int, path: str, rights: int, *, exact: bool = False) -> None:
    try:
        file = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if exact and str(Path(f"/proc/self/fd/{file}").readlink()) != path:
            return
        if not stat.S_ISDIR(os.fstat(file).st_mode):
            rights &= _OF_FILES
        if rights:
            rule = _Rule(rights, file)
            system_call(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.addressof(rule))
    finally:
        os.close(file)


def _enter(ruleset: int) -> None:
    try:
        # What is refused would be written to the audit log, where a log is kept: an agent could fill the disk.
        system_call(_RESTRICT_SELF, ruleset, _NO_LOG if version() >= 7 else 0)
    finally:
        os.close(ruleset)
