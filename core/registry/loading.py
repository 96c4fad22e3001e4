"""Loading one plugin: import it, check its hooks, and describe its error in one line."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import re
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from sweepstakes import hookspecs
from sweepstakes.errors import LONGEST, PluginError, did_you_mean
from sweepstakes.untrusted.exceptions import class_name, text_of, traceback_entries
from sweepstakes.untrusted.text import clean

HOOKS = [name for name in vars(hookspecs) if name.startswith("sweepstakes_")]


@dataclass
class Plugin:
    """One plugin: its origin, its offers, and its error, if it did not load."""

    name: str
    origin: str
    """`built in`, `dropped in`, `file` or `installed`."""
    version: str = ""
    file: str = ""
    error: str = ""
    asked_for: bool = False
    """Whether the user named the plugin, so that its error must stop the command."""
    offers: dict[str, list[str]] = field(default_factory=dict)
    """The names that the plugin offers, by kind."""


class Interrupts:
    """Distinguishes Ctrl-C, typed while a plugin is loaded, from a KeyboardInterrupt that the plugin raises."""

    def __init__(self) -> None:
        self.typed = False
        self._before: Callable[[int, FrameType | None], Any] | None = None

    def __enter__(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(before):
            self._before = before
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *_: object) -> None:
        if self._before is not None and signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.typed = True
        assert self._before is not None
        self._before(number, frame)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def import_module(name: str, file: Path, plugin: Plugin) -> ModuleType:
    """Import a module of `sweepstakes.plugins`; its version is a hash of its file."""
    plugin.version = _digest(file)
    return importlib.import_module(name)


def import_entry_point(point: importlib.metadata.EntryPoint, plugin: Plugin) -> Any:
    """Import the module of an entry point; sets the plugin's version, that of the distribution, and its file."""
    if point.dist is not None:
        plugin.version = f"{point.dist.name} {point.dist.version}"
    module = point.load()
    plugin.file = getattr(sys.modules.get(point.module), "__file__", None) or point.value
    return module


def import_file(path: Path, plugin: Plugin) -> ModuleType:
    """Import a file under a module name that no other file has; its version is a hash of the file."""
    if path.is_dir():
        raise PluginError("it is a folder: expected a file that ends in .py")
    if not path.is_file():
        raise PluginError("there is no such file")
    text = path.read_bytes()
    plugin.version = hashlib.sha256(text).hexdigest()[:12]
    name = f"sweepstakes_plugin_{re.sub(r'[^0-9a-zA-Z]', '_', path.stem)}_{plugin.version}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or not isinstance(spec.loader, SourceFileLoader):
        raise PluginError("not a Python file: expected a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        # Run the text that was hashed: the loader would read the file again, or an outdated compiled copy.
        exec(spec.loader.source_to_code(text, str(path)), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _hooks(module: Any) -> list[str]:
    """The names of hooks, including misspelt ones: functions with the prefix, and all functions marked `hookimpl`."""
    names = []
    for name in dir(module):
        thing = getattr(module, name, None)
        marked = inspect.isroutine(thing) and hasattr(thing, f"{hookspecs.PROJECT}_impl")
        if name in HOOKS or marked or (name.startswith("sweepstakes_") and inspect.isfunction(thing)):
            names.append(name)
    return names


def check_hooks(module: Any) -> None:
    """`PluginError` for a hook that pluggy would silently ignore."""
    names = _hooks(module)
    for name in names:
        function = getattr(module, name)
        marked = getattr(function, f"{hookspecs.PROJECT}_impl", None)
        hook = (marked or {}).get("specname") or name
        if hook not in HOOKS:
            raise PluginError(f"there is no hook {clean(str(hook), 60)}{did_you_mean(str(hook), HOOKS)}")
        if marked is None:
            raise PluginError(f"{name} is not marked: put @hookimpl from sweepstakes above it")
        if marked.get("hookwrapper") or marked.get("wrapper"):
            raise PluginError(f"{name} is a wrapper: plugins are called one by one, and there is nothing to wrap")
        arguments = list(inspect.signature(getattr(hookspecs, hook)).parameters)
        for argument in inspect.signature(function).parameters:
            if argument not in arguments:
                expected = ", ".join(arguments) or "none"
                raise PluginError(
                    f"{name} takes the argument '{argument}', which the hook does not give: expected {expected}"
                )
    if not names:
        raise PluginError(
            "it has no hook: expected a function such as sweepstakes_agents() marked with @hookimpl from sweepstakes"
        )


_SYSTEM_ERRORS = (OSError, PermissionError, FileNotFoundError, IsADirectoryError)  # no subclasses


def explain_error(error: BaseException, plugin: Plugin) -> str:
    """What is wrong with the plugin, in one line."""
    kind = type(error)
    if issubclass(kind, PluginError):
        return text_of(error, LONGEST)
    text = text_of(error)
    if isinstance(error, SyntaxError) and type(error.msg) is str and type(error.filename) in (str, type(None)):
        where = "" if error.filename in (None, plugin.file) else f"{error.filename}, "
        line = f"line {error.lineno}: " if type(error.lineno) is int and error.lineno else ""
        return clean(f"{where}{line}{error.msg}", 400)
    if issubclass(kind, ImportError):
        return f"{class_name(error)}: {text}; install what it needs, or correct the import"
    if isinstance(error, OSError) and kind in _SYSTEM_ERRORS and str(error.filename) == plugin.file:
        return f"it cannot be read: {error.strerror}"
    lines = [line for file, line, _ in traceback_entries(error) if file == plugin.file]
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{class_name(error)}: {text}".rstrip(": ")
