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
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from sweepstakes import hookspecs
from sweepstakes.errors import PluginError, SweepstakesError, did_you_mean
from sweepstakes.parameters import check_parameters, label, parse_call

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.noise import Noise
    from sweepstakes.result import GameResult

KINDS = {
    "agent": "sweepstakes_agents",
    "board source": "sweepstakes_boards",
    "clue noise": "sweepstakes_clue_noise",
    "score": "sweepstakes_scores",
    "executor": "sweepstakes_executors",
    "report": "sweepstakes_reports",
}
"""What plugins offer, and the hook each comes through."""

HOOKS = [name for name in vars(hookspecs) if name.startswith("sweepstakes_")]
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


@dataclass
class Plugin:
    """One plugin: where it comes from, what it offers, and what is wrong with it."""

    name: str
    origin: str
    """`built in`, `file` or `installed`."""
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
        text = inspect.getdoc(self.factory) or ""
        return text.split("\n\n")[0].replace("\n", " ")


class Registry:
    """The plugins of this machine, and `files` besides; what is wrong with each stands in `plugins`."""

    def __init__(self, files: Iterable[str | Path] = ()) -> None:
        self.plugins: list[Plugin] = []
        self._offers: dict[str, dict[str, Offer]] = {kind: {} for kind in KINDS}
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._files: dict[Path, Plugin] = {}
        self._broken_observers: set[str] = set()
        for name, file in sorted(_built_in()):
            self._load(
                Plugin(name, "built in", _digest(file), str(file)),
                functools.partial(importlib.import_module, name),
            )
        for point in sorted(importlib.metadata.entry_points(group=hookspecs.PROJECT), key=lambda p: (p.name, p.value)):
            dist = point.dist
            version = f"{dist.name} {dist.version}" if dist else ""
            self._load(Plugin(point.name, "installed", version, point.value), point.load)
        for path in _in_folders():
            self.add_file(path, asked_for=False)
        for given in files:
            self.add_file(given)

    @staticmethod
    @functools.cache
    def default() -> Registry:
        """The registry without any further files, loaded once."""
        return Registry()

    def add_file(self, path: str | Path, *, asked_for: bool = True) -> Plugin:
        """Load a plugin from a file; the plugin says what it offers, or what is wrong with it."""
        file = Path(path).resolve()
        if file in self._files:
            return self._files[file]
        version = _digest(file) if file.is_file() else ""
        plugin = self._files[file] = Plugin(file.stem, "file", version, str(file), asked_for=asked_for)
        return self._load(plugin, functools.partial(_import_file, file))

    def offers(self, kind: str) -> Mapping[str, Offer]:
        """All offers of a kind, by name."""
        return dict(sorted(self._offers[kind].items()))

    def find(self, kind: str, name: str) -> Offer:
        """The offer of that kind and name; `PluginError` with the nearest name if there is none."""
        offer = self._offers[kind].get(name)
        if offer is None:
            broken = [plugin for plugin in self.plugins if plugin.error]
            hint = f"; {len(broken)} plugins did not load, see `sweepstakes plugins`" if broken else ""
            raise PluginError(f"unknown {kind} '{name}'{did_you_mean(name, self._offers[kind])}{hint}")
        return offer

    def make(self, kind: str, name: str, given: Mapping[str, Any]) -> Any:
        """What the offer makes of the parameters, which are checked first."""
        offer = self.find(kind, name)
        check_parameters(offer.factory, given, f"{kind} '{name}'")
        try:
            return offer.factory(**given)
        except SweepstakesError:
            raise
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
            raise PluginError(f"{kind} '{label(name, given)}': {error or type(error).__name__}") from None

    def noise(self, text: str) -> Noise:
        """A clue noise from its name with parameters, as in `hidden(rate=0.25)`."""
        name, given = parse_call(text)
        model: Noise = self.make("clue noise", name, given).model(label(name, given))
        return model

    def agent(self, name: str, given: Mapping[str, Any]) -> Callable[[], Agent]:
        """A factory of agents with these parameters, which are checked."""
        self.make("agent", name, given)
        return functools.partial(self.find("agent", name).factory, **given)

    def check(self) -> None:
        """`PluginError` if a plugin that somebody asked for did not load."""
        for plugin in self.plugins:
            if plugin.asked_for and plugin.error:
                raise PluginError(f"{plugin.file}: {plugin.error}")

    def game_finished(self, result: GameResult) -> list[str]:
        """Tell every observer; the new complaints about those that raised, each observer at most once."""
        complaints = []
        for call in self._manager.hook.sweepstakes_game_finished.get_hookimpls():
            try:
                call.function(*[result][: len(call.argnames)])
            except Exception as error:  # noqa: BLE001 - an observer must not stop the run
                if call.plugin_name not in self._broken_observers:
                    self._broken_observers.add(call.plugin_name)
                    complaints.append(f"observer {call.plugin_name} raised {type(error).__name__}: {error}")
        return complaints

    @property
    def observed(self) -> bool:
        """Whether any plugin watches games finish."""
        return bool(self._manager.hook.sweepstakes_game_finished.get_hookimpls())

    def _load(self, plugin: Plugin, load: Callable[[], Any]) -> Plugin:
        """Import, register and ask one plugin; on any failure nothing of it stays."""
        module: Any = None
        try:
            module = load()
            names = [name for name in dir(module) if name.startswith("sweepstakes_")]
            if plugin.origin == "built in" and not names:
                return plugin  # a helper module beside the plugins
            self.plugins.append(plugin)
            _check_hooks(module, names)
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
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
            if plugin not in self.plugins:
                self.plugins.append(plugin)
            plugin.error = _explain(error, plugin)
            if module is not None and self._manager.has_plugin(plugin.name):
                named = self._manager.get_plugin(plugin.name)
                if named is module:
                    self._manager.unregister(module)
        return plugin

    def _ask(self, plugin: Plugin, module: Any) -> list[tuple[str, Offer]]:
        """Call the plugin's own hooks, by themselves, and check what they return, before anything of it counts."""
        offers: list[tuple[str, Offer]] = []
        for kind, hook in KINDS.items():
            function = getattr(module, hook, None)
            if function is None:
                continue
            try:
                given = function()
            except Exception as error:
                raise PluginError(f"{hook}() raised {type(error).__name__}: {error}") from error
            if not isinstance(given, Mapping):
                raise PluginError(f"{hook}() returned a {type(given).__name__}, expected a mapping of name -> factory")
            for name, factory in given.items():
                if not isinstance(name, str) or not _NAME.fullmatch(name):
                    raise PluginError(f"{hook}() offers {name!r}: expected a name of a-z, 0-9, '-', '_', '.'")
                if not callable(factory):
                    raise PluginError(f"{hook}() offers '{name}' as {factory!r}: expected a class or function")
                other = self._offers[kind].get(name)
                if other is not None:
                    raise PluginError(
                        f"two plugins offer the {kind} '{name}': {other.plugin.file} and {plugin.file}; rename one"
                    )
                offers.append((kind, Offer(name, factory, plugin)))
        return offers


