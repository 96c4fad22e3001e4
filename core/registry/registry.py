"""Everything that plugins offer, by name.

A plugin comes from a module in `sweepstakes.plugins`, from a file, from a folder named in SWEEPSTAKES_PLUGINS, or from
the entry points of an installed distribution. Each is loaded by itself: one that is broken is reported, with what to do
about it, and the others go on.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from sweepstakes import hookspecs
from sweepstakes.errors import LONGEST, ParameterError, PluginError, SweepstakesError, brief, did_you_mean, located
from sweepstakes.registry.parameters import check_parameters
from sweepstakes.registry.spec import NAME, Spec
from sweepstakes.untrusted.exceptions import is_the_users, kind_of, places, text_of, told
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.boards import BoardSource
    from sweepstakes.game.result import GameResult
    from sweepstakes.noise import Noise

KINDS = {
    "agent": "sweepstakes_agents",
    "board source": "sweepstakes_boards",
    "clue noise": "sweepstakes_clue_noise",
    "score": "sweepstakes_scores",
    "executor": "sweepstakes_executors",
    "report": "sweepstakes_reports",
}
"""What plugins offer, and the hook each comes through."""

_CONTRACTS = {
    "agent": ("sweepstakes.agent", "Agent"),
    "board source": ("sweepstakes.boards", "BoardSource"),
    "clue noise": ("sweepstakes.noise", "ClueNoise"),
    "score": ("sweepstakes.score", "Score"),
    "executor": ("sweepstakes.executor", "Executor"),
    "report": ("sweepstakes.report", "Report"),
}
"""Where the class is that an offer of each kind makes."""

HOOKS = [name for name in vars(hookspecs) if name.startswith("sweepstakes_")]
_OBSERVER = "sweepstakes_game_finished"
_LONGEST_NAME = 60


@dataclass
class Plugin:
    """One plugin: where it comes from, what it offers, and what is wrong with it."""

    name: str
    origin: str
    """`built in`, `dropped in`, `file` or `installed`."""
    version: str = ""
    file: str = ""
    error: str = ""
    asked_for: bool = False
    """Whether somebody named it, so that going on without it would be wrong."""
    offers: dict[str, list[str]] = field(default_factory=dict)
    """What it offers: names by kind."""


class Offer(NamedTuple):
    """A factory that a plugin offers under a name."""

    name: str
    factory: Callable[..., Any]
    plugin: Plugin

    @property
    def version(self) -> str:
        """What changes whenever the results of this offer may change: part of the identity of a game."""
        number = vars(self.factory).get("version") if inspect.isclass(self.factory) else None
        if self.plugin.origin == "built in" and isinstance(number, int):
            return f"v{number}"
        return self.plugin.version

    @property
    def summary(self) -> str:
        """The first sentence of its documentation."""
        try:
            text = self.factory.__doc__  # its own: getdoc would give an undocumented agent our words
            return clean(inspect.cleandoc(text).split("\n\n")[0], 400) if isinstance(text, str) else ""
        except Exception:  # noqa: BLE001 - a stranger's class may raise anything
            return ""


class Registry:
    """The plugins of this machine, and `files` besides; what is wrong with each stands in `plugins`.

    Without `strangers`, only what comes with us is loaded, and `files`.
    """

    def __init__(self, files: Iterable[str | Path] = (), *, strangers: bool = True) -> None:
        self.plugins: list[Plugin] = []
        self._offers: dict[str, dict[str, Offer]] = {kind: {} for kind in KINDS}
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._observers: dict[str, Any] = {}
        self._tell: dict[str, pluggy.HookCaller] = {}
        self._broken_observers: set[str] = set()
        self._sources: dict[Spec, BoardSource] = {}
        self._noises: dict[Spec, Noise] = {}
        for name, file, origin in _in_plugins():
            if strangers or origin == "built in":
                self._load(Plugin(name, origin, file=str(file)), functools.partial(_import_module, name, file))
        for point in self._entry_points() if strangers else ():
            self._load(Plugin(point.name, "installed", file=point.value), functools.partial(_import_point, point))
        for found in _in_folders() if strangers else ():
            self.add_file(found, asked_for=False)
        for path in files:
            self.add_file(path)

    @staticmethod
    @functools.cache
    def default() -> Registry:
        """The registry without any further files, loaded once."""
        return Registry()

    def add_file(self, path: str | Path, *, asked_for: bool = True) -> Plugin:
        """Load a plugin from a file; the plugin says what it offers, or what is wrong with it."""
        try:
            path = Path(path).resolve()
        except (OSError, ValueError, RuntimeError):
            path = Path(path).absolute()  # a name that no file can have, or links in a circle: loading says so
        for plugin in self.plugins:
            if plugin.file == str(path):
                plugin.asked_for |= asked_for
                return plugin
        plugin = Plugin(path.stem, "file", file=str(path), asked_for=asked_for)
        return self._load(plugin, functools.partial(_import_file, path))

    def offers(self, kind: str) -> Mapping[str, Offer]:
        """All offers of a kind, by name."""
        return dict(sorted(self._offers[kind].items()))

    def find(self, kind: str, name: str) -> Offer:
        """The offer of that kind and name; `PluginError` with the nearest name if there is none."""
        offer = self._offers[kind].get(name)
        if offer is None:
            broken = [plugin for plugin in self.plugins if plugin.error]
            hint = f"; {len(broken)} plugins did not load, see `sweepstakes plugins`" if broken else ""
            raise PluginError(f"unknown {kind} {brief(name)}{did_you_mean(name, self._offers[kind])}{hint}")
        return offer

    def specs(self, kind: str, spec: Spec | str) -> list[Spec]:
        """What a spec stands for, each by its name alone: one thing, or all of that kind that a file offers.

        The file is loaded. `PluginError` if nobody offers that.
        """
        spec = Spec.of(spec)
        if spec.command:
            raise ParameterError(f"{brief(str(spec))}: programs cannot take part yet: expected a name or a file")
        if spec.version:
            raise ParameterError(f"{brief(str(spec))}: other versions cannot be named yet: leave out @{spec.version}")
        if not spec.file:
            self.find(kind, spec.name)
            return [spec]
        plugin = self.add_file(spec.file)
        if plugin.error:
            raise PluginError(f"{located(spec.file)}: {plugin.error}")
        names = plugin.offers.get(kind, [])
        if not names:
            raise PluginError(f"{located(spec.file)} offers no {kind}")
        if spec.name and spec.name not in names:
            raise PluginError(f"{located(spec.file)} offers no {kind} '{spec.name}'{did_you_mean(spec.name, names)}")
        return [Spec(name, spec.parameters) for name in names if spec.name in ("", name)]

    def spec(self, kind: str, spec: Spec | str) -> Spec:
        """The one thing that a spec stands for, by its name alone; `PluginError` if a file offers several."""
        found = self.specs(kind, spec)
        if len(found) > 1:
            names, file = ", ".join(each.name for each in found), Spec.of(spec).file
            raise PluginError(f"{located(file)} offers {names}: name one, as in {Path(file).name}:{found[0].name}")
        return found[0]

    def checked(self, kind: str, spec: Spec | str) -> Spec:
        """The one thing that a spec stands for, whose parameters it takes; none of its code is run."""
        spec = self.spec(kind, spec)
        check_parameters(self.find(kind, spec.name).factory, spec.parameters, f"{kind} '{spec.name}'")
        return spec

    def make(self, kind: str, spec: Spec | str) -> Any:
        """What the offer makes of its parameters, which are checked first."""
        spec = self.checked(kind, spec)
        offer = self.find(kind, spec.name)
        try:
            made = offer.factory(**spec.parameters)
        except SweepstakesError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
            raise PluginError(f"{kind} '{spec}': {text_of(error) or kind_of(error)}") from None
        module, contract = _CONTRACTS[kind]
        if not isinstance(made, getattr(importlib.import_module(module), contract)):
            raise PluginError(
                f"{kind} '{spec.name}' of {offer.plugin.file} makes a {kind_of(made)}, expected a {contract}"
            )
        return made

    def source(self, spec: Spec | str) -> BoardSource:
        """A board source; made once."""
        spec = Spec.of(spec)
        if spec not in self._sources:
            self._sources[spec] = self.make("board source", spec)
        return self._sources[spec]

    def noise(self, spec: Spec | str) -> Noise:
        """A clue noise, as an agent sees it; made once."""
        spec = Spec.of(spec)
        if spec not in self._noises:
            self._noises[spec] = self.make("clue noise", spec).model(str(self.spec("clue noise", spec).portable))
        return self._noises[spec]

    def agent(self, spec: Spec | str) -> Callable[[], Agent]:
        """A factory of agents with the parameters of the spec, which are checked."""
        spec = self.spec("agent", spec)
        self.make("agent", spec)
        return functools.partial(self.find("agent", spec.name).factory, **spec.parameters)

    def check(self) -> None:
        """`PluginError` if a plugin that somebody asked for did not load."""
        for plugin in self.plugins:
            if plugin.asked_for and plugin.error:
                raise PluginError(f"{located(plugin.file)}: {plugin.error}")

    def game_finished(self, result: GameResult) -> list[str]:
        """Tell every observer; the new complaints about those that raised, each observer at most once."""
        complaints = []
        if not self._tell:
            self._tell = {name: self._caller(_OBSERVER, module) for name, module in self._observers.items()}
        for name, tell in self._tell.items():
            try:
                tell(result=result)
            except BaseException as error:  # an observer must not stop the run
                if is_the_users(error):
                    raise
                if name not in self._broken_observers:
                    self._broken_observers.add(name)
                    complaints.append(f"observer {clean(name)} raised {told(error)}")
        return complaints

    @property
    def observed(self) -> bool:
        """Whether any plugin watches games finish."""
        return bool(self._observers)

    def _entry_points(self) -> list[importlib.metadata.EntryPoint]:
        """The entry points of all installed distributions, in the order of their names."""
        try:
            points = importlib.metadata.entry_points(group=hookspecs.PROJECT)
            return sorted(points, key=lambda point: (point.name, point.value))
        except Exception as error:  # noqa: BLE001 - what is installed may be damaged in any way
            cause = f"the entry points of what is installed cannot be read: {told(error)}"
            self.plugins.append(Plugin("entry points", "installed", error=cause))
            return []

    def _load(self, plugin: Plugin, load: Callable[[Plugin], Any]) -> Plugin:
        """Import, register and ask one plugin; on any failure nothing of it stays."""
        module: Any = None
        interrupts = _Interrupts()
        try:
            with interrupts:
                module = load(plugin)
                self.plugins.append(plugin)
                _check_hooks(module, _hooks(module))
                same = next((p for p in self.plugins[:-1] if p.name == plugin.name and not p.error), None)
                if same is not None:
                    raise PluginError(
                        f"two plugins have the name '{plugin.name}': {same.file} and {plugin.file}; rename one"
                    )
                self._manager.register(module, name=plugin.name)
                self._manager.check_pending()
                for offer in self._ask(plugin, module):
                    self._offers[offer[0]][offer[1].name] = offer[1]
                    plugin.offers.setdefault(offer[0], []).append(offer[1].name)
                if self._has(_OBSERVER, module):
                    self._observers[plugin.name] = module
                self._tell = {}
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and interrupts.typed:
                raise
            if not any(known is plugin for known in self.plugins):
                self.plugins.append(plugin)
            plugin.error = _explain(error, plugin)
            if module is not None and self._manager.has_plugin(plugin.name):
                named = self._manager.get_plugin(plugin.name)
                if named is module:
                    self._manager.unregister(module)
        return plugin

    def _has(self, hook: str, module: Any) -> bool:
        """Whether a plugin has a function for the hook."""
        return any(call.plugin is module for call in getattr(self._manager.hook, hook).get_hookimpls())

    def _caller(self, hook: str, module: Any) -> pluggy.HookCaller:
        """What calls a hook of one plugin, and of no other that is loaded: one that fails stops no other."""
        return self._manager.subset_hook_caller(hook, [p for p in self._manager.get_plugins() if p is not module])

    def _ask(self, plugin: Plugin, module: Any) -> list[tuple[str, Offer]]:
        """Call the plugin's own hooks, by themselves, and check what they return, before anything of it counts."""
        offers: list[tuple[str, Offer]] = []
        for kind, hook in KINDS.items():
            if not self._has(hook, module):
                continue
            try:
                answers = self._caller(hook, module)() or [None]  # pluggy leaves out None
            except Exception as error:
                raise PluginError(f"{hook}() raised {told(error)}") from error
            for given in answers:
                if not isinstance(given, Mapping):
                    raise PluginError(f"{hook}() returned a {kind_of(given)}, expected a mapping of name -> factory")
                for name, factory in given.items():
                    self._check_offer(kind, hook, name, factory, plugin)
                    if (kind, name) in ((other, offer.name) for other, offer in offers):
                        raise PluginError(f"two functions offer the {kind} '{name}': rename one")
                    offers.append((kind, Offer(name, factory, plugin)))
        return offers

    def _check_offer(self, kind: str, hook: str, name: Any, factory: Any, plugin: Plugin) -> None:
        """`PluginError` for a name or a factory that is none, or a name that another plugin offers."""
        if type(name) is not str or len(name) > _LONGEST_NAME or not NAME.fullmatch(name):
            named = clean(repr(name), 60)
            expected = f"a name of a-z, 0-9, '-', '_', '.', {_LONGEST_NAME} of them at most"
            raise PluginError(f"{hook}() offers {named}: expected {expected}")
        if name.endswith(".py"):
            raise PluginError(f"{hook}() offers '{name}': expected a name, this reads as a file")
        if not callable(factory):
            shown = clean(repr(factory), 60)
            raise PluginError(f"{hook}() offers '{name}' as {shown}: expected a class or function")
        other = self._offers[kind].get(name)
        if other is not None:
            raise PluginError(
                f"two plugins offer the {kind} '{name}': {other.plugin.file} and {plugin.file}; rename one"
            )


