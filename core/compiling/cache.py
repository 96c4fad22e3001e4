"""The cache of compiled code: numba's default folder, or a folder for this process and its children."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba

_private = ""


def njit(**options: Any) -> Callable[[Any], Any]:
    """Apply `numba.njit` with a cache. If no cache can be written, use a folder that lasts as long as this process."""

    def decorate(function: Any) -> Any:
        with suppress(RuntimeError):  # numba finds no writable folder
            return numba.njit(cache=True, **options)(function)
        with suppress(RuntimeError, OSError):  # a temporary folder cannot be written either
            _make_private()
            return numba.njit(cache=True, **options)(function)
        return numba.njit(**options)(function)

    return decorate


def is_private() -> bool:
    """Return whether the cache is deleted when this process, or the one that started it, ends."""
    return bool(_private)


def _make_private() -> None:
    """Make numba use a new folder in this process and its children. The folder is deleted when this process ends."""
    global _private
    if _private:
        return
    _private = tempfile.mkdtemp(prefix="sweepstakes-numba-")
    os.environ["NUMBA_CACHE_DIR"] = numba.config.CACHE_DIR = _private  # type: ignore[attr-defined]
    atexit.register(_remove, os.getpid(), _private)


def _remove(owner: int, folder: str) -> None:
    if os.getpid() == owner:  # not a fork of it
        shutil.rmtree(folder, ignore_errors=True)
