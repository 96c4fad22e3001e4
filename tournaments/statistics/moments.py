"""The exact count, mean and variance of many numbers, so that neither order nor grouping can change a digit.

Floating-point sums depend on their order, so the last digit of a table would depend on which worker finishes first.
But a float is an integer times a power of two, and integers add exactly. So `Moments` holds the sum of the values and
of their squares as rational numbers. Parts may be computed anywhere and added in any order. A mean or variance is
rounded once, at the end, so the subtraction in `variance` loses no digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from sweepstakes.score import MAX_SCORE
from sweepstakes.standings import Interval

CONFIDENCE = 0.95
MAX_MAGNITUDE = MAX_SCORE
"""Larger scores are rejected: the squares of their differences might overflow float64."""

_CHUNK = 1 << 16
_HALF = 27
_MASK = (1 << _HALF) - 1


@dataclass(frozen=True, slots=True)
class Moments:
    """The number of values, their exact sum and the exact sum of their squares.

    `Moments.of(a) + Moments.of(b)` equals the moments of both together exactly. From counts, the same is
    `Moments(n, Fraction(total), Fraction(squares))`.
    """

    n: int = 0
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    @classmethod
    def of(cls, values: npt.ArrayLike) -> Moments:
        """Return the moments of these values. Raise `ValueError` if one is not finite or is larger than 2e100."""
        flat = np.ascontiguousarray(values, dtype=np.float64).reshape(-1)
        parts = (flat[start : start + _CHUNK] for start in range(0, len(flat), _CHUNK))
        return sum((cls(len(part), *_exact_sums(part)) for part in parts), start=cls())

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n + other.n, self.total + other.total, self.squares + other.squares)

    @property
    def mean(self) -> float:
        """The mean, correctly rounded. Raises ValueError without values."""
        if self.n == 0:
            raise ValueError("the mean of no values is undefined")
        return float(self.total / self.n)

    @property
    def variance(self) -> float:
        """The unbiased variance, sum (x - mean)^2 / (n - 1), correctly rounded; 0 for a single value."""
        if self.n < 2:
            return 0.0
        # sum (x - mean)^2 = sum x^2 - (sum x)^2 / n
        return float((self.n * self.squares - self.total**2) / (self.n * (self.n - 1)))

    @property
    def interval(self) -> Interval:
        """The mean with Student's 95 % interval, mean +- t(n - 1) sqrt(variance / n).

        If all values are the same, low = mean = high, so only the number of boards shows how reliable the mean is. For
        rates use `wilson`, whose intervals always have a width.
        """
        mean = self.mean
        half = student_quantile(self.n - 1) * math.sqrt(self.variance / self.n) if self.n > 1 else 0.0
        return Interval(mean, mean - half, mean + half)


@lru_cache(maxsize=1024)
def student_quantile(freedom: int) -> float:
    """Return the factor of a standard error in Student's 95 % interval with `freedom` degrees of freedom."""
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def _exact_sums(values: npt.NDArray[np.float64]) -> tuple[Fraction, Fraction]:
    """Return the exact sums of at most 2^16 values and of their squares.

    x = M 2^(e - 53) with an integer |M| < 2^53. With M = H 2^27 + L, M^2 = H^2 2^54 + H L 2^28 + L^2, every
    product below 2^54. The parts are summed for each exponent e, which leaves a few Python integers to add.
    """
    if not np.all(np.abs(values) <= 2 * MAX_MAGNITUDE):
        raise ValueError(f"values must be finite and at most {2 * MAX_MAGNITUDE:g} in size")
    values = values[values != 0]
    if len(values) == 0:
        return Fraction(0), Fraction(0)
    fractions, exponents = np.frexp(values)
    whole = np.ldexp(fractions, 53).astype(np.int64)
    high, low = whole >> _HALF, whole & _MASK
    least = int(exponents.min())
    shifts = exponents.astype(np.int64) - least
    total = sum(part << shift for shift, part in enumerate(_sums_by(shifts, whole)))
    squares = sum(
        ((hh << 2 * _HALF) + (hl << _HALF + 1) + ll) << 2 * shift
        for shift, (hh, hl, ll) in enumerate(
            zip(
                _sums_by(shifts, high * high),
                _sums_by(shifts, high * low),
                _sums_by(shifts, low * low),
                strict=True,
            )
        )
    )
    unit = Fraction(2) ** (least - 53)
    return total * unit, squares * unit**2


def _sums_by(shifts: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> list[int]:
    """Return the exact sum of the integers of each shift.

    `bincount` adds in float64; halves of 27 bits, 2^16 of them, stay below 2^53, where float64 adds integers
    exactly.
    """
    high = np.bincount(shifts, weights=whole >> _HALF)
    low = np.bincount(shifts, weights=whole & _MASK)
    return [(int(upper) << _HALF) + int(lower) for upper, lower in zip(high, low, strict=True)]
