"""A tournament made ready: who plays, under which conditions, and what identifies each game."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.errors import ConfigError, PluginError, SweepstakesError, located
from sweepstakes.executor import Fixture, Row
from sweepstakes.game.result import LONGEST_FAULT, Ending, GameResult, check_extras, check_result
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Registry
from sweepstakes.score import MeasuredScore
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.game.game import Game
    from sweepstakes.tournaments.running.game_player import Worker

LONGEST_LABEL = 60
"""Characters of an agent's label. A spec that is longer is called by its name alone."""


class Entry(NamedTuple):
    """An agent in the tournament."""

    label: str
    spec: Spec
    """By its name alone, whatever file offers it."""
    version: str
    """Changes whenever the agent does."""

    @property
    def key(self) -> str:
        """What identifies the agent: everything but what it is called here."""
        return _digest(self.spec.name, dict(self.spec.parameters), self.version)

    def plain(self) -> dict[str, Any]:
        """As it is stored and published."""
        parameters = dict(self.spec.parameters)
        return {"label": self.label, "name": self.spec.name, "parameters": parameters, "version": self.version}


class Condition(NamedTuple):
    """A block of boards that every agent plays, under the same rules and noise."""

    label: str
    size: Size
    density: float | None
    """As it is written in the tournament; None where the number of mines is."""
    rules: Rules
    source: Spec
    source_version: str
    noise: Spec
    noise_version: str
    seed: int

    @property
    def key(self) -> str:
        """What identifies the condition: everything but what it is called here."""
        source = self.source.name, dict(self.source.portable.parameters), self.source_version
        noise = self.noise.name, dict(self.noise.parameters), self.noise_version
        return _digest(*source, *self.size, str(self.rules), *noise, self.seed)

    def plain(self) -> dict[str, Any]:
        """As it is stored and published."""
        return {
            "label": self.label,
            "seed": self.seed,
            **self.size._asdict(),
            "rules": str(self.rules),
            "source": str(self.source.portable),
            "source_version": self.source_version,
            "noise": str(self.noise.portable),
            "noise_version": self.noise_version,
        }

    def setup(self, number: int) -> GameSetup:
        """The game on a board of it."""
        return GameSetup(self.size, self.seed, number, self.rules, self.source, self.noise)


class Plan(NamedTuple):
    """Everything a worker needs to play any game of the tournament; it can be pickled."""

    config: Tournament
    entries: tuple[Entry, ...]
    conditions: tuple[Condition, ...]
    scores: tuple[str, ...]
    measures: tuple[str, ...]
    """Those of the scores that are measured after playing."""
    files: tuple[str, ...]
    """The plugin files that have to be loaded first."""

    @property
    def games(self) -> int:
        """Games in all."""
        return len(self.entries) * len(self.conditions) * self.config.games

    def open(self) -> Worker:
        """Load the plugins and make ready to play, in whatever process this is."""
        from sweepstakes.tournaments.running.game_player import Worker

        return Worker(self)

    def setup(self, fixture: Fixture) -> GameSetup:
        """How to set a game up."""
        return self.conditions[fixture.condition].setup(fixture.number)

    def game(self, fixture: Fixture, registry: Registry) -> Game:
        """A game before its first turn; nobody asks for its agent, which may be gone."""
        return self.setup(fixture).game(registry, self.name(fixture))

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        """The row of a game whose process did not live to the end of it: nothing of it stands."""
        setup = self.setup(fixture)
        fault = clean(f"agent '{clean(self.name(fixture))}' {what}{setup.where()}", LONGEST_FAULT)
        return Row(fixture, GameResult(*setup.size, ending, fault=fault), seconds, None)

    def check(self, row: Row) -> None:
        """`ValueError`, with a sentence, for a row that no game of the plan can have."""
        condition = self.conditions[row.fixture.condition]
        check_result(row.result, condition.size, condition.rules)
        check_extras(row.seconds, row.moves, row.took)

    def name(self, fixture: Fixture) -> str:
        """What the agent of a game is called."""
        return self.entries[fixture.agent].label

    def title(self, fixture: Fixture) -> str:
        """What a game is called: AGENT/CONDITION/NUMBER. Conditions count from 1, since their labels are long."""
        return f"{self.name(fixture)}/{fixture.condition + 1}/{clean(str(fixture.number), 20)}"


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Where:
    """Says of an error where in the tournament's file it is."""

    def __init__(self, file: YamlFile | None) -> None:
        self._file = file

    @contextmanager
    def __call__(self, *place: str | int) -> Iterator[None]:
        try:
            yield
        except SweepstakesError as error:
            raise ConfigError(f"{self._file.where(place)}: {error}" if self._file is not None else error) from None


def make_plan(
    config: Tournament,
    file: YamlFile | None = None,
    plugins: tuple[str, ...] = (),
    registry: Registry | None = None,
) -> tuple[Plan, Registry]:
    """Check every name and parameter of the tournament against the plugins; the file tells where an error is."""
    registry = registry or Registry()
    at = _Where(file)
    for path in plugins:
        registry.add_file(path)
    for i, path in enumerate(config.plugins):
        plugin = registry.add_file(path)
        if plugin.error:
            with at("plugins", i):
                raise PluginError(f"plugin {located(path)}: {plugin.error}")
    registry.check()
    entries: list[Entry] = []
    for i, item in enumerate(config.agents):
        with at("agents", i):
            entries += _entries(item, registry)
    labels: set[str] = set()
    for i, entry in enumerate(entries):
        if entry.label in labels:
            with at("agents", min(i, len(config.agents) - 1)):
                raise ConfigError(f"two agents are called '{entry.label}': give one another name with `as`")
        labels.add(entry.label)
    conditions = _apart(make_conditions(config, registry, file), file)
    with at("executor"):
        with_workers(registry, Spec.of(config.executor), config.workers)
    scores, measures = scores_of(config, registry, file)
    files = tuple(plugin.file for plugin in registry.plugins if plugin.origin == "file" and not plugin.error)
    return Plan(config, tuple(entries), conditions, scores, measures, files), registry


