"""The statistics of the scores of a tournament: intervals, paired comparisons and ranks.

Scores come as an array `scores[boards, agents]`, more is better, with every agent on every board. Comparisons
are paired: two agents are compared on the boards they both played, so that easy and hard boards cancel. The boards
of several conditions are concatenated; differences between conditions then widen an interval and never narrow it. No
result depends on the order of the boards, and permuting the agents permutes the results, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, ndtri, stdtr

from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.moments import CONFIDENCE, MAX_MAGNITUDE, Moments

EQUAL = 1e-9
"""Scores that differ by at most this count as equal."""
SIGNIFICANT = 0.05
PORTION = 1 << 16
"""Number of boards whose differences are computed at once."""


class Pair(NamedTuple):
    """How the agents in columns `first` and `second` compare, seen from `first`.

    `better`, `equal` and `worse` count boards. `difference` is the mean of first minus second with its t
    interval. `sign_p` is the exact sign test's p-value and `mean_p` that of the test of the mean difference
    (see `head_to_head`); `sign_holm` and `mean_holm` are the same after Holm's correction over all pairs.
    """

    first: int
    second: int
    better: int
    equal: int
    worse: int
    difference: Interval
    sign_p: float
    sign_holm: float
    mean_p: float
    mean_holm: float


def wilson(successes: int, n: int) -> Interval:
    """Return a rate with Wilson's 95 % interval, which stays inside 0 to 1 and has a width even at 0 and at 1."""
    if not 0 <= successes <= n or n == 0:
        raise ValueError(f"a rate needs 0 <= successes <= n and n > 0, not {successes} of {n}")
    rate, z = successes / n, float(ndtri((1 + CONFIDENCE) / 2))
    centre = (2 * n * rate + z**2) / (2 * (n + z**2))
    half = z * math.sqrt(4 * n * rate * (1 - rate) + z**2) / (2 * (n + z**2))
    low = centre - half if successes else 0.0
    high = centre + half if successes < n else 1.0
    return Interval(rate, min(low, rate), max(high, rate))


def sign_test(better: npt.ArrayLike, worse: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the p-value of the exact two-sided sign test: the chance that a fair coin splits at least as unevenly.

    It is 1 without boards. Equal boards carry no information and are left out. For scores of 0 and 1 this is McNemar's
    exact test. The distribution is symmetric, so both tails are twice the smaller one: P = 2 P(X <= min(better,
    worse)), at most 1. For k of n, P(X <= k) is the incomplete beta function of n - k and k + 1 at 1/2.
    """
    smaller, boards = np.minimum(better, worse), np.add(better, worse)
    tail = betainc(np.maximum(boards - smaller, 1), smaller + 1, 0.5)
    p: npt.NDArray[np.float64] = np.where(boards > 0, np.minimum(1.0, 2 * tail), 1.0)
    return p


def holm(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return Holm's step-down p-values. If there is no true effect, the smallest is below 0.05 at most 5 % of the time.

    The smallest of m p-values is multiplied by m, the next by m - 1, and so on. No result is above 1 or below the
    previous one.
    """
    raw = np.asarray(p, dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    stepped = np.maximum.accumulate(raw[order] * np.arange(len(raw), 0, -1))
    corrected = np.empty_like(raw)
    corrected[order] = np.minimum(1.0, stepped)
    return corrected


def head_to_head(scores: npt.ArrayLike) -> list[Pair]:
    """Compare every pair of agents on the same boards, in the order (0, 1), (0, 2), ..., (1, 2), ...

    Two tests answer two questions. The sign test (`sign_p`) asks who does better on more boards, by any amount. The
    table ranks by means, so `mean_p` asks whether the mean difference could be chance. Its reference is Fisher's
    randomisation test: if neither agent is better, each board's difference might as well have had the other sign.

    - If all nonzero differences have the same size, as with wins, the randomised sum is binomial. This is exactly the
      sign test.
    - Otherwise Student's paired t test approximates it. A randomisation of m nonzero differences has 2^m equally likely
      outcomes, so its p-value is at least 2 / 2^m. The p-value of the t test, which is too confident on a few boards,
      is raised to this bound.

    P-values below the smallest float are 0.
    """
    columns = columns_of(scores)
    boards = columns.shape[1]
    indices = list(combinations(range(len(columns)), 2))
    better, worse = np.zeros((2, len(indices)), dtype=np.int64)
    least, largest = np.full(len(indices), np.inf), np.zeros(len(indices))
    moments = [Moments()] * len(indices)
    for start in range(0, boards, PORTION):  # saves memory with millions of boards
        portion = columns[:, start : start + PORTION]
        for at, (first, second) in enumerate(indices):
            difference = portion[first] - portion[second]
            better[at] += np.count_nonzero(difference > EQUAL)
            worse[at] += np.count_nonzero(difference < -EQUAL)
            sizes = np.abs(difference[np.abs(difference) > EQUAL])
            least[at] = sizes.min(initial=least[at])
            largest[at] = sizes.max(initial=largest[at])
            moments[at] += Moments.of(difference)
    one_size = largest - least <= EQUAL

    intervals = [each.interval for each in moments]
    means = np.array([each.mean for each in moments])
    errors = np.sqrt([each.variance / boards for each in moments])
    signs = sign_test(better, worse)
    t = np.divide(np.abs(means), errors, out=np.zeros_like(means), where=~one_size)
    floors = np.ldexp(2.0, -np.minimum(better + worse, 2000))
    tests = np.where(one_size, signs, np.maximum(2 * stdtr(max(boards - 1, 1), -t), floors))
    p_values = signs, holm(signs), tests, holm(tests)
    return [
        Pair(
            first,
            second,
            int(better[at]),
            boards - int(better[at]) - int(worse[at]),
            int(worse[at]),
            intervals[at],
            *(float(column[at]) for column in p_values),
        )
        for at, (first, second) in enumerate(indices)
    ]


def beaten_by(agents: int, pairs: Sequence[Pair]) -> list[int]:
    """Count the agents significantly better than each agent: with a higher mean, and `mean_holm` below 0.05.

    The sign test is not used here: an agent that is slightly better on most boards and far worse on the others
    is better by signs and worse by the mean, which decides the order of the table.
    """
    counts = [0] * agents
    for pair in pairs:
        if pair.mean_holm < SIGNIFICANT and pair.difference.mean != 0:
            counts[pair.second if pair.difference.mean > 0 else pair.first] += 1
    return counts


def ranks(means: Sequence[float], pairs: Sequence[Pair]) -> list[int]:
    """Return the rank of each agent: 1 + the number of agents significantly better, so that ties share a rank.

    An agent with little noise may be significantly worse than the best, while another with a lower mean and more noise
    is not. So that the table is sorted by mean as well as by rank, no agent gets a better rank than an agent with a
    mean at least as high.
    """
    counts = beaten_by(len(means), pairs)
    return [1 + max(count for count, other in zip(counts, means, strict=True) if other >= mean) for mean in means]


def columns_of(scores: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the scores as one contiguous row per agent. Raise ValueError unless they are finite, boards x agents."""
    table = np.asarray(scores)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"scores must be boards x agents with at least one of each, not {table.shape}")
    columns = np.ascontiguousarray(table.T, dtype=np.float64)
    if not all(np.all(np.abs(column) <= MAX_MAGNITUDE) for column in columns):
        raise ValueError(f"scores must be finite and at most {MAX_MAGNITUDE:g} in size")
    return columns
