"""The source of a class as a plugin file, so that a class of a notebook plays in a host process.

An agent that is not built in lives in another process, which cannot see this one. What is sent there is text: the
source of the class, and of what it names in its module: functions, classes, imports, and values that can be written
down. The text is also the identity of the agent: the same text is the same agent, in any notebook, on any machine.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import re
import sys
import textwrap
from collections.abc import Iterator
from hashlib import sha256
from math import isfinite
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from sweepstakes.errors import ConfigError, brief
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors

MOST_LITERAL = 10_000
"""Characters that a value may have that is written into the text."""
AGENTS = "sweepstakes_agents"
"""The hook by which a plugin offers agents."""
PUBLIC = ("sweepstakes", "typing")
"""Modules from which things are imported though they are defined elsewhere."""
_FUTURE_ANNOTATIONS = annotations.compiler_flag
"""The flag of code under the future import of annotations."""


class ClassSource(NamedTuple):
    """A class of agents as a plugin file."""

    name: str
    """The name under which the file offers the agent: `EdgeFirst` is `edge-first`."""
    text: str


def agent_name(cls: type) -> str:
    """The name of an agent by its class: `EdgeFirst` is `edge-first`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__)
    return re.sub(r"[^a-z0-9._-]+", "-", words.lower()).strip("-._") or "agent"


def class_source(cls: type, offered_by: str = AGENTS) -> ClassSource:
    """The class as the text of a plugin, which offers it by this hook.

    `ConfigError` if there is no source, or if it names something that has none.
    """
    parts = _Parts(cls)
    parts.add(cls.__name__, cls, "")
    hook = f'@_hookimpl\ndef {offered_by}():\n    return {{"{agent_name(cls)}": {cls.__name__}}}'
    future = ["from __future__ import annotations"] if parts.future else []
    imports = [*future, "from sweepstakes import hookimpl as _hookimpl", *sorted(parts.imports)]
    text = "\n\n\n".join(["\n".join(imports), *parts.definitions.values(), hook]) + "\n"
    try:
        compile(text, f"<{cls.__name__}>", "exec", dont_inherit=True)
    except SyntaxError as error:
        raise ConfigError(f"class {cls.__name__}: its source cannot be put into a file: {error.msg}") from None
    return ClassSource(agent_name(cls), text)


def write_class(cls: type, kind: str, folder: Path, offered_by: str) -> tuple[str, Path | None]:
    """The name of a class and the plugin file in the folder that offers it, which is written if need be.

    A built-in class has a name only. `ConfigError` if another class has the name of a built-in one.
    """
    offers = Registry.built_in().offers(kind)
    for name, offer in offers.items():
        if offer.factory is cls:
            return name, None
    name, text = class_source(cls, offered_by)
    if name in offers:
        raise ConfigError(f"class {cls.__name__}: '{name}' is a built-in {kind}: give the class another name")
    file = folder / f"{name}-{sha256(text.encode()).hexdigest()[:8]}.py"
    if not file.exists():
        with run_errors(file, "written"):
            folder.mkdir(parents=True, exist_ok=True)
        write_text(file, text)
    return name, file


class _Parts:
    """Collects the definitions that a class needs, each after those that it needs itself."""

    def __init__(self, cls: type) -> None:
        self._home = cls.__module__
        self._space = vars(sys.modules[cls.__module__])
        self._owner = cls.__name__
        self.imports: set[str] = set()
        self.definitions: dict[str, str] = {}
        self._begun: set[str] = set()
        self.future = False

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
                f"class {self._owner}: {user} uses {what}, which cannot be written down for the process in which the "
                "agent plays: make it in the class or in a function, or put the agent into a file"
            )

    def _add_definition(self, name: str, thing: type | FunctionType) -> None:
        if thing.__name__ != name:
            raise ConfigError(f"class {self._owner}: '{name}' is another name of '{thing.__name__}': use one name")
        text, future = _source(thing)
        self.future |= future
        later: list[str] = []
        code = compile(text, "<class>", "exec", _FUTURE_ANNOTATIONS if future else 0, dont_inherit=True)
        for used, at_once in _globals(code):
            if used in self._space and used != name and not used.startswith("__"):
                if at_once:
                    self.add(used, self._space[used], name)
                else:
                    later.append(used)
        self.definitions[name] = text
        for used in later:
            self.add(used, self._space[used], name)


