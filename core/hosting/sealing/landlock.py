"""Landlock: restrict the files, connections and processes that this process can reach.

A ruleset names kinds of access that are *handled*: they are refused, except where a rule allows them. A process that
has restricted itself is in a *domain*. It can enter further domains but never leave one, and processes that it starts
inherit its domains. A process in a domain may not trace a process outside it or read its memory, not even as root.
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
"""Prefix of a folder in which names may be listed at every level. It makes no file readable."""

SCOPES = 6
"""The first version of Landlock that keeps signals and abstract sockets within the domain (Linux 6.12)."""

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
    """Return the kernel's version of Landlock; 0 if it has no Landlock or was started without it."""
    try:
        return system_call(_CREATE_RULESET, 0, 0, _VERSION)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            return 0
        raise


def keep_apart(protected: str = "") -> bool:
    """Enter a domain that forbids writing in /proc and /sys, but does not restrict other files or connections.

    Files there can change the priority of other processes, or freeze and kill whole groups of them. The folder
    `protected`, which has compiled code that other processes load, cannot be changed either. No entries can be created
    or removed in the folders above it.

    Return whether the domain also has scopes. Then processes outside get no signals from here, and no connections to
    sockets with abstract names. In either case they cannot be traced.
    """
    scopes = _ABSTRACT_SOCKETS | _SIGNALS if version() >= SCOPES else 0
    refer = _REFER if version() > 1 else 0  # unless allowed, no file can be renamed into another folder
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
    """Yield the paths that make up `folder` without `left_out`: Landlock rules allow no exceptions."""
    for path in map(str, Path(folder).iterdir()):
        if any(each.startswith(f"{path}/") for each in left_out):
            yield from _all_but(left_out, path)
        elif path not in left_out:
            yield path


def restrict(readable: Iterable[str], executable: Iterable[str] = (), exact: Iterable[str] = ()) -> None:
    """Enter a domain in which only these files can be read, these programs executed, and /dev/null be used.

    A folder includes everything in it; with the prefix `NAMES`, only the names. `exact` lists real paths of files to
    read; a path that has become a link to another file is ignored. Paths that do not exist, or that this user cannot
    reach, are ignored too. `version()` must be at least `SCOPES`.
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
    """Create a ruleset and return its file descriptor."""
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
        # Without _NO_LOG, refusals may be written to the audit log, and an agent could fill the disk with them.
        system_call(_RESTRICT_SELF, ruleset, _NO_LOG if version() >= 7 else 0)
    finally:
        os.close(ruleset)
