"""A race of many agents: after every 100 boards, agents leave if another agent is shown to be better.

All agents in the race play the same boards, so each pair of them is compared board by board. With k agents, each of the
k (k - 1) claims "i is better than j" is tested at the level 5 % / (k - 1), at all looks together:

- The best agent leaves only if one of the k - 1 others is falsely found better than it. Each of these k - 1 claims is
  accepted in at most 5 % / (k - 1) of all races, however often somebody looks, so the best agent is dropped in at most
  5 %. The other pairs need no correction: an agent that leaves is not the best unless that error happens. If several
  agents are equally good, this holds for each of them.
- The race ends with several agents when each of them is shown to differ from the leader by less than `delta`, at the
  same level. This is wrong, because some agent is better than the leader by `delta` or more, in at most 5 % of all
  races, for the same reason: k - 1 claims concern the best agent.

The guarantee depends on the score. Wins and other scores with a range: bets on the differences (`betting.py`), and the
errors above hold for every distribution. A match tests wins by normal likelihoods, which take fewer boards; a race of
40 agents tests at a level of 0.13 %, where the approximation is worse. Scores without luck: the normal mixture of
`confidence_sequence.py`, which is asymptotic, so the errors hold approximately. An interval that misses in a share 2a
of all races misses on each side in a share a, since the limit is symmetric. Other scores have no race.

A race is a function of the scores in the order of the boards. When it resumes, it is recomputed from the stored games.
`benchmarks/sequential_errors.py races` measures the errors, and the games saved, by simulation.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.tournaments.statistics.betting import BETS, TOLERANCE, boards_to_reach
from sweepstakes.tournaments.statistics.confidence_sequence import boards_to_exclude_zero, half_width
from sweepstakes.tournaments.statistics.paired_tests import EQUAL
from sweepstakes.tournaments.statistics.sequential_test import ALPHA, BATCH, SUITABLE, Method

Array = npt.NDArray[np.float64]
FAULTS = -1
"""Stands in for the better agent if an agent left because it lost its first games by faults."""


class Outcome(enum.Enum):
    """How a race ended, or that it is still running."""

    RUNNING = "running"
    ONE = "one agent is left"
    EVEN = "no agent left differs from the leader by delta"
    MAXIMUM = "the maximum number of boards is reached"


class Leaving(NamedTuple):
    """An agent that dropped out of the race after `boards` boards, and the agent that was better."""

    agent: int
    boards: int
    better: int


class SequentialRace:
    """The test of `agents` agents while it runs. It takes their scores board by board, in rounds of `BATCH` boards.

    `reach` is the largest possible difference of two scores, or inf for `Method.ASYMPTOTIC`. Without a `delta`, it is
    set after the first round to `SUITABLE` times the standard deviation of the differences.
    """

    def __init__(self, agents: int, delta: float | None, maximum: int, reach: float, method: Method) -> None:
        if agents < 2:
            raise ValueError(f"a race needs at least two agents, not {agents}")
        if maximum < 1:
            raise ValueError(f"a race needs at least one board, not {maximum}")
        if method not in (Method.BETTING, Method.ASYMPTOTIC):
            raise ValueError(f"a race cannot test by {method}")
        self.agents = agents
        self.delta = delta
        self.maximum = maximum
        self.level = ALPHA / (agents - 1)
        """The error rate of each of the claims that one agent is better than another."""
        self.boards = 0
        self.inside = list(range(agents))
        self.left: list[Leaving] = []
        self.outcome = Outcome.RUNNING
        self._totals = np.zeros(agents)
        self._counts = np.zeros(agents)
        self._pairs = _Bets(agents, reach) if method is Method.BETTING else _Sums(agents)

    @property
    def over(self) -> bool:
        """Whether the race has ended."""
        return self.outcome is not Outcome.RUNNING

    @property
    def means(self) -> Array:
        """The mean score of each agent over the boards before it left. More is better."""
        return self._totals / np.maximum(self._counts, 1)

    @property
    def leader(self) -> int:
        """The agent in the race with the highest mean."""
        return max(self.inside, key=lambda agent: (self.means[agent], -agent))

    @property
    def order(self) -> list[int]:
        """The agents from first to last, sorted by how long they stayed, then by their means."""
        stayed = {leaving.agent: (leaving.better != FAULTS, leaving.boards) for leaving in self.left}
        longest = (True, self.maximum + 1)
        return sorted(range(self.agents), key=lambda a: (*stayed.get(a, longest), self.means[a], -a), reverse=True)

    def remove(self, agents: Collection[int], boards: int) -> None:
        """Remove `agents`, which lost their first games by faults. At least one agent must stay."""
        self.left += [Leaving(agent, boards, FAULTS) for agent in agents]
        self.inside = [agent for agent in self.inside if agent not in agents]
        if len(self.inside) == 1:
            self.outcome = Outcome.ONE

    @property
    def next_round(self) -> range:
        """The boards of the next round."""
        return range(self.boards, min(self.boards + BATCH, self.maximum))

    def add(self, scores: Array) -> None:
        """Add the scores on the boards of the next round, a row for each agent. More is better, NaN is missing.

        The rows of agents that have left are ignored.
        """
        inside = np.array(self.inside)
        scores = scores[inside]
        self.boards += scores.shape[1]
        self._totals[inside] += np.nansum(scores, axis=1)
        self._counts[inside] += np.count_nonzero(~np.isnan(scores), axis=1)
        differences = scores[:, None] - scores[None]
        differences[np.abs(differences) <= EQUAL] = 0.0
        if self.delta is None and np.nanmax(np.abs(differences), initial=0.0) > 0:
            self.delta = min(max(SUITABLE * _deviation(differences), 2 * EQUAL), self._pairs.reach / 2)
        self._pairs.add(inside, differences, self.delta or 0.0)
        self._drop(inside)
        if len(self.inside) == 1:
            self.outcome = Outcome.ONE
        elif self._even():
            self.outcome = Outcome.EVEN
        elif self.boards >= self.maximum:
            self.outcome = Outcome.MAXIMUM

    def _drop(self, inside: npt.NDArray[np.int64]) -> None:
        """Remove the agents that are shown to be worse than another agent."""
        leader = self.leader
        better = self._pairs.better(self.level)
        for agent in inside.tolist():
            rivals = [other for other in inside.tolist() if better[other, agent]]
            if rivals and agent != leader:  # if scores are missing, even the leader may be beaten
                best = leader if leader in rivals else max(rivals, key=lambda other: self.means[other])
                self.left.append(Leaving(agent, self.boards, best))
        gone = {leaving.agent for leaving in self.left}
        self.inside = [agent for agent in self.inside if agent not in gone]

    def _even(self) -> bool:
        if not self.delta:
            return False
        above = self._pairs.above_minus_delta(self.level, self.delta)
        leader = self.leader
        return all(above[leader, other] and above[other, leader] for other in self.inside if other != leader)

    def boards_left(self) -> dict[int, float]:
        """Estimate how many more boards each agent in the race plays if all differences stay as they are."""
        if self.over or not self.boards or not self.delta:
            return dict.fromkeys(self.inside, 0.0 if self.over else float(self.maximum - self.boards))
        leader, limit = self.leader, float(self.maximum)
        total = {
            agent: min(self._pairs.boards_until(leader, agent, self.level, self.delta), limit)
            for agent in self.inside
            if agent != leader
        }
        total[leader] = max(total.values())
        return {agent: max(total[agent] - self.boards, float(BATCH)) for agent in self.inside}


class _Bets:
    """For each pair, the bets that i is better than j (claim 0) and better than j - delta (claim 1)."""

    def __init__(self, agents: int, reach: float) -> None:
        self.reach = reach
        self._logs = np.zeros((2, len(BETS), agents, agents))
        self._boards = 0

    def add(self, inside: npt.NDArray[np.int64], differences: Array, delta: float) -> None:
        if np.nanmax(np.abs(differences), initial=0.0) > self.reach * (1 + TOLERANCE):
            raise ValueError(f"a difference is beyond the range of {self.reach:g}")
        self._boards += differences.shape[2]
        for claim, mean in enumerate((0.0, -delta)):
            gains = np.nan_to_num((differences - mean) / (self.reach + mean))  # a missing score changes no wealth
            np.maximum(gains, -1.0, out=gains)
            for place, bet in enumerate(BETS):
                self._logs[claim, place][np.ix_(inside, inside)] += np.log1p(bet * gains).sum(axis=2)

    def _wealth(self, claim: int) -> Array:
        wealth: Array = np.logaddexp.reduce(self._logs[claim], axis=0) - math.log(len(BETS))
        return wealth

    def better(self, level: float) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self._wealth(0) >= -math.log(level)
        return found

    def above_minus_delta(self, level: float, delta: float) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self._wealth(1) >= -math.log(level)
        return found

    def boards_until(self, leader: int, agent: int, level: float, delta: float) -> float:
        bound = -math.log(level)
        rates = self._logs / max(self._boards, 1)
        even = max(boards_to_reach(bound, rates[1, :, i, j]) for i, j in ((leader, agent), (agent, leader)))
        return min(boards_to_reach(bound, rates[0, :, leader, agent]), even)


class _Sums:
    """For each pair, the sums of the differences that the normal mixture needs."""

    reach = math.inf

    def __init__(self, agents: int) -> None:
        self._n = np.zeros((agents, agents), dtype=np.int64)
        self._total, self._squares, self._largest = np.zeros((3, agents, agents))

    def add(self, inside: npt.NDArray[np.int64], differences: Array, delta: float) -> None:
        pairs = np.ix_(inside, inside)
        self._n[pairs] += np.count_nonzero(~np.isnan(differences), axis=2)
        self._total[pairs] += np.nansum(differences, axis=2)
        self._squares[pairs] += np.nansum(differences**2, axis=2)
        largest = np.nan_to_num(np.abs(differences)).max(axis=2)
        self._largest[pairs] = np.maximum(self._largest[pairs], largest)

    def _lowest(self, level: float) -> Array:
        """Return the lower end of the mean difference of each pair."""
        means, scatter = self._means()
        low = np.full(means.shape, -math.inf)
        for n in np.unique(self._n[self._n > 1]).tolist():
            where = self._n == n
            wide = half_width(n, scatter[where], self._largest[where], misses_of(level))
            low[where] = means[where] - wide
        return low

    def _means(self) -> tuple[Array, Array]:
        means = self._total / np.maximum(self._n, 1)
        return means, np.maximum(self._squares - self._n * means**2, 0.0)

    def better(self, level: float) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self._lowest(level) > 0
        return found

    def above_minus_delta(self, level: float, delta: float) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self._lowest(level) > -delta
        return found

    def boards_until(self, leader: int, agent: int, level: float, delta: float) -> float:
        pair = leader, agent
        means, scatter = self._means()
        n, mean = int(self._n[pair]), float(means[pair])
        totals = [
            boards_to_exclude_zero(n, gap, float(scatter[pair]), float(self._largest[pair]), misses_of(level))
            for gap in (mean, max(delta - abs(mean), 0.0))
        ]
        return min(math.inf if total is None else float(total) for total in totals)


def _deviation(differences: Array) -> float:
    """Return the standard deviation of the differences about the mean of their pair."""
    counts = np.count_nonzero(~np.isnan(differences), axis=2)
    means = np.nansum(differences, axis=2) / np.maximum(counts, 1)
    squares = np.nansum((differences - means[..., None]) ** 2)
    freedom = np.maximum(counts - 1, 0)[~np.eye(len(counts), dtype=np.bool_)].sum()
    return math.sqrt(float(squares) / max(int(freedom), 1))


def misses_of(level: float) -> float:
    """Return the `misses` of an interval each of whose ends may miss at this `level`."""
    return min(2 * level, 1.0)


def runner_up(race: SequentialRace) -> int | None:
    """Return the agent behind the leader: one still in the race if possible, else the last that left.

    Return None if all others left because of faults.
    """
    faulty = {leaving.agent for leaving in race.left if leaving.better == FAULTS}
    others: Sequence[int] = [agent for agent in race.order if agent != race.leader and agent not in faulty]
    return others[0] if others else None
