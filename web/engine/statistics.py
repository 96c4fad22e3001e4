"""A person among the agents on the same boards: compiled counterpart of `tournaments.statistics`.

Sums are compensated, so that a mean differs from the exact one of `Moments` only by rounding.
"""

# mypy: allow-untyped-defs, no-check-untyped-defs, allow-untyped-calls
# Types inside kernels are the compiler's business; the callers are checked.

from __future__ import annotations

from math import exp, inf, lgamma, log, log1p, sqrt

import numpy as np

from sweepstakes.compiling.decorators import inner
from sweepstakes.web.engine.compiled import carray

EQUAL, SIGNIFICANT = 1e-9, 0.05  # as in `paired_tests`
ROUNDING = 1e-12  # means that differ by at most this count as equal
TAIL = 0.975  # the intervals have 95 %
NORMAL = 1.959963984540054  # the quantile of the normal distribution for it
# What `compare` writes for each column: its mean with the ends of its interval and its rank, then how the first column
# does against it: on how many boards better, equal and worse, the mean difference, and whether that is significant.
MEAN, LOW, HIGH, RANK, BETTER, SAME, WORSE, DIFFERENCE, IS_SIGNIFICANT = range(9)
FIELDS = 9


@inner(shared=True)
def incomplete_beta(a, b, x):
    """The regularised incomplete beta function, by its continued fraction (modified Lentz's method)."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if x > (a + 1.0) / (a + b + 2.0):  # where the fraction converges slowly
        return 1.0 - incomplete_beta_fraction(b, a, 1.0 - x)
    return incomplete_beta_fraction(a, b, x)


@inner(shared=True)
def incomplete_beta_fraction(a, b, x):
    """Return the same for x below about (a + 1) / (a + b + 2)."""
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        step = 1.0
        for term in (even, odd):
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + term / c
            c = c if abs(c) > tiny else tiny
            step = c * d
            value *= step
        if abs(step - 1.0) < 1e-15:
            break
    return front * value


@inner
def student_tail(freedom, t):
    """The probability that Student's t is below -t, for t >= 0."""
    return 0.5 * incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))


@inner(shared=True)
def student_quantile(freedom):
    """The factor of a standard error in Student's 95 % interval, by bisection."""
    low, high = 1.0, 13.0  # 12.7 with one degree of freedom
    for _ in range(60):
        middle = (low + high) / 2.0
        if student_tail(freedom, middle) > 1.0 - TAIL:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


@inner(shared=True)
def mean_and_variance(values):
    """The mean and the unbiased variance; 0 for a single value."""
    count = values.size
    total = add_up(values, 0.0, False)
    mean = total / count
    if count < 2:
        return mean, 0.0
    return mean, add_up(values, mean, True) / (count - 1)


@inner(shared=True)
def add_up(values, centre, squares):
    """The sum of the values, or of the squares of their distances from a centre, by Neumaier's algorithm."""
    total, lost = 0.0, 0.0
    for i in range(values.size):
        value = values[i] - centre
        if squares:
            value *= value
        after = total + value
        if abs(total) >= abs(value):
            lost += (total - after) + value
        else:
            lost += (value - after) + total
        total = after
    return total + lost


@inner(shared=True)
def wilson(successes, count, out):
    """Write a rate with Wilson's interval, as `paired_tests.wilson`."""
    rate, square = successes / count, NORMAL * NORMAL
    centre = (2 * count * rate + square) / (2 * (count + square))
    half = NORMAL * sqrt(4 * count * rate * (1 - rate) + square) / (2 * (count + square))
    out[MEAN] = rate
    out[LOW] = min(centre - half, rate) if successes > 0 else 0.0
    out[HIGH] = max(centre + half, rate) if successes < count else 1.0


