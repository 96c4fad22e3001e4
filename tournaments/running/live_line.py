"""The text next to the number of games in a progress bar: the current condition, its scores and its time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from math import isnan
from time import monotonic

import numpy as np

from sweepstakes.executor import Chunk, Finished, Fixture, PackedRows, Row
from sweepstakes.game.result import GameResult
from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.score import Score, rate
from sweepstakes.tournaments.running.progress import in_words
from sweepstakes.tournaments.shard import Shard
from sweepstakes.tournaments.storage.packed import read_portions
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.untrusted.text import clean

_LEADERS = 3
"""Agents whose scores are shown."""
_LONGEST_LABEL = 40


class LiveLine:
    """The current condition, the time it still takes, and the best mean scores in it so far.

    Conditions are played one after the other and differ, so the scores and the speed of earlier conditions do not
    predict those of the next one. The line therefore describes only the current condition. Games that were stored
    before the run was resumed also count, as they do in the table. `missing` are the games to play.
    """

    def __init__(self, run: RunWriter, shard: Shard, missing: Iterable[Chunk]) -> None:
        self._run = run
        self._next = deque(dict.fromkeys(chunk.condition for chunk in missing))
        self._shard = shard
        self._name = run.plan.scores[0]
        self._score: Score = run.make("score", self._name)
        self._condition = 0
        self._boards = range(0)
        self._started = monotonic()
        self._done_at_start = 0
        agents = len(run.agents)
        self._games, self._scored, self._sums = [0] * agents, [0] * agents, [0.0] * agents
        self._go_on()

    def add(self, rows: Sequence[Finished], changed: Iterable[tuple[int, int]] = ()) -> None:
        """Count games that have been stored. Those of the agents and conditions in `changed` are read again."""
        here = [row for row in rows if isinstance(row, Row) and row.fixture.condition == self._condition]
        self._count([(row.fixture, row.result) for row in here])
        for block in rows:
            if isinstance(block, PackedRows) and block.chunk.condition == self._condition:
                self._add(block.chunk.agent, len(block.chunk.numbers), block.scored, block.total)
        for agent, condition in changed:
            if condition == self._condition:
                self._read(agent)
        self._go_on()

    def text(self) -> str:
        """Return the condition with its number of games and its time left, and the scores."""
        done, total = sum(self._games), self._total
        rate = (done - self._done_at_start) / max(monotonic() - self._started, 1e-9)
        left = f"about {in_words((total - done) / rate)} left" if rate > 0 and done < total else ""
        conditions = len(self._run.conditions)
        if conditions > 1:
            label = clean(self._run.conditions[self._condition].label, _LONGEST_LABEL)
            count = f"condition {self._condition + 1} of {conditions}, {label}: {done:,} of {total:,} games"
            left = ", ".join(filter(None, (count, left)))
        return "; ".join(filter(None, (left, self._leaders())))

    def _leaders(self) -> str:
        """Return the best agents with their mean scores."""
        means = {
            entry.label: total / games
            for entry, total, games in zip(self._run.agents, self._sums, self._scored, strict=True)
            if games
        }
        best = sorted(means.items(), key=lambda item: item[1], reverse=self._score.more_is_better)[:_LEADERS]
        return f"{self._name} so far: " + ", ".join(f"{label} {mean:.3f}" for label, mean in best) if best else ""

    @property
    def _total(self) -> int:
        return len(self._boards) * len(self._games)

    def _go_on(self) -> None:
        """Go on to the next condition that lacks games, if there is one."""
        while self._next and sum(self._games) >= self._total:
            self._condition = self._next.popleft()
            self._boards = self._shard.boards(self._run.conditions[self._condition], self._run.plan.config.games)
            for agent in range(len(self._games)):
                self._read(agent)
            self._done_at_start, self._started = sum(self._games), monotonic()

    def _read(self, agent: int) -> None:
        """Count the stored games of an agent under the condition."""
        self._games[agent], self._scored[agent], self._sums[agent] = 0, 0, 0.0
        stored = self._run.valid(self._condition, agent, self._boards)
        self._count([(Fixture(agent, self._condition, number), result) for number, result in stored])
        for games in read_portions(self._run, self._condition, agent):
            if self._name not in games.columns:
                return  # they are played again
            here = games.at(np.isin(games.numbers, self._boards))
            known = here.columns[self._name][~np.isnan(here.columns[self._name])]
            self._add(agent, len(here.numbers), len(known), float(known.sum()))

    def _add(self, agent: int, games: int, scored: int, total: float) -> None:
        self._games[agent] += games
        self._scored[agent] += scored
        self._sums[agent] += total

    def _count(self, games: Sequence[tuple[Fixture, GameResult]]) -> None:
        results = ResultColumns.of([result for _, result in games])
        scores = rate(self._score, self._name, results, lambda i: self._run.name(games[i][0]))
        for (fixture, _), score in zip(games, scores.tolist(), strict=True):
            known = not isnan(score)
            self._add(fixture.agent, 1, known, score if known else 0.0)
