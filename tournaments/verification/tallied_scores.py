"""Compares the published sums of scores with the games."""

from __future__ import annotations

from math import isclose

import numpy as np

from sweepstakes.executor import Row
from sweepstakes.game.result import GameResult
from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.score import Score, rate
from sweepstakes.standings import COUNT_COLUMNS
from sweepstakes.tournaments.game_counts import count_games
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.published_tally import FILE as TALLY
from sweepstakes.tournaments.statistics.published_tally import PublishedTally
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.verification.stored_rows import Differs


class TalliedScores:
    """Adds up the scores of games of which only sums are published, and compares the sums once all were played."""

    def __init__(self, run: RunReader, published: PublishedTally) -> None:
        self._run, self._published = run, published
        self._scores: list[Score] = [run.make("score", name) for name in run.plan.scores]
        self._results: dict[tuple[int, int], dict[int, GameResult]] = {}

    def add(self, row: Row) -> None:
        """Add a game that was played again."""
        block = self._results.setdefault((row.fixture.condition, row.fixture.agent), {})
        block[row.fixture.number] = row.result

    def compare(self, differs: Differs) -> str:
        """Compare the sums of agents and conditions whose games are all known. Say why others are not compared."""
        plan, rest = self._run.plan, 0
        for place, condition in enumerate(plan.conditions):
            tally = self._published.tallies[condition.label]
            for agent, entry in enumerate(plan.entries):
                numbers, _, results = self._run.results(place, agent)
                games = {**dict(zip(numbers, results, strict=True)), **self._results.get((place, agent), {})}
                if len(games) < plan.config.games:
                    rest += 1
                    continue
                ordered = ResultColumns.of([games[number] for number in sorted(games)])
                for name, score, published in zip(plan.scores, self._scores, tally.scores, strict=True):
                    values = rate(score, name, ordered, str, ranks=score is self._scores[0])
                    if not close_moments(Moments.of(values[~np.isnan(values)]), published[agent]):
                        differs(f"{TALLY}: {entry.label}/{place + 1}", f"the sum of {name} is not that of its games")
                counts = count_games(ordered, self._scores, condition.noise) | {"faults": ordered.is_fault}
                for what in (name for name in COUNT_COLUMNS if name != "missing"):  # which may depend on the machine
                    then, now = tally.counts[what][agent], int(counts[what].sum())
                    if then != now:
                        differs(f"{TALLY}: {entry.label}/{place + 1}", f"{then} {what}; the games have {now}")
        if not rest:
            return ""
        others = ", ".join(plan.scores[1:]) or "faults"
        return f"the sums of {others} are compared only if every game is played again: --sample 1"


def close_moments(one: Moments, other: Moments) -> bool:
    """Return whether two sums are equal except for the rounding of measured scores."""
    return one.n == other.n and all(
        isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-6)
        for a, b in ((one.total, other.total), (one.squares, other.squares))
    )
