"""The conditions of a tournament: its boards, rules and clue noises, checked against the plugins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sweepstakes.errors import ConfigError, PluginError, SweepstakesError
from sweepstakes.game.cell import Cell
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.condition_words import condition_title
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.config.yaml_lines import Location, YamlFile
from sweepstakes.tournaments.plan import UNDRAWN, Condition
from sweepstakes.untrusted.exceptions import describe_error

_DEALT_TWICE = 20
"""Conditions whose first board is dealt twice, to see whether the source repeats itself."""


def make_conditions(config: Tournament, registry: Registry, file: YamlFile | None = None) -> Iterator[Condition]:
    """Yield the conditions of the tournament; its agents are not loaded. `file` gives the line of an error."""
    at = Location(file)
    seed = config.seed if isinstance(config.seed, int) else UNDRAWN
    noises = []
    for i, named in enumerate(config.noise):
        with at("noise", i):
            noises.append(with_version("clue noise", Spec.of(named), registry))
    for i, boards in enumerate(config.boards):
        with at("boards", i, "source"):
            source, source_version = with_version("board source", Spec.of(boards.source), registry)
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
                    title = condition_title(
                        name,
                        size,
                        density,
                        source,
                        rules if len(config.rules) > 1 else None,
                        noise if len(noises) > 1 else None,
                    )
                    yield Condition(
                        ", ".join(words),
                        size,
                        density,
                        rules,
                        source,
                        source_version,
                        noise,
                        noise_version,
                        seed,
                        words=title,
                    )


def with_version(kind: str, spec: Spec, registry: Registry) -> tuple[Spec, str]:
    """Return a board source or a noise by name, and its version, which includes the contents of the files it reads."""
    spec = registry.spec(kind, spec)
    plugin = registry.make(kind, spec)
    version = registry.find(kind, spec.name).version
    if kind == "clue noise":
        plugin.model(spec.name)
    elif contents := plugin.contents():
        version += f" {contents}"
    return spec, version


def check_distinct(conditions: Iterable[Condition], file: YamlFile | None) -> tuple[Condition, ...]:
    """Return the conditions as a tuple. Raise `ConfigError` if two are the same or have the same label."""
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


def check_repeatable(conditions: Iterable[Condition], registry: Registry) -> None:
    """Raise `ConfigError` if a board source that is not built in deals a board twice, and the two differ."""
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
                f"{name} was asked for the same board{setup.where()} twice and made two different ones: draw from the "
                "seed alone"
            )
