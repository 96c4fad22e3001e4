"""A run, or a published leaderboard, opened for reading: nothing is written and nobody is kept out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.registry import Registry
from sweepstakes.tournaments.config import Tournament, load
from sweepstakes.tournaments.games import SCHEMA, Games
from sweepstakes.tournaments.plan import Condition, Entry, Part, Plan, make_plan
from sweepstakes.tournaments.rows import FILE, read_rows
from sweepstakes.tournaments.yaml_file import YamlFile

KEYS = "keys.json"
"""Which condition and which agent the keys in published games stand for."""


class OpenedRun(NamedTuple):
    """The games as they were played, whatever has become of the agents since; `close` when done."""

    directory: Path
    games: Games
    registry: Registry
    changed: tuple[str, ...]
    """What is of another version now than when it was played: its games can be shown and not be repeated."""

    @property
    def plan(self) -> Plan:
        """What the run plays."""
        return self.games.plan

    def close(self) -> None:
        """Let go of the games."""
        self.games.close()


def open_run(directory: Path, plugins: tuple[str, ...] = ()) -> OpenedRun:
    """Open a run directory, also while it is being played, or a published one; `RunError` if it is neither."""
    file = directory / "tournament.yaml"
    played, published = directory / "games.sqlite", directory / FILE
    if not file.is_file() or not (played.is_file() or published.is_file()):
        what = "expected the directory of a run or of a published leaderboard"
        why = "no tournament has been run here" if directory.is_dir() else "there is no such directory"
        raise RunError(f"{directory}: {why}: {what}")
    config, yaml = load(file)
    whole = True
    try:
        plan, registry = make_plan(config, yaml, plugins)
    except SweepstakesError as error:
        plan, registry = _plan_of_the_rest(config, yaml, plugins, error)
        whole = False
    try:
        db = _read_only(played) if played.is_file() else _from_published(directory)
        try:
            gone = () if whole else _gone(plan, db)
            plan, changed = _as_played(plan._replace(entries=plan.entries + gone), db)
            changed += tuple(entry.label for entry in gone)
            games = Games(db, plan)
        except BaseException:
            db.close()
            raise
    except (sqlite3.DatabaseError, OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{directory}: its games cannot be read: {error}") from None
    return OpenedRun(directory, games, registry, changed)


def _plan_of_the_rest(
    config: Tournament, yaml: YamlFile, plugins: tuple[str, ...], error: SweepstakesError
) -> tuple[Plan, Registry]:
    """The plan without the agents that cannot be loaded; the `error` if that is not what is wrong."""

    def loads(**part: Any) -> bool:
        try:
            make_plan(config.model_copy(update={"agents": (), "plugins": (), **part}), yaml, plugins)
        except SweepstakesError:
            return False
        return True

    files = tuple(path for path in config.plugins if loads(plugins=(path,)))
    agents = tuple(spec for spec in config.agents if loads(plugins=files, agents=(spec,)))
    if (agents, files) == (config.agents, config.plugins):
        raise error
    try:
        return make_plan(config.model_copy(update={"agents": agents, "plugins": files}), yaml, plugins)
    except SweepstakesError:
        raise error from None


def _gone(plan: Plan, db: sqlite3.Connection) -> tuple[Entry, ...]:
    """The agents of the games that the plan lacks."""
    known = {entry.label for entry in plan.entries}
    found = db.execute("select label, name, parameters, version from agents order by id").fetchall()
    return tuple(
        Entry(label, Part(name, json.loads(parameters), version))
        for label, name, parameters, version in found
        if label not in known
    )


def keys(plan: Plan) -> dict[str, Any]:
    """What the keys of the plan's conditions and agents stand for, as plain data."""
    return {
        "conditions": {
            c.key: {
                "label": c.label,
                "seed": c.seed,
                "rows": c.size.rows,
                "cols": c.size.cols,
                "mines": c.size.mines,
                "rules": str(c.rules),
                "source": c.source.label,
                "source_version": c.source.version,
                "noise": c.noise.label,
                "noise_version": c.noise.version,
            }
            for c in plan.conditions
        },
        "agents": {
            entry.key: {
                "label": entry.label,
                "name": entry.agent.name,
                "parameters": dict(entry.agent.parameters),
                "version": entry.agent.version,
            }
            for entry in plan.entries
        },
    }


def _read_only(path: Path) -> sqlite3.Connection:
    """The database as it stands, also from a place where nothing can be written."""
    uri = path.resolve().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        db.execute("select 1 from games limit 1").fetchall()
    except sqlite3.OperationalError:
        db.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        db = sqlite3.connect(f"{uri}?immutable=1", uri=True)  # reading a log needs a file beside it, unless told so
        db.execute("select 1 from games limit 1").fetchall()
    return db


def _from_published(directory: Path) -> sqlite3.Connection:
    """The published games as a database in memory."""
    known = json.loads((directory / KEYS).read_text(encoding="utf-8"))
    db = sqlite3.connect(":memory:")
    db.executescript(SCHEMA)
    db.executemany(
        "insert into conditions values (:id, :key, :label, :seed, :rows, :cols, :mines, :rules, "
        ":source, :source_version, :noise, :noise_version)",
        _numbered(known["conditions"]),
    )
    agents = [
        line | {"parameters": json.dumps(line["parameters"], sort_keys=True)} for line in _numbered(known["agents"])
    ]
    db.executemany("insert into agents values (:id, :key, :label, :name, :parameters, :version)", agents)
    conditions = {line["key"]: line["id"] for line in _numbered(known["conditions"])}
    numbers = {line["key"]: line["id"] for line in agents}
    db.executemany(
        f"insert into games values ({','.join('?' * 14)}, null, null, null)",
        ((conditions[row[0]], numbers[row[1]], *row[2:]) for row in read_rows(directory / FILE)),
    )
    return db


def _numbered(known: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": i, "key": key, **values} for i, (key, values) in enumerate(known.items(), 1)]


def _as_played(plan: Plan, db: sqlite3.Connection) -> tuple[Plan, tuple[str, ...]]:
    """The plan with the versions that played, and the labels of what has another version now."""
    versions = {
        label: (name, json.loads(parameters), version)
        for label, name, parameters, version in db.execute("select label, name, parameters, version from agents")
    }
    sources = {
        label: (source, noise)
        for label, source, noise in db.execute("select label, source_version, noise_version from conditions")
    }
    entries = tuple(_entry_as_played(entry, versions) for entry in plan.entries)
    conditions = tuple(_condition_as_played(c, sources) for c in plan.conditions)
    now: Iterable[Entry | Condition] = (*plan.entries, *plan.conditions)
    then: Iterable[Entry | Condition] = (*entries, *conditions)
    changed = tuple(a.label for a, b in zip(now, then, strict=True) if a.key != b.key)
    return plan._replace(entries=entries, conditions=conditions), changed


def _entry_as_played(entry: Entry, played: Mapping[str, tuple[str, Any, str]]) -> Entry:
    name, parameters, version = played.get(entry.label, entry.agent)
    if (name, parameters) != (entry.agent.name, dict(entry.agent.parameters)):
        return entry
    return entry._replace(agent=entry.agent._replace(version=version))


def _condition_as_played(condition: Condition, played: Mapping[str, tuple[str, str]]) -> Condition:
    source, noise = condition.source, condition.noise
    of_source, of_noise = played.get(condition.label, (source.version, noise.version))
    return condition._replace(source=source._replace(version=of_source), noise=noise._replace(version=of_noise))
