"""Writes the games of a run into its SQLite file, as they finish, so that no finished game is lost."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from sweepstakes.errors import ConfigError, LostGamesError, RunError, SweepstakesError
from sweepstakes.executor import Chunk, Fixture, Limits, Row
from sweepstakes.game.result import COLUMNS, Ending, GameResult, check_extras
from sweepstakes.registry.registry import Registry
from sweepstakes.score import Score
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.config.model import EARLIER
from sweepstakes.tournaments.plan import COMMITTED, Entry, KeptGame, Plan, commitment
from sweepstakes.tournaments.resolve.known_files import (
    META,
    FileList,
    FileLists,
    conflict,
    data_files,
    differ,
    lists_text,
    read_lists,
    with_known_files,
)
from sweepstakes.tournaments.shard import WHOLE, Shard
from sweepstakes.tournaments.storage.database import (
    FILE,
    SCHEMA,
    OnDisk,
    check_form,
    insert,
    insert_games,
    run_errors,
)
from sweepstakes.tournaments.storage.migrations import FORMAT, upgrade
from sweepstakes.tournaments.storage.run_reader import RESULT, RunReader, StoredRow
from sweepstakes.tournaments.storage.secret_seed import OTHER_DIRECTORY, reveal_seed, settle_seed
from sweepstakes.tournaments.time_outs import is_forfeit
from sweepstakes.untrusted.files import make_folder
from sweepstakes.untrusted.text import clean

SampleCheck = Callable[[Mapping[Fixture, GameResult]], None]
"""Checks a sample of the games to import; `RunError` if a row differs from its game."""
LARGEST_SAMPLE = 200
"""The maximum number of games in a sample."""
_REPLACE = insert_games("seconds", "moves", "limits", how="insert or replace")
_GAME = "condition = ? and agent = ? and number = ?"
_ONE_GAME = f"select {RESULT}, moves from games where {_GAME}"
_COMPLETE = f"update games set ({RESULT}, limits) = ({', '.join('?' * (len(COLUMNS) + 1))}) where {_GAME}"
_IMPORT = insert_games(how="insert or ignore")


class RunWriter(RunReader):
    """The games of one run, in `games.sqlite` of its directory. Only one process at a time may write.

    `seed` is the secret seed of a run that begins now; without it, one is drawn.
    """

    def __init__(self, directory: Path, plan: Plan, registry: Registry, seed: int | None = None) -> None:
        self.file = directory / FILE
        self._limits = plan.config.limits
        self.replaced: dict[str, str] = {}
        """The agents that have changed since the run was last played: label to the label of the earlier version."""
        self.isolation_before: str = plan.config.isolation
        """The isolation under which the stored games were played, as far as they were lost by a fault."""
        with run_errors(directory, "written"):
            make_folder(directory)
            self._lock = _lock(directory)
        try:
            plan, secret = settle_seed(directory, plan, seed)
            with run_errors(self.file, "written"):
                self._db = _connect(self.file)
                if self._db.execute("select count(*) from sqlite_master").fetchone() == (0,):
                    self._db.executescript(f"begin; {SCHEMA} insert into meta values ('format', '{FORMAT}'); commit;")
                check_form(self._db, self.file)
                status = self.file.stat()
                self._identity, self._size = (status.st_dev, status.st_ino), status.st_size
                with self._db:
                    self._db.execute("begin immediate")
                    upgrade(self._db)
                    plan = self._with_known_files(plan)
                    self._register(directory, plan)
                    self.isolation_before = self._stored_isolation(directory, plan)
                    super().__init__(directory, plan, registry, self, secret=secret)
                    if secret is not None and secret.revealed and self.pending():
                        why = "its secret seed is published, so an agent can know the boards of further games"
                        raise RunError(f"{directory}: the run has ended: {why}; {OTHER_DIRECTORY}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the database and release the lock."""
        if hasattr(self, "_db"):
            self._db.close()
        os.close(self._lock)

    def reveal_seed(self) -> None:
        """Publish the secret seed, if the run has one and all its games have been played."""
        if self.secret is not None and not self.secret.revealed and self.finished() == self.plan.games:
            self.secret = reveal_seed(self.directory, self.secret)
            self.plan = self.plan.with_seed(self.secret.seed, secret=False)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a query on the connection that also writes, and yield its rows."""
        with run_errors(self.file):
            for row in self._db.execute(sql, parameters):  # noqa: UP028 - `yield from` would close the cursor after the connection
                yield row

    def note_shard(self, shard: Shard) -> None:
        """Store which shard the run plays, so that merging can say which one is missing."""
        with run_errors(self.file, "written"), self._db:
            self._set_meta("shard", str(shard))

    def note_isolation(self) -> None:
        """Store that all games lost by a fault were played under the isolation of the plan: call it when they are."""
        if self.isolation_before == self.plan.config.isolation or self._is_public:
            return
        self.isolation_before = self.plan.config.isolation
        with run_errors(self.file, "written"), self._db:
            self._set_meta("isolation", self.isolation_before)

    def doubtful(self) -> int:
        """The number of games that agents lost by a fault under another isolation than that of the plan.

        What an agent is refused under `sealed` is the operator's decision, and need not be a mistake of the agent.
        """
        if self.isolation_before == self.plan.config.isolation:
            return 0
        agents = [id_ for id_, entry in zip(self.agent_ids, self.agents, strict=True) if _is_isolated(entry)]
        faults = [ending.value for ending in Ending if ending.is_fault]
        marks = [",".join("?" * len(each)) for each in (agents, faults)]
        sql = f"select count(*) from games where agent in ({marks[0]}) and ending in ({marks[1]}) and number < ?"
        (count,) = next(self.query(sql, [*agents, *faults, self.plan.config.games]))
        return int(count)

    @property
    def _is_public(self) -> bool:
        """Whether the seed was secret and is published, so that no game may be played again."""
        return self.secret is not None and self.secret.revealed

    def _stored_isolation(self, directory: Path, plan: Plan) -> str:
        """The isolation of the stored games. A run that has none, or was written before it was stored, gets one now."""
        for (stored,) in self._db.execute("select value from meta where key = 'isolation'"):
            return str(stored)
        found = plan.config.isolation
        if self._db.execute("select 1 from games limit 1").fetchone() is not None:
            with suppress(SweepstakesError):  # the file of the last time that the run was played
                found = load(directory / "tournament.yaml")[0].isolation
        self._set_meta("isolation", found)
        return found

    def _set_meta(self, key: str, value: str) -> None:
        insert(self._db, "meta", {"key": key, "value": value}, "insert or replace")

    def add(self, rows: Iterable[Row]) -> None:
        """Write the rows in one transaction; `LostGamesError` if the file is no longer the one that was opened."""
        try:
            rows = list(rows)
            with run_errors(self.file, "written"), self._db:
                self._db.executemany(_REPLACE, map(self._line, rows))
                self._note_files(rows)
        finally:
            self._check_file()

    def _with_known_files(self, plan: Plan) -> Plan:
        """The plan with its agents in the versions that they have with the files which they are known to open."""
        self._file_lists = FileLists()
        for (text,) in self._db.execute("select value from meta where key = ?", [META]):
            self._file_lists = read_lists(text)
        self._bases = [entry.key for entry in plan.entries]
        entries = tuple(with_known_files(entry, self._file_lists) for entry in plan.entries)
        for base, entry in zip(self._bases, entries, strict=True):
            if files := data_files(entry):
                self._file_lists.setdefault(entry.key, FileList(base, entry.version)).add(files)
        self._store_files()
        return plan._replace(entries=entries)

    def _note_files(self, rows: Sequence[Row]) -> None:
        """Add the data files that agents have opened in these games to those that they are known to open."""
        changed = False
        for row in rows:
            if row.files:
                entry = self.plan.entries[row.fixture.agent]
                listed = FileList(self._bases[row.fixture.agent], entry.version)
                changed |= self._file_lists.setdefault(entry.key, listed).add(row.files)
        if changed:
            self._store_files()

    def _store_files(self) -> None:
        if self._file_lists:
            self._set_meta(META, lists_text(self._file_lists))

    def check_stored(self) -> None:
        """Read the file as another process will; `LostGamesError` if it lacks a game that was written."""
        self._check_file()
        count = "select count(*) from games"
        try:
            with run_errors(self.file, "written"):
                self._db.execute("pragma wal_checkpoint(passive)")
            written = next(self.query(count))
            found = next(OnDisk(self.file).query(count))
        except RunError:
            raise self._lost("was damaged") from None
        self._check_file()
        if found != written:
            raise self._lost(f"has {found[0]:,} of {written[0]:,} games")

    def _check_file(self) -> None:
        """`LostGamesError` if the file was removed, replaced or cut: SQLite itself would go on writing to nowhere."""
        try:
            now = self.file.stat()
        except OSError:
            raise self._lost("was removed or moved") from None
        if (now.st_dev, now.st_ino) != self._identity:
            raise self._lost("was replaced by another file")
        if now.st_size < self._size:  # SQLite never makes it smaller
            raise self._lost("was cut off")
        self._size = now.st_size

    def _lost(self, what: str) -> LostGamesError:
        return LostGamesError(
            f"{self.file} {what} while the run was being played: games may be lost; run the same command again, "
            "and leave the directory alone meanwhile"
        )

    def _line(self, row: Row) -> tuple[Any, ...]:
        """The columns of a row; `RunError` for an impossible row, which no built-in executor yields."""
        try:
            self.conditions[row.fixture.condition].check(row.result)
            check_extras(row.seconds, row.moves, row.took)
        except ValueError as error:
            raise RunError(f"game {self.name(row.fixture)}: the executor reports {error}: no game ends so") from None
        result = row.result
        limited = result.ending in (Ending.TIME_OUT, Ending.MEMORY) or None in result.measures.values()
        limits = json.dumps(self._limits) if limited else None
        block = self._block(row.fixture.condition, row.fixture.agent)
        return (*block, row.fixture.number, *result.as_row(), row.seconds, row.moves, limits)

    def missing(self, shard: Shard = WHOLE) -> Iterator[Chunk]:
        """The games of the shard that are still to be played, one chunk for each range of board numbers."""
        for place, condition in enumerate(self.plan.conditions):
            boards = shard.boards(condition, self.plan.config.games)
            for agent in range(len(self.agent_ids)):
                for gap in list(self._gaps(place, agent, boards)):  # all read before more games are written
                    yield Chunk(agent, place, gap.start, gap.stop, gap.step)

    def import_games(self, run: RunReader, check_sample: SampleCheck | None = None) -> int:
        """Import the games of the plan from another run or a publication, in one transaction; return how many were new.

        `check_sample` is called with a random sample: 2 % of the games, at least 20. If it raises `RunError`, or if a
        row is impossible, no games are imported. Games that reached a limit are not imported.
        """
        before = self.finished()
        sample = _Sample()
        with run_errors(self.file, "written"), self._db:
            left_out = self._import_files(run)
            self._db.executemany(_IMPORT, self._importable(run.rows(limited=False), run.file, sample, left_out))
            if check_sample is not None and sample.seen:
                check_sample(sample.drawn())
        return self.finished() - before

    def _import_files(self, run: RunReader) -> set[str]:
        """Take over the lists of files of another run; the keys of agents that had other files there."""
        lists = run.file_lists
        left_out = set()
        for place, entry in enumerate(self.plan.entries):
            if (listed := lists.get(entry.key)) is None:
                continue
            if differ(listed.files, entry):
                left_out.add(entry.key)
                continue
            here = FileList(self._bases[place], entry.version)
            self._file_lists.setdefault(entry.key, here).add(tuple(listed.files.items()))
        self._store_files()
        return left_out

    def _importable(
        self, rows: Iterable[Sequence[Any]], file: Path, sample: _Sample, left_out: Collection[str]
    ) -> Iterator[tuple[Any, ...]]:
        """The columns of those rows that are games of the plan, without agents that are left out."""
        conditions = {c.key: i for i, c in enumerate(self.plan.conditions)}
        agents = {entry.key: i for i, entry in enumerate(self.plan.entries) if entry.key not in left_out}
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

    def merge(self, runs: Sequence[RunReader]) -> None:
        """Store the games of other runs of the same plan, with their times, moves and limits, in one transaction.

        `RunError`, and nothing is stored, if two runs have different results of one game. Forfeits after time-outs are
        left out: which games they are follows from the games of all runs together.
        """
        with run_errors(self.file, "written"), self._db:
            for run in runs:
                self._merge_files(run)
            for place, run in enumerate(runs):
                for row, limits in run.entire_rows():
                    self._merge_row(row, limits, run, runs[:place])

    def _merge_files(self, run: RunReader) -> None:
        """Add the lists of files of another run; `RunError` if a file was another one there."""
        for key, listed in run.file_lists.items():
            here = self._file_lists.setdefault(key, FileList(listed.base, listed.version))
            if place := conflict(here, listed):
                what = f"the file {clean(place, 80)} of an agent was another one in {run.directory}"
                raise RunError(f"{what}: nothing is merged; play these runs with the same files")
            here.add(tuple(listed.files.items()))
        self._store_files()

    def _merge_row(self, row: StoredRow, limits: Any, run: RunReader, before: Sequence[RunReader]) -> None:
        agent, condition, number = row.fixture
        game = [*self._block(condition, agent), number]
        result = run.checked(row)
        if is_forfeit(result):
            return
        stored = self._db.execute(_ONE_GAME, game).fetchone()
        if stored is None or is_forfeit(self.checked(StoredRow(row.fixture, stored[:-1], None, None))):
            self._db.execute(_REPLACE, [*game, *row.columns, row.seconds, row.moves, limits])
            return
        pairs = list(zip((*COLUMNS, "moves"), stored, (*row.columns, row.moves), strict=True))
        if differing := [pair for pair in pairs if pair[1] != pair[2] and None not in pair]:  # None: not known
            first = next((each for each in before if each.find(row.fixture) is not None), self)
            one, other = (", ".join(f"{each[0]} {_short(each[i])}" for each in differing) for i in (1, 2))
            what = f"{one} in {first.directory}, but {other} in {run.directory}"
            name = clean(self.name(row.fixture), 80)
            raise RunError(f"game {name} has two results, {what}: nothing is merged; leave the wrong run out")
        for column, known, found in pairs[:-1]:
            if known is None and found is not None:
                self._db.execute(f"update games set {column} = ? where {_GAME}", [found, *game])

    def pending(self, shard: Shard = WHOLE) -> int:
        """The number of games of the shard that are still to be played."""
        return sum(len(chunk.numbers) for chunk in self.missing(shard))

    def valid(self, condition: int, agent: int, boards: range) -> Iterator[tuple[int, GameResult]]:
        """The stored games on these boards that are not to be played again, by number: number and result.

        A game is played again if it reached a limit that is higher now, or if it lacks a measure that the plan has now.
        A measure whose second playing failed is stored as missing: the game is played again only with higher limits. A
        game that an agent lost by a fault is played again under another isolation, unless the seed is public by now.
        """
        for number, result, lacks in self._repeatable(condition, agent, boards):
            if not lacks:
                yield number, result

    def _repeatable(self, condition: int, agent: int, boards: range) -> Iterator[tuple[int, GameResult, bool]]:
        """The stored games on these boards that stand, each with whether it lacks a score or a measure of the plan."""
        moved = self.isolation_before != self.plan.config.isolation and not self._is_public
        again = moved and _is_isolated(self.agents[agent])
        scores: list[Score] = [self.make("score", name) for name in self.plan.scores]
        with_columns = [score for score in scores if score.columns]
        wanted = {Spec.parse(measure).name for measure in self.plan.measures}
        reviewed = {
            Spec.parse(measure).name for measure in self.plan.measures if not self.make("score", measure).needs_evidence
        }
        for number, limits, *columns in self.query(
            f"select number, limits, {RESULT} from games "
            "where condition = ? and agent = ? and number < ? and number % ? = ? order by number",
            [*self._block(condition, agent), boards.stop, boards.step, boards.start],
        ):
            fixture = Fixture(agent, condition, number)
            result = self.checked(StoredRow(fixture, columns, None, None))
            fault = result.ending.is_fault
            if again and fault:
                continue
            if limits is not None and _raised(self._read_limits(fixture, limits), self._limits):
                continue
            lacking = set() if self.agents[agent].forfeit else wanted - set(result.measures)
            lacks = bool(lacking) and (not fault or (result.ending.repeatable and bool(lacking & reviewed)))
            yield number, result, lacks or (not fault and any(score.lacks(result) for score in with_columns))

    def lacking(self, shard: Shard = WHOLE) -> tuple[list[Fixture], int]:
        """The stored games of the shard that lack a score or a measure: those with turns, and how many have none."""
        found: list[Fixture] = []
        without = 0
        for place, condition in enumerate(self.plan.conditions):
            boards = shard.boards(condition, self.plan.config.games)
            for agent in range(len(self.agent_ids)):
                games = [number for number, _, lacks in self._repeatable(place, agent, boards) if lacks]
                if games:
                    sql = "select number from games where condition = ? and agent = ? and moves is not null"
                    kept = {number for (number,) in self.query(sql, self._block(place, agent))}
                    found += [Fixture(agent, place, number) for number in games if number in kept]
                    without += sum(number not in kept for number in games)
        return found, without

    def kept_game(self, fixture: Fixture) -> KeptGame:
        """A stored game with its turns, which were kept."""
        ((*row, moves),) = self.query(_ONE_GAME, [*self._block(fixture.condition, fixture.agent), fixture.number])
        return KeptGame(fixture, tuple(row), moves)

    def add_measures(self, rows: Iterable[Row]) -> None:
        """Store the results of games that were measured later, in one transaction; their times and turns stay."""
        lines = [(*line[3:-3], line[-1], *line[:3]) for line in map(self._line, rows)]
        with run_errors(self.file, "written"), self._db:
            self._db.executemany(_COMPLETE, lines)

    def _gaps(self, condition: int, agent: int, boards: range) -> Iterator[range]:
        """The ranges among these boards without a game, or with a game that has to be played again."""
        first = boards.start
        for number, _ in self.valid(condition, agent, boards):
            if number > first:
                yield range(first, number, boards.step)
            first = number + boards.step
        if first < boards.stop:
            yield range(first, boards.stop, boards.step)

    def _read_limits(self, fixture: Fixture, text: Any) -> Limits:
        """The stored limits under which a game was played."""
        try:
            limits = Limits(*json.loads(text))
            if all(limit is None or type(limit) in (int, float) for limit in limits):
                return limits
        except (TypeError, ValueError, RecursionError):
            pass
        raise self.impossible(fixture, ValueError("limits that are not limits"))

    def _register(self, directory: Path, plan: Plan) -> None:
        """Store the agents and conditions of the plan; `RunError` if they contradict those of the run."""
        self._check_conditions(directory, plan)
        self._relabel_earlier_versions(plan)
        for c in plan.conditions:
            insert(self._db, "conditions", {"key": c.key, **c.plain()}, "insert or ignore")
        for entry in plan.entries:
            plain = entry.plain()
            row = {"key": entry.key, **plain, "parameters": json.dumps(plain["parameters"], sort_keys=True)}
            insert(self._db, "agents", row, "insert or ignore")
        keys = json.dumps([entry.key for entry in plan.entries])
        self._set_meta("agents", keys)

    def _check_conditions(self, directory: Path, plan: Plan) -> None:
        planned = {c.key for c in plan.conditions}
        columns = "key, label, seed, rules, source_version, noise_version"
        for key, label, seed, rules, source, noise in self._db.execute(f"select {columns} from conditions"):
            if key in planned:
                continue
            label, rules = _short(label), _short(rules)
            why = f"the tournament no longer has the condition '{label}'"
            for c in plan.conditions:
                if seed not in (c.seed, str(c.seed), f"{COMMITTED}{commitment(c.seed)}"):
                    why = f"the seed was {_short(seed)} and is {c.seed_text} now"
                elif label == c.label and rules != str(c.rules):
                    why = f"the rules of '{label}' were {rules} and are {c.rules} now"
                elif label == c.label and (source, noise) != (c.source_version, c.noise_version):
                    why = f"the board source or noise of '{label}' has changed"
            raise RunError(f"{directory} holds another tournament: {why}; choose another directory with --out")

    def _relabel_earlier_versions(self, plan: Plan) -> None:
        """Relabel stored agents, so that each agent of the plan has its label and no game is lost.

        An agent whose label the plan gives to another is an earlier version of that: `mine` becomes `mine@1`. A stored
        agent that the plan has under another label gets that label.
        """
        for i, entry in enumerate(plan.entries):
            for other in plan.entries[:i]:
                if other.key == entry.key:
                    raise ConfigError(f"'{other.label}' and '{entry.label}' are the same agent and parameters")
        stored = list(self._db.execute("select id, key, label from agents order by id"))
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
            self.replaced[label] = now[id_]
        changed = [(id_, label) for id_, _, label in stored if now[id_] != label]
        self._db.executemany("update agents set label = ? where id = ?", [(f"\0{id_}", id_) for id_, _ in changed])
        self._db.executemany("update agents set label = ? where id = ?", [(now[id_], id_) for id_, _ in changed])


class _Sample:
    """A uniform random sample of the games that are added (reservoir sampling)."""

    def __init__(self) -> None:
        self.seen = 0
        self._random = Random()  # not seeded: the sample must not be predictable
        self._games: list[tuple[Fixture, GameResult]] = []

    def add(self, fixture: Fixture, result: GameResult) -> None:
        """Add a game. Games that ended by a limit or a crash cannot be repeated and are left out."""
        if not result.ending.repeatable:
            return
        self.seen += 1
        if len(self._games) < LARGEST_SAMPLE:
            self._games.append((fixture, result))
        elif (place := self._random.randrange(self.seen)) < LARGEST_SAMPLE:
            self._games[place] = (fixture, result)

    def drawn(self) -> dict[Fixture, GameResult]:
        """The sample: 2 % of the games, at least 20, at most `LARGEST_SAMPLE`."""
        size = max(20, -(-self.seen // 50))
        return dict(self._random.sample(self._games, min(size, len(self._games))))


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    # WAL: a killed process loses at most its open transaction. NORMAL: no sync per transaction, which
    # matters only if the power fails.
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = normal")
    return db


def _lock(directory: Path) -> int:
    """Lock the run until the process ends; `RunError` if another process holds the lock."""
    handle = os.open(directory / "run.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # Windows: two processes on one run are not detected
    except OSError:
        os.close(handle)
        raise RunError(f"{directory} is in use by another process") from None
    return handle


def _is_isolated(entry: Entry) -> bool:
    """Whether the agent plays in isolation: neither a built-in one, nor one that forfeits."""
    return not entry.built_in and not entry.forfeit


def _base(label: Any) -> str:
    """The label of an agent of which this is the label of an earlier version; empty if it is none."""
    found = EARLIER.fullmatch(label) if isinstance(label, str) else None
    return found[1] if found else ""


def _short(stored: Any) -> str:
    """The value of a column, shortened for a message."""
    return clean(str(stored), 60)


def _raised(then: Limits, now: Limits) -> bool:
    """Whether any limit is higher now, or no longer set."""
    pairs: Iterable[tuple[Any, Any]] = zip(then, now, strict=True)
    return any(old is not None and (new is None or new > old) for old, new in pairs)
