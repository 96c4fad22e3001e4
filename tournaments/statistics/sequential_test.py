"""A match of two agents that ends as soon as its result is clear: a sequential test of paired differences.

The question is: is A better than B? Let d be the mean difference A - B per board. One test asks whether A leads: it
ends with "A is better" (d > 0) or with "A is not better by delta". It never says that B is better, so the mirrored test
of -d runs on the same boards. A match ends when one of the tests finds a winner, or when both have ended without one.
A decision of a test is final. Each test may wrongly name a winner if the agents are equal, and these errors add up: A's
test may err in 5 % of such matches and the mirrored test in 1 %. So a winner is named in at most 6 of 100 matches of
equal agents. A lead of delta is missed in at most 5 % of matches.

The guarantee depends on the score (`Method`):

- Scores with a known range: bets on the differences (`betting.py`). The errors hold for every distribution on it.
- Wins: the normal test below. Differences of wins are -1, 0 and 1, so they are symmetric if their mean is 0, and the
  simulated errors stay near their nominal size.
- Scores without luck (`win-adjusted`): the normal test too. They have no range, and the errors are asymptotic: they
  hold in the limit of many boards, and approximately before.
- Other scores without a range: no winner is named. A rare disaster that no board has shown yet can undo any lead.

The normal test is the generalised sequential probability ratio test (GSPRT) of H0: d = d0 = 0 and H1: d = d1 = delta.
After n boards with mean m and variance v of the differences, it treats the differences as normal and v as known:

    LLR = sum of [(x - d0)^2 - (x - d1)^2] / (2 v) = n (d1 - d0) (2 m - d0 - d1) / (2 v)

Wald's bounds for alpha = beta = 0.05 are +-ln(0.95 / 0.05) = +-2.944. Above the upper bound, A is better.
Below the lower one, A is not better by delta. The upper bound of the mirrored test is ln(0.95 / 0.01) = 4.554.

The variance is only estimated. Three measures keep the errors at their nominal size:

- The ratio is tested after every 100 boards, not after each board.
- Two squares of the largest difference seen are added to the sum of squares. Rare differences are the usual
  case (two good agents win and lose the same boards), and the first few, if they happen to agree, make the
  variance look too small. With wins of which 2 % are decisive, at d = delta = 0.02, A was not named in 9.8 %
  of the matches without the added squares, and in 2.8 % with them.
- A variance of zero decides nothing if all differences are zero: the agents are equal so far. If all are the
  same but not zero, the added squares keep the ratio finite, and it decides.

`benchmarks/sequential_errors.py` measures all methods by simulation.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.standings import FaultLine, Interval
from sweepstakes.tournaments.statistics.betting import MAX_BOARDS, Bets
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
BETTING_BOUND = math.log(1 / ALPHA)
MIRRORED_BETTING_BOUND = math.log(1 / MIRRORED_ALPHA)
BATCH = 100
SUITABLE = 0.1
"""The default delta of a score that is not a share, as a multiple of the standard deviation of the differences on the
boards before the first test."""


class Method(enum.Enum):
    """How a match finds its winner. This depends on what is known about the score."""

    WINS = "wins"
    """Scores of 0 and 1: the normal test."""
    BETTING = "betting"
    """Scores with a range: a test that holds for every distribution on it."""
    ASYMPTOTIC = "asymptotic"
    """Scores without luck: the normal test, whose errors hold approximately."""
    NONE = "none"
    """Other scores without a range: no winner is named."""


class Verdict(enum.Enum):
    """The result of A against B. The first three end a match, the others may change with more boards."""

    BETTER = "better"
    WORSE = "worse"
    EVEN = "even"
    NOT_BETTER = "not better"
    NOT_WORSE = "not worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"

    @property
    def final(self) -> bool:
        """Whether the verdict stays the same with more boards."""
        return self in (Verdict.BETTER, Verdict.WORSE, Verdict.EVEN)


class MatchState(NamedTuple):
    """A match after its latest test: the boards played, the verdict, and whether the match is over.

    `llr` and `mirrored_llr` are the logarithms of the evidence for "A is better" and "B is better": the log-likelihood
    ratios of the normal test, or the log wealths of the bets.
    """

    boards: int
    llr: float
    mirrored_llr: float
    difference: Interval
    """The mean of A - B; more is better for A. The interval covers the true mean even if the match stopped early."""
    verdict: Verdict
    over: bool
    delta: float = 0.0
    better: int = 0
    """Boards on which A did better than B."""
    worse: int = 0
    elo: Interval = Interval(0.0, 0.0, 0.0)
    """The Elo difference, computed from the boards on which each was better (equal boards count half), with an interval
    that is also valid if the match stopped early."""
    more_boards: int | None = None
    """Estimates how many more boards would decide the match if the lead stayed as it is; None if unknown. After the
    verdict that neither is better by delta, it estimates how many would show who leads."""
    more_name: bool = False
    """Whether these boards would name a winner instead of showing that neither is better by delta."""
    means: tuple[float, float] | None = None
    """The mean scores of A and B, with the sign of the score, if known."""
    method: Method = Method.WINS
    faults: tuple[FaultLine, ...] = ()
    """The games lost by faults, by agent and kind."""
    broken: tuple[str, ...] = ()
    """The agents that lost every game by a fault, so that the match was stopped."""
    missing: int = 0
    """Boards left out because the score of one agent is missing there."""
    note: str = ""
    """A sentence on scores that cannot be trusted."""

    @property
    def equal(self) -> int:
        """Boards on which A and B did equally well."""
        return self.boards - self.better - self.worse

    @property
    def leader(self) -> int:
        """1 if A leads by any amount, -1 if B does, 0 if that is undecided."""
        if self.method is Method.BETTING:
            return int(self.llr >= BETTING_BOUND) or -int(self.mirrored_llr >= MIRRORED_BETTING_BOUND)
        return int(self.difference.low > 0) or -int(self.difference.high < 0)

    @property
    def is_loss(self) -> bool:
        """Whether the verdict is that A is worse than B, by any amount."""
        return self.verdict is Verdict.WORSE or (self.verdict is Verdict.EVEN and self.leader < 0)

    def sentence(self, a: str, b: str) -> str:
        """Return the verdict in words, from A's point of view."""
        if self.broken:
            return f"{' and '.join(self.broken)} finished no game, so the match was stopped. No winner is named."
        after = f"after {self.boards:,} board{'s' * (self.boards != 1)}"
        by = f"by {self.delta:.3g} or more"
        if self.verdict is Verdict.EVEN and self.leader > 0:
            return f"{a} is better than {b}, though not {by}, {after}."
        if self.verdict is Verdict.EVEN and self.leader < 0:
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
    """The test while it runs. It takes the differences A - B in board order, in portions of any size.

    It tests after every 100 boards and at the maximum, regardless of the portions. So the same boards in the same
    order always give the same verdict after the same number of boards. Without a `delta`, it is chosen before the
    first test (`SUITABLE`).

    `reach` is the largest possible mean difference, or inf if unknown. Without a `method`, a finite `reach` is taken
    as the largest possible difference on a board, and the match bets.
    """

    def __init__(
        self, delta: float | None, maximum: int, reach: float = math.inf, method: Method | None = None
    ) -> None:
        if delta is not None and not (math.isfinite(delta) and delta > EQUAL):
            raise ValueError(f"delta must be a positive difference of scores, not {delta}")
        if delta is not None and delta >= reach:
            raise ValueError(f"delta must be less than the largest possible difference, {reach:g}, not {delta:g}")
        if maximum < 1:
            raise ValueError(f"a match needs at least one board, not {maximum}")
        self.delta = delta
        self.maximum = maximum
        self.reach = reach
        self.method = method or (Method.BETTING if math.isfinite(reach) else Method.NONE)
        self._bets = Bets(reach) if self.method is Method.BETTING else None
        self._waiting = np.empty(0)
        self._moments = Moments()
        self._signs = Moments()
        self._largest = 0.0
        self._known_largest = 1.0 if self.method is Method.WINS else 0.0
        self._better = self._worse = 0  # the decision of each test: 1 for its H1, -1 for H0, 0 if none yet
        nothing = Interval(0.0, 0.0, 0.0)
        self.state = MatchState(0, 0.0, 0.0, nothing, Verdict.UNDECIDED, over=False, method=self.method)

    def add(self, differences: npt.ArrayLike) -> MatchState:
        """Add the next differences and return the latest state. Once the match is over, it does not change."""
        self._waiting = np.concatenate([self._waiting, np.asarray(differences, dtype=np.float64).reshape(-1)])
        while not self.state.over:
            batch = min(BATCH, self.maximum - self.state.boards)
            if len(self._waiting) < batch:
                break
            self._test(self._waiting[:batch])
            self._waiting = self._waiting[batch:]
        return self.state

    def stop(self) -> MatchState:
        """End the match early. The difference includes every board so far; the verdict is that of the last test.

        An additional test at a time of the caller's choice would change the error rates of the normal test.
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
        if self._bets is not None:
            self._bets.add(batch)

    def _test(self, batch: npt.NDArray[np.float64]) -> None:
        self._add(batch)
        if self.delta is None and self._largest > 0:
            self.delta = max(SUITABLE * math.sqrt(self._scatter / max(self._moments.n - 1, 1)), 2 * EQUAL)
            self.delta = min(self.delta, self.reach / 2)
        llr, mirrored = ratios = self._ratios()
        if self._bets is not None:
            self._better = self._better or self._refuted(self._bets, llr, BETTING_BOUND, 1)
            self._worse = self._worse or self._refuted(self._bets, mirrored, MIRRORED_BETTING_BOUND, -1)
        elif self.method is not Method.NONE:
            self._better = self._better or _crossed(llr, BOUND)
            self._worse = self._worse or _crossed(mirrored, MIRRORED_BOUND)
        verdict = self._verdict()
        self.state = self._state(verdict, ratios, over=verdict.final or self._moments.n >= self.maximum)

    @property
    def _scatter(self) -> float:
        """The sum of squares about the mean, plus the squares that keep the variance from looking too small."""
        return self._moments.variance * (self._moments.n - 1) + ADDED_SQUARES * self._largest**2

    def _ratios(self) -> tuple[float, float]:
        """Return the evidence for "A is better" and for "B is better"."""
        if self.delta is None or self._largest == 0:
            return 0.0, 0.0
        if self._bets is not None:
            return self._bets.log_wealth(0.0, 1), self._bets.log_wealth(0.0, -1)
        n, mean = self._moments.n, self._moments.mean
        scatter = self._moments.variance * (n - 1)
        a, b = (float(log_ratio(n, sign * mean, scatter, self._largest, self.delta)) for sign in (1, -1))
        return a, b

    def _refuted(self, bets: Bets, log_wealth: float, bound: float, side: int) -> int:
        """Return 1 if the agent of this side is shown to be better, -1 if shown not to be better by delta, else 0."""
        if self.delta is None or self._largest == 0:
            return 0
        return int(log_wealth >= bound) or -int(bets.log_wealth(side * self.delta, -side) >= BETTING_BOUND)

    def _state(self, verdict: Verdict, ratios: tuple[float, float], *, over: bool) -> MatchState:
        n = self._moments.n
        if not n:
            return self.state._replace(over=over)
        more, more_name = self._more_boards(verdict)
        return MatchState(
            n,
            *ratios,
            self._interval(),
            verdict,
            over,
            self.delta or 0.0,
            int(self._signs.squares + self._signs.total) // 2,
            int(self._signs.squares - self._signs.total) // 2,
            elo_difference(self._signs),
            more,
            more_name,
            method=self.method,
        )

    @property
    def _sums(self) -> tuple[int, float, float, float]:
        n = self._moments.n
        largest = max(self._largest, self._known_largest)
        return n, self._moments.mean, self._moments.variance * (n - 1), largest

    def _interval(self) -> Interval:
        """Return the mean difference with its interval, within the range of differences."""
        if self._bets is not None:
            return self._bets.interval(self._moments.mean)
        return confidence_interval(*self._sums).within(-self.reach, self.reach)

    def _more_boards(self, verdict: Verdict) -> tuple[int | None, bool]:
        """Return how many more boards would decide, and whether they would name a winner."""
        n, mean = self._moments.n, self._moments.mean
        if verdict is Verdict.EVEN:
            if mean == 0:
                return None, False
            enough: float
            if self._bets is not None:
                side, bound = (1, BETTING_BOUND) if mean > 0 else (-1, MIRRORED_BETTING_BOUND)
                enough = self._bets.boards_until(0.0, side, bound)
            else:
                enough = boards_to_exclude_zero(*self._sums) or math.inf
            return (max(int(enough) - n, 0) if math.isfinite(enough) else None), False
        if n < BATCH or verdict.final or self.delta is None or self._largest == 0 or self.method is Method.NONE:
            return None, False
        if self._bets is not None:
            totals = [
                (
                    self._bets.boards_until(0.0, side, bound),
                    self._bets.boards_until(side * self.delta, -side, BETTING_BOUND),
                )
                for side, bound in ((1, BETTING_BOUND), (-1, MIRRORED_BETTING_BOUND))
            ]
        else:
            totals = boards_to_cross(n, mean, self._scatter, self.delta)
        return boards_to_decide(n, totals, (self._better, self._worse))

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
    """Return the LLR of the module's formula for d0 = 0, d1 = delta, elementwise. It is 0 if all differences are 0.

    `scatter` is the sum of squares about the mean and `largest` the largest absolute difference.
    """
    means = np.asarray(mean, dtype=np.float64)
    squares = np.asarray(scatter, dtype=np.float64) + ADDED_SQUARES * np.square(largest, dtype=np.float64)
    variance = squares / max(n - 1, 1)
    spread = variance > 0
    return np.where(spread, n * delta * (2 * means - delta) / (2 * np.where(spread, variance, 1.0)), 0.0)


def _crossed(llr: float, upper: float) -> int:
    """Return 1 if the ratio decides for H1, -1 for H0, and 0 if it is undecided."""
    return int(llr >= upper) - int(llr <= -BOUND)


def elo_difference(signs: Moments) -> Interval:
    """Return the Elo difference from boards better (1), equal (0) and worse (-1), with an interval valid at any time.

    As in the ratings of a table, an imaginary board won half by each keeps a one-sided result finite.
    """
    n = signs.n
    mean, low, high = confidence_interval(n, signs.mean, signs.variance * (n - 1), 1.0)

    def elo(sign: float) -> float:
        share = (n * (1 + min(max(sign, -1.0), 1.0)) / 2 + 0.5) / (n + 1)
        return 400 * math.log10(share / (1 - share))

    return Interval(elo(mean), elo(low), elo(high))


def boards_to_cross(n: int, mean: float, scatter: float, delta: float) -> list[tuple[float, float]]:
    """Return the total boards until the ratios of A's and of B's test cross their upper and their lower bound.

    This assumes that mean and variance stay as they are. It is inf if the ratio moves away from the bound.
    """
    variance = scatter / max(n - 1, 1)
    slopes = [delta * (sign * 2 * mean - delta) / (2 * variance) for sign in (1, -1)]  # of the ratios, per board
    return [
        (upper / slope if slope > 0 else math.inf, BOUND / -slope if slope < 0 else math.inf)
        for slope, upper in zip(slopes, (BOUND, MIRRORED_BOUND), strict=True)
    ]


def boards_to_decide(
    n: int, totals: Sequence[tuple[float, float]], decided: tuple[int, int]
) -> tuple[int | None, bool]:
    """Return how many more boards decide the match, and whether they name a winner.

    `totals` has two numbers for A's and for B's test: the boards until it names its agent, and the boards until it says
    that the agent is not better by delta. `decided` has the decisions so far, as in `SequentialMatch`. Return None if
    it takes more than `MAX_BOARDS`.
    """
    named = min((total for (total, _), done in zip(totals, decided, strict=True) if not done), default=math.inf)
    unnamed = max(0.0 if done < 0 else total for (_, total), done in zip(totals, decided, strict=True))
    total = min(named, unnamed)
    if total > MAX_BOARDS:
        return None, False
    return max(BATCH, math.ceil((total - n) / BATCH) * BATCH), named <= unnamed
