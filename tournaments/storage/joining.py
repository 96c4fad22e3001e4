"""Adds games of other runs to a run: imports games of other machines, merges games of shards."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.faults import is_forfeit
from sweepstakes.game.result import COLUMNS, GameResult
from sweepstakes.tournaments.storage.database import insert_games, run_errors
from sweepstakes.tournaments.storage.packed import PackedGames
from sweepstakes.tournaments.storage.packed_joining import import_packed, merge_packed
from sweepstakes.tournaments.storage.registering import short
from sweepstakes.tournaments.storage.run_reader import RunReader, StoredRow
from sweepstakes.tournaments.storage.run_writer import GAME, ONE_GAME, REPLACE, RunWriter
from sweepstakes.tournaments.storage.transcripts import keep_transcripts, packed_transcript
from sweepstakes.untrusted.text import clean

PackedCheck = Callable[[Mapping[Fixture, PackedGames]], None]
"""Checks a sample of the packed games to import."""
SampleCheck = Callable[[Mapping[Fixture, GameResult]], None]
"""Checks a sample of the games to import. Raise `RunError` if a row differs from its game."""
LARGEST_SAMPLE = 200
"""The maximum number of games in a sample."""
_IMPORT = insert_games(how="insert or ignore")


def import_games(
    writer: RunWriter,
    run: RunReader,
    check_sample: SampleCheck | None = None,
    check_packed: PackedCheck | None = None,
) -> int:
    """Import the games of the plan from another run or a publication, in one transaction. Return how many were new.

    `check_sample` is called with a random sample: 2 % of the games, at least 20. `check_packed` is called with a sample
    of the packed games. If either raises `RunError`, or if a row is impossible, no games are imported. Games that
    reached a limit are not imported.
    """
    before = writer.finished()
    sample = _Sample()
    with run_errors(writer.file, "written"), writer.db:
        left_out = writer.files.take_over(run)
        writer.db.executemany(_IMPORT, _importable(writer, run, sample, left_out))
        packed = list(import_packed(writer, run, left_out))
        if check_sample is not None and sample.seen:
            check_sample(sample.drawn())
        if check_packed is not None and packed:
            check_packed(_draw_packed(packed))
    return writer.finished() - before


def _draw_packed(packed: Sequence[tuple[int, int, PackedGames]]) -> dict[Fixture, PackedGames]:
    """Return a random sample of packed games. Single games are drawn, not blocks."""
    random, sizes = Random(), [len(games.numbers) for _, _, games in packed]
    places = random.sample(range(sum(sizes)), min(max(20, -(-sum(sizes) // 50)), LARGEST_SAMPLE, sum(sizes)))
    drawn, ends = {}, np.cumsum(sizes)
    for place in places:
        i = int(np.searchsorted(ends, place, side="right"))
        condition, agent, games = packed[i]
        chosen = np.arange(sizes[i]) == place - (int(ends[i]) - sizes[i])
        drawn[Fixture(agent, condition, int(games.numbers[chosen][0]))] = games.at(chosen)
    return drawn


def _importable(
    writer: RunWriter, run: RunReader, sample: _Sample, left_out: Collection[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of those rows that are games of the plan, without agents that are left out."""
    conditions = {c.key: i for i, c in enumerate(writer.plan.conditions)}
    agents = {entry.key: i for i, entry in enumerate(writer.plan.entries) if entry.key not in left_out}
    for condition_key, agent_key, number, *columns in run.rows(limited=False):
        if condition_key not in conditions or agent_key not in agents:
            continue
        fixture = Fixture(agents[agent_key], conditions[condition_key], number)
        try:
            result = writer.read(StoredRow(fixture, columns, None, None))
        except ValueError as error:
            raise writer.impossible(fixture, error, run.file) from None
        if number < writer.plan.config.games:
            sample.add(fixture, result)
        yield (*writer.block(fixture.condition, fixture.agent), number, *columns)


def merge_games(writer: RunWriter, runs: Sequence[RunReader]) -> None:
    """Store the games of other runs of the same plan, with their times, moves and limits, in one transaction.

    Raise `RunError` and store nothing if two runs have different results of one game. Leave out forfeits after
    time-outs: they are determined again from the games of all runs together.
    """
    with run_errors(writer.file, "written"), writer.db:
        for run in runs:
            writer.files.merge(run)
        for place, run in enumerate(runs):
            for row, limits in run.entire_rows():
                _merge_row(writer, row, limits, run, runs[:place])
        merge_packed(writer, runs)


def _merge_row(writer: RunWriter, row: StoredRow, limits: Any, run: RunReader, before: Sequence[RunReader]) -> None:
    agent, condition, number = row.fixture
    game = [*writer.block(condition, agent), number]
    result = run.checked(row)
    if is_forfeit(result):
        return
    stored = writer.db.execute(ONE_GAME, game).fetchone()
    if stored is None or is_forfeit(writer.checked(StoredRow(row.fixture, stored[:-1], None, None))):
        writer.db.execute(REPLACE, [*game, *row.columns, row.seconds, row.moves, limits])
        keep_transcripts(writer.db, [(game, packed_transcript(run, row.fixture))])
        return
    pairs = list(zip((*COLUMNS, "moves"), stored, (*row.columns, row.moves), strict=True))
    if differing := [pair for pair in pairs if pair[1] != pair[2] and None not in pair]:  # None: not known
        first = next((each for each in before if each.find(row.fixture) is not None), writer)
        one, other = (", ".join(f"{each[0]} {short(each[i])}" for each in differing) for i in (1, 2))
        what = f"{one} in {first.directory}, but {other} in {run.directory}"
        name = clean(writer.name(row.fixture), 80)
        raise RunError(f"game {name} has two results, {what}: nothing is merged; leave the wrong run out")
    for column, known, found in pairs[:-1]:
        if known is None and found is not None:
            writer.db.execute(f"update games set {column} = ? where {GAME}", [found, *game])


class _Sample:
    """A uniform random sample of the added games (reservoir sampling)."""

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
        """Return the sample: 2 % of the games, at least 20, at most `LARGEST_SAMPLE`."""
        size = max(20, -(-self.seen // 50))
        return dict(self._random.sample(self._games, min(size, len(self._games))))
