import math
from collections.abc import Sequence
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import stats

from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import (
    EQUAL,
    Pair,
    beaten_by,
    head_to_head,
    holm,
    ranks,
    sign_test,
    wilson,
)

Scores = npt.NDArray[np.float64]
elements = st.sampled_from([0.0, 1.0, 0.5, 0.1, 0.5 + 1e-12]) | st.floats(-1e3, 1e3) | st.floats(-1e100, 1e100)
tables = arrays.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=elements)


def means_of(scores: Scores) -> list[float]:
    return [Moments.of(column).interval.mean for column in scores.T]


def test_wilson_is_its_closed_form() -> None:
    z = stats.norm.ppf(0.975)
    for successes, n in [(0, 1), (1, 1), (3, 10), (0, 1000), (1000, 1000), (61234, 100_000)]:
        rate = successes / n
        centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
        interval = wilson(successes, n)
        np.testing.assert_allclose(interval, (rate, centre - half, centre + half), atol=1e-12)
        assert 0 <= interval.low <= interval.mean <= interval.high <= 1


@pytest.mark.parametrize(("successes", "n"), [(0, 0), (2, 1), (-1, 5)])
def test_impossible_rates_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="rate"):
        wilson(successes, n)


def test_wilson_covers_a_true_rate_at_its_level() -> None:
    n, rate = 200, 0.9
    chances = stats.binom.pmf(np.arange(n + 1), n, rate)
    intervals = [wilson(successes, n) for successes in range(n + 1)]
    covering = [interval.low <= rate <= interval.high for interval in intervals]
    assert 0.93 <= chances[covering].sum() <= 0.97


def test_sign_test_is_the_enumeration_of_all_coins() -> None:
    for boards in range(11):
        heads = np.array([sum(coins) for coins in product((0, 1), repeat=boards)])
        for better in range(boards + 1):
            uneven = np.abs(2 * heads - boards) >= abs(2 * better - boards)
            assert math.isclose(sign_test(better, boards - better), uneven.mean(), rel_tol=1e-12)


def test_sign_test_is_scipys_binomial_test() -> None:
    for better, worse in [(0, 0), (7, 0), (400, 460), (50_000, 50_700), (3, 90_000)]:
        expected = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
        assert math.isclose(sign_test(better, worse), expected, rel_tol=1e-9, abs_tol=1e-300)


def slow_holm(p: Sequence[float]) -> list[float]:
    """By definition: the largest, over all p-values no larger than this one, of p times how many are left."""
    order = sorted(range(len(p)), key=lambda at: p[at])
    return [
        min(1.0, max(p[other] * (len(p) - place) for place, other in enumerate(order) if p[other] <= p[at]))
        for at in range(len(p))
    ]


@given(st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.02]), max_size=12))
def test_holm_is_its_slow_twin(p: list[float]) -> None:
    assert holm(p).tolist() == slow_holm(p)


def test_holm_on_a_worked_example() -> None:
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])


def test_a_pair_counts_boards_and_takes_the_paired_t_interval() -> None:
    scores = np.array([[0.5, 0.4], [0.2, 0.2 + 1e-12], [0.9, 1.0], [0.7, 0.1]])
    (pair,) = head_to_head(scores)
    assert (pair.first, pair.second, pair.better, pair.equal, pair.worse) == (0, 1, 2, 1, 1)
    test = stats.ttest_rel(scores[:, 0], scores[:, 1])
    expected = test.confidence_interval(0.95)
    np.testing.assert_allclose(pair.difference, (0.15, expected.low, expected.high), rtol=1e-9)
    assert math.isclose(pair.mean_p, test.pvalue, rel_tol=1e-9)
    assert pair.sign_p == 1.0


def test_on_wins_both_tests_are_exact_mcnemar() -> None:
    rng = np.random.default_rng(2)
    scores = (rng.random((60, 4)) < [0.3, 0.4, 0.6, 0.9]).astype(float)
    for pair in head_to_head(scores):
        assert pair.mean_p == pair.sign_p
        assert pair.mean_holm == pair.sign_holm
        assert math.isclose(pair.sign_p, stats.binomtest(pair.better, pair.better + pair.worse).pvalue)


def test_scores_that_differ_by_exactly_the_tolerance_are_the_same_score() -> None:
    (pair,) = head_to_head([[EQUAL, 0.0], [0.0, EQUAL], [0.0, 0.0]])
    assert (pair.better, pair.equal, pair.worse) == (0, 3, 0)
    small = 1.6e-9  # such that no digit is lost below
    large = small + EQUAL
    assert large - small == EQUAL
    (pair,) = head_to_head([[small, 0.0]] * 3 + [[large, 0.0]] * 3 + [[0.0, small]])
    assert pair.mean_p == pair.sign_p  # all differences are of one size
    (pair,) = head_to_head([[small, 0.0]] * 3 + [[2 * large, 0.0]] * 3 + [[0.0, small]])
    assert pair.mean_p != pair.sign_p


