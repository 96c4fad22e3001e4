"""Bradley-Terry ratings of agents from the boards they all played, with intervals by resampling boards.

On a board, every agent meets every other: the better score gets a point, equal scores half a point each. The
model gives agent i a strength s_i such that its expected share of the points against agent j is
1 / (1 + exp(s_j - s_i)). A rating is the strength on the scale of chess, 400 points for odds of 10 to 1. The
average of the rated agents is 0.

All pairs meet equally often, so the likelihood needs only each agent's total of points. Let p_i be the total
divided by the number of boards. The strengths of maximum likelihood solve, for every i,

    sum over j != i of 1 / (1 + exp(s_j - s_i)) = p_i.

The prior is one imaginary board on which all agents are equal. It keeps an agent that always or never wins
finite: n boards won against none are odds of (n + 1/2) to 1/2.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.paired_tests import EQUAL, PORTION, columns_of

RESAMPLES = 999
"""The 25th values from both ends of 999 resamples bound a 95 % interval: 25 = 0.025 x (999 + 1)."""
SCALE = 400 / np.log(10)
DIGITS = 3
"""Decimals of ratings: far finer than their intervals, far coarser than the differences between processors."""

_SEED = 0x5EED_0F_B0A2D5
_CHUNK = 4096
_PRIOR_COINS = 8
_TOLERANCE = 1e-7
_STEPS = 1000


def ratings(scores: npt.ArrayLike) -> list[Interval]:
    """Return the rating of each agent with its 95 % interval, from `scores[boards, agents]`, more is better.

    A resample keeps each board with probability 1/2 and counts the kept boards twice. Such a weight has mean 1 and
    variance 1, as in the classical bootstrap, and costs one random bit. All pairs of a board stay together, because
    they are not independent. The imaginary board counts
    2^(heads - 4) of 8 coins, 95 % of the time between 1/8 and 8 boards, which gives a one-sided result its
    due width: the odds of n : 0 then reach down to about n / 4, as Wilson's interval does (n / 1.96^2).

    The coins are specified integer arithmetic in the order of the boards, the same on every machine.
    Permuting the agents permutes the results exactly. Permuting the boards keeps the ratings but gives
    the boards other coins, so pass the boards in their own order.
    """
    points = _points(columns_of(scores))
    boards, agents = points.shape
    # The estimate itself counts every board once, the resamples toss coins. Points are counted in halves: an imaginary
    # board gives each agent `agents - 1` of them, and a real board distributes `agents * (agents - 1)`.
    estimate = strengths((points.sum(axis=0) + agents - 1.0)[None] / (2.0 * (boards + 1)))
    totals, kept, prior = _resample(points)
    halves = 2 * totals + prior[:, None] * (agents - 1)
    resampled = strengths(halves / (2.0 * (2 * kept + prior))[:, None], start=estimate)
    ordered = np.sort(resampled, axis=0)
    cut = round(0.025 * (RESAMPLES + 1)) - 1
    return [
        Interval(_rated(mean), _rated(min(low, mean)), _rated(max(high, mean)))
        for mean, low, high in zip(estimate[0], ordered[cut], ordered[-1 - cut], strict=True)
    ]


def strengths(shares: npt.NDArray[np.float64], start: npt.NDArray[np.float64] | None = None) -> npt.NDArray[np.float64]:
    """Return the Bradley-Terry strengths, with mean 0, for rows of points per board. Each row is a separate problem.

    A row of `shares` sums to agents x (agents - 1) / 2, and no set of agents may have all or none of the
    points against the other agents. This is a damped Newton's method on the concave log-likelihood: if a full step
    changes a difference of strengths by at most d, the step is multiplied by ln(1 + d) / d. The third
    derivative of a logistic term is at most its second in size, so the curvature grows at most exp(t d)-fold
    over a part t of the step, and that part gains at least c [t - (exp(t d) - t d - 1) / d^2], c being slope
    times step: positive and greatest at this t (Sun and Tran-Dinh, Generalized self-concordant functions,
    2019). Near the solution t goes to 1, and convergence stays quadratic.
    """
    problems, agents = shares.shape
    found = np.zeros((problems, agents)) if start is None else np.broadcast_to(start, shares.shape).copy()
    diagonal = np.arange(agents)
    unsolved = np.arange(problems)
    for _ in range(_STEPS):
        here = found[unsolved]
        expected = expit(here[:, :, None] - here[:, None, :])
        expected[:, diagonal, diagonal] = 0  # agents do not meet themselves
        slope = expected * np.swapaxes(expected, 1, 2)
        # Minus the Hessian is the Laplacian of `slope`. It is singular: a common shift changes nothing. Adding a
        # constant of similar size to all entries makes it regular. Since the gradient sums to 0, the solution with
        # mean 0 stays the same.
        hessian = -slope
        hessian[:, diagonal, diagonal] = slope.sum(axis=2)
        hessian += slope.max(axis=(1, 2), initial=0)[:, None, None] + (agents == 1)
        gradient = shares[unsolved] - expected.sum(axis=2)
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        change = np.ptp(step, axis=1)
        damping = np.divide(np.log1p(change), change, out=np.ones_like(change), where=change > 0)
        found[unsolved] = here + damping[:, None] * step
        unsolved = unsolved[change > _TOLERANCE]
        if len(unsolved) == 0:
            break
    found -= found.mean(axis=1, keepdims=True)
    return found


def _points(columns: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """Return the half points of each agent on each board: 2 for each worse agent, 1 for each equal agent."""
    agents, boards = columns.shape
    points = np.full((agents, boards), agents - 1, dtype=np.int16)
    for start in range(0, boards, PORTION):
        portion, found = columns[:, start : start + PORTION], points[:, start : start + PORTION]
        for first, second in combinations(range(agents), 2):
            difference = portion[first] - portion[second]
            sign = (difference > EQUAL).astype(np.int8) - (difference < -EQUAL)
            found[first] += sign
            found[second] -= sign
    return np.ascontiguousarray(points.T)


def _resample(
    points: npt.NDArray[np.int16],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return half points on the kept boards, number of kept boards and imaginary board's weight, for each resample.

    Word w of resample r is number r 2^32 + w of SplitMix64. Its bit b is the coin of board 64 (w - 1) + b; word 0
    belongs to the imaginary board. The sums in a chunk are integers below 2^24, and therefore exact in float32.
    """
    boards, agents = points.shape
    counted = np.ones((boards, agents + 1), dtype=np.float32)
    counted[:, :agents] = points
    sums = np.zeros((RESAMPLES, agents + 1))
    for begin in range(0, boards, _CHUNK):
        chunk = counted[begin : begin + _CHUNK]
        sums += _coins(begin // 64 + 1, len(chunk)).astype(np.float32) @ chunk
    heads = _coins(0, _PRIOR_COINS).sum(axis=1, dtype=np.int64)
    return sums[:, :agents], sums[:, agents], np.ldexp(1.0, heads - _PRIOR_COINS // 2)


def _coins(word: int, count: int) -> npt.NDArray[np.uint8]:
    """Return the next `count` coins of every resample, starting at word `word`, as an array of 0 and 1."""
    words = np.arange(word, word - (-count // 64), dtype=np.uint64)
    numbers = (np.arange(RESAMPLES, dtype=np.uint64)[:, None] << np.uint64(32)) + words
    bits = np.unpackbits(_splitmix(numbers).astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return bits[:, :count]


def _splitmix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return the outputs of SplitMix64 (Steele et al., 2014) at these indices of the stream with the fixed seed."""
    mixed = np.uint64(_SEED) + (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _rated(strength: float) -> float:
    return round(float(SCALE * strength), DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0
