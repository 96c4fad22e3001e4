"""A run, or a published leaderboard, opened for reading: nothing is written and nobody is kept out."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.registry import Registry
from sweepstakes.tournaments import database
from sweepstakes.tournaments.config import Tournament, load
from sweepstakes.tournaments.games import Games
from sweepstakes.tournaments.keys import KEYS, read_keys
from sweepstakes.tournaments.plan import Condition, Entry, Part, Plan, make_conditions, make_plan
from sweepstakes.tournaments.rows import FILE, read_rows

_COPY = "put a sound copy in its place"


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
    config, yaml = load(_tournament(directory))
    plan, registry = make_plan(config, yaml, plugins)
    with _database(directory) as (db, file):
        plan, changed = _as_played(plan, db, file)
        return OpenedRun(directory, Games(db, plan, file), registry, changed)


def open_without_agents(directory: Path, plugins: tuple[str, ...] = ()) -> OpenedRun:
    """As `open_run`, but no code of an agent is loaded: all agents that have played are there, by name only.

    For whoever takes stored turns again: an agent's file could change the referee when it is imported. Board sources
    and noises come with us; if one does not, the plugins that the tournament names have to be loaded after all.
    """
    config, yaml = load(_tournament(directory))
    registry = Registry(strangers=False)
    if not (
        {_name(boards.source) for boards in config.boards} <= set(registry.offers("board source"))
        and {_name(noise) for noise in config.noise} <= set(registry.offers("clue noise"))
    ):
        registry = Registry((*plugin_files(config), *plugins))
    conditions = make_conditions(config, registry, yaml)
    with _database(directory) as (db, file):
        entries = tuple(
            Entry(label, Part(name, parameters, version))
            for label, (name, parameters, version) in _played_agents(db, file).items()
        )
        plan, changed = _as_played(Plan(config, entries, tuple(conditions), (), (), ()), db, file)
        return OpenedRun(directory, Games(db, plan, file), registry, changed)


def plugin_files(config: Tournament) -> list[str]:
    """The files that a tournament names, those of its agents too."""
    return [*config.plugins, *(spec.agent for spec in config.agents if spec.agent.endswith(".py"))]


def _name(spec: str | Mapping[str, Any]) -> str:
    """Of a source or noise in the tournament's file."""
    return spec if isinstance(spec, str) else next(iter(spec), "")


def _tournament(directory: Path) -> Path:
    """The file of the tournament; `RunError` if no games lie beside it."""
    file = directory / "tournament.yaml"
    if not file.is_file() or not any((directory / name).is_file() for name in (database.FILE, FILE)):
        what = "expected the directory of a run or of a published leaderboard"
        why = "no tournament has been run here" if directory.is_dir() else "there is no such directory"
        raise RunError(f"{directory}: {why}: {what}")
    return file


@contextmanager
def _database(directory: Path) -> Iterator[tuple[sqlite3.Connection, Path]]:
    """The games and the file they come from; if the block raises, they are closed."""
    file = directory / database.FILE
    if file.is_file():
        db = database.read_only(file)
    else:
        file = directory / FILE
        db = _from_published(directory)
    try:
        with database.told(file):
            yield db, file
    except BaseException:
        db.close()
        raise


def _from_published(directory: Path) -> sqlite3.Connection:
    """The published games as a database in memory."""
    known = read_keys(directory)
    db = sqlite3.connect(":memory:")
    db.executescript(database.SCHEMA)
    conditions = {key: i for i, key in enumerate(known.conditions, 1)}
    agents = {key: i for i, key in enumerate(known.agents, 1)}

    def identified() -> Iterator[tuple[Any, ...]]:
        for condition, agent, *row in read_rows(directory / FILE):
            if condition not in conditions or agent not in agents:
                raise RunError(f"{directory / FILE}: a game under a key that {KEYS} does not have; {_COPY}")
            yield (conditions[condition], agents[agent], *row)

    try:
        db.executemany(
            "insert into conditions values (:id, :key, :label, :seed, :rows, :cols, :mines, :rules, "
            ":source, :source_version, :noise, :noise_version)",
            ({"id": conditions[key], "key": key, **c.model_dump()} for key, c in known.conditions.items()),
        )
        db.executemany(
            "insert into agents values (:id, :key, :label, :name, :parameters, :version)",
            (
                {"id": agents[key], "key": key, **a.model_dump(), "parameters": json.dumps(a.parameters)}
                for key, a in known.agents.items()
            ),
        )
        db.executemany(f"insert into games values ({','.join('?' * 14)}, null, null, null)", identified())
    except sqlite3.IntegrityError as error:
        db.close()
        raise RunError(f"{directory / FILE}: a game or a label stands there twice ({error}); {_COPY}") from None
    except BaseException:
        db.close()
        raise
    return db


def _played_agents(db: sqlite3.Connection, file: Path) -> dict[str, tuple[str, dict[str, Any], str]]:
    """Name, parameters and version of every agent that has played, by label."""
    found = {}
    for label, name, text, version in db.execute("select label, name, parameters, version from agents order by id"):
        try:
            parameters = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            parameters = None
        if not (all(type(part) is str for part in (label, name, version)) and isinstance(parameters, dict)):
            raise RunError(f"{file}: damaged: an agent is not called by texts, or its parameters are none; {_COPY}")
        found[label] = (name, parameters, version)
    return found


def _played_conditions(db: sqlite3.Connection, file: Path) -> dict[str, tuple[str, str]]:
    """The versions of board source and noise of every condition that has been played, by label."""
    found = {}
    for row in db.execute("select label, source_version, noise_version from conditions"):
        if not all(type(part) is str for part in row):
            raise RunError(f"{file}: damaged: a condition is not called by texts; {_COPY}")
        found[row[0]] = (row[1], row[2])
    return found


def _as_played(plan: Plan, db: sqlite3.Connection, file: Path) -> tuple[Plan, tuple[str, ...]]:
    """The plan with the versions that played, and the labels of what has another version now."""
    versions, sources = _played_agents(db, file), _played_conditions(db, file)
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