class _Interrupts:
    """Tells Ctrl-C, typed while a plugin is loaded, from a KeyboardInterrupt that the plugin raises by itself."""

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


def _in_plugins() -> list[tuple[str, Path, str]]:
    """The modules of `sweepstakes.plugins`: name, file and origin, those built in first; `_name.py` is a helper.

    Found by their files: importing a package to look into it would let one that is broken stop the others.
    """
    import sweepstakes.plugins as home

    found = []
    for folder in map(Path, home.__path__):
        for file in folder.rglob("*.py"):
            words = file.relative_to(folder).with_suffix("").parts
            if words[-1] == "__init__" and "hookimpl" in file.read_text(errors="replace"):
                words = words[:-1]  # a package that is a plugin itself
            if words and not any(word.startswith(("_", ".")) for word in words):
                origin = "built in" if ".".join(words) in home.BUILT_IN else "dropped in"
                found.append((".".join((home.__name__, *words)), file.resolve(), origin))
    return sorted(found, key=lambda module: (module[2], module[0]))


def _in_folders() -> list[Path]:
    folders = [Path(text) for text in os.environ.get("SWEEPSTAKES_PLUGINS", "").split(os.pathsep) if text]
    return [path for folder in folders for path in (sorted(folder.glob("*.py")) if folder.is_dir() else [folder])]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _import_module(name: str, file: Path, plugin: Plugin) -> ModuleType:
    plugin.version = _digest(file)
    return importlib.import_module(name)


