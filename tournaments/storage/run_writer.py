"""Writes the games of a run to its SQLite file as they finish, so that no finished game is lost."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.executor import Chunk, Finished, Fixture, Limits, PackedRows, Row
from sweepstakes.game.result import COLUMNS, Ending, GameResult
from sweepstakes.game.transcript import check_transcript
from sweepstakes.registry.registry import Registry
from sweepstakes.score import Score
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.plan import Entry, KeptGame, Plan
from sweepstakes.tournaments.shard import WHOLE, Shard
from sweepstakes.tournaments.storage.database import (
    FILE,
    SCHEMA,
    OnDisk,
    check_form,
    insert_games,
    run_errors,
    set_meta,
)
from sweepstakes.tournaments.storage.migrations import FORMAT, upgrade
from sweepstakes.tournaments.storage.opened_files import OpenedFiles
from sweepstakes.tournaments.storage.packed import (
    Block,
    Packer,
    Standing,
    is_raised,
    packed_standing,
    store_block,
    true_ranges,
)
from sweepstakes.tournaments.storage.registering import register
from sweepstakes.tournaments.storage.run_reader import RESULT, RunReader, StoredRow
from sweepstakes.tournaments.storage.secret_seed import OTHER_DIRECTORY, reveal_seed, settle_seed
from sweepstakes.tournaments.storage.transcripts import keep_transcripts
from sweepstakes.tournaments.storage.watched_file import WatchedFile
from sweepstakes.untrusted.files import make_folder

REPLACE = insert_games("seconds", "moves", "limits", how="insert or replace")
GAME = "condition = ? and agent = ? and number = ?"
ONE_GAME = f"select {RESULT}, moves from games where {GAME}"
_COMPLETE = f"update games set ({RESULT}, limits) = ({', '.join('?' * (len(COLUMNS) + 1))}) where {GAME}"


class RunWriter(RunReader):
    """The games of one run, in `games.sqlite` of its directory. Only one process at a time may write.

    `seed` is the secret seed of a run that begins now. By default one is drawn.
    """

    def __init__(self, directory: Path, plan: Plan, registry: Registry, seed: int | None = None) -> None:
        self.file = directory / FILE
        self._limits = plan.config.limits
        self.replaced: dict[str, str] = {}
        """The agents that have changed since the run was last played, with the label of the earlier version by
        label."""
        self.isolation_before: str = plan.config.isolation
        """The isolation under which the stored games that were lost by a fault were played."""
        with run_errors(directory, "written"):
            make_folder(directory)
            self._lock = _lock(directory)
        try:
            plan, secret = settle_seed(directory, plan, seed)
            with run_errors(self.file, "written"):
                self.db = _connect(self.file)
                if self.db.execute("select count(*) from sqlite_master").fetchone() == (0,):
                    self.db.executescript(f"begin; {SCHEMA} insert into meta values ('format', '{FORMAT}'); commit;")
                check_form(self.db, self.file)
                self._watched = WatchedFile(self.file)
                with self.db:
                    self.db.execute("begin immediate")
                    upgrade(self.db)
                    self.files = OpenedFiles(self.db, plan)
                    plan = self.files.plan
                    self.replaced = register(self.db, directory, plan)
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
        if hasattr(self, "db"):
            self.db.close()
        os.close(self._lock)

    def reveal_seed(self) -> None:
        """Publish the secret seed, if the run has one and all its games have been played."""
        if self.secret is not None and not self.secret.revealed and self.finished() == self.plan.games:
            self.secret = reveal_seed(self.directory, self.secret)
            self.plan = self.plan.with_seed(self.secret.seed, secret=False)

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a query on the connection that also writes, and yield its rows."""
        with run_errors(self.file):
            for row in self.db.execute(sql, parameters):  # noqa: UP028 - `yield from` would close the cursor after the connection
                yield row

    def note_shard(self, shard: Shard) -> None:
        """Store which shard the run plays, so that merging can report missing shards."""
        with run_errors(self.file, "written"), self.db:
            set_meta(self.db, "shard", str(shard))

    def note_isolation(self) -> None:
        """Store that all games lost by a fault were played under the plan's isolation. Call it once this is true."""
        if self.isolation_before == self.plan.config.isolation or self._is_public:
            return
        self.isolation_before = self.plan.config.isolation
        with run_errors(self.file, "written"), self.db:
            set_meta(self.db, "isolation", self.isolation_before)

    def doubtful(self) -> int:
        """Return the number of games that agents lost by a fault under another isolation than that of the plan.

        What `sealed` forbids an agent is the operator's decision, so such a fault need not be a mistake of the agent.
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
        """Return the isolation of the stored games. Store it if it is missing, as in new runs and in old formats."""
        for (stored,) in self.db.execute("select value from meta where key = 'isolation'"):
            return str(stored)
        found = plan.config.isolation
        if self.db.execute("select 1 from games limit 1").fetchone() is not None:
            with suppress(SweepstakesError):  # reads the tournament file with which the run was last played
                found = load(directory / "tournament.yaml")[0].isolation
        set_meta(self.db, "isolation", found)
        return found

    def add(self, finished: Iterable[Finished]) -> None:
        """Write games in one transaction. Pack those that keep no row.

        Raise `LostGamesError` if the file is no longer the one that was opened.
        """
        try:
            packed = self._packer.pack(finished)
            rows = [each for each in packed if isinstance(each, Row)]
            blocks = [each for each in packed if isinstance(each, PackedRows)]
            noted = [row for block in blocks for row in block.noted]
            with run_errors(self.file, "written"), self.db:
                self.db.executemany(REPLACE, map(self._line, rows))
                for block in blocks:
                    ids = self.block(block.chunk.condition, block.chunk.agent)
                    store_block(self.db, ids, Block.of(block), json.dumps(self._limits))
                self.files.note([*rows, *noted])
                keep_transcripts(self.db, ((self._place(row.fixture), row.transcript) for row in rows))
        finally:
            self._watched.check()

    @cached_property
    def _packer(self) -> Packer:
        return Packer(self.plan, partial(self.make, "score"))

    def check_stored(self) -> None:
        """Read the file as another process will. Raise `LostGamesError` if it lacks a game that was written."""
        self._watched.check()
        count = "select (select count(*) from games) + (select ifnull(sum((last - first) / step), 0) from packed)"
        try:
            with run_errors(self.file, "written"):
                self.db.execute("pragma wal_checkpoint(passive)")
            written = next(self.query(count))
            found = next(OnDisk(self.file).query(count))
        except RunError:
            raise self._watched.lost("was damaged") from None
        self._watched.check()
        if found != written:
            raise self._watched.lost(f"has {found[0]:,} of {written[0]:,} games")

    def shrink(self) -> None:
        """Free the disk space of deleted blocks."""
        with run_errors(self.file, "written"):
            self.db.execute("vacuum")
            self.db.execute("pragma wal_checkpoint(truncate)")
        self._watched = WatchedFile(self.file)

    def _place(self, fixture: Fixture) -> list[int]:
        """Return condition id, agent id and number of a game."""
        return [*self.block(fixture.condition, fixture.agent), fixture.number]

    def _line(self, row: Row) -> tuple[Any, ...]:
        """Return the columns of a row. Raise `RunError` for an impossible row, which no built-in executor yields."""
        try:
            self.conditions[row.fixture.condition].check(row.result, row.seconds, row.moves, row.took)
            if row.transcript is not None:
                check_transcript(row.transcript)
        except ValueError as error:
            raise RunError(
                f"game {self.name(row.fixture)}: the executor reports {error}: no finished game can have this result"
            ) from None
        result = row.result
        limited = result.ending in (Ending.TIME_OUT, Ending.MEMORY) or None in result.measures.values()
        limits = json.dumps(self._limits) if limited else None
        return (*self._place(row.fixture), *result.as_row(), row.seconds, row.moves, limits)

    def missing(self, shard: Shard = WHOLE) -> Iterator[Chunk]:
        """Yield the games of the shard that are still to be played, one chunk for each range of board numbers."""
        for place, condition in enumerate(self.plan.conditions):
            boards = shard.boards(condition, self.plan.config.games)
            for agent in range(len(self.agent_ids)):
                for gap in list(self._gaps(place, agent, boards)):  # read all gaps before more games are written
                    yield Chunk(agent, place, gap.start, gap.stop, gap.step)

    def pending(self, shard: Shard = WHOLE) -> int:
        """Return the number of games of the shard that are still to be played."""
        return sum(len(chunk.numbers) for chunk in self.missing(shard))

    def valid(self, condition: int, agent: int, boards: range) -> Iterator[tuple[int, GameResult]]:
        """Yield number and result of the stored games on these boards that need not be played again, by number.

        A game is played again if it reached a limit that is higher now, or if it lacks a measure that the plan has now.
        If the second playing failed, the measure is stored as missing, and the game is played again only with higher
        limits. A game lost by a fault is played again under another isolation, unless the seed is already public.
        """
        for number, result, lacks in self._repeatable(condition, agent, boards):
            if not lacks:
                yield number, result

    def _repeatable(self, condition: int, agent: int, boards: range) -> Iterator[tuple[int, GameResult, bool]]:
        """Yield the stored games on these boards that count, and whether each lacks a score or measure of the plan."""
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
            [*self.block(condition, agent), boards.stop, boards.step, boards.start],
        ):
            fixture = Fixture(agent, condition, number)
            result = self.checked(StoredRow(fixture, columns, None, None))
            fault = result.ending.is_fault
            if again and fault:
                continue
            if limits is not None and is_raised(self._read_limits(fixture, limits), self._limits):
                continue
            lacking = set() if self.agents[agent].forfeit else wanted - set(result.measures)
            lacks = bool(lacking) and (not fault or (result.ending.repeatable and bool(lacking & reviewed)))
            yield number, result, lacks or (not fault and any(score.lacks(result) for score in with_columns))

    def lacking(self, shard: Shard = WHOLE) -> tuple[list[Fixture], int]:
        """Return the shard's stored games with turns that lack a score or a measure, and the number without turns."""
        found: list[Fixture] = []
        without = 0
        for place, condition in enumerate(self.plan.conditions):
            boards = shard.boards(condition, self.plan.config.games)
            for agent in range(len(self.agent_ids)):
                games = [number for number, _, lacks in self._repeatable(place, agent, boards) if lacks]
                if games:
                    sql = "select number from games where condition = ? and agent = ? and moves is not null"
                    kept = {number for (number,) in self.query(sql, self.block(place, agent))}
                    found += [Fixture(agent, place, number) for number in games if number in kept]
                    without += sum(number not in kept for number in games)
        return found, without

    def kept_game(self, fixture: Fixture) -> KeptGame:
        """Return a stored game with its turns, which must have been kept."""
        ((*row, moves),) = self.query(ONE_GAME, [*self.block(fixture.condition, fixture.agent), fixture.number])
        return KeptGame(fixture, tuple(row), moves)

    def add_measures(self, rows: Iterable[Row]) -> None:
        """Store the results of games that were measured later, in one transaction. Keep their times and turns."""
        lines = [(*line[3:-3], line[-1], *line[:3]) for line in map(self._line, rows)]
        with run_errors(self.file, "written"), self.db:
            self.db.executemany(_COMPLETE, lines)

    def standing(self, condition: int, agent: int, boards: range) -> Standing:
        """Return which stored games on these boards need not be played again, and which of these took too long."""
        moved = self.isolation_before != self.plan.config.isolation and not self._is_public
        again = moved and _is_isolated(self.agents[agent])
        found = packed_standing(self, condition, agent, boards, self._limits, faults_again=again)
        for number, result in self.valid(condition, agent, boards):
            found.stands[boards.index(number)] = True
            if result.ending is Ending.TIME_OUT:
                found.timed_out.add(number)
        return found

    def _gaps(self, condition: int, agent: int, boards: range) -> Iterator[range]:
        """Yield the ranges among these boards without a game, or with a game that has to be played again."""
        for places in true_ranges(~self.standing(condition, agent, boards).stands):
            yield boards[places.start : places.stop]

    def _read_limits(self, fixture: Fixture, text: Any) -> Limits:
        """Return the stored limits under which a game was played."""
        try:
            limits = Limits(*json.loads(text))
            if all(limit is None or type(limit) in (int, float) for limit in limits):
                return limits
        except (TypeError, ValueError, RecursionError):
            pass
        raise self.impossible(fixture, ValueError("limits that are not limits"))


def _is_isolated(entry: Entry) -> bool:
    """Return whether the agent plays in isolation: it is not built in and does not forfeit."""
    return not entry.built_in and not entry.forfeit


def _lock(directory: Path) -> int:
    """Lock the run until the process ends. Raise `RunError` if another process holds the lock."""
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


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path)
    # WAL: a killed process loses at most its open transaction. NORMAL: no sync per transaction, so only a power failure
    # can lose more.
    db.execute("pragma journal_mode = wal")
    db.execute("pragma synchronous = normal")
    return db
