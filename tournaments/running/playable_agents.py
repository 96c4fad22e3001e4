"""Which agents can be played here: a process of its own loads their files and tells, so that no other has to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.plan import Entry
from sweepstakes.tournaments.planning import measured_scores
from sweepstakes.tournaments.storage.required_plugins import plugin_files
from sweepstakes.tournaments.storage.stored_run import StoredRun
from sweepstakes.untrusted.text import clean

CHANGED = "it has changed since"
PATIENCE = 300.0
"""Seconds in which the files must have been loaded."""


class Playable(NamedTuple):
    """What can be played."""

    missing: dict[str, str]
    """Why an agent cannot be played again as it was, by label."""
    measures: tuple[str, ...]
    """Those of the scores that are measured while playing."""
    files: tuple[str, ...]
    """The plugin files that have to be loaded first."""
    built_in: bool = False
    """Whether all of it comes with us."""


def find_playable(run: StoredRun, entries: Sequence[Entry], scores: Sequence[str] = ()) -> Playable:
    """What can be played of a run's agents, and measured of these scores.

    Built-in agents are known here. Otherwise a process that has loaded the files of the run says so; `RunError` if it
    says nothing.
    """
    if _all_built_in(run, entries, scores):
        return Playable({}, measured_scores(scores, run.registry), (), built_in=True)
    files = [*plugin_files(run.config), *run.plugins]
    agents = [{"spec": str(entry.spec), "version": entry.version} for entry in entries]
    question = json.dumps({"agents": agents, "scores": list(scores), "files": files})
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import answer_query; answer_query()"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=question.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
        told: Any = json.loads(done.stdout)
        why = [str(each) for each in told["agents"]]
        if len(why) != len(entries):
            raise ValueError(len(why))
        found = tuple(str(name) for name in told["measures"] if name in scores)
        loaded = tuple(str(file) for file in told["files"])
    except (subprocess.TimeoutExpired, ValueError, TypeError, LookupError, RecursionError):
        raise RunError("the process that loads the agents' files did not tell what they offer") from None
    missing = {entry.label: clean(text) for entry, text in zip(entries, why, strict=True) if text}
    return Playable(missing, found, loaded)


def _all_built_in(run: StoredRun, entries: Sequence[Entry], scores: Sequence[str]) -> bool:
    """Whether all that the games need comes with us, and the agents in the versions that played."""

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
    """The agents and conditions of a run that are not what they were when they were played, and those not there."""
    agents = find_playable(run, run.agents).missing
    conditions = [run.conditions[i].label for i in sorted(run.changed)]
    return [*(label if CHANGED in why else f"{label} ({why})" for label, why in agents.items()), *conditions]


def answer_query() -> None:
    """Answer the question on standard input; what the files print goes nowhere."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    question = json.load(sys.stdin)
    registry = Registry()
    files, broken = [], []
    for file in question["files"]:
        plugin = registry.add_file(file)
        if plugin.error:
            broken.append(f"{Path(file).name}: {plugin.error}")
        else:
            files.append(plugin.file)
    why = [_why_not(registry, broken, agent["spec"], agent["version"]) for agent in question["agents"]]
    offered = registry.offers("score")
    scores = [score for score in question["scores"] if Spec.parse(score).name in offered]
    measures = measured_scores(scores, registry)
    json.dump({"agents": why, "measures": measures, "files": files}, answer)
    answer.flush()
    os._exit(0)  # whatever an agent's file has set going, this process has said what it was asked


def _why_not(registry: Registry, broken: Sequence[str], spec: str, version: str) -> str:
    """Why the agent cannot be played as it was; nothing if it can. `broken` says which files could not be loaded."""
    if broken and Spec.parse(spec).name not in registry.offers("agent"):
        return "; ".join(broken)
    try:
        registry.agent(spec)
        now = registry.find("agent", Spec.parse(spec).name).version
    except SweepstakesError as error:
        return str(error)
    return "" if now == version else f"{CHANGED}: version {version}, now {now}"
