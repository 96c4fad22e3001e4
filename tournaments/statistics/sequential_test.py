"""A match of two agents that ends as soon as its result is clear: a sequential test of paired differences.

The question is A's: is A better than B? Let d be the mean difference A - B per board; H0 is d = d0 = 0, and
H1 is d = d1 = delta. After n boards with mean m and variance v of the differences, the generalised sequential
probability ratio test (GSPRT) takes the differences as normal and the variance as known:

    LLR = sum of [(x - d0)^2 - (x - d1)^2] / (2 v) = n (d1 - d0) (2 m - d0 - d1) / (2 v)

Wald's bounds for alpha = beta = 0.05 are +-ln(0.95 / 0.05) = +-2.944: above, A is better; below, A is not
better by delta. That alone never says that B is better, so the mirrored test (d1 = -delta) runs beside it on
the same boards, and a match ends when one of them finds a winner or both have found none. A decision of a
test is final. Two chances to name a winner where there is none are two errors, and they add up: A's
test spends 0.05, so the mirrored one may spend 0.01, and its upper bound is ln(0.95 / 0.01) = 4.554. Of two
equal agents one is then named better in at most 6 of 100 matches.

The variance is only estimated, and three things keep the errors at their nominal size all the same:

- The ratio is tested after every 100 boards, not after each board.
- Two squares of the largest difference seen are added to the sum of squares. Rare differences are the usual
  case (two good agents win and lose the same boards), and the first few, if they happen to agree, make the
  variance look too small. With wins of which 2 % are decisive, at d = delta = 0.02, A was not named in 9.8 %
  of the matches without the added squares, and in 2.8 % with them.
- A variance of zero decides nothing if all differences are zero: the agents are equal so far. If all are the
  same but not zero, the added squares keep the ratio finite, and it decides.

Measured by `benchmarks/sequential_errors.py` for wins with 1 to 50 % decisive boards and
for normal, skewed and seldom differing scores, the greatest error was 5.1 % (10,000
matches each). No test that may stop after 100 boards knows what happens once in a hundred boards or more
seldom: a steady small lead that rare disasters undo may be taken for a lead.
"""

from __future__ import annotations

import enum
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import EQUAL

ALPHA = BETA = 0.05
MIRRORED_ALPHA = 0.01
BOUND = math.log((1 - BETA) / ALPHA)
MIRRORED_BOUND = math.log((1 - BETA) / MIRRORED_ALPHA)
BATCH = 100
ADDED_SQUARES = 2


class Verdict(enum.Enum):
    """What the test knows of A against B; the first three end a match, the others may change with more boards."""

    BETTER = "better"
    WORSE = "worse"
    EVEN = "even"
    NOT_BETTER = "not better"
    NOT_WORSE = "not worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"

    @property
    def final(self) -> bool:
        """Whether more boards would not change it."""
        return self in (Verdict.BETTER, Verdict.WORSE, Verdict.EVEN)


class MatchState(NamedTuple):
    """A match after its latest test: the boards played, the verdict, and whether the match is over.

    `llr` and `mirrored_llr` are the log-likelihood ratios of "A is better" and "B is better". `difference` is
    the plain mean of A - B with its t interval, as if the number of boards had been fixed: a match that stops
    early tends to stop on a lucky streak, so it is the estimate beside the verdict and not a second verdict.
    """

    boards: int
    llr: float
    mirrored_llr: float
    difference: Interval
    verdict: Verdict
    over: bool

    def sentence(self, a: str, b: str, delta: float) -> str:
        """The verdict in words, from A's point of view."""
        after = f"after {self.boards:,} boards"
        words = {
            Verdict.BETTER: f"{a} is better than {b}, {after}.",
            Verdict.WORSE: f"{a} is worse than {b}, {after}.",
            Verdict.EVEN: f"{a} is neither better nor worse than {b} by {delta:g}, {after}.",
            Verdict.NOT_BETTER: f"{a} is not better than {b} by {delta:g}; whether worse is open {after}.",
            Verdict.NOT_WORSE: f"{a} is not worse than {b} by {delta:g}; whether better is open {after}.",
            Verdict.EQUAL: f"{a} and {b} are equal on all boards so far, {after}.",
            Verdict.UNDECIDED: f"{a} against {b} is undecided {after}.",
        }
        return words[self.verdict]


