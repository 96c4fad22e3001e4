"""A tournament made ready: who plays, under which conditions, and what identifies each game."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.deal import BoardSource
from sweepstakes.errors import ConfigError, PluginError, SweepstakesError, located
from sweepstakes.executor import Fixture, Row
from sweepstakes.parameters import label
from sweepstakes.registry import Registry
from sweepstakes.result import Ending, GameResult, check_extras, check_result
from sweepstakes.rules import Rules
from sweepstakes.score import MeasuredScore
from sweepstakes.size import Size
from sweepstakes.text import clean
from sweepstakes.tournaments.config import AgentSpec, Tournament
from sweepstakes.tournaments.yaml_file import YamlFile

if TYPE_CHECKING:
    from sweepstakes.tournaments.worker import Worker


class Part(NamedTuple):
    """Something a plugin makes: its name, its parameters, and a version that changes when it does."""

    name: str
    parameters: Mapping[str, Any]
    version: str

    @property
    def label(self) -> str:
        """The name with its parameters: the same on every machine, so of a path only the last part."""
        return label(self.name, self.portable)

    @property
    def portable(self) -> Mapping[str, Any]:
        """The parameters without the folders of paths, where this machine keeps its files."""
        return {key: _last(value) if key == "path" else value for key, value in self.parameters.items()}


class Entry(NamedTuple):
    """An agent in the tournament."""

    label: str
    agent: Part

    @property
    def key(self) -> str:
        """What identifies the agent: everything but what it is called here."""
        return _digest(*self.agent)


class Condition(NamedTuple):
    """A block of boards that every agent plays, under the same rules and noise."""

    label: str
    source: Part
    size: Size
    rules: Rules
    noise: Part
    seed: int

    @property
    def key(self) -> str:
        """What identifies the condition: everything but what it is called here."""
        source = self.source._replace(parameters=self.source.portable)
        return _digest(*source, *self.size, str(self.rules), *self.noise, self.seed)


class Plan(NamedTuple):
    """Everything a worker needs to play any game of the tournament; it can be pickled."""

    config: Tournament
    entries: tuple[Entry, ...]
    conditions: tuple[Condition, ...]
    scores: tuple[str, ...]
    measures: tuple[str, ...]
    """Those of the scores that are measured while playing."""
    files: tuple[str, ...]
    """The plugin files that have to be loaded first."""

    @property
    def games(self) -> int:
        """Games in all."""
        return len(self.entries) * len(self.conditions) * self.config.games

    def open(self) -> Worker:
        """Load the plugins and make ready to play, in whatever process this is."""
        from sweepstakes.tournaments.worker import Worker

        return Worker(self)

    def forfeit(self, fixture: Fixture, ending: Ending, fault: str, seconds: float) -> Row:
        """The row of a game whose process did not live to the end of it: nothing of it stands."""
        size = self.conditions[fixture.condition].size
        return Row(fixture, GameResult(*size, ending, 0, 0, 0, 0, 0, 0, 0, 0, fault), seconds, None)

    def check(self, row: Row) -> None:
        """`ValueError`, with a sentence, for a row that no game of the plan can have."""
        condition = self.conditions[row.fixture.condition]
        check_result(row.result, condition.size, condition.rules)
        check_extras(row.seconds, row.moves, row.took)

    def name(self, fixture: Fixture) -> str:
        """What the agent of a game is called."""
        return self.entries[fixture.agent].label


def _last(path: Any) -> Any:
    if isinstance(path, list | tuple):
        return [_last(each) for each in path]
    return PurePath(path).name if isinstance(path, str) else path


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def make_plan(
    config: Tournament,
    file: YamlFile | None = None,
    plugins: tuple[str, ...] = (),
    registry: Registry | None = None,
) -> tuple[Plan, Registry]:
    """Check every name and parameter of the tournament against the plugins; the file tells where an error is."""
    registry = registry or Registry()

    def at(place: tuple[str | int, ...], error: SweepstakesError) -> ConfigError:
        return ConfigError(f"{file.where(place)}: {error}" if file is not None else str(error))

    for path in plugins:
        registry.add_file(path)
    for i, path in enumerate(config.plugins):
        plugin = registry.add_file(path)
        if plugin.error:
            raise at(("plugins", i), PluginError(f"plugin {located(path)}: {plugin.error}"))
    registry.check()
    entries: list[Entry] = []
    for i, spec in enumerate(config.agents):
        try:
            entries += _entries(spec, registry)
        except SweepstakesError as error:
            raise at(("agents", i), error) from None
    labels: set[str] = set()
    for i, entry in enumerate(entries):
        if entry.label in labels:
            place = ("agents", min(i, len(config.agents) - 1))
            raise at(place, ConfigError(f"two agents are called '{entry.label}': give one another name with `as`"))
        labels.add(entry.label)
    conditions: dict[str, Condition] = {}
    for condition in _conditions(config, registry, at):
        if conditions.setdefault(condition.key, condition) is not condition:
            raise ConfigError(f"{file.where(('boards',)) if file else 'boards'}: '{condition.label}' stands here twice")
    scores = config.scores or usual_scores(config)
    measures = []
    for i, score in enumerate(scores):
        try:
            if isinstance(registry.make("score", score, {}), MeasuredScore):
                measures.append(score)
        except SweepstakesError as error:
            raise at(("scores", i), error) from None
    files = tuple(plugin.file for plugin in registry.plugins if plugin.origin == "file" and not plugin.error)
    return Plan(
        config, tuple(entries), tuple(conditions.values()), tuple(dict.fromkeys(scores)), tuple(measures), files
    ), registry


def make_conditions(config: Tournament, registry: Registry, file: YamlFile | None = None) -> list[Condition]:
    """The conditions of the tournament, without its agents; the file tells where an error is."""

    def at(place: tuple[str | int, ...], error: SweepstakesError) -> ConfigError:
        return ConfigError(f"{file.where(place)}: {error}" if file is not None else str(error))

    return list(_conditions(config, registry, at))


def changed_since(plan: Plan, registry: Registry) -> str:
    """What is no longer what the plan was made with: the file of an agent, a source or a noise; nothing if all is."""
    for entry in plan.entries:
        offer = registry.find("agent", entry.agent.name)
        if offer.version != entry.agent.version:
            return offer.plugin.file
    for condition in plan.conditions:
        for kind, part in (("board source", condition.source), ("clue noise", condition.noise)):
            if _part(kind, {part.name: part.parameters}, registry).version != part.version:
                file = registry.find(kind, part.name).plugin.file
                return f"{kind} '{part.label}', or what it reads, ({file})"
    return ""


def usual_scores(config: Tournament) -> tuple[str, ...]:
    """The scores of a tournament that names none."""
    if all(spec.on_mine == "end" for spec in config.rules):
        return ("win", "safe-opened", "detonated", "turns", "guesses")
    return ("identified", "win", "safe-opened", "detonated", "turns", "guesses")


def _entries(spec: AgentSpec, registry: Registry) -> Iterator[Entry]:
    """The agents that an item of the list means: a file stands for all that it offers."""
    if not spec.agent.endswith(".py"):
        yield _entry(spec.as_ or spec.agent, spec.agent, spec.parameters, registry)
        return
    plugin = registry.add_file(spec.agent)
    if plugin.error:
        raise PluginError(f"{located(spec.agent)}: {plugin.error}")
    names = plugin.offers.get("agent", [])
    if not names:
        raise PluginError(f"{located(spec.agent)} offers no agent")
    if len(names) > 1 and (spec.as_ or spec.parameters):
        raise PluginError(f"{spec.agent} offers {', '.join(names)}: name the file in `plugins` and one agent here")
    for name in names:
        yield _entry(spec.as_ or name, name, spec.parameters, registry)


def _entry(called: str, name: str, parameters: dict[str, Any], registry: Registry) -> Entry:
    registry.agent(name, parameters)
    called = clean(called, 60)
    if not called.strip("\ufffd "):
        raise ConfigError("`as`: expected a name that can be printed")
    return Entry(called, Part(name, parameters, registry.find("agent", name).version))


def _part(kind: str, spec: str | Mapping[str, Mapping[str, Any]], registry: Registry) -> Part:
    """A part named by `name` or `{name: {parameters}}`."""
    if isinstance(spec, str):
        spec = {spec: {}}
    if len(spec) != 1:
        raise ConfigError(f"{kind}: expected a name or {{name: {{parameters}}}}")
    name, parameters = next((name, dict(given)) for name, given in spec.items())
    made = registry.make(kind, name, parameters)
    version = registry.find(kind, name).version
    if kind == "clue noise":
        made.model(name)
    elif contents := made.contents():
        version += f" {contents}"
    return Part(name, parameters, version)


def _conditions(config: Tournament, registry: Registry, at: Any) -> Iterator[Condition]:
    noises = []
    for i, spec in enumerate(config.noise):
        try:
            noises.append(_part("clue noise", spec, registry))
        except SweepstakesError as error:
            raise at(("noise", i), error) from None
    for i, boards in enumerate(config.boards):
        try:
            source = _part("board source", boards.source, registry)
            made: BoardSource = registry.make("board source", source.name, source.parameters)
        except SweepstakesError as error:
            raise at(("boards", i, "source"), error) from None
        for name, size in boards.sizes():
            for rules in config.rules:
                try:
                    rules.rules().check(size)
                    made.check(size, config.games, rules.rules())
                except SweepstakesError as error:
                    raise at(("boards", i), error) from None
                for noise in noises:
                    words = [name]
                    if source.name != "uniform":
                        words.append(source.label)
                    if len(config.rules) > 1:
                        words.append(str(rules.rules()))
                    if len(noises) > 1:
                        words.append(noise.label)
                    yield Condition(", ".join(words), source, size, rules.rules(), noise, config.seed)