def _built_in() -> Iterator[tuple[str, Path]]:
    """The modules of `sweepstakes.plugins`, which a file dropped into that folder joins."""
    import sweepstakes.plugins as home

    for module in pkgutil.walk_packages(home.__path__, "sweepstakes.plugins."):
        spec = importlib.util.find_spec(module.name)
        if not module.ispkg and spec is not None and spec.origin is not None:
            yield module.name, Path(spec.origin)


def _in_folders() -> list[Path]:
    folders = [Path(text) for text in os.environ.get("SWEEPSTAKES_PLUGINS", "").split(os.pathsep) if text]
    return [path for folder in folders for path in (sorted(folder.glob("*.py")) if folder.is_dir() else [folder])]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _import_file(path: Path) -> ModuleType:
    """Import a file under a name of its own, so that two files of one name can both be there."""
    if not path.is_file():
        raise PluginError("there is no such file")
    name = f"sweepstakes_plugin_{re.sub(r'[^0-9a-zA-Z]', '_', path.stem)}_{_digest(path)}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError("not a Python file: expected a name that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _check_hooks(module: Any, names: list[str]) -> None:
    """`PluginError` for a hook that pluggy would pass over in silence."""
    for name in names:
        if name not in HOOKS:
            raise PluginError(f"there is no hook {name}{did_you_mean(name, HOOKS)}")
        function = getattr(module, name)
        if not hasattr(function, f"{hookspecs.PROJECT}_impl"):
            raise PluginError(f"{name} is not marked: put @hookimpl from sweepstakes above it")
        takes = list(inspect.signature(getattr(hookspecs, name)).parameters)
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


def _explain(error: BaseException, plugin: Plugin) -> str:
    """What is wrong, in a line."""
    if isinstance(error, PluginError):
        return str(error)
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    if isinstance(error, ImportError):
        return f"{type(error).__name__}: {error}; install what it needs, or correct the import"
    place = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == plugin.file:
            place = f"line {trace.tb_lineno}: "
        trace = trace.tb_next
    text = " ".join(str(error).split())
    return f"{place}{type(error).__name__}: {text}"
