"""The registry: everything that plugins offer, by name.

A plugin comes from a module in `sweepstakes.plugins`, from a file, from a folder named in SWEEPSTAKES_PLUGINS, or from
the entry points of an installed distribution. Each plugin is loaded by itself: the error of one is reported, and the
others still load.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from sweepstakes import hookspecs
from sweepstakes.errors import ParameterError, PluginError, SweepstakesError, brief, did_you_mean, located
from sweepstakes.registry.discovery import in_folders, in_plugins
from sweepstakes.registry.loading import (
    Interrupts,
    Plugin,
    check_hooks,
    explain_error,
    import_entry_point,
    import_file,
    import_module,
)
from sweepstakes.registry.parameters import check_parameters
from sweepstakes.registry.spec import NAME, Spec
from sweepstakes.untrusted.exceptions import class_name, describe_error, is_ctrl_c, text_of
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
"""The kinds of offers, and the hook that returns each."""

_CONTRACTS = {
    "agent": ("sweepstakes.agent", "Agent"),
    "board source": ("sweepstakes.boards", "BoardSource"),
    "clue noise": ("sweepstakes.noise", "ClueNoise"),
    "score": ("sweepstakes.score", "Score"),
    "executor": ("sweepstakes.executor", "Executor"),
    "report": ("sweepstakes.report", "Report"),
}
"""Module and name of the class that a factory of each kind must return an instance of."""

_OBSERVER = "sweepstakes_game_finished"
_LONGEST_NAME = 60


class Offer(NamedTuple):
    """A factory that a plugin offers under a name."""

    name: str
    factory: Callable[..., Any]
    plugin: Plugin

    @property
    def version(self) -> str:
        """The version of the offer, part of the identity of a game: it changes whenever results may change.

        The `version` of a built-in class; otherwise the version of the plugin.
        """
        number = vars(self.factory).get("version") if inspect.isclass(self.factory) else None
        if self.plugin.origin == "built in" and isinstance(number, int):
            return f"v{number}"
        return self.plugin.version

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring."""
        try:
            text = self.factory.__doc__  # getdoc would return the docstring of `Agent` for an undocumented agent
            return clean(inspect.cleandoc(text).split("\n\n")[0], 400) if isinstance(text, str) else ""
        except Exception:  # noqa: BLE001 - a third-party class may raise anything
            return ""


