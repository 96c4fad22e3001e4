"""One SQLite file per run: a row per game, written as games finish, so that nothing finished is lost."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from sweepstakes.errors import ConfigError, RunError
from sweepstakes.executor import Chunk, Limits, Row
from sweepstakes.result import Ending
from sweepstakes.tournaments.games import SCHEMA, Games
from sweepstakes.tournaments.plan import Plan

FORMAT = 1


class Store(Games):
    """The games of one run, in `games.sqlite` of its directory. One process at a time may write."""

    def __init__(self, directory: Path, plan: Plan) -> None:
        self.plan = plan
        self._limits = Limits(**plan.config.limits.model_dump())
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(directory)
        except OSError as error:
            raise RunError(f"{directory}: cannot be written: {error.strerror}") from None
        try:
            self._db = _connect(directory / "games.sqlite")
            self._db.executescript(SCHEMA)
            self._adopt(directory)
        except sqlite3.DatabaseError as error:
            self.close()
            raise RunError(f"{directory / 'games.sqlite'}: {error}; move it away to begin anew") from None
        except (RunError, ConfigError):
            self.close()
            raise

    def close(self) -> None:
        """Let go of the run."""
        if hasattr(self, "_db"):
            self._db.close()
        os.close(self._lock)

    def add(self, rows: Iterable[Row]) -> None:
        """Write the rows, all or none."""
        with self._db:
            self._db.executemany(f"insert or replace into games values ({','.join('?' * 17)})", map(self._line, rows))

    def _line(self, row: Row) -> tuple[Any, ...]:
        """The row as it stands in the table."""
        (agent, condition, number), (_, _, _, ending, *counts, measures), seconds, moves, _ = row
        measured = json.dumps(dict(measures), sort_keys=True) if measures else "{}"
        struck = ending in (Ending.TIME_OUT, Ending.MEMORY) or None in measures.values()
        limits = json.dumps(self._limits) if struck else None
        identity = self._conditions[condition], self._agents[agent], number
        return (*identity, ending.value, *counts, measured, seconds, moves, limits)

    def missing(self) -> Iterator[Chunk]:
        """The games still to be played, a chunk for each run of board numbers."""
        games = self.plan.config.games
        for condition, condition_id in enumerate(self._conditions):
            for agent, agent_id in enumerate(self._agents):
                for first, last in list(self._gaps(condition_id, agent_id, games)):  # read before more is written
                    yield Chunk(agent, condition, first, last)

    def adopt_rows(self, rows: Iterable[Sequence[Any]]) -> int:
        """Take over the games of the plan that are among these rows, all or none; how many were new."""
        conditions = dict(zip((c.key for c in self.plan.conditions), self._conditions, strict=True))
        agents = dict(zip((entry.key for entry in self.plan.entries), self._agents, strict=True))
        before = self.finished()
        with self._db:
            self._db.executemany(
                f"insert or ignore into games values ({','.join('?' * 14)}, null, null, null)",
                (
                    (conditions[row[0]], agents[row[1]], row[2], str(Ending(row[3])), *row[4:])
                    for row in rows
                    if row[0] in conditions and row[1] in agents
                ),
            )
        return self.finished() - before

    def pending(self) -> int:
        """How many games are still to be played."""
        return sum(chunk.last - chunk.first for chunk in self.missing())

    def _gaps(self, condition: int, agent: int, games: int) -> Iterator[tuple[int, int]]:
        """The runs of board numbers that have no game yet, or one that has to be played again.

        That is a game that struck a limit which is higher now, or one that lacks a measure which is wanted now. A
        measure that is missing because the second playing came to nothing is not lacking; higher limits may help it.
        """
        first = 0
        for number, ending, limits, measures in self._db.execute(
            "select number, ending, limits, measures from games "
            "where condition = ? and agent = ? and number < ? order by number",
            [condition, agent, games],
        ):
            if limits is not None and _raised(Limits(*json.loads(limits)), self._limits):
                continue
            lacking = self.plan.measures and not set(self.plan.measures) <= set(json.loads(measures))
            if lacking and not Ending(ending).is_fault:
                continue
            if number > first:
                yield first, number
            first = number + 1
        if first < games:
            yield first, games

    def _adopt(self, directory: Path) -> None:
        """Note what the plan has; `RunError` if it contradicts what the run was begun with."""
        with self._db:
            known = dict(self._db.execute("select key, value from meta"))
            if known.setdefault("format", str(FORMAT)) != str(FORMAT):
                raise RunError(f"{directory}: written in format {known['format']}, expected {FORMAT}")
            self._db.execute("insert or ignore into meta values ('format', ?)", [str(FORMAT)])
            self._check_conditions(directory)
            self._check_agents(directory)
            for c in self.plan.conditions:
                self._db.execute(
                    "insert or ignore into conditions "
                    "(key, label, seed, rows, cols, mines, rules, source, source_version, noise, noise_version) "
                    "values (?,?,?,?,?,?,?,?,?,?,?)",
                    [c.key, c.label, c.seed, *c.size, str(c.rules)]
                    + [c.source.label, c.source.version, c.noise.label, c.noise.version],
                )
            for entry in self.plan.entries:
                name, parameters, version = entry.agent
                self._db.execute(
                    "insert or ignore into agents (key, label, name, parameters, version) values (?,?,?,?,?)",
                    [entry.key, entry.label, name, json.dumps(parameters, sort_keys=True), version],
                )
        self._identify()

    def _check_conditions(self, directory: Path) -> None:
        planned = {c.key for c in self.plan.conditions}
        columns = "key, label, seed, rules, source_version, noise_version"
        for key, label, seed, rules, source, noise in self._db.execute(f"select {columns} from conditions"):
            if key in planned:
                continue
            why = f"the tournament no longer has the condition '{label}'"
            for c in self.plan.conditions:
                if seed != c.seed:
                    why = f"the seed was {seed} and is {c.seed} now"
                elif label == c.label and rules != str(c.rules):
                    why = f"the rules of '{label}' were {rules} and are {c.rules} now"
                elif label == c.label and (source, noise) != (c.source.version, c.noise.version):
                    why = f"the board source or noise of '{label}' has changed"
            raise RunError(f"{directory} holds another tournament: {why}; choose another directory with --out")

    def _check_agents(self, directory: Path) -> None:
        for i, entry in enumerate(self.plan.entries):
            for other in self.plan.entries[:i]:
                if other.key == entry.key:
                    raise ConfigError(f"'{other.label}' and '{entry.label}' are the same agent, parameters and all")
            found = self._db.execute(
                "select key, label, name, parameters, version from agents where label = ? or key = ?",
                [entry.label, entry.key],
            ).fetchone()
            if found is None or (found[0], found[1]) == (entry.key, entry.label):
                continue
            _, label, name, parameters, version = found
            if label != entry.label:
                why = f"agent '{label}' is called '{entry.label}' now"
            elif (name, json.loads(parameters)) != (entry.agent.name, dict(entry.agent.parameters)):
                why = f"agent '{label}' was {name} {parameters} and has other parameters now"
            else:
                why = f"agent '{label}' has changed since (version {version}, now {entry.agent.version})"
            raise RunError(f"{directory} holds games of another tournament: {why}; choose another with --out or `as`")


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    # WAL: a killed process loses at most its open transaction. NORMAL: no sync per transaction, which only a loss of
    # power could tell.
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = normal")
    return db


def _lock(directory: Path) -> int:
    """Hold the run's lock until the process ends; `RunError` if another holds it."""
    handle = os.open(directory / "run.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # Windows: two processes on one run are not noticed
    except OSError:
        os.close(handle)
        raise RunError(f"{directory} is in use by another process") from None
    return handle


def _raised(then: Limits, now: Limits) -> bool:
    """Whether any limit is higher now."""
    pairs: Iterable[tuple[Any, Any]] = zip(then, now, strict=True)
    return any(old is not None and (new is None or new > old) for old, new in pairs)
