"""Betting on differences: a test and a confidence sequence that are valid for every distribution on a known range.

The differences x of a match lie between -R and R (`reach`) and have an unknown mean. A gambler who claims that the mean
is above m starts with a wealth of 1 and stakes the share c of it on every board:

    wealth after n boards = product of (1 + c (x - m) / (R + m)),    0 < c < 1.

No factor is negative, since x - m >= -(R + m). If the mean is m or less, every factor is 1 or less on average given the
boards before it, so the wealth is a supermartingale that starts at 1. By Ville's inequality, the probability that such
a wealth ever reaches 1 / alpha is at most alpha, whatever the distribution and however often somebody looks.
A rival claims that the mean is below m; the factors are 1 + c (m - x) / (R - m).

The best c depends on the distribution, so the wealth is divided evenly among `BETS`. The mean of several
supermartingales is one too. Each bet is half of the bet before it. If the best c lies between two bets, the better of
the two grows at least about 8/9 as fast.

With factor = 1 - c + c (x + R) / (m + R), the wealth of the claim "above m" falls as m grows. The means that have not
been refuted are therefore an interval, and it is a confidence sequence: both claims are given 2.5 %, so the interval
contains the true mean at all numbers of boards together in at least 95 % of all matches. For the same reason a lead
`delta` may be chosen after some boards have been seen: refuting `delta` refutes every larger lead as well.

Sources: Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, Journal of the Royal
Statistical Society B 86 (2024); with constant bets in the form of a portfolio, as here: Orabona and Jun, Tight
concentrations and confidence sequences from the regret of universal portfolio, IEEE Transactions on Information Theory
70 (2024). Ville's inequality: Etude critique de la notion de collectif (1939).

The price is boards: `benchmarks/sequential_errors.py` prints how many this test and the normal one take.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.confidence_sequence import MISSES

Array = npt.NDArray[np.float64]

BETS: Array = np.array([0.97 * 0.5**k for k in range(11)])
"""The shares of its wealth that a gambler stakes, each with an equal part of the wealth."""
TOLERANCE = 1e-9
"""Precision of the ends of an interval, and how far a rounded difference may exceed `reach`, as shares of `reach`."""
MAX_BOARDS = 10**8


class Bets:
    """Bets on differences between -`reach` and `reach`.

    The wealth does not depend on the order of the boards, so equal differences are stored once, with their count. A
    test takes time for every distinct difference, but the scores of games have few of them.
    """

    def __init__(self, reach: float) -> None:
        if not (math.isfinite(reach) and reach > 0):
            raise ValueError(f"bets need a finite range of differences, not {reach}")
        self.reach = reach
        self.boards = 0
        self._values: Array = np.empty(0)
        self._counts: Array = np.empty(0)

    def add(self, differences: Array) -> None:
        """Add the differences of the next boards. Raise `ValueError` if one is out of range."""
        if np.abs(differences).max(initial=0.0) > self.reach * (1 + TOLERANCE):
            raise ValueError(f"a difference of {np.abs(differences).max():g} is beyond the range of {self.reach:g}")
        self.boards += len(differences)
        values = np.concatenate([self._values, np.clip(differences, -self.reach, self.reach)])
        counts = np.concatenate([self._counts, np.ones(len(differences))])
        self._values, places = np.unique(values, return_inverse=True)
        self._counts = np.bincount(places, counts, len(self._values)).astype(np.float64)

    def log_wealth(self, mean: float, side: int) -> float:
        """Return the logarithm of the wealth of the claim that the true mean is above `mean` (`side` 1) or below (-1).

        `mean` lies between -`reach` and `reach`.
        """
        return _divided(self._log_wealths(mean, side))

    def interval(self, mean: float, misses: float = MISSES) -> Interval:
        """Return the mean of all differences, with the interval of means that neither side has refuted.

        The interval misses the true mean in at most a share `misses` of all matches, half of it on each side. At the
        mean itself no wealth is above 1, by Jensen's inequality.
        """
        low, high = (side * self._end(side * mean, side, misses) for side in (1, -1))
        return Interval(mean, min(low, mean), max(high, mean))

    def boards_until(self, mean: float, side: int, bound: float) -> float:
        """Return the total number of boards at which the log wealth reaches `bound` if the differences stay alike.

        Return inf if it takes more than `MAX_BOARDS`.
        """
        return boards_to_reach(bound, self._log_wealths(mean, side) / max(self.boards, 1))

    def _log_wealths(self, mean: float, side: int) -> Array:
        """Return the logarithm of the wealth of each bet, not yet divided by the number of bets."""
        gains = side * (self._values - mean) / (self.reach + side * mean)
        wealths: Array = np.log1p(BETS[:, None] * gains) @ self._counts
        return wealths

    def _end(self, mean: float, side: int, misses: float) -> float:
        """Return the lower end of the interval, or with `side` -1 that of the negated differences."""
        bound = math.log(2 / misses)

        def above(share: float) -> float:
            return self.log_wealth(side * (share * (self.reach + mean) - self.reach), side) - bound

        if mean + self.reach <= TOLERANCE * self.reach or above(TOLERANCE) <= 0:
            return -self.reach
        share: float = brentq(above, TOLERANCE, 1.0, xtol=TOLERANCE)
        return share * (self.reach + mean) - self.reach


def boards_to_reach(bound: float, rates: Array) -> float:
    """Return the number of boards after which bets that grow at these `rates` per board reach a log wealth of `bound`.

    Return inf if it takes more than `MAX_BOARDS`.
    """
    if _divided(rates * MAX_BOARDS) < bound:
        return math.inf
    low, high = 0, MAX_BOARDS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _divided(rates * middle) >= bound else (middle, high)
    return high


def _divided(log_wealths: Array) -> float:
    """Return the logarithm of the mean of the wealths."""
    highest = float(log_wealths.max())
    return highest + math.log(float(np.exp(log_wealths - highest).mean()))
