"""Which agents can be played here: a process of its own loads their files and tells, so that no other has to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.registry import Registry
from sweepstakes.score import MeasuredScore
from sweepstakes.text import clean
from sweepstakes.tournaments.plan import Entry

PATIENCE = 300.0
"""Seconds in which the files must have been loaded."""


class Available(NamedTuple):
    """What can be played."""

    missing: dict[str, str]
    """Why an agent cannot be played again as it was, by label."""
    measures: tuple[str, ...]
    """Those of the scores that are measured while playing."""
    files: tuple[str, ...]
    """The plugin files that have to be loaded first."""


def available(entries: Sequence[Entry], scores: Sequence[str], files: Sequence[str]) -> Available:
    """What a process that has loaded these files says of the agents and scores. `RunError` if it says nothing."""
    agents = [{"name": e.agent.name, "parameters": e.agent.parameters, "version": e.agent.version} for e in entries]
    question = json.dumps({"agents": agents, "scores": list(scores), "files": list(files)}, default=str)
    code = f"import sys; sys.path[:] = {sys.path!r}; from sweepstakes.tournaments.available import tell; tell()"
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
    return Available(missing, found, loaded)


def tell() -> None:
    """Answer the question on standard input; what the files print goes nowhere."""
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    question = json.load(sys.stdin)
    registry = Registry()
    files = []
    for file in question["files"]:
        plugin = registry.add_file(file)
        if not plugin.error:
            files.append(plugin.file)
    why = [_why_not(registry, agent) for agent in question["agents"]]
    measures = []
    for score in question["scores"]:
        try:
            if isinstance(registry.make("score", score, {}), MeasuredScore):
                measures.append(score)
        except SweepstakesError:
            continue
    json.dump({"agents": why, "measures": measures, "files": files}, answer)
    answer.flush()
    os._exit(0)  # whatever an agent's file has set going, this process has said what it was asked


def _why_not(registry: Registry, agent: dict[str, Any]) -> str:
    """Why the agent cannot be played as it was; nothing if it can."""
    try:
        registry.agent(agent["name"], agent["parameters"])
        now = registry.find("agent", agent["name"]).version
    except SweepstakesError as error:
        return str(error)
    return "" if now == agent["version"] else f"it has changed since: version {agent['version']}, now {now}"
