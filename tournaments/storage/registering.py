"""Stores the agents and conditions of a plan in the database of its run, and relabels earlier versions of agents."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from sweepstakes.errors import ConfigError, RunError
from sweepstakes.tournaments.config.model import EARLIER
from sweepstakes.tournaments.plan import COMMITTED, Plan, commitment
from sweepstakes.tournaments.storage.database import insert, set_meta
from sweepstakes.untrusted.text import clean


def register(db: sqlite3.Connection, directory: Path, plan: Plan) -> dict[str, str]:
    """Store the agents and conditions of the plan. Raise `RunError` if they contradict those of the run.

    Return the agents that have changed since the run was last played, as a mapping from the label to that of the
    earlier version.
    """
    _check_conditions(db, directory, plan)
    replaced = _relabel_earlier_versions(db, plan)
    for c in plan.conditions:
        insert(db, "conditions", {"key": c.key, **c.plain()}, "insert or ignore")
    for entry in plan.entries:
        plain = entry.plain()
        row = {"key": entry.key, **plain, "parameters": json.dumps(plain["parameters"], sort_keys=True)}
        insert(db, "agents", row, "insert or ignore")
    keys = json.dumps([entry.key for entry in plan.entries])
    set_meta(db, "agents", keys)
    return replaced


def _check_conditions(db: sqlite3.Connection, directory: Path, plan: Plan) -> None:
    planned = {c.key for c in plan.conditions}
    columns = "key, label, seed, rules, source_version, noise_version"
    for key, label, seed, rules, source, noise in db.execute(f"select {columns} from conditions"):
        if key in planned:
            continue
        label, rules = short(label), short(rules)
        why = f"the tournament no longer has the condition '{label}'"
        for c in plan.conditions:
            if seed not in (c.seed, str(c.seed), f"{COMMITTED}{commitment(c.seed)}"):
                why = f"the seed was {short(seed)} and is {c.seed_text} now"
            elif label == c.label and rules != str(c.rules):
                why = f"the rules of '{label}' were {rules} and are {c.rules} now"
            elif label == c.label and (source, noise) != (c.source_version, c.noise_version):
                why = f"the board source or noise of '{label}' has changed"
        raise RunError(f"{directory} holds another tournament: {why}; choose another directory with --out")


def _relabel_earlier_versions(db: sqlite3.Connection, plan: Plan) -> dict[str, str]:
    """Relabel stored agents so that each agent of the plan has its label and no game is lost.

    If the plan gives the label of a stored agent to another agent, the stored one is an earlier version: `mine` becomes
    `mine@1`. A stored agent that the plan has under another label gets that label. Return the labels of the earlier
    versions, by label.
    """
    replaced: dict[str, str] = {}
    for i, entry in enumerate(plan.entries):
        for other in plan.entries[:i]:
            if other.key == entry.key:
                raise ConfigError(f"'{other.label}' and '{entry.label}' are the same agent and parameters")
    stored = list(db.execute("select id, key, label from agents order by id"))
    planned = {entry.key: entry.label for entry in plan.entries}
    labels = {label: key for key, label in planned.items()}
    now = {id_: planned.get(key, label) for id_, key, label in stored}
    free = set(labels) | set(now.values())
    for place, (id_, key, label) in enumerate(stored):
        if key in planned or label not in labels:
            continue
        family = [other for _, _, other in stored[:place] if other == label or _base(other) == label]
        number = len(family) + 1
        while f"{label}@{number}" in free:
            number += 1
        now[id_] = f"{label}@{number}"
        free.add(now[id_])
        replaced[label] = now[id_]
    changed = [(id_, label) for id_, _, label in stored if now[id_] != label]
    db.executemany("update agents set label = ? where id = ?", [(f"\0{id_}", id_) for id_, _ in changed])
    db.executemany("update agents set label = ? where id = ?", [(now[id_], id_) for id_, _ in changed])
    return replaced


def _base(label: Any) -> str:
    """Return the current label of an agent from the label of an earlier version, or "" if it is not one."""
    found = EARLIER.fullmatch(label) if isinstance(label, str) else None
    return found[1] if found else ""


def short(stored: Any) -> str:
    """Return the value of a column, shortened for a message."""
    return clean(str(stored), 60)