def _apart(conditions: Iterable[Condition], file: YamlFile | None) -> tuple[Condition, ...]:
    """The conditions; `ConfigError` if two are the same, or are called the same."""
    keys: set[str] = set()
    labels: set[str] = set()
    found = []
    for condition in conditions:
        if condition.key in keys or condition.label in labels:
            where = file.where(("boards",)) if file else "boards"
            how = "stands here twice" if condition.key in keys else "is called like another: rename the files of one"
            raise ConfigError(f"{where}: '{condition.label}' {how}")
        keys.add(condition.key)
        labels.add(condition.label)
        found.append(condition)
    return tuple(found)


def with_workers(registry: Registry, spec: Spec, workers: int | None = None) -> Spec:
    """The executor, with so many workers, or one for each core, if it takes `workers` and does not say how many."""
    spec = registry.spec("executor", spec)
    takes = parameters(registry.find("executor", spec.name).factory) or {}
    if "workers" in takes and "workers" not in spec.parameters:
        spec = spec.adding({"workers": workers or os.cpu_count() or 1})
    return registry.checked("executor", spec)


def scores_of(
    config: Tournament, registry: Registry, file: YamlFile | None = None, *, strict: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The scores of the tournament by name, each once, or the usual ones; and those that are measured after playing.

    Unless `strict`, a score that is not to be found here is called as it is written.
    """
    written = [Spec.of(score) for score in config.scores]
    if not written:
        usual = ("identified", "win", "safe-opened", "detonated", "turns", "guesses")
        ends = all(item.on_mine == "end" for item in config.rules)
        written = [Spec(name) for name in (usual[1:] if ends else usual)]
    at, found, measured = _Where(file), [], []
    for i, spec in enumerate(written):
        with at("scores", i):
            try:
                spec = registry.spec("score", spec)
                if isinstance(registry.make("score", spec), MeasuredScore):
                    measured.append(str(spec))
            except SweepstakesError:
                if strict:
                    raise
            found.append(str(spec.portable))
    return tuple(dict.fromkeys(found)), tuple(dict.fromkeys(measured))


def measured(scores: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """Those of the scores that are measured after playing."""
    return tuple(score for score in scores if isinstance(registry.make("score", score), MeasuredScore))


def changed_since(plan: Plan, registry: Registry) -> str:
    """What is no longer what the plan was made with: the file of an agent, a source or a noise; nothing if all is."""
    for entry in plan.entries:
        offer = registry.find("agent", entry.spec.name)
        if offer.version != entry.version:
            return offer.plugin.file
    for condition in plan.conditions:
        for kind, spec, version in (
            ("board source", condition.source, condition.source_version),
            ("clue noise", condition.noise, condition.noise_version),
        ):
            if _made(kind, spec, registry)[1] != version:
                file = registry.find(kind, spec.name).plugin.file
                return f"{kind} '{spec.portable}', or what it reads, ({file})"
    return ""


def _entries(item: AgentItem, registry: Registry) -> Iterator[Entry]:
    """The agents that an item of the list means: a file stands for all that it offers."""
    found = registry.specs("agent", item.spec)
    if len(found) > 1 and (item.as_ or item.spec.parameters):
        registry.spec("agent", item.spec)  # says that one has to be named
    for spec in found:
        registry.agent(spec)
        whole = str(spec.portable)
        label = clean(item.as_ or (whole if len(whole) <= LONGEST_LABEL else spec.name), LONGEST_LABEL)
        if not label.strip("\ufffd "):
            raise ConfigError("`as`: expected a name that can be printed")
        yield Entry(label, spec, registry.find("agent", spec.name).version)


def make_conditions(config: Tournament, registry: Registry, file: YamlFile | None = None) -> Iterator[Condition]:
    """The conditions of the tournament, without its agents; the file tells where an error is."""
    at = _Where(file)
    noises = []
    for i, named in enumerate(config.noise):
        with at("noise", i):
            noises.append(_made("clue noise", Spec.of(named), registry))
    for i, boards in enumerate(config.boards):
        with at("boards", i, "source"):
            source, source_version = _made("board source", Spec.of(boards.source), registry)
            made = registry.source(source)
        for name, size, density in boards.sizes():
            for item in config.rules:
                rules = item.rules()
                with at("boards", i):
                    rules.check(size)
                    made.check(size, config.games, rules)
                for noise, noise_version in noises:
                    words = [name]
                    if source.name != "uniform":
                        words.append(str(source.portable))
                    if len(config.rules) > 1:
                        words.append(str(rules))
                    if len(noises) > 1:
                        words.append(str(noise.portable))
                    label = ", ".join(words)
                    yield Condition(
                        label, size, density, rules, source, source_version, noise, noise_version, config.seed
                    )


def _made(kind: str, spec: Spec, registry: Registry) -> tuple[Spec, str]:
    """A board source or a noise by its name alone, and its version, which changes with what it reads."""
    spec = registry.spec(kind, spec)
    made = registry.make(kind, spec)
    version = registry.find(kind, spec.name).version
    if kind == "clue noise":
        made.model(spec.name)
    elif contents := made.contents():
        version += f" {contents}"
    return spec, version
