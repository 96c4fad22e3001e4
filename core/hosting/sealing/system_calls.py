"""System calls that Python does not offer, made with ctypes."""

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
"""The first of the user numbers that belong to no real user."""


@functools.cache
def _function(name: str, arguments: int) -> Any:
    """Return a function of the C library that takes and returns integers."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.argtypes = [ctypes.c_long] * arguments
    function.restype = ctypes.c_long
    return function


def prepare() -> None:
    """Import modules and look up functions in advance, which takes longer than the calls."""
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
    """Make one Linux system call; addresses are passed as integers. Raise `OSError` if it fails."""
    return _called("syscall", number, first, second, third, fourth, 0, 0)


def _prctl(option: int, value: int) -> int:
    """Change an attribute of this process. Raise `OSError` if that fails."""
    return _called("prctl", option, value, 0, 0, 0)


def forbid_new_privileges() -> None:
    """Stop programs that this process starts from gaining rights through setuid or file capabilities."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities(keep: Iterable[int] = ()) -> None:
    """Give up every capability except `keep` for good. Without any, root is an ordinary owner of its files."""
    kept = sum(1 << capability for capability in keep)
    _prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL)
    if os.geteuid() == 0 and not kept:
        with suppress(OSError):  # past the kernel's last capability, or this root may not, and gains none by exec
            for capability in range(_MAX_CAPABILITIES):
                _prctl(_PR_CAPBSET_DROP, capability)
    header = _Header(_CAPABILITY_VERSION_3, 0)
    sets = _Sets()  # effective, permitted and inheritable sets of capabilities 0 to 31, then of 32 to 63
    if kept:
        _called("capget", ctypes.addressof(header), ctypes.addressof(sets))
    for place, held in enumerate(sets):
        sets[place] = held & (kept >> 32 * (place // 3)) & 0xFFFFFFFF
    _called("capset", ctypes.addressof(header), ctypes.addressof(sets))


def limit_resource(name: str, maximum: int) -> None:
    """Lower the soft and the hard limit RLIMIT_`name` to `maximum`, unless the hard limit is lower already."""
    import resource  # not available on every system

    limit: int = getattr(resource, f"RLIMIT_{name}")
    hard = resource.getrlimit(limit)[1]
    value = maximum if hard == resource.RLIM_INFINITY else min(maximum, hard)
    resource.setrlimit(limit, (value, value))


def limit_threads(maximum: int, *, exec_follows: bool) -> bool:
    """Limit this process to `maximum` threads, if the system can count them separately. Return whether it can.

    The kernel counts threads per user, and never limits those of root. So root switches to an unused real user. It
    keeps its effective user, and with it its files; a program that it becomes could lose that, so it is not limited.
    Any other user is counted separately in a user namespace, where the system allows one.
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
    limit_resource("NPROC", maximum)
    return True
