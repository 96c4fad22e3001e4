"""What an agent may attempt, sorted by the required outcome. The modules next to this one make the attempts."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from typing import NamedTuple


class Place(NamedTuple):
    """What an attempt can aim at."""

    folder: str
    """A folder that anybody may write to, with `other.py`, `run/games.sqlite`, and the agent's files in `own`:
    `own.py`, `private.py` and `module.py`. `own` also has another `other.py`, which does not belong to the agent."""
    parent: int
    sibling: int


Attempt = Callable[[Place], object]
REFUSED: dict[str, Attempt] = {}
"""What a sealed process cannot do, but any other process can."""
REFUSED_IF_CONTAINED: set[str] = set()
"""Of those, what a contained process cannot do either."""
ALLOWED: dict[str, Attempt] = {}
"""What a sealed process can do."""
ODD: dict[str, Attempt] = {}
"""System calls that must not succeed even in a test. The arguments are invalid, and only a sealed process gets EPERM.
"""

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(number: int, *arguments: int) -> int:
    """A system call by its number."""
    answer: int = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(argument) for argument in arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def refused(attempt: Attempt) -> Attempt:
    """A sealed process must be refused this."""
    REFUSED[attempt.__name__] = attempt
    return attempt


def refused_if_contained(attempt: Attempt) -> Attempt:
    """A contained process must be refused this too."""
    REFUSED_IF_CONTAINED.add(attempt.__name__)
    return refused(attempt)


def allowed(attempt: Attempt) -> Attempt:
    """A sealed process must be able to do this."""
    ALLOWED[attempt.__name__] = attempt
    return attempt


def odd(attempt: Attempt) -> Attempt:
    """A sealed process must be refused this before its arguments are examined."""
    ODD[attempt.__name__] = attempt
    return attempt
