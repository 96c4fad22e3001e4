"""Applies the forfeits after time-outs to a run that is being played, and to runs that are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sweepstakes.executor import Chunk, Finished, Fixture, PackedRows, Row
from sweepstakes.game.result import Ending
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.shard import WHOLE, Shard
from sweepstakes.tournaments.storage.packed import timed_out_boards, true_ranges
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.tournaments.time_outs import FORFEIT, Streak


class Taken(NamedTuple):
    """The rows to store after some games have finished."""

    rows: list[Finished]
    """The rows that count. A game that became a forfeit while it was played has no such row."""
    forfeits: Iterator[Row]
    """The forfeits that follow from them. They replace rows of the same games."""
    finished: int
    """Number of further games of the run that are finished."""
    blocks: tuple[tuple[int, int], ...]
    """The agents and conditions of the forfeits."""


class TimeOutForfeits:
    """The agents of a run that forfeit games after time-outs, by agent and condition.

    Only games of agents and conditions that lack some are looked at: what an earlier version of this package has played
    to its end stays as it is.
    """

    def __init__(self, run: RunWriter, shard: Shard, missing: Iterable[Chunk]) -> None:
        self._plan = run.plan
        blocks = dict.fromkeys((chunk.agent, chunk.condition) for chunk in missing)
        self._streaks = {block: _streak(run, *block, shard) for block in blocks}

    def applies(self, agent: int, condition: int) -> bool:
        """Return whether the agent forfeits its remaining games under the condition."""
        streak = self._streaks.get((agent, condition))
        return streak is not None and streak.rest is not None

    def at_start(self) -> Iterator[Row]:
        """Yield the forfeits that follow from the games that were stored before."""
        for key, streak in self._streaks.items():
            yield from _forfeits(self._plan, *key, streak)

    def take(self, rows: Iterable[Finished]) -> Taken:
        """Return the rows to store for finished games, with the forfeits that follow from them."""
        kept: list[Finished] = []
        finished = 0
        ended: dict[tuple[int, int], Streak] = {}
        for row in rows:
            if isinstance(row, PackedRows):
                key, boards, late = row.chunk[:2], row.chunk.numbers, timed_out_boards(row)
            else:
                key, number = row.fixture[:2], row.fixture.number
                boards, late = range(number, number + 1), [number] * (row.result.ending is Ending.TIME_OUT)
            streak = self._streaks[key]
            if streak.rest is not None:
                continue
            finished += streak.add(boards, late)
            kept.append(row)
            if streak.rest is not None:
                ended[key] = streak
        forfeits = (row for key, streak in ended.items() for row in _forfeits(self._plan, *key, streak))
        return Taken(kept, forfeits, finished, tuple(ended))


def _forfeits(plan: Plan, agent: int, condition: int, streak: Streak) -> Iterator[Row]:
    """Yield the rows of the games that the agent forfeits under the condition."""
    workload, fixtures = PlanWorkload(plan), (Fixture(agent, condition, number) for number in streak.rest or ())
    return (workload.forfeit(fixture, FORFEIT.ending, FORFEIT.what, 0.0) for fixture in fixtures)


def _streak(run: RunWriter, agent: int, condition: int, shard: Shard) -> Streak:
    """Return the stored games of an agent under a condition."""
    boards = shard.boards(run.conditions[condition], run.plan.config.games)
    streak, standing = Streak(boards), run.standing(condition, agent, boards)
    for places in true_ranges(standing.stands):
        streak.add(boards[places.start : places.stop], standing.timed_out)
    return streak


def forfeit_merged(run: RunWriter) -> None:
    """Store the forfeits that follow from the games of a merged run, in place of games that a shard has played."""
    for condition in range(len(run.conditions)):
        for agent in range(len(run.agents)):
            run.add(_forfeits(run.plan, agent, condition, _streak(run, agent, condition, WHOLE)))
