"""The source of a class as the text of a plugin, so that a class of a notebook plays in a host process.

An agent that is not built in runs in another process, which cannot see this one. It gets a text: the source of the
class, and that of everything it uses from its module: functions, classes, imports, and values that have a source form.
The text is also the identity of the agent: equal texts are the same agent, in any notebook, on any machine.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import textwrap
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from symtable import SymbolTable, symtable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from sweepstakes.errors import ConfigError, brief

MAX_LITERAL = 10_000
"""The maximum length of the text of a value, in characters."""
AGENTS = "sweepstakes_agents"
"""The hook by which a plugin offers agents."""
PUBLIC = ("sweepstakes", "typing")
"""Modules from which things are imported though they are defined elsewhere."""
_FUTURE = "from __future__ import annotations"


class ClassText(NamedTuple):
    """A class as a plugin."""

    name: str
    """The name under which the plugin offers it: `EdgeFirst` is `edge-first`."""
    text: str


def agent_name(cls: type) -> str:
    """Return the name of an agent by its class: `EdgeFirst` is `edge-first`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__)
    return re.sub(r"[^a-z0-9._-]+", "-", words.lower()).strip("-._") or "agent"


def class_text(cls: type, offered_by: str = AGENTS) -> ClassText:
    """Return the class as the text of a plugin, which offers it by this hook.

    Raise `ConfigError` if the source of the class, or of something that it uses, is not available.
    """
    parts = _Parts(cls)
    parts.add(cls.__name__, cls, "")
    hook = f'@_hookimpl\ndef {offered_by}():\n    return {{"{agent_name(cls)}": {cls.__name__}}}'
    future = [_FUTURE] if parts.future else []
    imports = [*future, "from sweepstakes import hookimpl as _hookimpl", *sorted(parts.imports)]
    text = "\n\n\n".join(["\n".join(imports), *parts.definitions.values(), hook]) + "\n"
    try:
        compile(text, f"<{cls.__name__}>", "exec", dont_inherit=True)
    except SyntaxError as error:
        raise ConfigError(f"class {cls.__name__}: its source cannot be put into a file: {error.msg}") from None
    return ClassText(agent_name(cls), text)


class _Parts:
    """Collects the definitions that a class needs, each after those that it needs itself."""

    def __init__(self, cls: type) -> None:
        self._home = cls.__module__
        self._space = vars(sys.modules[cls.__module__])
        self._owner = cls.__name__
        self.imports: set[str] = set()
        self.definitions: dict[str, str] = {}
        self._begun: set[str] = set()
        self.future = self._space.get("annotations") is annotations

    def add(self, name: str, thing: Any, user: str) -> None:
        """Add what `name` is in the module; `user` is the definition that names it."""
        if name in self._begun:
            return
        self._begun.add(name)
        if isinstance(thing, ModuleType):
            self.imports.add(f"import {_renamed(thing.__name__, name)}")
        elif (defined := _defined(thing)) is not None and defined.__module__ == self._home:
            self._add_definition(name, defined)
        elif (origin := _importable(name, thing)) is not None:
            self.imports.add(origin)
        elif (literal := _literal(thing)) is not None:
            self.definitions[name] = f"{name} = {literal}"
        else:
            what = f"'{name}', a {type(thing).__name__}"
            raise ConfigError(
                f"class {self._owner}: {user} uses {what}, which cannot be copied to the process that plays: "
                "create it in the class or in a function, or put the agent into a file"
            )

    def _add_definition(self, name: str, thing: type | FunctionType) -> None:
        if thing.__name__ != name:
            raise ConfigError(f"class {self._owner}: '{name}' is another name of '{thing.__name__}': use one name")
        text = _source(thing)
        later: list[str] = []
        for used, at_once in _globals(symtable(f"{_FUTURE}\n{text}" if self.future else text, "<class>", "exec")):
            if used in self._space and used != name and not used.startswith("__"):
                if at_once:
                    self.add(used, self._space[used], name)
                else:
                    later.append(used)
        self.definitions[name] = text
        for used in later:
            self.add(used, self._space[used], name)


