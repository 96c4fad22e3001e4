"""Find the names in the import statements of source code by parsing it.

The syntax tree may need thousands of times the memory of the source: one line `import a.a.a...` of 170 kB takes 8 GB.
Third-party code is therefore parsed in a host, under limits (`read_imports` in `hosting/describing.py`), and never in
the process of the referee.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from sweepstakes.errors import PluginError

MAX_NAMES = 20_000
"""Maximum number of names in the import statements of one file."""
_MAX_NAME = 1000
"""Maximum length of a name. No path of a module is longer."""
_LONG = 1 << 18
"""Size in bytes above which the code of a file counts as long."""
_MAX_STATEMENTS = 10_000
"""Maximum number of import statements in long code."""
_IMPORT = re.compile(
    r"(?:^(?:\xef\xbb\xbf)?|[;:])[ \t\f]*((?:import|from)\b(?:[^\n;#(\\]|\\\r?\n|\([^()]*\)){0,20000})",
    re.MULTILINE,
)
"""Matches an import statement with its continuation lines, even inside a string."""

Imports = Callable[[str, str], list[str]]
"""A function like `imported_names`: (source, package) to the names in import statements."""


def imported_names(text: str, package: str) -> list[str]:
    """Return the names in all import statements of source code, without repetitions.

    `package` is the package that relative imports refer to. If the source is long, only the parts that look like import
    statements are parsed. Source with a syntax error has no names. Raises `PluginError` if there are too many names or
    if they are too long.
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
        return []  # importing it will show what is wrong
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