def _globals(code: CodeType, *, at_once: bool = True) -> Iterator[tuple[str, bool]]:
    """The global names that code reads, and whether it reads them when it is executed or when a function is called."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval, at_once
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            is_body = not inner.co_flags & inspect.CO_NEWLOCALS
            yield from _globals(inner, at_once=at_once and is_body)


def _defined(thing: Any) -> type | FunctionType | None:
    """The class or function whose definition made the thing; also of a compiled, cached or wrapped function."""
    for _ in range(10):
        if isinstance(thing, type | FunctionType) and not hasattr(thing, "__wrapped__"):
            return thing
        thing = getattr(thing, "py_func", None) or getattr(thing, "__wrapped__", None)
    return None


def _importable(name: str, thing: Any) -> str | None:
    """The line that imports the thing under the name; None if it is in no module that another process can import."""
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
    """The text of a plain value; None if the text does not give the value back."""
    if type(thing) is float and not isfinite(thing):
        return f"float('{thing}')"
    try:
        text = repr(thing)
        return text if len(text) <= MOST_LITERAL and _same(ast.literal_eval(text), thing) else None
    except Exception:  # noqa: BLE001 - third-party objects may raise anything
        return None


def _same(read: Any, thing: Any) -> bool:
    return type(read) is type(thing) and bool(read == thing)


def _source(thing: type | FunctionType) -> tuple[str, bool]:
    """The text of a class or function of the module, and whether it stands under the future import of annotations."""
    kind = "class" if isinstance(thing, type) else "function"
    if "<locals>" in thing.__qualname__ or "." in thing.__qualname__:
        raise ConfigError(
            f"{kind} {brief(thing.__qualname__)}: expected a {kind} at the top level of a notebook or file"
        )
    functions = [thing] if isinstance(thing, FunctionType) else list(_functions(thing))
    for function in functions:
        code = function.__code__
        found = _find(thing.__name__, linecache.getlines(code.co_filename), code.co_firstlineno)
        if found:
            return found, bool(code.co_flags & _FUTURE_ANNOTATIONS)
    if isinstance(thing, type):  # without a method of its own: the cell that was run last and defines it
        for file in reversed([file for file in linecache.cache if not Path(file).is_file()] or [""]):
            if found := _find(thing.__name__, linecache.getlines(file)):
                return found, False
        module_file = getattr(sys.modules[thing.__module__], "__file__", None)
        if module_file and (found := _find(thing.__name__, linecache.getlines(module_file))):
            return found, False
    raise ConfigError(f"{kind} {thing.__name__}: its source cannot be found: put it into a file, or into a notebook")


def _functions(cls: type) -> Iterator[FunctionType]:
    """The functions that are defined in the class."""
    for each in vars(cls).values():
        inner: Any = each
        if isinstance(each, staticmethod | classmethod):
            inner = each.__func__
        elif isinstance(each, property):
            inner = each.fget
        if isinstance(inner, FunctionType) and inner.__qualname__.startswith(f"{cls.__qualname__}."):
            yield inner


def _find(name: str, lines: list[str], line: int | None = None) -> str:
    """The definition of that name at the top level of the lines, around a line; empty if there is none."""
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:  # the magics of a notebook, or another language
        return ""
    found = ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            assert node.end_lineno is not None
            if line is None or first <= line <= node.end_lineno:
                found = textwrap.dedent("".join(lines[first - 1 : node.end_lineno])).rstrip()
    return found