def test_test_of_means_is_close_to_the_randomisation_it_stands_for() -> None:
    rng = np.random.default_rng(4)
    signs = np.array(list(product((-1, 1), repeat=12)))
    for shift in (0.0, 0.3, 0.6):
        difference = rng.normal(shift, 1, 12)
        sums = np.abs(signs @ np.abs(difference))
        exact = np.mean(sums >= abs(difference.sum()) - 1e-9)
        (pair,) = head_to_head(np.column_stack([difference, np.zeros(12)]))
        assert math.isclose(pair.mean_p, exact, abs_tol=0.02)


def test_a_few_boards_are_never_significant_by_t() -> None:
    (pair,) = head_to_head([[1.0, 0.0], [1.0, 0.0], [1.0, 1e-6], [1.0, 0.0]])
    assert pair.mean_p == 2 / 2**4


def test_false_differences_are_as_rare_as_promised() -> None:
    rng = np.random.default_rng(6)
    false = 0
    for _ in range(500):
        hardness = rng.normal(size=(80, 1))
        found = head_to_head(hardness + rng.exponential(size=(80, 4)))
        false += any(pair.mean_holm < 0.05 for pair in found)
    assert false / 500 <= 0.06


@settings(max_examples=200)
@given(tables)
def test_pairs_and_ranks_are_finite_and_consistent(scores: Scores) -> None:
    pairs = head_to_head(scores)
    assert [(pair.first, pair.second) for pair in pairs] == list(combinations(range(scores.shape[1]), 2))
    for pair in pairs:
        assert pair.better + pair.equal + pair.worse == len(scores)
        assert pair.difference.low <= pair.difference.mean <= pair.difference.high
        assert all(map(math.isfinite, pair.difference))
        assert 0 <= pair.sign_p <= pair.sign_holm <= 1
        assert 0 <= pair.mean_p <= pair.mean_holm <= 1
    means = means_of(scores)
    found = ranks(means, pairs)
    assert min(found) == 1
    for one, other in combinations(range(len(means)), 2):
        assert (means[one] - means[other]) * (found[one] - found[other]) <= 0


@given(tables, st.data())
def test_order_of_boards_and_agents_changes_no_bit(scores: Scores, data: st.DataObject) -> None:
    agents = data.draw(st.permutations(range(scores.shape[1])))
    boards = data.draw(st.permutations(range(scores.shape[0])))
    moved = scores[boards][:, agents]
    original = {(pair.first, pair.second): pair for pair in head_to_head(scores)}
    for pair in head_to_head(moved):
        first, second = agents[pair.first], agents[pair.second]
        if first > second:
            first, second = second, first
            mean, low, high = pair.difference
            turned = pair.difference._replace(mean=-mean + 0.0, low=-high + 0.0, high=-low + 0.0)
            pair = pair._replace(better=pair.worse, worse=pair.better, difference=turned)
        assert repr(pair._replace(first=first, second=second)) == repr(original[first, second])
    moved_ranks = ranks(means_of(moved), head_to_head(moved))
    found = ranks(means_of(scores), list(original.values()))
    assert moved_ranks == [found[agent] for agent in agents]


def pair(first: int, second: int, mean: float, p: float) -> Pair:
    return Pair(first, second, 0, 0, 0, Moments.of([mean]).interval, 1.0, 1.0, p, p)


def test_rank_counts_the_agents_significantly_better() -> None:
    means = [0.9, 0.85, 0.5, 0.1]
    pairs = [pair(0, 1, 0.05, 0.2), pair(0, 2, 0.4, 0.01), pair(1, 2, 0.35, 0.03)]
    pairs += [pair(other, 3, 0.5, 0.001) for other in range(3)]
    assert ranks(means, pairs) == [1, 1, 3, 4]


def test_a_noisy_agent_does_not_stand_above_a_higher_mean() -> None:
    means = [0.6, 0.5, 0.49]
    pairs = [pair(0, 1, 0.1, 0.01), pair(0, 2, 0.11, 0.3), pair(1, 2, 0.01, 0.9)]
    assert beaten_by(3, pairs) == [0, 1, 0]
    assert ranks(means, pairs) == [1, 2, 2]


def test_winning_most_boards_by_a_hair_does_not_beat_a_higher_mean() -> None:
    hair = np.where(np.arange(200) % 10 == 0, 0.0, 0.51)
    scores = np.column_stack([hair, np.full(200, 0.5)])
    (found,) = head_to_head(scores)
    assert found.sign_p < 1e-6
    assert found.better > found.worse
    assert ranks(means_of(scores), [found]) == [2, 1]


@pytest.mark.parametrize("scores", [[1.0, 2.0], np.empty((0, 3)), [[]], [[1.0, math.nan]], [[math.inf]]])
def test_what_is_not_boards_by_agents_is_refused(scores: npt.ArrayLike) -> None:
    with pytest.raises(ValueError, match="scores must be"):
        head_to_head(scores)
