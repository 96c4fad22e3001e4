"""A 95 % confidence sequence for a mean: intervals that remain valid if you look after every board.

Student's interval covers the mean in 95 % of all matches if the number of boards was fixed before the match. A match
that stops as soon as its result is clear stops on a lucky streak more often than not, and Student's interval then
misses the mean up to twice as often as it says. A confidence sequence covers the mean at all numbers of boards together
in 95 % of all matches, and so at any number at which the match stops. It does not depend on the delta of the match, so
it may contain 0 even if there is a verdict: testing a single delta against 0 needs fewer boards.

This one is Robbins' normal mixture with the estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
Time-uniform central limit theory and asymptotic confidence sequences, 2024). Let S be the sum of n differences from
their mean, with variance v. For every b, exp(b S / v - n b^2 / (2 v)) is a martingale that begins at 1 if the
differences are normal; with b drawn from a normal distribution of mean 0 and variance r v it becomes

    (1 + n r)^(-1/2) exp(r S^2 / (2 v (1 + n r))),

which by Ville's inequality exceeds 1 / 0.05 at any time with a probability of at most 0.05. Solved for S / n:

    half width = sqrt(v / n) sqrt((1 + n r) / (n r) (2 ln(1 / 0.05) + ln(1 + n r))).

With r = 0.02 it is narrowest, relative to Student's, after about 400 boards: 1.55 times as wide; 1.65 times after 100
boards, 1.8 times after 30,000. As in the sequential test, two squares of the largest difference are added to the sum
of squares, so that a few boards that happen to agree do not make an interval of no width. For a score that is 0 or 1,
the largest difference is known to be 1 before the first board.

`benchmarks/sequential_errors.py` prints how often it covers the mean, both where a match stops and at all tests
together. For wins and luck-adjusted scores this is at least 98 % of 10,000 matches. The sequence is asymptotic, and
fails for skewed differences. `betting.py` has an interval for every distribution on a range.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sweepstakes.standings import Interval

MISSES = 0.05
ADDED_SQUARES = 2
_RATIO = 0.02


def half_width(
    n: int, scatter: npt.ArrayLike, largest: npt.ArrayLike, misses: float = MISSES
) -> npt.NDArray[np.float64]:
    """Return half the width of the interval after n boards, elementwise.

    `scatter` is the sum of squares about the mean, `largest` the largest absolute difference, and `misses` the share of
    matches in which the interval may miss the mean.
    """
    squares = np.asarray(scatter, dtype=np.float64) + ADDED_SQUARES * np.square(largest, dtype=np.float64)
    spread = n * _RATIO
    factor = math.sqrt((1 + spread) / spread * (2 * math.log(1 / misses) + math.log1p(spread)))
    wide: npt.NDArray[np.float64] = factor * np.sqrt(squares / max(n - 1, 1) / n)
    return wide


def confidence_interval(n: int, mean: float, scatter: float, largest: float) -> Interval:
    """Return the mean after n boards with its interval from the confidence sequence."""
    half = float(half_width(n, scatter, largest))
    return Interval(mean, mean - half, mean + half)


def boards_to_exclude_zero(n: int, mean: float, scatter: float, largest: float, misses: float = MISSES) -> int | None:
    """Return the number of boards at which the interval would exclude 0 if mean and variance stayed as they are.

    Return None if there is no such number below a hundred million.
    """
    if mean == 0:
        return None
    variance = (scatter + ADDED_SQUARES * largest**2) / max(n - 1, 1)
    boards = max(n, 2)
    while boards < 10**8:
        if float(half_width(boards, variance * (boards - 1), 0.0, misses)) < abs(mean):
            return boards
        boards += max(boards // 50, 1)
    return None
