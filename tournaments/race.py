"""A race: many agents play the same boards, and an agent drops out when another one is shown to be better.

A race is a run. Its games are stored in a run directory, and all decisions are computed from them, in the order of the
boards. A race that was killed resumes, and ends as if it had not been killed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import monotonic
from typing import NamedTuple

import numpy as np

from sweepstakes.errors import ConfigError
from sweepstakes.executor import Chunk, Executor, Fixture
from sweepstakes.registry.registry import Registry
from sweepstakes.score import bounds_of
from sweepstakes.standings import Interval
from sweepstakes.tournaments.game_scores import GameScores
from sweepstakes.tournaments.match import CHUNK, MAX_FIRST_FAULTS, method_of, suitable_delta
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.running.executors import run_executor
from sweepstakes.tournaments.running.spending_limits import SpendingLimits
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import wilson
from sweepstakes.tournaments.statistics.sequential_race import SequentialRace, runner_up
from sweepstakes.tournaments.statistics.sequential_test import Method
from sweepstakes.tournaments.storage.run_writer import RunWriter


class Fresh(NamedTuple):
    """The result of the winner on boards that were not used to choose it."""

    boards: int
    score: Interval
    """The mean score of the winner, in the score's own direction, with its 95 % interval."""
    rival: int | None
    """The agent behind the winner, which played the same boards."""
    lead: Interval | None
    """The mean lead of the winner over the rival; more is better."""


class RaceResult(NamedTuple):
    """A race that has ended or was stopped: the decisions, and the scores on which they are based."""

    race: SequentialRace
    games: GameScores
    method: Method
    fresh: Fresh | None = None
    broken: tuple[int, ...] = ()
    """The agents that lost their first games by faults, if that is all of them. There is no race then."""

    @property
    def boards(self) -> list[int]:
        """The boards that each agent played in the race."""
        left = {leaving.agent: leaving.boards for leaving in self.race.left}
        return [left.get(agent, self.race.boards) for agent in range(self.race.agents)]


def make_race(plan: Plan, registry: Registry, delta: float | None, maximum: int) -> tuple[SequentialRace, Method]:
    """Return the race of the plan's agents by its first score. Raise `ConfigError` if it cannot be decided."""
    name = plan.scores[0]
    score, size = registry.make("score", name), plan.conditions[0].size
    method = method_of(name, score, size)
    method = Method.BETTING if method is Method.WINS else method
    low, high = bounds_of(score, name, size)
    reach = high - low if method is Method.BETTING else math.inf
    if method is Method.NONE:
        why = "it has no bounds, so a rare game may undo any lead (see Score.bounds in docs/hooks.md)"
        raise ConfigError(f"score {name}: {why}; expected another score")
    if delta is not None and delta >= reach:
        raise ConfigError(f"delta {delta:g} is too large: two means of {name} differ by at most {reach:g}")
    race = SequentialRace(len(plan.entries), delta or suitable_delta(score), maximum, reach, method)
    return race, method


