"""Numbers with 95 % intervals: means, differences, ratios and correlations of the scores of single games."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import wilson

Values = npt.NDArray[np.float64]
"""The scores of one agent under one condition, board by board."""

Z = 1.959964
"""The normal quantile of a 95 % interval."""


def mean(values: Values) -> Interval:
    """The mean with its interval: Wilson's if all values are 0 or 1, else Student's."""
    if np.isin(values, (0.0, 1.0)).all():
        return wilson(int(values.sum()), len(values))
    return Moments.of(values).interval


def paired(first: Values, second: Values) -> Interval:
    """The mean difference on the same boards, first less second."""
    return Moments.of(first - second).interval


def combination(parts: Sequence[tuple[float, Values]]) -> Interval:
    """The sum of weight x mean over samples of different boards, which are independent of each other."""
    moments = [(weight, Moments.of(values)) for weight, values in parts]
    total = sum(weight * m.mean for weight, m in moments)
    half = Z * math.sqrt(sum(weight**2 * m.variance / m.n for weight, m in moments))
    return Interval(total, total - half, total + half)


def ratio(above: Values, below: Values) -> Interval:
    """The sum of one number over the sum of another of the same games, with the interval of the linearised ratio.

    A share of none or of all has no variation in the sample. Its interval is the exact one.
    """
    whole = float(below.sum())
    share = float(above.sum()) / whole if whole else 0.0
    spread = Moments.of(above - share * below)
    if share in (0.0, 1.0) and not spread.variance:
        return none_or_all(share, whole)
    half = Z * math.sqrt(spread.variance * spread.n) / whole
    return Interval(share, share - half, share + half)


def none_or_all(share: float, n: float) -> Interval:
    """The exact 95 % interval (Clopper and Pearson) of a share that is 0 or 1 in a sample of `n`.

    With the true share at the end of the interval, the sample is seen with probability 0.025.
    """
    rest = 1 - 0.025 ** (1 / n) if n else 1.0
    return Interval(share, 0.0, rest) if share == 0 else Interval(share, 1 - rest, 1.0)


def quotient(above: Interval, below: Interval) -> Interval:
    """One mean over another of other games, with the interval of its logarithm."""
    error = math.hypot(
        (above.high - above.low) / (2 * above.mean),
        (below.high - below.low) / (2 * below.mean),
    )
    share = above.mean / below.mean
    return Interval(share, share * math.exp(-error), share * math.exp(error))


def correlation(groups: Sequence[tuple[Values, Values]]) -> Interval:
    """The correlation of two numbers of a game within groups of games, all groups together: Fisher's interval."""
    xs, ys, freedom = [], [], 0
    for x, y in groups:
        if x.std() and y.std():
            xs.append((x - x.mean()) / x.std())
            ys.append((y - y.mean()) / y.std())
            freedom += len(x) - 1
    if not xs:
        return Interval(0.0, 0.0, 0.0)
    r = float(np.mean(np.concatenate(xs) * np.concatenate(ys)))
    half = Z / math.sqrt(max(freedom - 2, 1))
    return Interval(r, math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))


def slope(points: Sequence[tuple[float, Interval]]) -> Interval:
    """The exponent of growth: the slope of log y over log x by least squares, each y with the error of its interval."""
    x = np.log([size for size, _ in points])
    y = np.log([interval.mean for _, interval in points])
    error = np.array([(i.high - i.low) / (2 * Z * i.mean) for _, i in points])
    centred = x - x.mean()
    weight = centred / float((centred**2).sum())
    found = float((weight * y).sum())
    half = Z * math.sqrt(float(((weight * error) ** 2).sum()))
    return Interval(found, found - half, found + half)


def joined(samples: Sequence[Values]) -> Values:
    """Several samples one after the other."""
    return np.concatenate(samples)
