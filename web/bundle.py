"""The ES modules of `static/` as one script: browsers refuse imports in a page opened from disk, and load them slowly.

The modules of `static/` keep to one form: imports and exports by name, each `import {...} from "./file.js";` on a line
of its own, `export` before a function, a class or a const. In the script each module is a function with its own scope,
which is called once, after the modules that it imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+)|(?:async )?function\* (\w+))", re.M)
_UNSUPPORTED = re.compile(r"^(?:import|export)\b.*", re.M)


def bundle(modules: Mapping[str, str], entry: str) -> str:
    """Return one script that runs the module `entry`. Raise `ValueError` for an import or export of any other form."""
    parts = [_wrapped(name, modules[name]) for name in _in_order(modules, entry)]
    return '"use strict";\n{\nconst modules = {};\n' + "".join(parts) + "}\n"


def _in_order(modules: Mapping[str, str], entry: str) -> list[str]:
    """Return the modules that `entry` needs, each after the modules that it imports."""
    order: list[str] = []
    path: list[str] = []

    def visit(name: str) -> None:
        if name in path:
            raise ValueError(f"modules import each other: {' -> '.join([*path, name])}")
        if name in order:
            return
        path.append(name)
        for match in _IMPORT.finditer(modules[name]):
            visit(match[2])
        path.pop()
        order.append(name)

    visit(entry)
    return order


def _wrapped(name: str, text: str) -> str:
    names = [match[1] or match[2] for match in _EXPORT.finditer(text)]
    text = _IMPORT.sub(lambda m: f'const {{{m[1].replace(" as ", ": ")}}} = modules["{m[2]}"];\n', text)
    text = _EXPORT.sub("", text)
    unsupported = _UNSUPPORTED.search(text)
    if unsupported:
        raise ValueError(f"{name}: `{unsupported[0]}` cannot be bundled")
    return f'modules["{name}"] = (() => {{\n{text}return {{ {", ".join(names)} }};\n}})();\n'
