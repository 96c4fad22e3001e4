"""From the model of a tournament file to a plan: checks every name and parameter against the plugins."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import ConfigError, PluginError, RunError, SweepstakesError, located
from sweepstakes.game.cell import Cell
from sweepstakes.game.setup import UNIFORM
from sweepstakes.hosting import sealing
from sweepstakes.hosting.describing import describer_here
from sweepstakes.registry.loading import Plugin
from sweepstakes.registry.own_modules import MOST_BYTES
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent, find_agents
from sweepstakes.score import MeasuredScore
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.tournaments.plan import UNDRAWN, Condition, Entry, Plan
from sweepstakes.untrusted.exceptions import describe_error
from sweepstakes.untrusted.files import read_file
from sweepstakes.untrusted.look_alikes import look_alike
from sweepstakes.untrusted.text import clean

_DEALT_TWICE = 20
"""Conditions whose first board is dealt twice, to see whether the source repeats itself."""
LONGEST_LABEL = 60
"""Characters of an agent's label. For a longer spec the label is the agent's name alone."""


class _Location:
    """Prefixes an error with its `file:line` in the tournament file."""

    def __init__(self, file: YamlFile | None) -> None:
        self._file = file

    @contextmanager
    def __call__(self, *place: str | int) -> Iterator[None]:
        try:
            yield
        except SweepstakesError as error:
            raise ConfigError(f"{self._file.where(place)}: {error}" if self._file is not None else error) from None


def make_plan(config: Tournament, file: YamlFile | None = None, plugins: tuple[str, ...] = ()) -> tuple[Plan, Registry]:
    """Check every name and parameter of the tournament against the plugins; return the plan and the registry.

    `file` gives the line of an error; `plugins` are plugin files besides those of the tournament.
    """
    at = _Location(file)
    with at("isolation"):
        config = config.model_copy(update={"isolation": isolation_here(config.isolation)})
    describer = describer_here(config.isolation, config.limits)
    registry = Registry(import_agents=config.isolation == "none", describer=describer)
    given = {path: registry.add_file(path) for path in plugins}
    for i, path in enumerate(config.plugins):
        plugin = registry.add_file(path)
        if plugin.error:
            with at("plugins", i):
                raise PluginError(f"plugin {located(path)}: {plugin.error}")
    registry.check()
    entries = make_entries(config, registry, file)
    conditions = _check_distinct(make_conditions(config, registry, file), file)
    with at("executor"):
        with_workers(registry, Spec.of(config.executor), config.workers)
    scores, measures = scores_of(config, registry, file)
    _check_priors(measures, conditions, registry, at)
    with at("boards"):
        _check_repeatable(conditions, registry)
    files = [str(Path(path).absolute()) for path, plugin in given.items() if plugin in _used(config, scores, registry)]
    named = {str(Path(path).absolute()) for path in config.plugins}
    config = config.model_copy(update={"plugins": (*config.plugins, *(file for file in files if file not in named))})
    return Plan(config, entries, conditions, scores, measures, registry.imported()), registry


def _used(config: Tournament, scores: Sequence[str], registry: Registry) -> list[Plugin]:
    """The plugins without which the games of a tournament cannot be read or played, by the names in it."""
    specs = [("board source", Spec.of(boards.source)) for boards in config.boards]
    specs += [("clue noise", Spec.of(noise)) for noise in config.noise]
    specs += [("score", Spec.parse(score)) for score in scores]
    specs += [("executor", Spec.of(config.executor))]
    specs += [("agent", item.spec) for item in config.agents if item.spec.name and not item.spec.file]
    return [offers[spec.name].plugin for kind, spec in specs if spec.name in (offers := registry.offers(kind))]


def isolation_here(isolation: str) -> str:
    """The isolation as this machine provides it; `ConfigError` if it cannot seal processes off."""
    missing = sealing.missing() if isolation.startswith("sealed") else []
    if isolation == "sealed" and missing:
        raise ConfigError(f"isolation 'sealed': {missing[0]}: expected process, or sealed-if-possible")
    if isolation == "sealed-if-possible":
        return "process" if missing else "sealed"
    return isolation


def _check_distinct(conditions: Iterable[Condition], file: YamlFile | None) -> tuple[Condition, ...]:
    """The conditions as a tuple; `ConfigError` if two are the same or have the same label."""
    keys: set[str] = set()
    labels: set[str] = set()
    distinct = []
    for condition in conditions:
        if condition.key in keys or condition.label in labels:
            where = file.where(("boards",)) if file else "boards"
            same = "is listed twice" if condition.key in keys else "is the label of two conditions: rename a board file"
            raise ConfigError(f"{where}: '{condition.label}' {same}")
        keys.add(condition.key)
        labels.add(condition.label)
        distinct.append(condition)
    return tuple(distinct)


def usable_cores() -> int:
    """The number of cores that this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def with_workers(registry: Registry, spec: Spec, workers: int | None = None) -> Spec:
    """The executor's spec; `workers` is added if it is a parameter of the executor that the spec leaves out.

    Without a number, `workers` is the number of cores.
    """
    spec = registry.spec("executor", spec)
    factory = registry.find("executor", spec.name).factory
    assert factory is not None  # executors are imported
    accepted = parameters(factory) or {}
    if "workers" in accepted and "workers" not in spec.parameters:
        spec = spec.adding({"workers": workers or usable_cores()})
    return registry.checked("executor", spec)


