"""The ES modules of the front end as one script, for pages opened from disk, where browsers refuse to import.

Our modules keep to one form: imports and exports by name, each `import {...} from "./file.js";` on a line of its own,
`export` before a function, a class or a const. Each module becomes a function with its own scope, called once, after
those it imports.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.M)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+)|(?:async )?function\* (\w+))", re.M)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.M)


def bundle(modules: Mapping[str, str], entry: str) -> str:
    """One script that does what the module `entry` does; `ValueError` for a form of import it does not know."""
    parts = [_wrapped(name, modules[name]) for name in _in_order(modules, entry)]
    return '"use strict";\nconst modules = {};\n' + "".join(parts)


def _in_order(modules: Mapping[str, str], entry: str) -> list[str]:
    """The modules that `entry` needs, each after those that it imports."""
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
    left = _OTHER.search(text)
    if left:
        raise ValueError(f"{name}: `{left[0]}` cannot be bundled")
    return f'modules["{name}"] = (() => {{\n{text}return {{ {", ".join(names)} }};\n}})();\n'
