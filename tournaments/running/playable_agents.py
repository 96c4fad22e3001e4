"""Finds which agents of a run can be played now. Host processes load their plugin files and describe them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import SweepstakesError
from sweepstakes.hosting.describing import described_under
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import COMMAND, Spec
from sweepstakes.tournaments.plan import Entry, Plan
from sweepstakes.tournaments.planning import isolation_here, measured_scores
from sweepstakes.tournaments.storage.required_plugins import load_plugins
from sweepstakes.tournaments.storage.stored_run import StoredRun

CHANGED = "it has changed since"


class Playable(NamedTuple):
    """Which agents can be played, and a plan by which they are."""

    missing: dict[str, str]
    """Why an agent cannot be played in the version that played, by label; without the agents that can."""
    plan: Plan
    """The plan of the run, with all that is needed to play its agents. They live in processes of their own, also those
    of a run without isolation."""
    registry: Registry


def find_playable(run: StoredRun, entries: Sequence[Entry], scores: Sequence[str] = ()) -> Playable:
    """Find which of these agents of a run can be played, and which of the scores are measured scores."""
    registry, broken = run.registry, list[str]()
    if not _all_built_in(run, entries, scores):
        registry = load_plugins(run.config, run.plugins)
        broken = [f"{Path(p.file).name}: {p.error}" for p in registry.plugins if p.asked_for and p.error]
    missing: dict[str, str] = {}
    found: dict[str, Entry] = {}
    with described_under(run.config.isolation, run.config.limits.start_seconds):
        for entry in entries:
            spec = _spec_with_files(run, entry, registry)
            try:
                if broken and not spec.words and entry.spec.name not in registry.offers("agent"):
                    missing[entry.label] = "; ".join(broken)
                    continue
                _, current, source = registry.one_agent(spec)
            except SweepstakesError as error:
                missing[entry.label] = str(error)
                continue
            if current != entry.version:
                missing[entry.label] = f"{CHANGED}: version {entry.version}, now {current}"
            found[entry.label] = entry._replace(source=source)
    offered = registry.offers("score")
    measures = measured_scores([score for score in scores if Spec.parse(score).name in offered], registry)
    isolation = "process" if run.config.isolation == "none" else run.config.isolation
    plan = run.plan._replace(
        config=run.config.model_copy(update={"isolation": isolation_here(isolation)}),
        entries=tuple(found.get(entry.label, entry) for entry in run.plan.entries),
        measures=measures,
        plugins=registry.imported(),
    )
    return Playable(missing, plan, registry)


def _spec_with_files(run: StoredRun, entry: Entry, registry: Registry) -> Spec:
    """The spec of a stored agent, with the files that the tournament file names for it; or its program."""
    for item in run.config.agents:
        spec = item.spec
        if spec.words and str(spec.portable.command) == entry.spec.name.removeprefix(COMMAND):
            return replace(spec, parameters=entry.spec.parameters)
        if spec.file and spec.files:
            plugin = next((p for p in registry.plugins if p.file == str(Path(spec.file).resolve())), None)
            if plugin is not None and entry.spec.name in plugin.offers.get("agent", ()):
                return replace(entry.spec, file=spec.file, files=spec.files)
    return entry.spec


def _all_built_in(run: StoredRun, entries: Sequence[Entry], scores: Sequence[str]) -> bool:
    """Whether all plugins that the games need are built in, and the agents in the versions that played."""

    def built_in(kind: str, name: str, version: str | None = None) -> bool:
        offer = run.registry.offers(kind).get(name)
        return offer is not None and offer.plugin.origin == "built in" and (version is None or offer.version == version)

    return (
        all(built_in("agent", entry.spec.name, entry.version) for entry in entries)
        and all(built_in("board source", c.source.name) for c in run.conditions)
        and all(built_in("clue noise", c.noise.name) for c in run.conditions)
        and all(built_in("score", Spec.parse(score).name) for score in scores)
    )


def changed_since_played(run: StoredRun) -> list[str]:
    """The labels of the agents and conditions that have changed since the run was played, or are missing now."""
    agents = find_playable(run, run.agents).missing
    conditions = [run.conditions[i].label for i in sorted(run.changed)]
    return [*(label if CHANGED in why else f"{label} ({why})" for label, why in agents.items()), *conditions]
