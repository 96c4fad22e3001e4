"""System calls that Python has no function for, by ctypes."""

from __future__ import annotations

import ctypes
import functools
import os
from contextlib import suppress
from typing import Any

PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_CAPSET = 126
_CAPABILITY_VERSION_3 = 0x20080522
_MOST_CAPABILITIES = 64


@functools.cache
def _function(name: str, arguments: int) -> Any:
    """A function of the C library that takes and gives whole numbers."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    function.argtypes = [ctypes.c_long] * arguments
    function.restype = ctypes.c_long
    return function


def system_call(number: int, *arguments: int) -> int:
    """Make one system call of Linux; addresses are whole numbers too. An error is raised as `OSError`."""
    given = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    answer: int = _function("syscall", 7)(number, *given)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def prctl(option: int, *arguments: int) -> int:
    """Change something of this process, or ask for it. An error is raised as `OSError`."""
    given = (*arguments, 0, 0, 0, 0)[:4]
    answer: int = _function("prctl", 5)(option, *given)
    if answer < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return answer


def forbid_new_privileges() -> None:
    """From now on no program that this process starts has more rights than it: neither setuid nor file capabilities."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def drop_capabilities() -> None:
    """Give up every capability for good; root is then an ordinary owner of its files."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    if os.geteuid() == 0:
        with suppress(OSError):  # the kernel knows no more of them; or this root may not, and has no new ones by exec
            for capability in range(_MOST_CAPABILITIES):
                prctl(PR_CAPBSET_DROP, capability)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    system_call(_CAPSET, ctypes.addressof(header), ctypes.addressof(nothing))
