"""Turn the model of a tournament file into a plan. Check every name and parameter against the plugins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sweepstakes.errors import ConfigError, PluginError, SweepstakesError, located
from sweepstakes.game.setup import UNIFORM
from sweepstakes.hosting.describing import describer_here
from sweepstakes.registry.loading import Plugin
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Registry
from sweepstakes.score import MeasuredScore
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.config.yaml_lines import Location, YamlFile
from sweepstakes.tournaments.plan import Condition, Plan
from sweepstakes.tournaments.resolve.agents import make_entries
from sweepstakes.tournaments.resolve.conditions import check_distinct, check_repeatable, make_conditions
from sweepstakes.tournaments.resolve.machine import isolation_here, usable_cores


def make_plan(config: Tournament, file: YamlFile | None = None, plugins: tuple[str, ...] = ()) -> tuple[Plan, Registry]:
    """Check every name and parameter of the tournament against the plugins; return the plan and the registry.

    `file` gives the line of an error; `plugins` are plugin files besides those of the tournament.
    """
    at = Location(file)
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
    conditions = check_distinct(make_conditions(config, registry, file), file)
    with at("executor"):
        with_workers(registry, Spec.of(config.executor), config.workers)
    scores, measures = scores_of(config, registry, file)
    _check_priors(measures, conditions, registry, at)
    with at("boards"):
        check_repeatable(conditions, registry)
    files = [str(Path(path).absolute()) for path, plugin in given.items() if plugin in _used(config, scores, registry)]
    named = {str(Path(path).absolute()) for path in config.plugins}
    config = config.model_copy(update={"plugins": (*config.plugins, *(file for file in files if file not in named))})
    return Plan(config, entries, conditions, scores, measures, registry.imported()), registry


def _used(config: Tournament, scores: Sequence[str], registry: Registry) -> list[Plugin]:
    """Return the plugins without which the games of a tournament cannot be read or played, by the names in it."""
    specs = [("board source", Spec.of(boards.source)) for boards in config.boards]
    specs += [("clue noise", Spec.of(noise)) for noise in config.noise]
    specs += [("score", Spec.parse(score)) for score in scores]
    specs += [("executor", Spec.of(config.executor))]
    specs += [("agent", item.spec) for item in config.agents if item.spec.name and not item.spec.file]
    return [offers[spec.name].plugin for kind, spec in specs if spec.name in (offers := registry.offers(kind))]


def with_workers(registry: Registry, spec: Spec, workers: int | None = None) -> Spec:
    """Return the executor's spec; `workers` is added if it is a parameter of the executor that the spec leaves out.

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
    """Return the scores of the tournament (each once, or the default scores), and which of them are measured from
    turns.

    Unless `strict`, a score that no plugin offers keeps its name from the tournament file.
    """
    written = [Spec.of(score) for score in config.scores]
    if not written:
        default = ("identified", "win", "safe-opened", "detonated", "turns", "guesses")
        ends = all(item.rules().last_mine == 1 for item in config.rules)
        written = [Spec(name) for name in (default[1:] if ends else default)]
    at, names, measured = Location(file), [], []
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


def _check_priors(measures: Sequence[str], conditions: Sequence[Condition], registry: Registry, at: Location) -> None:
    """Raise `ConfigError` if a score needs the probability of each layout and a board source does not provide it."""
    for name in measures:
        for condition in conditions:
            if registry.make("score", name).needs_prior and condition.source != UNIFORM:
                with at("scores"):
                    raise ConfigError(
                        f"score '{name}' is measured on boards of 'uniform' only, where every layout is equally "
                        f"likely, not of '{condition.source.portable}'"
                    )


def measured_scores(scores: Sequence[str], registry: Registry) -> tuple[str, ...]:
    """Return the scores that are measured from the turns of a finished game."""
    return tuple(score for score in scores if isinstance(registry.make("score", score), MeasuredScore))
