"""Finds which agents of a run can be played now. A separate process loads their plugin files and reports."""

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
LOADING_SECONDS = 300.0
"""The time limit for loading the plugin files."""


class Playable(NamedTuple):
    """Which agents can be played, and what is needed to play them."""

    missing: dict[str, str]
    """Why an agent cannot be played in the version that played, by label; without the agents that can."""
    measures: tuple[str, ...]
    """Those of the scores that are measured from the turns of a finished game."""
    files: tuple[str, ...]
    """The plugin files to load before the first game."""
    built_in: bool = False
    """Whether all agents, board sources, noises and scores are built in."""


def find_playable(run: StoredRun, entries: Sequence[Entry], scores: Sequence[str] = ()) -> Playable:
    """Find which of a run's agents can be played, and which of the scores are measured scores.

    If all plugins are built in, this process knows the answer. Otherwise a separate process loads the plugin files of
    the run and answers; `RunError` if it does not.
    """
    if _all_built_in(run, entries, scores):
        return Playable({}, measured_scores(scores, run.registry), (), built_in=True)
    files = [*plugin_files(run.config), *run.plugins]
    agents = [{"spec": str(entry.spec), "version": entry.version} for entry in entries]
    request = json.dumps({"agents": agents, "scores": list(scores), "files": files})
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import answer_query; answer_query()"
    try:
        process = subprocess.run(
            [sys.executable, "-c", code],
            input=request.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=LOADING_SECONDS,
            check=False,
        )
        answer: Any = json.loads(process.stdout)
        reasons = [str(reason) for reason in answer["agents"]]
        if len(reasons) != len(entries):
            raise ValueError(len(reasons))
        measures = tuple(str(name) for name in answer["measures"] if name in scores)
        loaded = tuple(str(file) for file in answer["files"])
    except (subprocess.TimeoutExpired, ValueError, TypeError, LookupError, RecursionError):
        raise RunError("the process that loads the agents' files did not report what they offer") from None
    missing = {entry.label: clean(text) for entry, text in zip(entries, reasons, strict=True) if text}
    return Playable(missing, measures, loaded)


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


def answer_query() -> None:
    """Read a request from standard input and write the answer to standard output, as JSON.

    What the plugin files print is discarded.
    """
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    request = json.load(sys.stdin)
    registry = Registry()
    files, broken = [], []
    for file in request["files"]:
        plugin = registry.add_file(file)
        if plugin.error:
            broken.append(f"{Path(file).name}: {plugin.error}")
        else:
            files.append(plugin.file)
    reasons = [_why_not_playable(registry, broken, agent["spec"], agent["version"]) for agent in request["agents"]]
    offered = registry.offers("score")
    scores = [score for score in request["scores"] if Spec.parse(score).name in offered]
    measures = measured_scores(scores, registry)
    json.dump({"agents": reasons, "measures": measures, "files": files}, answer)
    answer.flush()
    os._exit(0)  # ends the threads, if any, that a plugin file has started


def _why_not_playable(registry: Registry, broken: Sequence[str], spec: str, version: str) -> str:
    """Why the agent cannot be played in this version; empty if it can.

    `broken` has a line for each plugin file that could not be loaded.
    """
    if broken and Spec.parse(spec).name not in registry.offers("agent"):
        return "; ".join(broken)
    try:
        registry.agent(spec)
        current = registry.find("agent", Spec.parse(spec).name).version
    except SweepstakesError as error:
        return str(error)
    return "" if current == version else f"{CHANGED}: version {version}, now {current}"