class RacePlayer:
    """Plays a race in its run directory. The plan's number of games is that of the race and the fresh boards."""

    def __init__(self, run: RunWriter, executor: Executor, delta: float | None, fresh: int) -> None:
        self.plan = run.plan
        self.maximum = run.plan.config.games - fresh
        self.fresh = fresh
        self.race, self.method = make_race(run.plan, run.registry, delta, self.maximum)
        self.games = GameScores(run.plan, run.registry, run.plan.config.games)
        self.stored = 0
        """Games that were already stored when the race began or resumed."""
        self.finished = 0
        """Games played since then."""
        self._run, self._executor = run, executor
        self._spending = SpendingLimits(run, run.plan.config.limits)
        self._broken: tuple[int, ...] = ()
        for agent in range(len(run.plan.entries)):
            for number, result in run.valid(0, agent, range(run.plan.config.games)):
                self.games.take(Fixture(agent, 0, number), result)
                self.stored += 1

    def play(self, seconds: float | None, on_round: Callable[[SequentialRace], None]) -> RaceResult:
        """Play until the race ends, then the fresh boards; stop after `seconds` (None: no limit).

        `on_round` is called after each round that was not stored.
        """
        deadline = math.inf if seconds is None else monotonic() + seconds
        self._add_forfeits()
        self._decide(lambda race: None)
        on_round(self.race)
        if not self._ended:
            self._play(self._race_chunks(), deadline, lambda: self._decided(on_round))
        if self.race.over and monotonic() < deadline:
            agents = [agent for agent in (self.race.leader, runner_up(self.race)) if agent is not None]
            chunks = (
                chunk
                for first in range(self.race.boards, self.race.boards + self.fresh, CHUNK)
                for agent in agents
                for chunk in self._gaps(agent, first, min(first + CHUNK, self.race.boards + self.fresh))
            )
            self._play(chunks, deadline, lambda: False)
        result = RaceResult(self.race, self.games, self.method, None, self._broken)
        return result._replace(fresh=self._fresh() if self.race.over else None)

    @property
    def _ended(self) -> bool:
        return self.race.over or bool(self._broken)

    def _play(self, chunks: Iterator[Chunk], deadline: float, is_done: Callable[[], bool]) -> None:
        """Play and store the games of the chunks until all are played, `is_done` returns True, or the time is over."""
        first = next(chunks, None)
        if first is None:
            return

        def all_chunks() -> Iterator[Chunk]:
            yield first
            yield from chunks

        with run_executor(self._executor, PlanWorkload(self.plan), all_chunks()) as batches:
            for rows in batches:
                self._run.add(rows)
                self._spending.take(rows)
                self.finished += len(rows)
                for row in rows:
                    self.games.take(row.fixture, row.result)
                if is_done() or monotonic() > deadline:
                    break
        self._run.check_stored()

    def _race_chunks(self) -> Iterator[Chunk]:
        """Yield the games that the race lacks, of the agents that are in it when the executor asks for more."""
        for first in range(self.race.boards, self.maximum, CHUNK):
            for agent in range(self.race.agents):
                if agent in self.race.inside and not self._ended:
                    yield from self._gaps(agent, first, min(first + CHUNK, self.maximum))

    def _gaps(self, agent: int, first: int, last: int) -> Iterator[Chunk]:
        """Yield the boards among these that the agent has not played."""
        missing = np.flatnonzero(~self.games.played[agent, first:last]) + first
        for part in np.split(missing, np.flatnonzero(np.diff(missing) > 1) + 1):
            if len(part):
                yield Chunk(agent, 0, int(part[0]), int(part[-1]) + 1)

    def _add_forfeits(self) -> None:
        """Remove the agents that cannot play at all."""
        self._remove([agent for agent, entry in enumerate(self.plan.entries) if entry.forfeit], 0)

    def _remove(self, agents: list[int], boards: int) -> None:
        if len(agents) == len(self.race.inside):
            self._broken = tuple(agents)
        elif agents:
            self.race.remove(agents, boards)

    def _decide(self, on_round: Callable[[SequentialRace], None]) -> None:
        """Evaluate every round whose games are all there. Faults in the first games are evaluated before the first
        round, so the decisions do not depend on the workers.
        """
        race, games = self.race, self.games
        first = min(MAX_FIRST_FAULTS, self.maximum)
        if not race.boards and not self._ended and games.played[race.inside, :first].all():
            self._remove([agent for agent in race.inside if games.lost_by_faults(agent, first)], first)
        while not self._ended:
            boards = race.next_round
            if not games.played[race.inside, boards.start : boards.stop].all():
                return
            race.add(games.values[:, boards.start : boards.stop])
            on_round(race)

    def _decided(self, on_round: Callable[[SequentialRace], None]) -> bool:
        self._decide(on_round)
        return self._ended

    def _fresh(self) -> Fresh | None:
        """Return the result of the winner on boards after the race, or None if none were played."""
        first, winner, rival = self.race.boards, self.race.leader, runner_up(self.race)
        agents = [winner] if rival is None else [winner, rival]
        played = self.games.played[agents, first : first + self.fresh].all(axis=0)
        count = int(np.argmin(np.append(played, False)))
        values = self.games.values[agents, first : first + count]
        values = values[:, ~np.isnan(values).any(axis=0)]
        boards = values.shape[1]
        if not boards:
            return None
        if self.games.score.proportion:
            score = wilson(int(values[0].sum()), boards)
        else:
            score = Moments.of(self.games.sign * values[0]).interval
        lead = None if rival is None else Moments.of(values[0] - values[1]).interval
        return Fresh(boards, score, rival, lead)
