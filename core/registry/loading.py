"""Loading one plugin: import it, check its hooks, and describe its error in one line."""

from __future__ import annotations

import inspect
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NamedTuple

import pluggy

from sweepstakes import hookspecs
from sweepstakes.errors import MAX_MESSAGE_LENGTH, PluginError, did_you_mean
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import NAME
from sweepstakes.untrusted.exceptions import class_name, describe_error, text_of, traceback_entries
from sweepstakes.untrusted.text import clean

KINDS = {
    "agent": "sweepstakes_agents",
    "board source": "sweepstakes_boards",
    "clue noise": "sweepstakes_clue_noise",
    "score": "sweepstakes_scores",
    "executor": "sweepstakes_executors",
    "report": "sweepstakes_reports",
}
"""The kinds of offers, and the hook that returns each."""
OBSERVER = "sweepstakes_game_finished"
_LONGEST_NAME = 60
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
    """Whether the user has named the plugin. If so, its error must stop the command."""
    offers: dict[str, list[str]] = field(default_factory=dict)
    """The names that the plugin offers, by kind."""
    source: PluginSource | None = None
    imported: bool = False
    """Whether this process has imported the plugin. It does not import plugins with agents, which run in hosts."""
    files: tuple[str, ...] = ()
    """The files that its agents read, as listed next to it in the tournament file."""
    kernels: bool = False
    """Whether agents of the plugin may use compiled code of this package."""
    weights: dict[str, str] = field(default_factory=dict)
    """The file that the class of an agent names as its `weights`, relative to the plugin, by the name of the agent."""
    read_files: tuple[Any, ...] = ()
    """The data files that importing the plugin opens."""


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


class Loaded(NamedTuple):
    """A plugin that has been imported."""

    offers: list[tuple[str, str, Callable[..., Any]]]
    """Kind, name and factory of each offer."""
    observer: Callable[..., Any] | None
    """Calls the hook `sweepstakes_game_finished` of this plugin, if it has one."""
    file: str


def load_plugin(source: PluginSource, module: Any = None) -> Loaded:
    """Import a plugin and call its hooks. Raise `PluginError`, in one line, if any of that fails.

    `module` is the plugin if it has been imported already. The user's Ctrl-C is passed on.
    """
    interrupts = Interrupts()
    try:
        with interrupts:
            if module is None:
                module = source.load()
            check_hooks(module)
            manager = pluggy.PluginManager(hookspecs.PROJECT)
            manager.add_hookspecs(hookspecs)
            manager.register(module, name=source.name)
            manager.check_pending()
            offers = _call_hooks(manager)
            observed = bool(getattr(manager.hook, OBSERVER).get_hookimpls())
            file = getattr(sys.modules.get(source.value.partition(":")[0]), "__file__", None) if source.value else None
            return Loaded(offers, getattr(manager.hook, OBSERVER) if observed else None, file or source.path)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and interrupts.typed:
            raise
        raise PluginError(explain_error(error, source.path)) from None


def _call_hooks(manager: pluggy.PluginManager) -> list[tuple[str, str, Callable[..., Any]]]:
    """Call the hooks of the plugin and check the results. Return (kind, name, factory) for each offer."""
    offers: list[tuple[str, str, Callable[..., Any]]] = []
    for kind, hook in KINDS.items():
        caller = getattr(manager.hook, hook)
        if not caller.get_hookimpls():
            continue
        try:
            results = caller() or [None]  # pluggy leaves out None
        except Exception as error:
            raise PluginError(f"{hook}() raised {describe_error(error)}") from error
        for result in results:
            if not isinstance(result, Mapping):
                raise PluginError(f"{hook}() returned a {class_name(result)}, expected a mapping of name -> factory")
            for name, factory in result.items():
                _check_offer(hook, name, factory)
                if (kind, name) in ((other, named) for other, named, _ in offers):
                    raise PluginError(f"two functions offer the {kind} '{name}': rename one")
                offers.append((kind, name, factory))
    return offers


def _check_offer(hook: str, name: Any, factory: Any) -> None:
    """Raise `PluginError` for an invalid name or factory."""
    check_name(hook, name)
    if not callable(factory):
        if type(factory).__module__ == "builtins":
            shown, wanted = clean(repr(factory), 60), "a class or function"
        else:
            kind = class_name(factory)
            shown, wanted = f"an object of {kind}", f"the class itself, {kind} without (): each game creates its own"
        raise PluginError(f"{hook}() offers '{name}' as {shown}: expected {wanted}")


def check_name(hook: str, name: Any) -> None:
    """Raise `PluginError` if nothing can be offered under the name."""
    if type(name) is not str or len(name) > _LONGEST_NAME or not NAME.fullmatch(name):
        named = clean(repr(name), 60)
        expected = f"a name of at most {_LONGEST_NAME} characters: a-z, 0-9, '-', '_' and '.'"
        raise PluginError(f"{hook}() offers {named}: expected {expected}")
    if name.endswith(".py"):
        raise PluginError(f"{hook}() offers '{name}': expected a name, not a file")


def _hooks(module: Any) -> list[str]:
    """Return the names of hooks, including misspelt ones: functions with the prefix, and all functions marked
    `hookimpl`."""
    names = []
    for name in dir(module):
        thing = getattr(module, name, None)
        marked = inspect.isroutine(thing) and hasattr(thing, f"{hookspecs.PROJECT}_impl")
        if name in HOOKS or marked or (name.startswith("sweepstakes_") and inspect.isfunction(thing)):
            names.append(name)
    return names


def check_hooks(module: Any) -> None:
    """Raise `PluginError` for a hook that pluggy would silently ignore."""
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
            raise PluginError(f"{name} is a wrapper, which is not supported: plugins are called one by one")
        arguments = list(inspect.signature(getattr(hookspecs, hook)).parameters)
        for argument in inspect.signature(function).parameters:
            if argument not in arguments:
                expected = ", ".join(arguments) or "none"
                raise PluginError(
                    f"{name} takes the argument '{argument}', which the hook does not have: expected {expected}"
                )
    if not names:
        raise PluginError(
            "it has no hook: expected a function such as sweepstakes_agents() marked with @hookimpl from sweepstakes"
        )


_SYSTEM_ERRORS = (OSError, PermissionError, FileNotFoundError, IsADirectoryError)  # no subclasses


def explain_error(error: BaseException, path: str) -> str:
    """Describe in one line what is wrong with the plugin in a file."""
    kind = type(error)
    if issubclass(kind, PluginError):
        return text_of(error, MAX_MESSAGE_LENGTH)
    text = text_of(error)
    if isinstance(error, SyntaxError) and type(error.msg) is str and type(error.filename) in (str, type(None)):
        where = "" if error.filename in (None, path) else f"{error.filename}, "
        line = f"line {error.lineno}: " if type(error.lineno) is int and error.lineno else ""
        return clean(f"{where}{line}{error.msg}", 400)
    if issubclass(kind, ImportError):
        return f"{class_name(error)}: {text}; install what it needs, or correct the import"
    if isinstance(error, OSError) and kind in _SYSTEM_ERRORS and str(error.filename) == path:
        return f"it cannot be read: {error.strerror}"
    lines = [line for file, line, _ in traceback_entries(error) if file == path]
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{class_name(error)}: {text}".rstrip(": ")
