"""One SQLite file per run: a row per game, written as games finish, so that nothing finished is lost."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from sweepstakes.errors import ConfigError, RunError
from sweepstakes.executor import Chunk, Fixture, Limits, Row
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.storage.database import (
    FILE,
    FORMAT,
    SCHEMA,
    SOUND_COPY,
    check_form,
    insert,
    insert_games,
    run_errors,
)
from sweepstakes.tournaments.storage.stored_run import RESULT, StoredRow, StoredRun
from sweepstakes.untrusted.files import make_folder
from sweepstakes.untrusted.text import clean

SampleCheck = Callable[[Mapping[Fixture, GameResult]], None]
"""Looks at a sample of games that are to be taken over; `RunError` if they are not what they say."""
LARGEST_SAMPLE = 200
"""Games in such a sample at most."""
_REPLACE = insert_games("seconds", "moves", "limits", how="insert or replace")
_IMPORT = insert_games(how="insert or ignore")


class RunWriter(StoredRun):
    """The games of one run, in `games.sqlite` of its directory. One process at a time may write."""

    def __init__(self, directory: Path, plan: Plan, registry: Registry) -> None:
        self.file = directory / FILE
        self._limits = Limits(**plan.config.limits.model_dump())
        with run_errors(directory, "written"):
            make_folder(directory)
            self._lock = _lock(directory)
        try:
            with run_errors(self.file, "written"):
                self._db = _connect(self.file)
                if self._db.execute("select count(*) from sqlite_master").fetchone() == (0,):
                    self._db.executescript(f"begin; {SCHEMA} insert into meta values ('format', '{FORMAT}'); commit;")
                check_form(self._db, self.file)
                self._register(directory, plan)
            super().__init__(directory, plan, registry, self)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the run."""
        if hasattr(self, "_db"):
            self._db.close()
        os.close(self._lock)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that answer a question, in the connection that also writes."""
        with run_errors(self.file):
            for row in self._db.execute(sql, parameters):  # noqa: UP028 - that would close it, after the database
                yield row

    def add(self, rows: Iterable[Row]) -> None:
        """Write the rows, all or none."""
        with run_errors(self.file, "written"), self._db:
            self._db.executemany(_REPLACE, map(self._line, rows))

    def _line(self, row: Row) -> tuple[Any, ...]:
        """The row as it stands in the table; `RunError` for one that cannot be, which no executor of ours hands on."""
        try:
            self.plan.check(row)
        except ValueError as error:
            raise RunError(f"game {self.name(row.fixture)}: the executor tells of {error}: no game ends so") from None
        result = row.result
        struck = result.ending in (Ending.TIME_OUT, Ending.MEMORY) or None in result.measures.values()
        limits = json.dumps(self._limits) if struck else None
        block = self._block(row.fixture.condition, row.fixture.agent)
        return (*block, row.fixture.number, *result.as_row(), row.seconds, row.moves, limits)

    def missing(self) -> Iterator[Chunk]:
        """The games still to be played, a chunk for each run of board numbers."""
        games = self.plan.config.games
        for condition in range(len(self._conditions)):
            for agent in range(len(self._agents)):
                for first, last in list(self._gaps(condition, agent, games)):  # read before more is written
                    yield Chunk(agent, condition, first, last)

    def import_games(self, run: StoredRun, check_sample: SampleCheck | None = None) -> int:
        """Take over the games of the plan that another run, or a publication, has, all or none; how many were new.

        `RunError`, and nothing is taken over, if a row is not possible, or if `check_sample` has doubts about the sample that
        it is given: 2 % of the games, at least 20. Games that struck a limit are played again.
        """
        before = self.finished()
        sample = _Sample()
        with run_errors(self.file, "written"), self._db:
            self._db.executemany(_IMPORT, self._importable(run.rows(limited=False), run.file, sample))
            if check_sample is not None and sample.seen:
                check_sample(sample.drawn())
        return self.finished() - before

    def _importable(self, rows: Iterable[Sequence[Any]], file: Path, sample: _Sample) -> Iterator[tuple[Any, ...]]:
        """The lines of those rows that are games of the plan."""
        conditions = {c.key: i for i, c in enumerate(self.plan.conditions)}
        agents = {entry.key: i for i, entry in enumerate(self.plan.entries)}
        for condition_key, agent_key, number, *columns in rows:
            if condition_key not in conditions or agent_key not in agents:
                continue
            fixture = Fixture(agents[agent_key], conditions[condition_key], number)
            try:
                result = self.read(StoredRow(fixture, columns, None, None))
            except ValueError as error:
                raise self.impossible(fixture, error, file) from None
            if number < self.plan.config.games:
                sample.add(fixture, result)
            yield (*self._block(fixture.condition, fixture.agent), number, *columns)

    def pending(self) -> int:
        """How many games are still to be played."""
        return sum(chunk.last - chunk.first for chunk in self.missing())

    def _gaps(self, condition: int, agent: int, games: int) -> Iterator[tuple[int, int]]:
        """The runs of board numbers that have no game yet, or one that has to be played again.

        That is a game that struck a limit which is higher now, or one that lacks a measure which is wanted now. A
        measure that is missing because the second playing came to nothing is not lacking; higher limits may help it.
        """
        first = 0
        wanted = {Spec.parse(measure).name for measure in self.plan.measures}
        for number, limits, *columns in self._query(
            f"select number, limits, {RESULT} from games "
            "where condition = ? and agent = ? and number < ? order by number",
            [*self._block(condition, agent), games],
        ):
            fixture = Fixture(agent, condition, number)
            result = self._read(StoredRow(fixture, columns, None, None))
            if limits is not None and _raised(self._read_limits(fixture, limits), self._limits):
                continue
            lacking = wanted and not wanted <= set(result.measures)
            if lacking and not result.ending.is_fault:
                continue
            if number > first:
                yield first, number
            first = number + 1
        if first < games:
            yield first, games

    def _read_limits(self, fixture: Fixture, text: Any) -> Limits:
        """The limits under which a game was played."""
        try:
            limits = Limits(*json.loads(text))
            if all(limit is None or type(limit) in (int, float) for limit in limits):
                return limits
        except (TypeError, ValueError, RecursionError):
            pass
        raise self.impossible(fixture, ValueError("limits that are not limits"))

    def _register(self, directory: Path, plan: Plan) -> None:
        """Note what the plan has; `RunError` if it contradicts what the run was begun with."""
        with self._db:
            self._check_conditions(directory, plan)
            self._check_agents(directory, plan)
            for c in plan.conditions:
                insert(self._db, "conditions", {"key": c.key, **c.plain()}, "insert or ignore")
            for entry in plan.entries:
                parameters = json.dumps(dict(entry.spec.parameters), sort_keys=True)
                row = {"key": entry.key, **entry.plain(), "parameters": parameters}
                insert(self._db, "agents", row, "insert or ignore")
            keys = json.dumps([entry.key for entry in plan.entries])
            insert(self._db, "meta", {"key": "agents", "value": keys}, "insert or replace")

    def _check_conditions(self, directory: Path, plan: Plan) -> None:
        planned = {c.key for c in plan.conditions}
        columns = "key, label, seed, rules, source_version, noise_version"
        for key, label, seed, rules, source, noise in self._db.execute(f"select {columns} from conditions"):
            if key in planned:
                continue
            label, rules = _short(label), _short(rules)
            why = f"the tournament no longer has the condition '{label}'"
            for c in plan.conditions:
                if seed != c.seed:
                    why = f"the seed was {_short(seed)} and is {c.seed} now"
                elif label == c.label and rules != str(c.rules):
                    why = f"the rules of '{label}' were {rules} and are {c.rules} now"
                elif label == c.label and (source, noise) != (c.source_version, c.noise_version):
                    why = f"the board source or noise of '{label}' has changed"
            raise RunError(f"{directory} holds another tournament: {why}; choose another directory with --out")

    def _check_agents(self, directory: Path, plan: Plan) -> None:
        for i, entry in enumerate(plan.entries):
            for other in plan.entries[:i]:
                if other.key == entry.key:
                    raise ConfigError(f"'{other.label}' and '{entry.label}' are the same agent, parameters and all")
            found = self._db.execute(
                "select key, label, name, parameters, version from agents where label = ? or key = ?",
                [entry.label, entry.key],
            ).fetchone()
            if found is None or (found[0], found[1]) == (entry.key, entry.label):
                continue
            label, name, parameters, version = found[1], found[2], found[3], _short(found[4])
            if label != entry.label:
                why = f"agent '{_short(label)}' is called '{entry.label}' now"
            elif (name, self._parameters(parameters)) != (entry.spec.name, dict(entry.spec.parameters)):
                why = f"agent '{label}' was {_short(name)} {_short(parameters)} and has other parameters now"
            else:
                why = f"agent '{label}' has changed since (version {version}, now {entry.version})"
            raise RunError(f"{directory} holds games of another tournament: {why}; choose another with --out or `as`")

    def _parameters(self, text: Any) -> Any:
        try:
            return json.loads(text)
        except (TypeError, ValueError, RecursionError):
            raise RunError(f"{self.file}: damaged: the parameters of an agent are not JSON; {SOUND_COPY}") from None


class _Sample:
    """Some of the games that pass by, each as likely as any other."""

    def __init__(self) -> None:
        self.seen = 0
        self._chance = Random()  # not seeded: nobody should know beforehand which games are looked at
        self._games: list[tuple[Fixture, GameResult]] = []

    def add(self, fixture: Fixture, result: GameResult) -> None:
        """A game passes by. Those that a limit or a crash ended cannot be repeated, and are not looked at."""
        if not result.ending.repeatable:
            return
        self.seen += 1
        if len(self._games) < LARGEST_SAMPLE:
            self._games.append((fixture, result))
        elif (place := self._chance.randrange(self.seen)) < LARGEST_SAMPLE:
            self._games[place] = (fixture, result)

    def drawn(self) -> dict[Fixture, GameResult]:
        """2 % of them, at least 20, at most `LARGEST_SAMPLE`."""
        wanted = max(20, -(-self.seen // 50))
        return dict(self._chance.sample(self._games, min(wanted, len(self._games))))


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


def _short(stored: Any) -> str:
    """What stands in a column, fit for a message."""
    return clean(str(stored), 60)


def _raised(then: Limits, now: Limits) -> bool:
    """Whether any limit is higher now."""
    pairs: Iterable[tuple[Any, Any]] = zip(then, now, strict=True)
    return any(old is not None and (new is None or new > old) for old, new in pairs)