def _import_point(point: importlib.metadata.EntryPoint, plugin: Plugin) -> Any:
    """What an entry point names; the plugin then has the version of its distribution and the file."""
    if point.dist is not None:
        plugin.version = f"{point.dist.name} {point.dist.version}"
    module = point.load()
    plugin.file = getattr(sys.modules.get(point.module), "__file__", None) or point.value
    return module


def _import_file(path: Path, plugin: Plugin) -> ModuleType:
    """Import a file under a name of its own, which no other module has."""
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
        # The text that the version is of: the loader would read the file again, or a compiled copy of an older one.
        exec(spec.loader.source_to_code(text, str(path)), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _hooks(module: Any) -> list[str]:
    """The names that are hooks or are meant to be: by the prefix, or by the mark under whatever name."""
    names = []
    for name in dir(module):
        thing = getattr(module, name, None)
        marked = inspect.isroutine(thing) and hasattr(thing, f"{hookspecs.PROJECT}_impl")
        if name in HOOKS or marked or (name.startswith("sweepstakes_") and inspect.isfunction(thing)):
            names.append(name)
    return names


def _check_hooks(module: Any, names: list[str]) -> None:
    """`PluginError` for a hook that pluggy would pass over in silence."""
    for name in names:
        function = getattr(module, name)
        marked = getattr(function, f"{hookspecs.PROJECT}_impl", None)
        hook = (marked or {}).get("specname") or name
        if hook not in HOOKS:
            raise PluginError(f"there is no hook {clean(str(hook), 60)}{did_you_mean(str(hook), HOOKS)}")
        if marked is None:
            raise PluginError(f"{name} is not marked: put @hookimpl from sweepstakes above it")
        if marked.get("hookwrapper") or marked.get("wrapper"):
            raise PluginError(f"{name} is a wrapper: plugins are asked one by one, and there is nothing to wrap")
        takes = list(inspect.signature(getattr(hookspecs, hook)).parameters)
        for argument in inspect.signature(function).parameters:
            if argument not in takes:
                expected = ", ".join(takes) or "none"
                raise PluginError(
                    f"{name} takes the argument '{argument}', which the hook does not give: expected {expected}"
                )
    if not names:
        raise PluginError(
            "it has no hook: expected a function such as sweepstakes_agents() marked with @hookimpl from sweepstakes"
        )


_SYSTEM_ERRORS = (OSError, PermissionError, FileNotFoundError, IsADirectoryError)  # and no subclass of an author's


def _explain(error: BaseException, plugin: Plugin) -> str:
    """What is wrong, in a line."""
    kind = type(error)
    if issubclass(kind, PluginError):
        return text_of(error, LONGEST)
    text = text_of(error)
    if isinstance(error, SyntaxError) and type(error.msg) is str and type(error.filename) in (str, type(None)):
        where = "" if error.filename in (None, plugin.file) else f"{error.filename}, "
        line = f"line {error.lineno}: " if type(error.lineno) is int and error.lineno else ""
        return clean(f"{where}{line}{error.msg}", 400)
    if issubclass(kind, ImportError):
        return f"{kind_of(error)}: {text}; install what it needs, or correct the import"
    if isinstance(error, OSError) and kind in _SYSTEM_ERRORS and str(error.filename) == plugin.file:
        return f"it cannot be read: {error.strerror}"
    lines = [line for file, line, _ in places(error) if file == plugin.file]
    place = f"line {lines[-1]}: " if lines else ""
    return f"{place}{kind_of(error)}: {text}".rstrip(": ")
