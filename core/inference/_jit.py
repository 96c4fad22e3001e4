"""How kernels are compiled: once, on first use, and again whenever any kernel's source has changed."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any

import numba

from sweepstakes._cache import njit

Function = Callable[..., Any]


def _digest() -> str:
    """A hash of every file that compiled code is made from."""
    here = Path(__file__).parent
    text = hashlib.sha256()
    for path in [here.parent / "shown.py", *sorted(here.glob("_[a-z]*.py"))]:
        text.update(path.read_bytes())
    return text.hexdigest()


DIGEST = _digest()


def kernel(function: Function) -> Function:
    """Compile a function that Python calls, and cache it.

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
    compiled: Function = njit(error_model="numpy")(closed)
    return compiled


def inner(function: Function) -> Function:
    """Compile a function that only kernels call.

    The cache of its caller holds it, and without the wrappers for Python it takes less time to compile.
    """
    options: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Function = numba.njit(error_model="numpy", **options)(function)
    return compiled
