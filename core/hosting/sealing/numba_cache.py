"""numba in a process that may not write files."""

# mypy: allow-untyped-calls
# Numba has no types.

from __future__ import annotations

import os
import sys
from typing import Any


def without_numba_cache() -> None:
    """Make numba, if it is imported, read its cache where it can but never write it, in this process.

    Otherwise a function with `cache=True` would raise when it is decorated or compiled, if no cache can be written.
    """
    if "numba.core.dispatcher" not in sys.modules:
        return
    from numba.core import caching, dispatcher

    enable = dispatcher.Dispatcher.enable_caching
    load = caching.Cache.load_overload

    def enable_caching(self: Any) -> None:
        try:
            enable(self)
        except (OSError, RuntimeError):  # numba found no folder, so the function has no cache
            self._cache = caching.NullCache()

    def ensure_cache_path(self: Any) -> None:
        """Check permissions without writing a test file, so that numba finds the same folder as an unsealed process."""
        path = self.get_cache_path()
        if not os.access(path, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(f"numba may not write to {path}")

    def load_overload(self: Any, signature: Any, target: Any) -> Any:
        try:
            return load(self, signature, target)
        except OSError:
            return None

    def save_overload(self: Any, signature: Any, data: Any) -> None:
        """Write nothing."""

    def flush(self: Any) -> None:
        """Remove nothing."""

    for place, replacement in (
        (dispatcher.Dispatcher, enable_caching),
        (caching._CacheLocator, ensure_cache_path),
        (caching.Cache, load_overload),
        (caching.Cache, save_overload),
        (caching.Cache, flush),
    ):
        setattr(place, replacement.__name__, replacement)
