"""The names in the import statements of a code, found by reading it.

The tree of a code may take thousands of times its bytes: one line `import a.a.a...` of 170 kB takes 8 GB. So
third-party code is read in a host, under limits (`read_imports` in `hosting/describing.py`), and never beside the
referee.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from sweepstakes.errors import PluginError

MAX_NAMES = 20_000
"""Names in the import statements of one file."""
_MAX_NAME = 1000
"""Characters of a name: no path of a module is longer."""
_LONG = 1 << 18
"""Bytes beyond which the code of a file is long."""
_MAX_STATEMENTS = 10_000
"""Import statements that a long code may have."""
_IMPORT = re.compile(
    r"(?:^(?:\xef\xbb\xbf)?|[;:])[ \t\f]*((?:import|from)\b(?:[^\n;#(\\]|\\\r?\n|\([^()]*\)){0,20000})",
    re.MULTILINE,
)
"""An import statement, with the lines on which it goes on; also one that is quoted in a text."""

Imports = Callable[[str, str], list[str]]
"""Returns the names in the import statements of a text, which is a module of this package; as `imported_names`."""


def imported_names(text: str, package: str) -> list[str]:
    """The names in the import statements of a code, wherever they are, each once; none if the code cannot be read.

    `package` is the one that relative imports start from. Of a long code only what looks like an import statement is
    read. `PluginError` if the names are too long or too many.
    """
    names: dict[str, None] = {}
    if len(text) <= _LONG:
        names = dict.fromkeys(_names_in(text, package))
    else:
        for count, found in enumerate(_IMPORT.finditer(text)):
            if count == _MAX_STATEMENTS or len(found[1]) > _LONG:
                raise PluginError(f"it has {len(text):,} bytes, and its import statements are too long or too many")
            names |= dict.fromkeys(_names_in(found[1], package))
    if len(names) > MAX_NAMES or any(len(name) > _MAX_NAME for name in names):
        raise PluginError("its import statements are too long or too many")
    return list(names)


def _names_in(text: str, package: str) -> list[str]:
    try:
        tree = ast.parse(text.encode("latin-1"))
    except (SyntaxError, ValueError, RecursionError):
        return []  # importing it says what is wrong
    except MemoryError:
        raise PluginError("it cannot be read: its code takes too much memory, or is nested too deeply") from None
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1] if package else []
                base = ".".join([*above, *([base] if base else [])])
            if base:
                names += [base, *(f"{base}.{alias.name}" for alias in node.names if alias.name != "*")]
    return names
