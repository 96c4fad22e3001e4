"""Package exports that are imported on first use, so that `sweepstakes --help` does not load numba."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def lazy(package: str, file: str) -> tuple[list[str], Callable[[str], Any]]:
    """Return the exports of `package`, and a module `__getattr__` that imports each on first use.

    The exports are what the package's `file` imports for type checkers, in lines `from a.module import name as name`.
    """
    lines = re.findall(r"^    from ([\w.]+) import (\w+) as \2$", Path(file).read_text(encoding="utf-8"), re.MULTILINE)
    modules = {name: module for module, name in lines}

    def __getattr__(name: str) -> Any:  # noqa: N807 - the name that Python looks up in a module
        if name == "__version__":
            from importlib.metadata import version  # slow to import

            return version(package)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return sorted(modules), __getattr__


def on_call(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports `name` from `module` when it is called. `module` may be in a higher layer."""
    return lambda *arguments: getattr(importlib.import_module(module), name)(*arguments)
