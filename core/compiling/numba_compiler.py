"""Numba's compiler and cache without unneeded work: they take a third less time, and the machine code is the same.

This looks into numba, so `decorators` uses it only with the versions that `TRIED` names.
"""

# mypy: allow-untyped-calls
# Numba has no types.

from __future__ import annotations

from typing import Any

from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.runtime.nrt import rtsys


class _Flags(Flags):
    """Options that are quickly compared: numba does so a hundred thousand times, and asks for every single one."""

    def __eq__(self, other: object) -> bool:
        return bool(self._values == other._values) if isinstance(other, Flags) else NotImplemented

    def __hash__(self) -> int:
        return 0  # numba's own is the same for all, too: options can change


class KernelCompiler(Compiler):
    """Numba's compiler, with flags that are compared quickly."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returned: Any, flags: Any, names: Any
    ) -> None:
        super().__init__(typing, target, library, args, returned, _Flags(flags), names)


class InnerCompiler(KernelCompiler):
    """For functions that become a part of others."""

    def _compile_core(self) -> Any:
        library = _InnerLibrary(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        library.enable_object_caching()
        self.state.library = library
        return super()._compile_core()


class _InnerLibrary(JITCodeLibrary):
    """Code to be linked: numba would optimise it and make machine code of it that nobody calls, at every level."""

    def _optimize_final_module(self) -> None:
        """The caller's library is optimised with all that is linked to it."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """None, since there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Where a function's environment is put: nowhere, since it raises nothing."""
        return _Nowhere()


class _Nowhere:
    def set_env(self, name: str, environment: Any) -> None:
        """As a kernel from the cache, which has no environments for the functions inside it."""


class KernelCache(FunctionCache):
    """Numba's cache, which loads machine code without what only the compiler needs.

    Before its first look into a cache, numba imports two hundred modules with the implementations of everything that
    it can compile: a process that finds all its kernels in the cache would spend a third of its start on that. The
    compiler imports them by itself when something has to be compiled after all.
    """

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function; None if it is not in the cache, or if the cache cannot be read."""
        rtsys.initialize(target)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(signature, target)
        except OSError:
            return None
        return None  # the `with` block has swallowed an error
