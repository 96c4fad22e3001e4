"""numba's compiler and cache without unnecessary work. They take a third less time and make the same machine code.

This module depends on numba's internals, so `decorators` uses it only with the versions in `TRIED`.
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

from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.runtime.nrt import rtsys
from numba.core.typing.context import Context

from sweepstakes.compiling.compile_locks import lock, release, release_all
from sweepstakes.compiling.prebuilt import STAMP, prebuilt_folder
from sweepstakes.compiling.protected_folder import protected_folder

_DIGEST = sha256().digest_size


class _Flags(Flags):
    """Options that can be compared quickly. numba compares them a hundred thousand times, one after the other."""

    def __eq__(self, other: object) -> bool:
        return bool(self._values == other._values) if isinstance(other, Flags) else NotImplemented

    def __hash__(self) -> int:
        return 0  # as in numba itself, since options can change


_UNUSED_PASSES = {
    "Rewrite dynamic raises",
    "dump_parfor_diagnostics",
    "find_literally",
    "inline_closure_likes",
    "inline_overloads",
    "literal_unroll",
    "LiteralPropagation",
    "make_function_op_code_to_jit_function",
    "nopython_supported_feature_validation",
    "with_lifting",
}
"""Passes that do nothing for kernels, which have no closures, generators, comprehensions, `with` blocks or messages in
exceptions. A kernel that needs one of them does not compile."""


class _Typing(Context):
    """numba's types of calls.

    The type of an operation on numbers is inferred once and not for every operation. Functions are not compiled for
    constants and for shorter integers besides the code for any integer.
    """

    _answers: dict[Any, Any] = {}  # noqa: RUF012 - shared by all instances

    def _resolve_user_function_type(self, function: Any, args: Any, keywords: Any, literals: Any = None) -> Any:
        if isinstance(function, types.Dispatcher):
            args = tuple(map(_widened, args))
        of_kernels = isinstance(function, types.Type) and not isinstance(function, types.Function)
        if of_kernels or keywords or not all(isinstance(each, _SCALARS) for each in args):
            return super()._resolve_user_function_type(function, args, keywords, literals)
        answer = self._answers.get((function, args))
        if answer is None:
            answer = super()._resolve_user_function_type(function, args, keywords, literals)
            self._answers[function, args] = answer
        return answer


_SCALARS = (types.Number, types.Boolean)


def _widened(argument: Any) -> Any:
    """Return the type without the value of a constant, and int64 for a shorter signed integer."""
    argument = types.unliteral(argument)
    return types.int64 if argument in types.signed_domain else argument


class _UnsimplifiedLibrary(JITCodeLibrary):
    """Code whose functions are not simplified one by one before they are linked. The caller does that anyway."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout


class _KernelLibrary(_UnsimplifiedLibrary):
    """Code that is optimised once.

    numba optimises twice, so that it can remove counts of references between the two. Kernels have hardly any.
    """

    def _optimize_final_module(self) -> None:
        if hasattr(self._codegen, "_mpm_full"):  # numba before 0.62 makes its passes beforehand
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager(opt=3, loop_vectorize=True)
        passes.run(self._final_module, builder)


class _InnerLibrary(_UnsimplifiedLibrary):
    """Code to be linked into other functions. Skip optimisation and code generation; the caller's library does both."""

    def _optimize_final_module(self) -> None:
        """Do nothing. The caller's library is optimised with everything that is linked to it."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return no address, since there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """An object that ignores the environments of functions. Inner functions do not raise, so they need none."""
        return _Nowhere()


class _Nowhere:
    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing. A kernel from the cache also lacks the environments of its inner functions."""


class KernelCompiler(Compiler):
    """Numba's compiler, with flags that are compared quickly and libraries that are optimised once."""

    library: type[JITCodeLibrary] = _KernelLibrary
    depth = 0
    """How many functions are being compiled in this process, each of them for the one before."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, returned: Any, flags: Any, names: Any
    ) -> None:
        quick = _Typing.__new__(_Typing)
        quick.__dict__ = typing.__dict__
        super().__init__(quick, target, library, args, returned, _Flags(flags), names)

    def define_pipelines(self) -> list[Any]:
        """Leave out the passes that kernels do not need."""
        pipelines: list[Any] = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes[:] = [each for each in pipeline.passes if each[0].name() not in _UNUSED_PASSES]
        return pipelines

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
    """numba's cache, but it loads machine code without importing what only the compiler needs.

    Before it reads a cache for the first time, numba imports two hundred modules that implement everything it can
    compile. A process that finds all its kernels in the cache would spend a third of its start-up time on that. If
    something has to be compiled, the compiler imports them itself.

    A file that is damaged, or that cannot be read or written, is not an error. The kernel is then compiled.
    """

    @classmethod
    def replace(cls, cache: FunctionCache) -> None:
        """Turn one of numba's caches, which has already found a folder, into one of this class.

        Its files are in `protected_folder`, if there is one, so that agents cannot change what other processes load.
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
        """Return the compiled function; None if it is not in the cache, or if the cache cannot be read.

        After None, this process holds the lock of the kernel until it saves it.
        """
        rtsys.initialize(target)
        if loaded := self._load_prebuilt(signature, target) or self._load_quietly(signature, target):
            return loaded
        lock(self._lock_path, nested=KernelCompiler.depth > 0)
        if loaded := self._load_quietly(signature, target):
            release(self._lock_path)
            return loaded
        return None

    def _load_prebuilt(self, signature: Any, target: Any) -> Any:
        """Return the compiled function from the wheel, or None."""
        folder = prebuilt_folder()
        code = self._prebuilt_file(folder).load(self._index_key(signature, _Prebuilt())) if folder else None
        return None if code is None else self._impl.rebuild(target, code)

    def _prebuilt_file(self, folder: str) -> _CheckedFile:
        base = f"{self._py_func.__module__}.{self._impl.filename_base}"
        return _CheckedFile(cache_path=folder, filename_base=base, source_stamp=STAMP)

    def save_prebuilt(self, signature: Any, compiled: Any, folder: str) -> None:
        """Save a compiled function for the wheel."""
        self._prebuilt_file(folder).save(self._index_key(signature, _Prebuilt()), self._impl.reduce(compiled))

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
        """Save the compiled function, if the cache can be written."""
        with suppress(OSError):
            super().save_overload(signature, data)
        release(self._lock_path)


class _Prebuilt:
    """Replaces numba's code generator in the keys of code that a wheel contains."""

    def magic_tuple(self) -> tuple[str, ...]:
        """Return the processor."""
        return STAMP


class _CheckedFile(IndexDataCacheFile):
    """numba's cache files of one function, each with a digest. A damaged file counts as missing.

    Otherwise numba would raise any exception that `pickle` raises, or run machine code in which a bit has changed.
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
        """Return the content of a file. Raise `OSError` if it is missing or damaged."""
        data = Path(path).read_bytes()
        digest, content = data[:_DIGEST], data[_DIGEST:]
        if sha256(content).digest() != digest:
            raise OSError(f"{path} is damaged")
        return content

    def _write(self, path: str, value: Any) -> None:
        content = self._dump(value)
        with self._open_for_write(path) as file:
            file.write(sha256(content).digest() + content)
