"""Public doors that open only what is asked for, so that `sweepstakes --help` does not pay for numba."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(package: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """A module `__getattr__` that imports from `package` on first use; `names` maps a module to what it gives."""
    homes = {name: module for module, given in names.items() for name in given.split()}

    def __getattr__(name: str) -> Any:  # noqa: N807 - this is what the package calls it
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return __getattr__
