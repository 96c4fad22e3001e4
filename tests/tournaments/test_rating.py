import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from sweepstakes.tournaments.statistics.paired_tests import wilson
from sweepstakes.tournaments.statistics.ratings import RESAMPLES, SCALE, ratings, strengths

Scores = npt.NDArray[np.float64]
tables = arrays.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 1.0, 0.5, 0.5 + 1e-12]) | st.floats(-5, 1),
)


def slow_ratings(scores: Scores) -> list[float]:
    """Zermelo's iteration on the whole matrix of points, with the imaginary board in it."""
    boards, agents = scores.shape
    points = np.full((agents, agents), 0.5)
    for row in scores:
        for i in range(agents):
            for j in range(agents):
                points[i, j] += 0.5 if abs(row[i] - row[j]) <= 1e-9 else float(row[i] > row[j])
    np.fill_diagonal(points, 0)
    strength = np.ones(agents)
    for _ in range(5000):
        met = (boards + 1) / (strength[:, None] + strength[None, :])
        np.fill_diagonal(met, 0)
        strength = points.sum(axis=1) / met.sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
    return [float(SCALE * value) for value in np.log(strength)]


def half_points(scores: Scores) -> Scores:
    """For each board and agent: 2 for each agent it is better than, 1 for each equal one."""
    difference = scores[:, :, None] - scores[:, None, :]
    return np.asarray((1 + (difference > 1e-9) - (difference < -1e-9)).sum(axis=2) - 1.0)


def ratings_alone(scores: Scores) -> Scores:
    boards, agents = scores.shape
    shares = (half_points(scores).sum(axis=0) + agents - 1.0)[None] / (2.0 * (boards + 1))
    return np.asarray(SCALE * strengths(shares)[0])


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_those_of_a_plain_iteration(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores = np.round(rng.normal(size=(25, 4)) + np.linspace(0, seed, 4), 1)
    found = [interval.mean for interval in ratings(scores)]
    np.testing.assert_allclose(found, slow_ratings(scores), atol=0.002)


def test_two_agents_have_the_odds_of_their_points_and_half_a_board() -> None:
    scores = np.array([[1.0, 0.0]] * 7 + [[0.0, 1.0]] * 2 + [[1.0, 1.0]] * 1)
    first, second = ratings(scores)
    assert math.isclose(first.mean - second.mean, 400 * math.log10(8.0 / 3.0), abs_tol=0.002)
    assert first.mean == -second.mean


@settings(max_examples=50, deadline=None)
@given(tables)
def test_ratings_are_finite_ordered_and_centred(scores: Scores) -> None:
    found = ratings(scores)
    for interval in found:
        assert all(map(math.isfinite, interval))
        assert interval.low <= interval.mean <= interval.high
    assert abs(sum(interval.mean for interval in found)) < 0.01


@settings(max_examples=50, deadline=None)
@given(tables, st.data())
def test_order_of_agents_changes_no_bit(scores: Scores, data: st.DataObject) -> None:
    agents = data.draw(st.permutations(range(scores.shape[1])))
    found = ratings(scores)
    assert repr(ratings(scores[:, agents])) == repr([found[agent] for agent in agents])


@settings(max_examples=50, deadline=None)
@given(tables, st.data())
def test_order_of_boards_changes_no_rating(scores: Scores, data: st.DataObject) -> None:
    boards = data.draw(st.permutations(range(scores.shape[0])))
    assert [each.mean for each in ratings(scores[boards])] == [each.mean for each in ratings(scores)]


def test_agents_that_always_win_stay_finite_in_a_long_chain() -> None:
    found = ratings(np.tile(np.arange(8.0), (5000, 1)))
    gaps = np.diff([interval.mean for interval in found])
    assert np.all(gaps > 0)
    assert np.all(np.isfinite(found))


def test_one_sided_interval_reaches_down_to_wilsons_odds() -> None:
    for boards in (50, 1000, 20_000):
        low = 2 * ratings(np.tile([1.0, 0.0], (boards, 1)))[0].low / SCALE
        rate = wilson(boards, boards).low
        assert math.isclose(low, math.log(rate / (1 - rate)), abs_tol=0.25)


def test_intervals_have_the_width_of_the_classical_bootstrap() -> None:
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(400, 1)) + rng.normal(size=(400, 4)) * [0.2, 0.5, 1.0, 1.5] + [0, 0.1, 0.3, 0.2]
    drawn = [ratings_alone(scores[rng.integers(0, 400, 400)]) for _ in range(400)]
    for interval, column in zip(ratings(scores), np.transpose(drawn), strict=True):
        assert math.isclose(interval.high - interval.low, 2 * 1.96 * column.std(), rel_tol=0.15)


def test_intervals_cover_the_true_ratings_at_their_level() -> None:
    rng = np.random.default_rng(9)
    strengths = np.array([-0.8, 0.0, 0.8])
    # Gumbel noise on strengths makes exactly the Bradley-Terry model, here with boards of dependent pairs.
    covered = 0
    for _ in range(200):
        found = ratings(strengths + rng.gumbel(size=(150, 3)))
        covered += sum(each.low <= SCALE * true <= each.high for each, true in zip(found, strengths, strict=True))
    assert 0.92 <= covered / 600 <= 0.98


SEED = 0x5EED_0F_B0A2D5
"""The published ratings have the coins of this seed."""


def splitmix(state: int) -> int:
    mask = 2**64 - 1
    z = (state + 0x9E3779B97F4A7C15) & mask
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


def test_intervals_are_those_of_coins_by_splitmix64_in_the_order_of_the_boards() -> None:
    assert splitmix(0) == 0xE220A8397B1DCDAF  # as published
    boards, agents = 4200, 3  # more than are summed at a time
    scores = np.random.default_rng(3).normal(size=(boards, agents)) + [0, 0.02, 0.05]
    words = range(1 + -(-boards // 64))
    coins = np.array(
        [
            [splitmix((SEED + ((resample << 32) + word) * 0x9E3779B97F4A7C15) % 2**64) for word in words]
            for resample in range(RESAMPLES)
        ],
        "<u8",
    )
    bits = np.unpackbits(coins.view(np.uint8), axis=1, bitorder="little").astype(np.float64)
    imaginary = 2.0 ** (bits[:, :8].sum(axis=1) - 4)
    kept = bits[:, 64 : 64 + boards]
    halves = 2 * kept @ half_points(scores) + imaginary[:, None] * (agents - 1)
    drawn = np.sort(SCALE * strengths(halves / (2 * (2 * kept.sum(axis=1) + imaginary))[:, None]), axis=0)
    for interval, low, high in zip(ratings(scores), drawn[24], drawn[-25], strict=True):
        assert (interval.low, interval.high) == pytest.approx((low, high), abs=0.001)


def test_a_known_table_keeps_its_ratings() -> None:
    board, agent = np.ogrid[:40, :3]
    assert ratings((board * board * (agent + 3) + agent) % 7) == [
        (103.864, 44.71, 174.737),
        (-6.139, -67.599, 55.33),
        (-97.725, -176.421, -35.846),
    ]