class Registry:
    """The plugins of this machine, and those in `files`; `plugins` lists them all with their errors.

    Without `third_party`, only built-in plugins and `files` are loaded.
    """

    def __init__(self, files: Iterable[str | Path] = (), *, third_party: bool = True) -> None:
        self.plugins: list[Plugin] = []
        self._offers: dict[str, dict[str, Offer]] = {kind: {} for kind in KINDS}
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._observers: dict[str, Any] = {}
        self._observer_calls: dict[str, pluggy.HookCaller] = {}
        self._broken_observers: set[str] = set()
        self._sources: dict[Spec, BoardSource] = {}
        self._noises: dict[Spec, Noise] = {}
        for name, file, origin in in_plugins():
            if third_party or origin == "built in":
                self._load(Plugin(name, origin, file=str(file)), functools.partial(import_module, name, file))
        for point in self._entry_points() if third_party else ():
            self._load(Plugin(point.name, "installed", file=point.value), functools.partial(import_entry_point, point))
        for file in in_folders() if third_party else ():
            self.add_file(file, asked_for=False)
        for path in files:
            self.add_file(path)

    @staticmethod
    @functools.cache
    def default() -> Registry:
        """The registry without additional files; loaded once."""
        return Registry()

    def add_file(self, path: str | Path, *, asked_for: bool = True) -> Plugin:
        """Load a plugin from a file; the returned plugin has its offers, or its error."""
        try:
            path = Path(path).resolve()
        except (OSError, ValueError, RuntimeError):
            path = Path(path).absolute()  # an impossible name, or circular links: loading reports it
        for plugin in self.plugins:
            if plugin.file == str(path):
                plugin.asked_for |= asked_for
                return plugin
        plugin = Plugin(path.stem, "file", file=str(path), asked_for=asked_for)
        return self._load(plugin, functools.partial(import_file, path))

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
        """The specs, without file, of what a spec names: one offer, or all offers of that kind in its file.

        Loads the file. `PluginError` if there is no such offer.
        """
        spec = Spec.of(spec)
        if spec.words:
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
        """The spec, without file, of the one offer that a spec names; `PluginError` if a file has several."""
        specs = self.specs(kind, spec)
        if len(specs) > 1:
            names, file = ", ".join(each.name for each in specs), Spec.of(spec).file
            raise PluginError(f"{located(file)} offers {names}: name one, as in {Path(file).name}:{specs[0].name}")
        return specs[0]

    def checked(self, kind: str, spec: Spec | str) -> Spec:
        """As `spec`, with the parameters checked against the factory's signature; the factory is not called."""
        spec = self.spec(kind, spec)
        check_parameters(self.find(kind, spec.name).factory, spec.parameters, f"{kind} '{spec.name}'")
        return spec

    def make(self, kind: str, spec: Spec | str) -> Any:
        """Call the factory with the parameters of the spec, which are checked first, and check what it returns."""
        spec = self.checked(kind, spec)
        offer = self.find(kind, spec.name)
        try:
            instance = offer.factory(**spec.parameters)
        except SweepstakesError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
            raise PluginError(f"{kind} '{spec}': {text_of(error) or class_name(error)}") from None
        module, contract = _CONTRACTS[kind]
        if not isinstance(instance, getattr(importlib.import_module(module), contract)):
            raise PluginError(
                f"{kind} '{spec.name}' of {offer.plugin.file} makes a {class_name(instance)}, expected a {contract}"
            )
        return instance

    def source(self, spec: Spec | str) -> BoardSource:
        """The board source of a spec; made once."""
        spec = Spec.of(spec)
        if spec not in self._sources:
            self._sources[spec] = self.make("board source", spec)
        return self._sources[spec]

    def noise(self, spec: Spec | str) -> Noise:
        """The clue noise of a spec, as an agent sees it; made once."""
        spec = Spec.of(spec)
        if spec not in self._noises:
            self._noises[spec] = self.make("clue noise", spec).model(str(self.spec("clue noise", spec).portable))
        return self._noises[spec]

    def agent(self, spec: Spec | str) -> Callable[[], Agent]:
        """A factory without arguments that makes the agent of a spec; the parameters are checked."""
        spec = self.spec("agent", spec)
        self.make("agent", spec)
        return functools.partial(self.find("agent", spec.name).factory, **spec.parameters)

    def check(self) -> None:
        """`PluginError` if a plugin that the user named did not load."""
        for plugin in self.plugins:
            if plugin.asked_for and plugin.error:
                raise PluginError(f"{located(plugin.file)}: {plugin.error}")

    def game_finished(self, result: GameResult) -> list[str]:
        """Call every observer. Returns error messages about observers that raised, at most one for each observer."""
        complaints = []
        if not self._observer_calls:
            self._observer_calls = {name: self._caller(_OBSERVER, module) for name, module in self._observers.items()}
        for name, call in self._observer_calls.items():
            try:
                call(result=result)
            except BaseException as error:  # an observer must not stop the run
                if is_ctrl_c(error):
                    raise
                if name not in self._broken_observers:
                    self._broken_observers.add(name)
                    complaints.append(f"observer {clean(name)} raised {describe_error(error)}")
        return complaints

    @property
    def observed(self) -> bool:
        """Whether any plugin implements the hook `sweepstakes_game_finished`."""
        return bool(self._observers)

    def _entry_points(self) -> list[importlib.metadata.EntryPoint]:
        """The entry points of all installed distributions, in the order of their names."""
        try:
            points = importlib.metadata.entry_points(group=hookspecs.PROJECT)
            return sorted(points, key=lambda point: (point.name, point.value))
        except Exception as error:  # noqa: BLE001 - metadata of a distribution may be damaged in any way
            cause = f"the entry points of what is installed cannot be read: {describe_error(error)}"
            self.plugins.append(Plugin("entry points", "installed", error=cause))
            return []

    def _load(self, plugin: Plugin, load: Callable[[Plugin], Any]) -> Plugin:
        """Import and register one plugin and call its hooks; if any of that fails, nothing of it is registered."""
        module: Any = None
        interrupts = Interrupts()
        try:
            with interrupts:
                module = load(plugin)
                self.plugins.append(plugin)
                check_hooks(module)
                same = next((p for p in self.plugins[:-1] if p.name == plugin.name and not p.error), None)
                if same is not None:
                    raise PluginError(
                        f"two plugins have the name '{plugin.name}': {same.file} and {plugin.file}; rename one"
                    )
                self._manager.register(module, name=plugin.name)
                self._manager.check_pending()
                for kind, offer in self._call_hooks(plugin, module):
                    self._offers[kind][offer.name] = offer
                    plugin.offers.setdefault(kind, []).append(offer.name)
                if self._has(_OBSERVER, module):
                    self._observers[plugin.name] = module
                self._observer_calls = {}
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and interrupts.typed:
                raise
            if not any(known is plugin for known in self.plugins):
                self.plugins.append(plugin)
            plugin.error = explain_error(error, plugin)
            if module is not None and self._manager.has_plugin(plugin.name):
                named = self._manager.get_plugin(plugin.name)
                if named is module:
                    self._manager.unregister(module)
        return plugin

    def _has(self, hook: str, module: Any) -> bool:
        """Whether a plugin implements the hook."""
        return any(call.plugin is module for call in getattr(self._manager.hook, hook).get_hookimpls())

    def _caller(self, hook: str, module: Any) -> pluggy.HookCaller:
        """A caller of the hook of this plugin alone, so that an exception stops no other plugin."""
        return self._manager.subset_hook_caller(hook, [p for p in self._manager.get_plugins() if p is not module])

    def _call_hooks(self, plugin: Plugin, module: Any) -> list[tuple[str, Offer]]:
        """Call the hooks of one plugin and check what they return: the kind and the offer, for each offer."""
        offers: list[tuple[str, Offer]] = []
        for kind, hook in KINDS.items():
            if not self._has(hook, module):
                continue
            try:
                results = self._caller(hook, module)() or [None]  # pluggy leaves out None
            except Exception as error:
                raise PluginError(f"{hook}() raised {describe_error(error)}") from error
            for result in results:
                if not isinstance(result, Mapping):
                    raise PluginError(
                        f"{hook}() returned a {class_name(result)}, expected a mapping of name -> factory"
                    )
                for name, factory in result.items():
                    self._check_offer(kind, hook, name, factory, plugin)
                    if (kind, name) in ((other, offer.name) for other, offer in offers):
                        raise PluginError(f"two functions offer the {kind} '{name}': rename one")
                    offers.append((kind, Offer(name, factory, plugin)))
        return offers

    def _check_offer(self, kind: str, hook: str, name: Any, factory: Any, plugin: Plugin) -> None:
        """`PluginError` for an invalid name or factory, or a name that another plugin offers."""
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