@inner(allocates=True, shared=True)
def test_difference(first, second, counts):
    """Return the mean of first minus second and the p-value of `paired_tests.head_to_head`; count the boards."""
    boards = first.size
    difference = np.empty(boards, np.float64)
    better, worse = 0, 0
    least, largest = inf, 0.0
    for i in range(boards):
        difference[i] = first[i] - second[i]
        size = abs(difference[i])
        if size > EQUAL:
            better += difference[i] > 0
            worse += difference[i] < 0
            least, largest = min(least, size), max(largest, size)
    counts[0], counts[1], counts[2] = better, boards - better - worse, worse
    mean, variance = mean_and_variance(difference)
    if largest - least <= EQUAL:  # all differences have one size: the sign test
        smaller = min(better, worse)
        if better + worse == 0:
            return mean, 1.0
        return mean, min(1.0, 2.0 * incomplete_beta(max(better + worse - smaller, 1), smaller + 1.0, 0.5))
    floor = 2.0
    for _ in range(min(better + worse, 1000)):
        floor /= 2.0
    if variance == 0.0:
        return mean, floor
    return mean, max(2.0 * student_tail(max(boards - 1.0, 1.0), abs(mean) / sqrt(variance / boards)), floor)


@inner(allocates=True)
def compare(boards, columns, proportion, sign, low, high, table_at, out_at):
    """Write `FIELDS` numbers for each column of scores, of which the first is the person's.

    A column is `boards` numbers, one after the other; with `sign` -1 less is better. Intervals end at `low` and `high`.
    Ranks and significance come from all pairs of columns, with Holm's correction.
    """
    table = carray(table_at, (columns, boards)).copy()
    out = carray(out_at, (columns, FIELDS))
    freedom = student_quantile(boards - 1.0) if boards > 1 else 0.0
    for column in range(columns):
        mean, variance = mean_and_variance(table[column])
        half = freedom * sqrt(variance / boards)
        out[column, MEAN] = mean
        out[column, LOW] = min(max(mean - half, low), mean)
        out[column, HIGH] = max(min(mean + half, high), mean)
        if proportion:
            wilson(round(mean * boards), boards, out[column])
        for i in range(boards):
            table[column, i] *= sign
    pairs = columns * (columns - 1) // 2
    p_values, means = np.empty(pairs, np.float64), np.empty(pairs, np.float64)
    counts = np.zeros(3, np.float64)
    place = 0
    for first in range(columns):
        for second in range(first + 1, columns):
            means[place], p_values[place] = test_difference(table[first], table[second], counts)
            if first == 0:
                out[second, BETTER], out[second, SAME], out[second, WORSE] = counts[0], counts[1], counts[2]
                out[second, DIFFERENCE] = sign * means[place]
            place += 1
    holm(p_values)
    beaten = np.zeros(columns, np.int64)
    place = 0
    for first in range(columns):
        for second in range(first + 1, columns):
            significant = p_values[place] < SIGNIFICANT and means[place] != 0.0
            if first == 0:
                out[second, IS_SIGNIFICANT] = p_values[place] < SIGNIFICANT
            if significant:
                beaten[second if means[place] > 0 else first] += 1
            place += 1
    for column in range(columns):  # no rank is better than that of a column with the same mean or a higher one
        most = 0
        for other in range(columns):
            if sign * (out[other, MEAN] - out[column, MEAN]) >= -ROUNDING:
                most = max(most, beaten[other])
        out[column, RANK] = 1 + most
    return 0


@inner(allocates=True, shared=True)
def holm(p_values):
    """Replace p-values by Holm's, as `paired_tests.holm`."""
    raw = p_values.copy()
    done = np.zeros(raw.size, np.int8)
    least = 0.0
    for i in range(raw.size):
        smallest = -1
        for k in range(raw.size):
            if done[k] == 0 and (smallest < 0 or raw[k] < raw[smallest]):
                smallest = k
        done[smallest] = 1
        least = max(least, raw[smallest] * (raw.size - i))
        p_values[smallest] = min(1.0, least)
