"""How kernels are compiled: once, on first use, and again whenever the source of any kernel has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any, TypeVar

import numba

from sweepstakes.compile_cache import njit

R = TypeVar("R")


def sources() -> list[Path]:
    """Every file that compiled code is made from: kernels, the constants they use, and how they are compiled."""
    here = Path(__file__).parent
    plain = [here / name for name in ("compile_cache.py", "compiling.py", "game/codes.py", "game/rng.py")]
    patterns = ("game/*_kernels.py", "inference/_[a-z]*.py", "inference/exact/*.py", "inference/deduction/*.py")
    return [*plain, *(path for pattern in patterns for path in sorted(here.glob(pattern)))]


def _digest() -> str:
    """A hash of all sources."""
    text = hashlib.sha256()
    for path in sources():
        text.update(path.read_bytes())
    return text.hexdigest()


DIGEST = _digest()


def kernel(function: Callable[..., R]) -> Callable[..., R]:
    """Compile a function that Python calls, and cache it. A division by zero does not raise in it.

    The cache of numba looks at the kernel's own file, not at the files of the functions and constants it
    uses, so a stale kernel would outlive a change in those. What it does look at are the values a function
    closes over: the function is given the digest of all sources as one more of these.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    assert isinstance(function, FunctionType)
    code = function.__code__.replace(co_freevars=("digest",))
    closed = FunctionType(code, function.__globals__, function.__name__, None, (CellType(DIGEST),))
    closed.__module__ = function.__module__
    closed.__qualname__ = function.__qualname__
    closed.__doc__ = function.__doc__
    compiled: Callable[..., R] = njit(error_model="numpy")(closed)
    return compiled


def inner(function: Callable[..., R]) -> Callable[..., R]:
    """Compile a function that only kernels call.

    The cache of its caller holds it, and without the wrappers for Python it takes less time to compile.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Callable[..., R] = numba.njit(error_model="numpy", **options)(function)
    return compiled