class SequentialMatch:
    """The running test: takes the differences A - B in board order, in portions of any size.

    It tests after every 100 boards and at the maximum, wherever the portions end, so that the same boards in
    the same order always give the same verdict after the same number of boards.
    """

    def __init__(self, delta: float, maximum: int) -> None:
        if not (math.isfinite(delta) and delta > EQUAL):
            raise ValueError(f"delta must be a positive difference of scores, not {delta}")
        if maximum < 1:
            raise ValueError(f"a match needs at least one board, not {maximum}")
        self.delta = delta
        self.maximum = maximum
        self._waiting = np.empty(0)
        self._moments = Moments()
        self._largest = 0.0
        self._better = self._worse = 0  # what each test has decided: 1 its H1, -1 H0, 0 nothing yet
        self.state = MatchState(0, 0.0, 0.0, Interval(0.0, 0.0, 0.0), Verdict.UNDECIDED, over=False)

    def add(self, differences: npt.ArrayLike) -> MatchState:
        """Add the next differences and return the latest state; once the match is over it does not change."""
        self._waiting = np.concatenate([self._waiting, np.asarray(differences, dtype=np.float64).reshape(-1)])
        while not self.state.over:
            batch = min(BATCH, self.maximum - self.state.boards)
            if len(self._waiting) < batch:
                break
            self._test(self._waiting[:batch])
            self._waiting = self._waiting[batch:]
        return self.state

    def stop(self) -> MatchState:
        """End the match early: the difference includes every board so far, the verdict is that of the last test.

        An additional test at a time of the caller's choice would change the error rates.
        """
        if not self.state.over:
            self._moments += Moments.of(self._waiting)
            n = self._moments.n
            interval = self._moments.interval if n else self.state.difference
            self.state = self.state._replace(boards=n, difference=interval, over=True)
        return self.state

    def _test(self, batch: npt.NDArray[np.float64]) -> None:
        batch = np.where(np.abs(batch) <= EQUAL, 0.0, batch)
        self._moments += Moments.of(batch)
        self._largest = max(self._largest, float(np.abs(batch).max()))
        n, mean = self._moments.n, self._moments.mean
        scatter = self._moments.variance * (n - 1)
        llr, mirrored = (float(log_ratio(n, sign * mean, scatter, self._largest, self.delta)) for sign in (1, -1))
        self._better = self._better or _crossed(llr, BOUND)
        self._worse = self._worse or _crossed(mirrored, MIRRORED_BOUND)
        verdict = self._verdict()
        over = verdict.final or n >= self.maximum
        self.state = MatchState(n, llr, mirrored, self._moments.interval, verdict, over)

    def _verdict(self) -> Verdict:
        if self._largest == 0:
            return Verdict.EQUAL
        if self._better > 0:
            return Verdict.BETTER
        if self._worse > 0:
            return Verdict.WORSE
        if self._better < 0:
            return Verdict.EVEN if self._worse < 0 else Verdict.NOT_BETTER
        return Verdict.NOT_WORSE if self._worse < 0 else Verdict.UNDECIDED


def log_ratio(
    n: int, mean: npt.ArrayLike, scatter: npt.ArrayLike, largest: npt.ArrayLike, delta: float
) -> npt.NDArray[np.float64]:
    """The LLR of the module's formula for d0 = 0, d1 = delta, elementwise; 0 where all differences are 0.

    `scatter` is the sum of squares about the mean and `largest` the largest difference in size.
    """
    means = np.asarray(mean, dtype=np.float64)
    squares = np.asarray(scatter, dtype=np.float64) + ADDED_SQUARES * np.square(largest, dtype=np.float64)
    variance = squares / max(n - 1, 1)
    spread = variance > 0
    return np.where(spread, n * delta * (2 * means - delta) / (2 * np.where(spread, variance, 1.0)), 0.0)


def _crossed(llr: float, upper: float) -> int:
    """1 if the ratio decides for H1, -1 if for H0, 0 if it decides nothing."""
    return int(llr >= upper) - int(llr <= -BOUND)
