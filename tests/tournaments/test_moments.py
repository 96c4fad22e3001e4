import math
import statistics
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sweepstakes.tournaments.statistics.moments import Moments

finite = st.floats(-1e100, 1e100)
scores = st.floats(-5, 1) | st.sampled_from([0.0, 1.0, 0.1, -1.0])


@given(st.lists(finite | scores, max_size=30))
def test_sums_are_those_of_exact_rational_arithmetic(values: list[float]) -> None:
    exact = [Fraction(value) for value in values]
    squares = [value * value for value in exact]
    assert Moments.of(values) == Moments(len(values), sum(exact, Fraction()), sum(squares, Fraction()))


@given(st.lists(scores, min_size=1, max_size=50), st.randoms(use_true_random=False), st.integers(0, 50))
def test_neither_order_nor_grouping_changes_a_bit(values: list[float], random: Random, cut: int) -> None:
    shuffled = list(values)
    random.shuffle(shuffled)
    parts = Moments.of(shuffled[cut:]) + Moments.of(shuffled[:cut])
    assert parts == Moments.of(values)
    assert repr(parts.interval) == repr(Moments.of(values).interval)


def test_chunks_of_a_long_array_add_up() -> None:
    values = np.random.default_rng(5).normal(size=150_001)
    moments = Moments.of(values)
    assert moments.n == 150_001
    assert moments.mean == math.fsum(values) / 150_001
    assert math.isclose(moments.variance, float(values.var(ddof=1)), rel_tol=1e-12)


@given(st.lists(finite, min_size=2, max_size=20))
def test_mean_and_variance_are_correctly_rounded(values: list[float]) -> None:
    moments = Moments.of(values)
    assert moments.mean == float(statistics.mean(map(Fraction, values)))
    assert moments.variance == float(statistics.variance(list(map(Fraction, values))))


@given(st.lists(finite, min_size=1, max_size=20))
def test_intervals_are_finite_and_hold_the_mean(values: list[float]) -> None:
    interval = Moments.of(values).interval
    assert all(map(math.isfinite, interval))
    assert interval.low <= interval.mean <= interval.high


def test_interval_is_students() -> None:
    values = np.random.default_rng(1).normal(size=23)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    interval = Moments.of(values).interval
    assert math.isclose(interval.low, float(expected.low), rel_tol=1e-12)
    assert math.isclose(interval.high, float(expected.high), rel_tol=1e-12)


@pytest.mark.parametrize("values", [[0.3], [0.1] * 10, [0.0, 0.0]])
def test_without_spread_the_interval_is_the_mean(values: list[float]) -> None:
    assert Moments.of(values).interval == (values[0], values[0], values[0])


def test_interval_covers_the_true_mean_of_skewed_scores_at_its_level() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(2000):
        interval = Moments.of(rng.beta(5, 2, size=60)).interval
        covered += interval.low <= 5 / 7 <= interval.high
    assert 0.935 <= covered / 2000 <= 0.965


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 1e101])
def test_values_that_cannot_be_summed_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        Moments.of([0.0, value])


def test_mean_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no values"):
        _ = Moments().interval
