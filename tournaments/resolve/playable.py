"""Finds which agents of a run can be played now. Host processes load their plugin files and describe them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import EARLIER
from sweepstakes.tournaments.plan import Entry, Plan
from sweepstakes.tournaments.resolve.agents import make_entries
from sweepstakes.tournaments.resolve.conditions import with_version
from sweepstakes.tournaments.resolve.known_files import FileLists, with_known_files
from sweepstakes.tournaments.resolve.machine import isolation_here
from sweepstakes.tournaments.resolve.planning import measured_scores
from sweepstakes.tournaments.resolve.plugins import load_plugins


class PlayedRun(Protocol):
    """What must be known about a stored run to play its agents."""

    @property
    def plan(self) -> Plan:
        """The plan of the run."""

    @property
    def registry(self) -> Registry:
        """The registry with its board sources and noises."""

    @property
    def plugins(self) -> tuple[str, ...]:
        """Plugin files besides those of the tournament."""

    @property
    def changed(self) -> Collection[int]:
        """The conditions whose board source or noise has another version now."""

    @property
    def file_lists(self) -> FileLists:
        """The data files that agents have opened while they played."""


class Playable(NamedTuple):
    """The agents that can be played, and a plan for them."""

    missing: dict[str, str]
    """The reason why an agent cannot be played in its stored version, by label, for each such agent."""
    plan: Plan
    """The plan of the run, with all that is needed to play its agents. They live in processes of their own, also those
    of a run without isolation."""
    registry: Registry
    changed: frozenset[str] = frozenset()
    """The agents in `missing` that now exist in another version."""
    forfeits: frozenset[str] = frozenset()
    """The agents in `missing` that forfeit their games."""


def find_playable(run: PlayedRun, entries: Sequence[Entry], scores: Sequence[str] = ()) -> Playable:
    """Find which of these agents of a run can be played, and which of the scores are measured scores."""
    if _all_built_in(run, entries, scores):
        registry, found = run.registry, {entry.label: entry for entry in entries}
        missing, changed, forfeits = dict[str, str](), set[str](), set[str]()
    else:
        registry = load_plugins(run.plan.config, run.plugins)
        missing, found, changed, forfeits = _find_again(run, entries, registry)
    offered = registry.offers("score")
    measures = measured_scores([score for score in scores if Spec.parse(score).name in offered], registry)
    isolation = "process" if run.plan.config.isolation == "none" else run.plan.config.isolation
    plan = run.plan._replace(
        config=run.plan.config.model_copy(update={"isolation": isolation_here(isolation)}),
        entries=tuple(found.get(entry.label, entry) for entry in run.plan.entries),
        measures=measures,
        plugins=registry.imported(),
    )
    return Playable(missing, plan, registry, frozenset(changed), frozenset(forfeits))


def _find_again(
    run: PlayedRun, entries: Sequence[Entry], registry: Registry
) -> tuple[dict[str, str], dict[str, Entry], set[str], set[str]]:
    """Return why agents cannot be played and the current agents, both by label, from the tournament file.

    The last two are the labels of the agents that have changed, and of those that forfeit their games.
    """
    errors: list[str] = []
    labels = {entry.label for entry in entries}
    lists = run.file_lists
    made = make_entries(run.plan.config, registry, on_error=lambda _, error: errors.append(str(error)), labels=labels)
    now = [with_known_files(entry, lists) for entry in made]
    by_key, by_label = {entry.key: entry for entry in now}, {entry.label: entry for entry in now}
    missing: dict[str, str] = {}
    found: dict[str, Entry] = {}
    changed, forfeits = set[str](), set[str]()
    for entry in entries:
        same = by_key.get(entry.key) or by_label.get(entry.label)
        if same is None:
            earlier = "it is an earlier version of an agent" if EARLIER.fullmatch(entry.label) else ""
            missing[entry.label] = earlier or "; ".join(errors) or "the tournament file does not name it"
            continue
        if entry.key not in (same.key, same.as_copy().key):  # a copy, whose original was left out here
            missing[entry.label] = f"it has changed since: version {entry.version}, now {same.version}"
            changed.add(entry.label)
        elif same.forfeit:
            missing[entry.label] = f"it forfeits its games: {same.forfeit}"
            forfeits.add(entry.label)
        found[entry.label] = entry._replace(spec=same.spec, source=same.source)
    return missing, found, changed, forfeits


def _all_built_in(run: PlayedRun, entries: Sequence[Entry], scores: Sequence[str]) -> bool:
    """Return whether all plugins that the games need are built in and all agents have their stored versions."""

    def built_in(kind: str, name: str, version: str | None = None) -> bool:
        offer = run.registry.offers(kind).get(name)
        return offer is not None and offer.plugin.origin == "built in" and (version is None or offer.version == version)

    return (
        all(built_in("agent", entry.spec.name, entry.version) for entry in entries)
        and all(built_in("board source", c.source.name) for c in run.plan.conditions)
        and all(built_in("clue noise", c.noise.name) for c in run.plan.conditions)
        and all(built_in("score", Spec.parse(score).name) for score in scores)
    )


def changed_since_played(run: PlayedRun) -> list[str]:
    """Return the labels of the agents and conditions that have changed since the run was played, or are missing now."""
    playable = find_playable(run, run.plan.entries)
    agents = {label: why for label, why in playable.missing.items() if label not in playable.forfeits}
    conditions = [run.plan.conditions[i].label for i in sorted(run.changed)]
    return [*(label if label in playable.changed else f"{label} ({why})" for label, why in agents.items()), *conditions]


def changed_plugin(plan: Plan, registry: Registry) -> str:
    """Return the first agent, board source or noise whose version differs from that of the plan; "" if none does."""
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
            if with_version(kind, spec, registry)[1] != version:
                file = registry.find(kind, spec.name).plugin.file
                return f"{kind} '{spec.portable}', or a file that it reads, ({file})"
    return ""
