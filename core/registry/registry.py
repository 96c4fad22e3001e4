"""The registry: everything that plugins offer, by name.

A plugin comes from a module in `sweepstakes.plugins`, from a file, from a folder named in SWEEPSTAKES_PLUGINS, or from
the entry points of an installed distribution. Each plugin is loaded by itself: the error of one is reported, and the
others still load.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes import hookspecs, wiring
from sweepstakes.errors import (
    MAX_MESSAGE_LENGTH,
    ParameterError,
    PluginError,
    SweepstakesError,
    brief,
    did_you_mean,
    located,
)
from sweepstakes.registry.blame import note_imported
from sweepstakes.registry.describer import Described, Describer
from sweepstakes.registry.discovery import in_folders, in_plugins
from sweepstakes.registry.loading import KINDS, Loaded, Plugin, load_plugin
from sweepstakes.registry.parameters import Description, check_parameters, describe_factory
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import Spec
from sweepstakes.untrusted.exceptions import class_name, describe_error, is_ctrl_c, text_of
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.boards import BoardSource
    from sweepstakes.game.result import GameResult
    from sweepstakes.noise import Noise

_CONTRACTS = {
    "agent": ("sweepstakes.agent", "Agent"),
    "board source": ("sweepstakes.boards", "BoardSource"),
    "clue noise": ("sweepstakes.noise", "ClueNoise"),
    "score": ("sweepstakes.score", "Score"),
    "executor": ("sweepstakes.executor", "Executor"),
    "report": ("sweepstakes.report", "Report"),
}
"""Module and name of the class that a factory of each kind must return an instance of."""

_ORIGINS = {"module": "dropped in", "file": "file", "entry point": "installed"}
TWO_FILES = "put them in two files: agents live in processes of their own"


class Offer(NamedTuple):
    """Something that a plugin offers under a name."""

    name: str
    plugin: Plugin
    factory: Callable[..., Any] | None
    """None if this process has not imported the plugin, because its agents run in host processes."""
    described: Description | None = None

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
    def repeatable(self) -> bool:
        """Whether games of the agent can be played again with the same result."""
        return self.description.repeatable

    @property
    def description(self) -> Description:
        """The summary and the parameters."""
        if self.described is not None:
            return self.described
        assert self.factory is not None
        return describe_factory(self.factory)

    @property
    def summary(self) -> str:
        """The first paragraph of its docstring."""
        return self.description.summary


class Registry:
    """The plugins of this machine and those in `files`. `plugins` lists all of them with their errors.

    Without `third_party`, only built-in plugins and `files` are loaded. The `describer` finds out what a third-party
    plugin offers. A plugin with agents is never imported in this process, unless `import_agents` is set; then agents of
    all plugins can be made here. The plugins in `trusted`, which have no agents or are trusted with the referee, are
    imported without being described first.
    """

    def __init__(
        self,
        files: Iterable[str | Path] = (),
        *,
        third_party: bool = True,
        import_agents: bool = False,
        trusted: Iterable[PluginSource] = (),
        describer: Describer | None = None,
    ) -> None:
        self.describer = describer or wiring.describer()
        self.plugins: list[Plugin] = []
        self.import_agents = import_agents
        self._offers: dict[str, dict[str, Offer]] = {kind: {} for kind in KINDS}
        self._observers: dict[str, Callable[..., Any]] = {}
        self._broken_observers: set[str] = set()
        self._sources: dict[Spec, BoardSource] = {}
        self._noises: dict[Spec, Noise] = {}
        self._registered: list[tuple[str, Offer]] = []
        for name, file, origin in in_plugins():
            if origin == "built in":
                self._add(Plugin(name, origin, file=str(file)), functools.partial(_built_in, name, file))
            elif third_party:
                read = functools.partial(PluginSource.of_file, file, self.describer.read_imports, name)
                self._add(Plugin(name, origin, file=str(file)), read)
        for point in self._entry_points() if third_party else ():
            read = functools.partial(PluginSource.of_entry_point, point, self.describer.read_imports)
            self._add(Plugin(point.name, "installed", file=point.value), read)
        for file in in_folders() if third_party else ():
            self.add_file(file, asked_for=False)
        for source in trusted:
            plugin = Plugin(source.name, _ORIGINS[source.kind], file=source.path or source.value, asked_for=True)
            self._add(plugin, source, trusted=True)
        for path in files:
            self.add_file(path)

    @staticmethod
    @functools.cache
    def default() -> Registry:
        """Return the registry without additional files; loaded once."""
        return Registry()

    @staticmethod
    @functools.cache
    def built_in() -> Registry:
        """Return the registry of the built-in plugins alone; loaded once."""
        return Registry(third_party=False)

    def add_file(
        self,
        path: str | Path,
        *,
        asked_for: bool = True,
        only_agents: bool = False,
        files: Sequence[str] = (),
        alone: bool = False,
        describer: Describer | None = None,
    ) -> Plugin:
        """Load a plugin from a file. The returned plugin has its offers or its error.

        With `only_agents` this process does not import the plugin, whatever it offers, since a stranger may have
        submitted it as an agent. `files` are the files that its agents read. A plugin that is `alone` imports nothing
        from its folder. `describer` replaces that of the registry.
        """
        try:
            path = Path(path).resolve()
        except (OSError, ValueError, RuntimeError):
            path = Path(path).absolute()  # an impossible name, or circular links: loading reports it
        for plugin in self.plugins:
            # Once a host has described it, an installed plugin may claim to be any file.
            same = plugin.file == str(path) and (plugin.origin != "installed" or plugin.imported)
            if same and (plugin.files == tuple(files) or not (plugin.error or plugin.origin == "file")):
                plugin.asked_for |= asked_for
                return plugin
        plugin = Plugin(path.stem, "file", file=str(path), asked_for=asked_for, files=tuple(files))
        imports = self.describer.read_imports
        read = functools.partial(PluginSource.of_file, path, imports, alone=alone, files=plugin.files)
        return self._add(plugin, read, only_agents=only_agents, describer=describer)

    def offers(self, kind: str) -> Mapping[str, Offer]:
        """Return all offers of a kind, by name."""
        return dict(sorted(self._offers[kind].items()))

    def self_contained_agents(self) -> list[str]:
        """Return the agents that this process can play at any time: repeatable ones that need no parameters."""
        agents = self._offers["agent"].values()
        return sorted(offer.name for offer in agents if offer.repeatable and not offer.description.needs)

    def find(self, kind: str, name: str) -> Offer:
        """Return the offer of a kind and name. If it does not exist, raise `PluginError` with the nearest name."""
        offer = self._offers[kind].get(name)
        if offer is None:
            broken = [plugin for plugin in self.plugins if plugin.error]
            hint = f"; {len(broken)} plugins did not load, see `sweepstakes plugins`" if broken else ""
            raise PluginError(f"unknown {kind} {brief(name)}{did_you_mean(name, self._offers[kind])}{hint}")
        return offer

    def named(self, kind: str, spec: Spec, *, alone: bool = False) -> list[Offer]:
        """Return the offers that a spec names: one offer, or all offers of that kind in its file.

        The file is loaded. Its offers are found even if another plugin has an offer of the same name. Raises
        `PluginError` if there is no such offer.
        """
        if spec.words:
            raise ParameterError(f"{brief(str(spec))}: a program cannot be a {kind}: expected a name or a file")
        if spec.version:
            raise ParameterError(f"{brief(str(spec))}: other versions cannot be named yet: leave out @{spec.version}")
        if not spec.file:
            return [self.find(kind, spec.name)]
        plugin = self.add_file(spec.file, only_agents=kind == "agent", files=spec.files, alone=alone)
        if plugin.error:
            raise PluginError(plugin.error, spec.file)
        names = plugin.offers.get(kind, [])
        if not names:
            raise PluginError(f"{located(spec.file)} offers no {kind}")
        if spec.name and spec.name not in names:
            raise PluginError(f"{located(spec.file)} offers no {kind} '{spec.name}'{did_you_mean(spec.name, names)}")
        offers = {offer.name: offer for of, offer in self._registered if of == kind and offer.plugin is plugin}
        return [offers[name] for name in names if spec.name in ("", name)]

    def the_named(self, kind: str, spec: Spec, *, alone: bool = False) -> Offer:
        """Return the one offer that a spec names. Raise `PluginError` if a file has several."""
        offers = self.named(kind, spec, alone=alone)
        if len(offers) > 1:
            names = ", ".join(offer.name for offer in offers)
            example = f"{Path(spec.file).name}:{offers[0].name}"
            raise PluginError(f"{located(spec.file)} offers {names}: name one, as in {example}")
        return offers[0]

    def spec(self, kind: str, spec: Spec | str) -> Spec:
        """Return the spec of the only offer that a spec names, without file. Raise `PluginError` if a file offers
        several."""
        spec = Spec.of(spec)
        return Spec(self.the_named(kind, spec).name, spec.parameters)

    def checked(self, kind: str, spec: Spec | str) -> Spec:
        """Return the spec after checking its parameters against the signature of the factory, without calling it."""
        spec = Spec.of(spec)
        offer = self.the_named(kind, spec)
        spec = Spec(offer.name, spec.parameters)
        if offer.factory is None:
            raise PluginError(
                f"{kind} '{spec}' of {located(offer.plugin.file)} runs only in a process of its own: "
                f"expected a built-in {kind} here"
            )
        check_parameters(offer.factory, spec.parameters, f"{kind} '{spec.name}'")
        return spec

    def make(self, kind: str, spec: Spec | str) -> Any:
        """Check the parameters of the spec, call the factory with them, and check what it returns."""
        spec = self.checked(kind, spec)
        offer = self.find(kind, spec.name)
        assert offer.factory is not None
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
        """Return the board source of a spec; made once."""
        spec = Spec.of(spec)
        if spec not in self._sources:
            self._sources[spec] = self.make("board source", spec)
        return self._sources[spec]

    def noise(self, spec: Spec | str) -> Noise:
        """Return the clue noise of a spec, as an agent sees it; made once."""
        spec = Spec.of(spec)
        if spec not in self._noises:
            self._noises[spec] = self.make("clue noise", spec).model(str(self.spec("clue noise", spec).portable))
        return self._noises[spec]

    def agent(self, spec: Spec | str) -> Callable[[], Agent]:
        """Return a factory that makes the agent of a spec in this process. The agent must be built in unless
        `import_agents` is set."""
        spec = self.spec("agent", spec)
        self.make("agent", spec)
        factory = self.find("agent", spec.name).factory
        assert factory is not None
        return functools.partial(factory, **spec.parameters)

    def check(self) -> None:
        """Raise `PluginError` if a plugin that the user named did not load."""
        for plugin in self.plugins:
            if plugin.asked_for and plugin.error:
                raise PluginError(plugin.error, plugin.file)

    def game_finished(self, result: GameResult) -> list[str]:
        """Call every observer. Returns error messages about observers that raised, at most one for each observer."""
        complaints = []
        for name, call in self._observers.items():
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
        """Return the entry points of all installed distributions, in the order of their names."""
        try:
            points = importlib.metadata.entry_points(group=hookspecs.PROJECT)
            return sorted(points, key=lambda point: (point.name, point.value))
        except Exception as error:  # noqa: BLE001 - metadata of a distribution may be damaged in any way
            cause = f"the entry points of what is installed cannot be read: {describe_error(error)}"
            self.plugins.append(Plugin("entry points", "installed", error=cause))
            return []

    def imported(self) -> tuple[PluginSource, ...]:
        """Return the third-party plugins that this process has imported: the argument `trusted` of another registry."""
        return tuple(
            plugin.source
            for plugin in self.plugins
            if plugin.origin != "built in" and plugin.imported and plugin.source is not None
        )

    def _add(
        self,
        plugin: Plugin,
        source: PluginSource | Callable[[], PluginSource],
        *,
        trusted: bool = False,
        only_agents: bool = False,
        describer: Describer | None = None,
    ) -> Plugin:
        """Load or describe a plugin. If that fails, none of its offers are registered and it has an error."""
        try:
            plugin.source = source if isinstance(source, PluginSource) else source()
            plugin.version = plugin.version or plugin.source.version
            if plugin.origin == "built in" or self.import_agents or trusted:
                self._load(plugin, plugin.source)
            else:
                described = (describer or self.describer).describe(plugin.source, plugin.files)
                self._take_description(plugin, plugin.source, described, only_agents)
        except PluginError as error:
            plugin.error = text_of(error, MAX_MESSAGE_LENGTH)
        self.plugins.append(plugin)
        return plugin

    def _load(self, plugin: Plugin, source: PluginSource) -> None:
        """Import the plugin and register all that it offers."""
        if plugin.origin == "built in":
            loaded = _load_built_in(source.name, source.path)
        else:
            loaded = load_plugin(source)
            note_imported(source)
        plugin.file = loaded.file
        self._register(plugin, [(kind, Offer(name, plugin, factory)) for kind, name, factory in loaded.offers])
        plugin.imported = True
        if loaded.observer is not None:
            self._observers[plugin.name] = loaded.observer

    def _take_description(self, plugin: Plugin, source: PluginSource, described: Described, only_agents: bool) -> None:
        """Register the agents that the plugin offers according to its description.

        A plugin without agents is imported, unless `only_agents` is set. In that case it lists its offers, but they are
        not registered.
        """
        others = sorted({kind for kind, *_ in described.offers} - {"agent"}) + ["observer"] * described.observer
        if not any(kind == "agent" for kind, *_ in described.offers):
            if not only_agents:
                self._load(plugin, source)
            for kind, name, _ in described.offers if only_agents else ():
                plugin.offers.setdefault(kind, []).append(name)
            return
        if others:
            article = "an" if others[0][0] in "aeiou" else "a"
            raise PluginError(f"it offers an agent and {article} {others[0]}: {TWO_FILES}")
        offers = [(kind, Offer(name, plugin, None, about)) for kind, name, about in described.offers]
        if plugin.origin == "installed":
            plugin.file = described.file or plugin.file
        self._register(plugin, offers, by_file=only_agents)
        plugin.kernels = described.kernels
        plugin.weights = described.weights
        plugin.read_files = described.files

    def _register(self, plugin: Plugin, offers: list[tuple[str, Offer]], *, by_file: bool = False) -> None:
        """Register the offers. Raise `PluginError` if another plugin has the same name, or has offered one of the
        names.

        Offers that users name `by_file` may have any name: the name alone then means the earlier offer.
        """
        same = next((p for p in self.plugins if p.name == plugin.name and not p.error), None)
        if same is not None and not by_file:
            raise PluginError(f"two plugins have the name '{plugin.name}': {same.file} and {plugin.file}; rename one")
        for kind, offer in offers:
            other = self._offers[kind].get(offer.name)
            if other is not None and not by_file:
                raise PluginError(
                    f"two plugins offer the {kind} '{offer.name}': {other.plugin.file} and {plugin.file}; rename one"
                )
        for kind, offer in offers:
            self._registered.append((kind, offer))
            self._offers[kind].setdefault(offer.name, offer)
            plugin.offers.setdefault(kind, []).append(offer.name)


def _built_in(name: str, file: Path) -> PluginSource:
    return PluginSource("module", name, str(file), file.read_bytes().decode("latin-1"))


@functools.cache
def _load_built_in(name: str, path: str) -> Loaded:
    """Load a built-in plugin, only once even if a process makes many registries."""
    return load_plugin(PluginSource("module", name, path), importlib.import_module(name))
