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
from sweepstakes.tournaments.statistics.confidence_sequence import (
    ADDED_SQUARES,
    boards_to_exclude_zero,
    confidence_interval,
)
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import EQUAL

ALPHA = BETA = 0.05
MIRRORED_ALPHA = 0.01
BOUND = math.log((1 - BETA) / ALPHA)
MIRRORED_BOUND = math.log((1 - BETA) / MIRRORED_ALPHA)
BATCH = 100
SUITABLE = 0.1
"""The delta of a score that is no share, if none was chosen: this part of the standard deviation of the differences on
the boards before the first test."""


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

    `llr` and `mirrored_llr` are the log-likelihood ratios of "A is better" and "B is better".
    """

    boards: int
    llr: float
    mirrored_llr: float
    difference: Interval
    """The mean of A - B, more being better for A. The interval covers the true mean though the match stopped early."""
    verdict: Verdict
    over: bool
    delta: float = 0.0
    better: int = 0
    """Boards on which A did better than B."""
    worse: int = 0
    elo: Interval = Interval(0.0, 0.0, 0.0)
    """The Elo difference by boards better and worse, equal boards half each, with an interval of the same kind."""
    more_boards: int | None = None
    """About how many more boards would decide, if the lead stayed as it is; None if that cannot be said. After a
    verdict that neither is better by delta: how many would show who leads at all."""
    means: tuple[float, float] | None = None
    """The mean scores of A and B, as the score counts, if they are known."""

    @property
    def equal(self) -> int:
        """Boards on which A and B did equally well."""
        return self.boards - self.better - self.worse

    def sentence(self, a: str, b: str) -> str:
        """The verdict in words, from A's point of view."""
        after = f"after {self.boards:,} board{'s' * (self.boards != 1)}"
        by = f"by {self.delta:.3g} or more"
        if self.verdict is Verdict.EVEN and self.difference.low > 0:
            return f"{a} is better than {b}, though not {by}, {after}."
        if self.verdict is Verdict.EVEN and self.difference.high < 0:
            return f"{a} is worse than {b}, though not {by}, {after}."
        words = {
            Verdict.BETTER: f"{a} is better than {b}, {after}.",
            Verdict.WORSE: f"{a} is worse than {b}, {after}.",
            Verdict.EVEN: f"Neither {a} nor {b} is better {by}, {after}.",
            Verdict.NOT_BETTER: f"{a} is not better than {b} {by}; whether worse is open {after}.",
            Verdict.NOT_WORSE: f"{a} is not worse than {b} {by}; whether better is open {after}.",
            Verdict.EQUAL: f"{a} and {b} are equal on all boards so far, {after}.",
            Verdict.UNDECIDED: f"{a} against {b} is undecided {after}.",
        }
        return words[self.verdict]


