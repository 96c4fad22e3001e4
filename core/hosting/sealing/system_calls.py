"""System calls that Python has no function for, by ctypes."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4

_CAPABILITY_VERSION_3 = 0x20080522
_MAX_CAPABILITIES = 64
_Header = ctypes.c_uint32 * 2
_Sets = ctypes.c_uint32 * 6

_UNSHARE, _USER_NAMESPACE = 272, 0x10000000
_FIRST_OF_NOBODY = 0x70000000
"""Numbers of users from here on are nobody's."""


@functools.cache
def _function(name: str, arguments: int) -> Any:
    """A function of the C library that takes and gives whole numbers."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.argtypes = [ctypes.c_long] * arguments
    function.restype = ctypes.c_long
    return function


def prepare() -> None:
    """Import and look up what is needed here, which takes longer than to call it."""
    importlib.import_module("resource")
    for name, arguments in (("syscall", 7), ("prctl", 5), ("capget", 2), ("capset", 2)):
        _function(name, arguments)


def _called(name: str, *arguments: int) -> int:
    answer: int = _function(name, len(arguments))(*arguments)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def system_call(number: int, first: int = 0, second: int = 0, third: int = 0, fourth: int = 0) -> int:
    """Make one system call of Linux; addresses are whole numbers too. An error is raised as `OSError`."""
    return _called("syscall", number, first, second, third, fourth, 0, 0)


def _prctl(option: int, value: int) -> int:
    """Change something of this process. An error is raised as `OSError`."""
    return _called("prctl", option, value, 0, 0, 0)


def forbid_new_privileges() -> None:
    """From now on no program that this process starts has more rights than it: neither setuid nor file capabilities."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities(keep: Iterable[int] = ()) -> None:
    """Give up every capability for good, but those to `keep`; without any, root is an ordinary owner of its files."""
    kept = sum(1 << capability for capability in keep)
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    if os.geteuid() == 0 and not kept:
        with suppress(OSError):  # the kernel knows no more of them; or this root may not, and has no new ones by exec
            for capability in range(_MAX_CAPABILITIES):
                _prctl(_PR_CAPBSET_DROP, capability)
    header = _Header(_CAPABILITY_VERSION_3, 0)
    sets = _Sets()  # effective, permitted and inheritable, of the first 32 and of the next
    if kept:
        _called("capget", ctypes.addressof(header), ctypes.addressof(sets))
    for place, held in enumerate(sets):
        sets[place] = held & (kept >> 32 * (place // 3)) & 0xFFFFFFFF
    _called("capset", ctypes.addressof(header), ctypes.addressof(sets))


def limit_resource(name: str, most: int) -> None:
    """Set the soft and the hard limit that is called RLIMIT_`name`, if they are higher."""
    import resource  # not on every system

    limit: int = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(limit)[1]
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (value, value))


def limit_threads(most: int, *, exec_follows: bool) -> bool:
    """Limit this process to `most` threads, if the system can count them separately. Return whether it can.

    The kernel counts the threads of a user, and never limits those of root. Root takes on a real user of its own, and
    stays the owner of its files by the effective one; a program that it becomes could lose that, and is not limited.
    Any other user is counted apart in a user namespace, where the system allows them.
    """
    try:
        if os.geteuid() == 0:
            if exec_follows:
                return False
            os.setresuid(_FIRST_OF_NOBODY + os.getpid(), -1, -1)
        else:
            system_call(_UNSHARE, _USER_NAMESPACE)
    except OSError:
        return False
    limit_resource("NPROC", most)
    return True
