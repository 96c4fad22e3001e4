"""Package exports that are imported on first use, so that `sweepstakes --help` does not load numba."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module `__getattr__` that imports exports of `package` on first use.

    `names` maps modules to their exports.
    """
    modules = {name: module for module, exports in names.items() for name in exports.split()}

    def __getattr__(name: str) -> Any:  # noqa: N807 - the name that Python looks up in a module
        if name == "__version__":
            from importlib.metadata import version  # slow to import

            return version(package)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__


def on_call(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports `name` from `module` when it is called. `module` may be in a higher layer."""
    return lambda *arguments: getattr(importlib.import_module(module), name)(*arguments)
