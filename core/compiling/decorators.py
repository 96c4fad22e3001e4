"""Decorators for kernels. They are compiled on first use, and again whenever the source of any kernel changes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import CellType, FunctionType
from typing import Any, TypeVar, overload

import numba
from numba.core.caching import FunctionCache

from sweepstakes.compiling.cache import njit

R = TypeVar("R")
Function = Callable[..., R]

TRIED = ((0, 59), (0, 68))
"""The range of numba versions with which `numba_compiler` is used. It was tested with 0.59, 0.61 and 0.68."""


def sources() -> list[Path]:
    """Return all files that affect compiled code: kernels, their constants, and the modules that compile them."""
    package = Path(__file__).parents[1]
    plain = [package / "game" / "codes.py", package / "game" / "rng.py"]
    compiling = (
        "cache.py",
        "compile_locks.py",
        "decorators.py",
        "numba_compiler.py",
        "prebuilt.py",
        "protected_folder.py",
    )
    plain += [package / "compiling" / name for name in compiling]
    patterns = (
        "game/*_kernels.py",
        "learning/*_kernels.py",
        "review/review_kernels.py",
        "inference/_[a-z]*.py",
        "inference/exact/*.py",
        "inference/deduction/*.py",
    )
    return [*plain, *(path for pattern in patterns for path in sorted(package.glob(pattern)))]


def _digest() -> str:
    """Return a hash of all sources."""
    text = hashlib.sha256()
    for path in sources():
        text.update(path.read_bytes())
    return text.hexdigest()


DIGEST = _digest()


@overload
def kernel(function: Function[R]) -> Function[R]: ...
@overload
def kernel(*, allocates: bool) -> Callable[[Function[R]], Function[R]]: ...
def kernel(function: Any = None, *, allocates: bool = True) -> Any:
    """Compile and cache a function that Python calls. A division by zero does not raise an exception in it.

    With `allocates=False` the kernel must not create arrays. numba then does not count references, and calls are
    faster.

    numba's cache checks the kernel's own file, but not the files of the functions and constants that it uses. A change
    there would leave a stale kernel in the cache. But the cache also checks the values of closure variables, so the
    digest of all sources is added to the function as one of these.
    """
    if function is None:
        return partial(kernel, allocates=allocates)
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return function
    assert isinstance(function, FunctionType)
    code = function.__code__.replace(co_freevars=("digest",))
    closed = FunctionType(code, function.__globals__, function.__name__, None, (CellType(DIGEST),))
    closed.__module__ = function.__module__
    closed.__qualname__ = function.__qualname__
    closed.__doc__ = function.__doc__
    return _loading_quickly(njit(**_OPTIONS, **_pipeline(inner=False), _nrt=allocates)(closed))


@overload
def inner(function: Function[R]) -> Function[R]: ...
@overload
def inner(
    *, allocates: bool = False, shared: bool = False, pasted: bool = False
) -> Callable[[Function[R]], Function[R]]: ...
def inner(function: Any = None, *, allocates: bool = False, shared: bool = False, pasted: bool = False) -> Any:
    """Compile a function that only kernels call. It is cached as part of its callers.

    Unless it `allocates` arrays, numba does not count references in it, and it must not return an array, except to a
    kernel with `allocates=False`.

    Its machine code is inlined into that of the caller, so the call costs nothing. A function that is `shared` by many
    callers is not inlined. A `pasted` function is inlined before types are inferred, which compiles fastest for a few
    lines without loops.
    """
    if function is None:
        return partial(inner, allocates=allocates, shared=shared, pasted=pasted)
    options = _OPTIONS | _pipeline(inner=True) | {"_nrt": allocates, "no_cpython_wrapper": True}
    return numba.njit(forceinline=not shared, inline="always" if pasted else "never", **options)(function)


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True, "no_rewrites": True}


def _loading_quickly(dispatcher: Any) -> Any:
    """Replace the kernel's cache by ours. Leave it alone with other versions of numba, or without a cache."""
    if _is_tried() and type(dispatcher._cache) is FunctionCache:
        from sweepstakes.compiling.numba_compiler import KernelCache

        KernelCache.replace(dispatcher._cache)
    return dispatcher


def _is_tried() -> bool:
    return bool(TRIED[0] <= numba.version_info.short <= TRIED[1])


def _pipeline(*, inner: bool) -> dict[str, Any]:
    """Return the option that makes numba use our compiler. Other versions of numba use their own, which is slower."""
    if not _is_tried():
        return {}
    from sweepstakes.compiling.numba_compiler import InnerCompiler, KernelCompiler

    return {"pipeline_class": InnerCompiler if inner else KernelCompiler}