def scores_of(
    config: Tournament, registry: Registry, file: YamlFile | None = None, *, strict: bool = True
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The scores of the tournament, each once, or the default scores; and those measured from the turns of a game.

    Unless `strict`, a score that no plugin offers keeps the name in the tournament file.
    """
    written = [Spec.of(score) for score in config.scores]
    if not written:
        default = ("identified", "win", "safe-opened", "detonated", "turns", "guesses")
        ends = all(item.on_mine == "end" for item in config.rules)
        written = [Spec(name) for name in (default[1:] if ends else default)]
    at, names, measured = _Location(file), [], []
    for i, spec in enumerate(written):
        with at("scores", i):
            try:
                spec = registry.spec("score", spec)
                short_for = registry.make("score", spec).stands_for
                for meant in [registry.spec("score", Spec(name)) for name in short_for] or [spec]:
                    names.append(str(meant.portable))
                    if isinstance(registry.make("score", meant), MeasuredScore):
                        measured.append(str(meant))
            except SweepstakesError:
                if strict:
                    raise
                names.append(str(spec.portable))
    return tuple(dict.fromkeys(names)), tuple(dict.fromkeys(measured))


def _check_priors(measures: Sequence[str], conditions: Sequence[Condition], registry: Registry, at: _Location) -> None:
    """`ConfigError` if a score must know how probable each layout is, and a board source does not tell."""
    for name in measures:
        for condition in conditions:
            if registry.make("score", name).needs_prior and condition.source != UNIFORM:
                with at("scores"):
                    raise ConfigError(
                        f"score '{name}' is measured on boards of 'uniform' only, where every layout is equally "
                        f"likely, not of '{condition.source.portable}'"
                    )


def measured_scores(scores: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """Those of the scores that are measured from the turns of a finished game."""
    return tuple(score for score in scores if isinstance(registry.make("score", score), MeasuredScore))


def changed_plugin(plan: Plan, registry: Registry) -> str:
    """The first agent, board source or noise whose version differs from the plan's; empty if there is none."""
    for entry in plan.entries:
        if entry.source is not None or entry.forfeit:
            continue
        if (offer := registry.find("agent", entry.spec.name)).version != entry.version:
            return offer.plugin.file
    for condition in plan.conditions:
        for kind, spec, version in (
            ("board source", condition.source, condition.source_version),
            ("clue noise", condition.noise, condition.noise_version),
        ):
            if _with_version(kind, spec, registry)[1] != version:
                file = registry.find(kind, spec.name).plugin.file
                return f"{kind} '{spec.portable}', or a file that it reads, ({file})"
    return ""


class _Named(NamedTuple):
    """An agent as an item of the list `agents` names it."""

    place: int
    item: AgentItem
    entry: Entry


def make_entries(
    config: Tournament,
    registry: Registry,
    file: YamlFile | None = None,
    on_error: Callable[[AgentItem, SweepstakesError], None] | None = None,
    labels: Collection[str] | None = None,
) -> tuple[Entry, ...]:
    """The agents of the tournament. `file` gives the line of an error; with `on_error`, an item with an error is left
    out, and the error is passed on. With `labels`, an item with another label is left out."""
    at = _Location(file)
    named: list[_Named] = []
    for i, item in enumerate(config.agents):
        if labels is not None and item.as_ is not None and item.as_ not in labels:
            continue
        try:
            with at("agents", i):
                named += [_Named(i, item, entry) for entry in _entries(item, registry, config)]
        except SweepstakesError as error:
            if on_error is None:
                raise
            on_error(item, error)
    entries = _labelled_by_file(named)
    taken: set[str] = set()
    for (i, *_), entry in zip(named, entries, strict=True):
        if on_error is None:
            with at("agents", i):
                _check_label(entry, taken)
        taken.add(entry.label)
    return tuple(_with_copies(named, entries))


def _check_label(entry: Entry, taken: Collection[str]) -> None:
    """`ConfigError` if another agent has the label, or one that looks like it, or a built-in agent has such a name."""
    if entry.label in taken:
        raise ConfigError(f"two agents have the label '{entry.label}': give one another with `as`")
    alike = look_alike(entry.label, Registry.built_in().offers("agent"))
    kind = "built-in agent"
    if not alike:
        alike = look_alike(entry.label, [other for other in taken if not (other + entry.label).isascii()])
        kind = "agent"
    if alike:
        raise ConfigError(f"'{entry.label}' looks like the {kind} '{alike}' and is another: choose another name")


def _with_copies(named: Sequence[_Named], entries: Sequence[Entry]) -> Iterator[Entry]:
    """The agents, of which those that were handed in as copies of another have a version of their own, by their label.

    Two agents of a run differ in name, parameters or version; that two people hand in the same file stops no class.
    """
    keys: set[str] = set()
    for each, entry in zip(named, entries, strict=True):
        copied = (each.item.submission or entry.forfeit) and entry.key in keys
        found = entry.as_copy() if copied else entry
        keys.add(found.key)
        yield found


def _entries(item: AgentItem, registry: Registry, config: Tournament) -> Iterator[Entry]:
    """The agents of one item of the list `agents`: for a file without a name, all agents that it offers.

    A submission that cannot be made, or any agent if the tournament says so, is an entry that forfeits its games.
    """
    one = item.as_ or item.spec.parameters or item.spec.files
    try:
        alone = item.is_alone(config.agents)
        found = [find_agent(registry, item.spec, alone=alone)] if one else find_agents(registry, item.spec, alone=alone)
    except SweepstakesError as error:
        refused = not isinstance(error, RunError)  # otherwise this machine cannot start hosts: no fault of the agent
        if not refused or not (item.submission or config.on_refused == "forfeit"):
            raise
        spec = item.spec.portable
        named = Spec(spec.name or Path(spec.file).stem, spec.parameters) if not spec.words else spec
        name = clean(item.as_ or str(named), LONGEST_LABEL)
        own = error.where and located(error.where) == located(item.spec.file or "".join(item.spec.words[:1]))
        why = error.reason if own else str(error)
        yield Entry(name, Spec(name), f"forfeit {_digest_of(item.spec.file)}", forfeit=why)
        return
    for agent in found:
        text = str(agent.spec.portable)
        label = clean(item.as_ or (text if len(text) <= LONGEST_LABEL else agent.name), LONGEST_LABEL)
        if not label.strip("\ufffd "):
            raise ConfigError("`as`: expected a name that can be printed")
        yield Entry(label, agent.spec, agent.version, agent if agent.hosted else None)


def _digest_of(file: str) -> str:
    """A short hash of a file that cannot play; of nothing if it cannot be read, or is longer than that of an agent."""
    try:
        return sha256(read_file(Path(file), MOST_BYTES, PluginError, Path(file).parent)).hexdigest()[:12]
    except PluginError:
        return "unreadable"


def _labelled_by_file(named: Sequence[_Named]) -> list[Entry]:
    """The agents, each of a file named by its file if another agent has the same label, unless it has one with `as`."""
    labels = Counter(each.entry.label for each in named)
    origins = Counter(label for label, _ in {(each.entry.label, each.item.spec.file) for each in named})
    clashing = [n for n in named if origins[n.entry.label] > 1 and n.item.spec.file and not n.item.as_]
    files = {Path(each.item.spec.file).resolve() for each in clashing}
    stems = Counter(file.stem for file in files) + Counter(labels)

    def by_file(each: _Named) -> Entry:
        if each not in clashing:
            return each.entry
        file = Path(each.item.spec.file).resolve()
        name = file.stem if stems[file.stem] == 1 else f"{file.parent.name}/{file.stem}"
        parameters = each.entry.spec.portable.parameters
        text = str(Spec(name, parameters))
        return each.entry._replace(label=clean(text if len(text) <= LONGEST_LABEL else name, LONGEST_LABEL))

    return [by_file(each) for each in named]


def _check_repeatable(conditions: Iterable[Condition], registry: Registry) -> None:
    """`ConfigError` if a board source that is not built in deals a board twice, and the two differ."""
    for condition in list(conditions)[:_DEALT_TWICE]:
        if registry.find("board source", condition.source.name).plugin.origin == "built in":
            continue
        name = f"board source '{condition.source.portable}'"
        setup = condition._replace(seed=max(condition.seed, 0)).setup(0)
        protected = setup.rules.protected(setup.size, setup.rules.start or Cell(0, 0))
        try:
            sources = registry.source(condition.source), registry.make("board source", condition.source)
            refs = [setup.board_ref(registry)._replace(source=source) for source in sources]
            dealt = [ref.board(protected) for ref in (refs[0], *refs)]
        except SweepstakesError:
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
            raise PluginError(f"{name} raised {describe_error(error)}{setup.where()}") from None
        if not dealt[0] == dealt[1] == dealt[2]:
            raise ConfigError(
                f"{name} was asked for the same board{setup.where()} twice and made two that differ: draw from the "
                "seed alone"
            )


def make_conditions(config: Tournament, registry: Registry, file: YamlFile | None = None) -> Iterator[Condition]:
    """The conditions of the tournament; its agents are not loaded. `file` gives the line of an error."""
    at = _Location(file)
    seed = config.seed if isinstance(config.seed, int) else UNDRAWN
    noises = []
    for i, named in enumerate(config.noise):
        with at("noise", i):
            noises.append(_with_version("clue noise", Spec.of(named), registry))
    for i, boards in enumerate(config.boards):
        with at("boards", i, "source"):
            source, source_version = _with_version("board source", Spec.of(boards.source), registry)
            board_source = registry.source(source)
        for name, size, density in boards.sizes():
            for item in config.rules:
                rules = item.rules()
                with at("boards", i):
                    rules.check(size)
                    board_source.check(size, config.games, rules)
                for noise, noise_version in noises:
                    words = [name]
                    if source.name != "uniform":
                        words.append(str(source.portable))
                    if len(config.rules) > 1:
                        words.append(str(rules))
                    if len(noises) > 1:
                        words.append(str(noise.portable))
                    label = ", ".join(words)
                    yield Condition(label, size, density, rules, source, source_version, noise, noise_version, seed)


def _with_version(kind: str, spec: Spec, registry: Registry) -> tuple[Spec, str]:
    """A board source or a noise by name, and its version, which includes the contents of the files it reads."""
    spec = registry.spec(kind, spec)
    plugin = registry.make(kind, spec)
    version = registry.find(kind, spec.name).version
    if kind == "clue noise":
        plugin.model(spec.name)
    elif contents := plugin.contents():
        version += f" {contents}"
    return spec, version
