"""From a tournament as it is written to a plan: every name and parameter checked against the plugins."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sweepstakes.errors import ConfigError, PluginError, SweepstakesError, located
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.score import MeasuredScore
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.tournaments.plan import Condition, Entry, Plan
from sweepstakes.untrusted.text import clean

LONGEST_LABEL = 60
"""Characters of an agent's label. A spec that is longer is called by its name alone."""


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


def measured_scores(scores: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """Those of the scores that are measured after playing."""
    return tuple(score for score in scores if isinstance(registry.make("score", score), MeasuredScore))


def changed_plugin(plan: Plan, registry: Registry) -> str:
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
