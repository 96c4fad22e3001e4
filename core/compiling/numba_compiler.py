"""Numba's compiler and cache without unneeded work: they take a third less time, and the machine code is the same.

This looks into numba, so `decorators` uses it only with the versions that `TRIED` names.
"""

# mypy: allow-untyped-calls
# Numba has no types.

from __future__ import annotations

import gc
import inspect
import pickle
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.runtime.nrt import rtsys

from sweepstakes.compiling.compile_locks import lock, release, release_all
from sweepstakes.compiling.protected_folder import protected_folder

_DIGEST = sha256().digest_size


class _Flags(Flags):
    """Options that are quickly compared: numba does so a hundred thousand times, and asks for every single one."""

    def __eq__(self, other: object) -> bool:
        return bool(self._values == other._values) if isinstance(other, Flags) else NotImplemented

    def __hash__(self) -> int:
        return 0  # numba's own is the same for all, too: options can change


class _KernelLibrary(JITCodeLibrary):
    """Code that is optimised once, at the level 2 and without vectorized loops, which kernels do not have.

    numba optimises twice, so that it can remove counts of references between the two. Kernels have hardly any.
    """

    def _optimize_final_module(self) -> None:
        if hasattr(self._codegen, "_mpm_full"):  # numba before 0.62 makes its passes beforehand
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager(opt=2, loop_vectorize=False)
        passes.run(self._final_module, builder)


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


class KernelCompiler(Compiler):
    """Numba's compiler, with flags that are compared quickly and libraries that are optimised once."""

    library: type[JITCodeLibrary] = _KernelLibrary
    depth = 0
    """How many functions are being compiled in this process, each of them for the one before."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returned: Any, flags: Any, names: Any
    ) -> None:
        super().__init__(typing, target, library, args, returned, _Flags(flags), names)

    def _compile_core(self) -> Any:
        library = self.library(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        library.enable_object_caching()
        self.state.library = library
        collecting = gc.isenabled()
        gc.disable()  # a sixth of the time: the many small objects of a compilation live until its end anyway
        KernelCompiler.depth += 1
        try:
            return super()._compile_core()
        except BaseException:
            release_all()
            raise
        finally:
            KernelCompiler.depth -= 1
            if collecting:
                gc.enable()


class InnerCompiler(KernelCompiler):
    """For functions that become a part of others."""

    library = _InnerLibrary


class KernelCache(FunctionCache):
    """Numba's cache, which loads machine code without what only the compiler needs.

    Before its first look into a cache, numba imports two hundred modules with the implementations of everything that
    it can compile: a process that finds all its kernels in the cache would spend a third of its start on that. The
    compiler imports them by itself when something has to be compiled after all.

    A file that is damaged, or that cannot be read or written, is no error: the kernel is compiled.
    """

    @classmethod
    def replace(cls, cache: FunctionCache) -> None:
        """Turn a cache of numba's, which has found a folder already, into one of this class.

        Its files are in `protected_folder`, if there is one: agents cannot write what other processes load from there.
        """
        cache.__class__ = cls
        file = cache._cache_file
        file.__class__ = _CheckedFile
        if folder := protected_folder():
            name = cache._impl.locator.get_suitable_cache_subpath(inspect.getfile(cache._py_func))
            cache._cache_path = file._cache_path = str(Path(folder, name))
            file._index_path = str(Path(folder, name, file._index_name))
            with suppress(OSError):  # an agent's process cannot, and only reads
                Path(folder, name).mkdir(mode=0o700, exist_ok=True)

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled function; None if it is not in the cache, or if the cache cannot be read.

        After None, this process holds the lock of the kernel until it saves it.
        """
        rtsys.initialize(target)
        if loaded := self._load_quietly(signature, target):
            return loaded
        lock(self._lock_path, nested=KernelCompiler.depth > 0)
        if loaded := self._load_quietly(signature, target):
            release(self._lock_path)
            return loaded
        return None

    @property
    def _lock_path(self) -> str:
        return f"{self._cache_file._index_path}.lock"

    def _load_quietly(self, signature: Any, target: Any) -> Any:
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(signature, target)
        except OSError:
            return None
        return None  # the `with` block has swallowed an error

    def save_overload(self, signature: Any, data: Any) -> None:
        """Keep the compiled function, if the cache can be written."""
        with suppress(OSError):
            super().save_overload(signature, data)
        release(self._lock_path)


class _CheckedFile(IndexDataCacheFile):
    """Numba's files of one function, each behind a digest: a damaged one counts as missing.

    Otherwise numba would raise whatever `pickle` does, or run machine code in which a bit has changed.
    """

    def _load_index(self) -> dict[Any, str]:
        try:
            version, stamp, overloads = pickle.loads(self._read(self._index_path))
        except OSError:
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._write(self._index_path, (self._version, self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(self._read(self._data_path(name)))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _read(self, path: str) -> bytes:
        """The content of a file; `OSError` if it is missing or damaged."""
        data = Path(path).read_bytes()
        digest, content = data[:_DIGEST], data[_DIGEST:]
        if sha256(content).digest() != digest:
            raise OSError(f"{path} is damaged")
        return content

    def _write(self, path: str, value: Any) -> None:
        content = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(sha256(content).digest() + content)
