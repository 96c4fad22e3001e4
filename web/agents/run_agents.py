"""The agents of a run that are not built in, as the arena offers them: from the files that the run names.

An agent is offered in the version that played the run, and in no other. It is described and played in hosts.
"""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.errors import SweepstakesError, located
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.resolve.machine import isolation_here
from sweepstakes.tournaments.resolve.playable import find_playable
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.stored_run import StoredRun


class RunAgent(NamedTuple):
    """An agent of the run."""

    source: AgentSource | None
    """What a host needs to play it; None if it cannot be played."""
    summary: str
    """The sentence with which it describes itself; may be ""."""
    missing: str
    """The reason why it cannot be played, as a clause; "" if it can."""


def run_agents(run: StoredRun) -> dict[str, RunAgent]:
    """Return the agents of a run directory that are not built in, by label.

    A published leaderboard has none: its files come from other people, and the user has not asked to load them.
    """
    entries = [entry for entry in run.agents if not entry.built_in]
    if not entries or not (run.directory / database.FILE).is_file():
        return {}
    try:
        playable = find_playable(run, entries)
    except SweepstakesError as error:
        return {entry.label: RunAgent(None, "", str(error)) for entry in entries}
    found = {entry.label: entry for entry in playable.plan.entries}
    agents = {}
    for label in (entry.label for entry in entries):
        source, missing = found[label].source, playable.missing.get(label, "")
        if missing and source is not None and source.plugin is not None:
            missing += f" ({located(source.plugin.path)})"
        agents[label] = RunAgent(None if missing else source, _summary(source, playable.registry), missing)
    return agents


def isolation_of(run: StoredRun | None) -> str:
    """Return the isolation under which agents play in an arena by default, which is that of the run."""
    isolation = "process" if run is None or run.config.isolation == "none" else run.config.isolation
    return isolation_here(isolation)


def _summary(source: AgentSource | None, registry: Registry) -> str:
    """Return the description of an agent by its plugin."""
    offer = None if source is None else registry.offers("agent").get(source.name)
    same = offer is not None and source is not None and offer.plugin.source == source.plugin
    return offer.summary if same and offer is not None else ""