class SequentialMatch:
    """The running test: takes the differences A - B in board order, in portions of any size.

    It tests after every 100 boards and at the maximum, wherever the portions end, so that the same boards in
    the same order always give the same verdict after the same number of boards. Without a `delta`, it is chosen
    before the first test (`SUITABLE`). `largest` is the largest possible difference, if it is known.
    """

    def __init__(self, delta: float | None, maximum: int, largest: float = 0.0) -> None:
        if delta is not None and not (math.isfinite(delta) and delta > EQUAL):
            raise ValueError(f"delta must be a positive difference of scores, not {delta}")
        if maximum < 1:
            raise ValueError(f"a match needs at least one board, not {maximum}")
        self.delta = delta
        self.maximum = maximum
        self._waiting = np.empty(0)
        self._moments = Moments()
        self._signs = Moments()
        self._largest = 0.0
        self._known_largest = largest
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
            self._add(self._waiting)
            self.state = self._state(self.state.verdict, (self.state.llr, self.state.mirrored_llr), over=True)
        return self.state

    def _add(self, batch: npt.NDArray[np.float64]) -> None:
        batch = np.where(np.abs(batch) <= EQUAL, 0.0, batch)
        self._moments += Moments.of(batch)
        self._signs += Moments.of(np.sign(batch))
        self._largest = max(self._largest, float(np.abs(batch).max(initial=0.0)))

    def _test(self, batch: npt.NDArray[np.float64]) -> None:
        self._add(batch)
        if self.delta is None and self._largest > 0:
            self.delta = max(SUITABLE * math.sqrt(self._scatter / max(self._moments.n - 1, 1)), 2 * EQUAL)
        llr, mirrored = ratios = self._ratios()
        self._better = self._better or _crossed(llr, BOUND)
        self._worse = self._worse or _crossed(mirrored, MIRRORED_BOUND)
        verdict = self._verdict()
        self.state = self._state(verdict, ratios, over=verdict.final or self._moments.n >= self.maximum)

    @property
    def _scatter(self) -> float:
        """The sum of squares about the mean, with those added that keep the variance from looking too small."""
        return self._moments.variance * (self._moments.n - 1) + ADDED_SQUARES * self._largest**2

    def _ratios(self) -> tuple[float, float]:
        """The ratios of "A is better" and of "B is better"."""
        if self.delta is None:
            return 0.0, 0.0
        n, mean = self._moments.n, self._moments.mean
        scatter = self._moments.variance * (n - 1)
        a, b = (float(log_ratio(n, sign * mean, scatter, self._largest, self.delta)) for sign in (1, -1))
        return a, b

    def _state(self, verdict: Verdict, ratios: tuple[float, float], *, over: bool) -> MatchState:
        n = self._moments.n
        if not n:
            return self.state._replace(over=over)
        largest = max(self._largest, self._known_largest)
        sums = n, self._moments.mean, self._moments.variance * (n - 1), largest
        decided = self._better, self._worse
        more = None
        if verdict is Verdict.EVEN:
            enough = boards_to_exclude_zero(*sums)
            more = max(enough - n, 0) if enough is not None else None
        elif not verdict.final and self.delta is not None:
            more = boards_to_decide(n, self._moments.mean, self._scatter, self.delta, decided)
        return MatchState(
            n,
            *ratios,
            confidence_interval(*sums),
            verdict,
            over,
            self.delta or 0.0,
            int(self._signs.squares + self._signs.total) // 2,
            int(self._signs.squares - self._signs.total) // 2,
            elo_difference(self._signs),
            more,
        )

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


def elo_difference(signs: Moments) -> Interval:
    """The Elo difference from boards better (1), equal (0) and worse (-1), with a confidence sequence's interval.

    As in the ratings of a table, an imaginary board that both win half keeps a one-sided result finite.
    """
    n = signs.n
    mean, low, high = confidence_interval(n, signs.mean, signs.variance * (n - 1), 1.0)

    def elo(sign: float) -> float:
        share = (n * (1 + min(max(sign, -1.0), 1.0)) / 2 + 0.5) / (n + 1)
        return 400 * math.log10(share / (1 - share))

    return Interval(elo(mean), elo(low), elo(high))


def boards_to_decide(n: int, mean: float, scatter: float, delta: float, decided: tuple[int, int]) -> int | None:
    """How many more boards it takes until the match is decided, if mean and variance stay as they are.

    `decided` says of the tests of A and of B what they have decided, as in `SequentialMatch`. None if it would take
    more than a hundred million.
    """
    if scatter == 0:
        return None
    variance = scatter / max(n - 1, 1)
    slopes = [delta * (sign * 2 * mean - delta) / (2 * variance) for sign in (1, -1)]  # of the ratios, per board
    named = [
        upper / slope
        for slope, upper, done in zip(slopes, (BOUND, MIRRORED_BOUND), decided, strict=True)
        if slope > 0 and not done
    ]
    unnamed = [
        0.0 if done < 0 else BOUND / -slope if slope < 0 else math.inf
        for slope, done in zip(slopes, decided, strict=True)
    ]
    total = min([*named, max(unnamed)])
    if total > 1e8:
        return None
    return max(BATCH, math.ceil((total - n) / BATCH) * BATCH)