def _globals(table: SymbolTable, *, at_once: bool = True) -> Iterator[tuple[str, bool]]:
    """Yield the global names that code reads, and whether it reads them when it is executed or when a function is
    called."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (symbol.is_global() or table.get_type() == "module"):
            yield symbol.get_name(), at_once
    for inner in table.get_children():
        yield from _globals(inner, at_once=at_once and inner.get_type() != "function")


def _defined(thing: Any) -> type | FunctionType | None:
    """Return the class or function behind a thing that may be compiled, cached or wrapped; None for anything else."""
    for _ in range(10):
        if isinstance(thing, type | FunctionType) and not hasattr(thing, "__wrapped__"):
            return thing
        thing = getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)
    return None


def _importable(name: str, thing: Any) -> str | None:
    """Return the line that imports a thing under a name, or None if no other process can import it."""
    modules = [*PUBLIC, getattr(thing, "__module__", None), getattr(type(thing), "__module__", None)]
    words = [name, getattr(thing, "__name__", None)]
    for module in modules:
        if isinstance(module, str) and module in sys.modules and module not in ("__main__", "builtins"):
            for word in words:
                if isinstance(word, str) and getattr(sys.modules[module], word, None) is thing:
                    return f"from {module} import {_renamed(word, name)}"
    return None


def _renamed(name: str, other: str) -> str:
    return name if name == other else f"{name} as {other}"


def _literal(thing: Any) -> str | None:
    """Return the text of a plain value, or None if the value cannot be restored from its text."""
    if type(thing) is float and not isfinite(thing):
        return f"float('{thing}')"
    try:
        text = repr(thing)
        return text if len(text) <= MAX_LITERAL and _same(ast.literal_eval(text), thing) else None
    except Exception:  # noqa: BLE001 - third-party objects may raise anything
        return None


def _same(read: Any, thing: Any) -> bool:
    return type(read) is type(thing) and bool(read == thing)


def _source(thing: type | FunctionType) -> str:
    """Return the text of a class or function of the module."""
    kind = "class" if isinstance(thing, type) else "function"
    if "." in thing.__qualname__:
        raise ConfigError(
            f"{kind} {brief(thing.__qualname__)}: expected a {kind} at the top level of a notebook or file"
        )
    try:
        return textwrap.dedent(inspect.getsource(thing)).rstrip()
    except (OSError, TypeError):  # `inspect` looks for classes in the file of their module, which a notebook lacks
        found = _in_cells(thing) if isinstance(thing, type) else ""
    if not found:
        expected = "put it into a file, or into a notebook"
        raise ConfigError(f"{kind} {thing.__name__}: its source cannot be found: {expected}")
    return found


def _in_cells(cls: type) -> str:
    """Return the definition of a class of a notebook, from the cell of its methods, else from the cell run last."""
    for each in vars(cls).values():
        function = inspect.unwrap(getattr(each, "fget", each))
        if isinstance(function, FunctionType) and function.__qualname__.startswith(f"{cls.__qualname__}."):
            code = function.__code__
            if found := _find(cls.__name__, linecache.getlines(code.co_filename), code.co_firstlineno):
                return found
    cells = [file for file in linecache.cache if not Path(file).is_file()]
    return next(filter(None, (_find(cls.__name__, linecache.getlines(file)) for file in reversed(cells))), "")


def _find(name: str, lines: list[str], line: int | None = None) -> str:
    """Return the source of the top-level class `name` around a line, or "" if it does not exist."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:  # the magics of a notebook, or another language
        return ""
    found = ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            assert node.end_lineno is not None
            if line is None or first <= line <= node.end_lineno:
                found = textwrap.dedent("".join(lines[first - 1 : node.end_lineno])).rstrip()
    return found
