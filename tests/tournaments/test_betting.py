"""Bets on differences: the wealth, its interval, and its promise for every distribution on the range."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes.tournaments.statistics.betting import BETS, Bets
from sweepstakes.tournaments.statistics.sequential_test import SequentialMatch, Verdict


def slow_wealth(differences: Sequence[float], reach: float, mean: float, side: int) -> Fraction:
    """The wealth by the definition of the game: board by board, bet by bet, in exact fractions."""
    wealths = [Fraction(1) for _ in BETS]
    for x in differences:
        most = Fraction(reach) + side * Fraction(mean)
        gain = side * (Fraction(x) - Fraction(mean)) / most
        wealths = [wealth + Fraction(float(bet)) * wealth * gain for wealth, bet in zip(wealths, BETS, strict=True)]
    return sum(wealths, Fraction(0)) / len(wealths)


def bets_on(differences: Sequence[float], reach: float) -> Bets:
    bets = Bets(reach)
    bets.add(np.array(differences))
    return bets


@given(
    st.lists(st.sampled_from([-2.0, -1.5, -0.25, 0.0, 0.25, 1.0, 2.0]), max_size=30),
    st.sampled_from([-1.5, -0.5, 0.0, 0.125, 1.75]),
    st.sampled_from([1, -1]),
)
def test_the_wealth_is_that_of_a_gambler_who_plays_board_by_board(
    differences: list[float], mean: float, side: int
) -> None:
    expected = math.log(slow_wealth(differences, 2.0, mean, side))
    assert math.isclose(bets_on(differences, 2.0).log_wealth(mean, side), expected, rel_tol=1e-9, abs_tol=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=60), st.integers(0, 60))
def test_neither_portions_nor_order_change_a_bit(differences: list[float], cut: int) -> None:
    parts = Bets(1.0)
    parts.add(np.array(differences[cut:]))
    parts.add(np.array(differences[:cut]))
    mean = float(np.mean(differences))
    assert parts.interval(mean) == bets_on(differences, 1.0).interval(mean)
    assert parts.log_wealth(0.0, 1) == bets_on(differences, 1.0).log_wealth(0.0, 1)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=80))
def test_an_interval_lies_in_the_range_and_ends_where_the_wealth_is_forty(differences: list[float]) -> None:
    bets = bets_on(differences, 3.0)
    mean, low, high = bets.interval(float(np.mean(differences)))
    assert -3 <= low <= mean <= high <= 3
    if low > -2.9:
        assert math.isclose(float(slow_wealth(differences, 3.0, low, 1)), 40, rel_tol=1e-4)
    if high < 2.9:
        assert math.isclose(float(slow_wealth(differences, 3.0, high, -1)), 40, rel_tol=1e-4)


@given(st.sampled_from([1, -1]), st.floats(0.01, 0.99), st.floats(-0.9, 0.9))
def test_a_bet_is_fair_on_average_whatever_the_chance_of_a_large_loss(side: int, chance: float, mean: float) -> None:
    # Of all distributions on a range with a given mean, those on its two ends have the most variance.
    up = (mean + 1) / 2
    after = [float(slow_wealth([x], 1.0, mean, side)) for x in (1.0, -1.0)]
    assert math.isclose(up * after[0] + (1 - up) * after[1], 1.0, rel_tol=1e-9)
    assert min(after) >= 0


@pytest.mark.parametrize("rival", [1, -1])
def test_a_match_names_no_winner_among_equals_of_which_one_rarely_loses_much(rival: int) -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(40):
        differences = rival * np.where(rng.random(3000) < 0.004, -0.996, 0.004)
        found.append(SequentialMatch(0.01, 3000, 1.0).add(differences))
    named = sum(state.verdict in (Verdict.BETTER, Verdict.WORSE) for state in found)
    covered = sum(state.difference.low <= 0 <= state.difference.high for state in found)
    assert named <= 0.05 * len(found)
    assert covered >= 0.95 * len(found)


def test_as_many_more_boards_as_it_says_decide_if_the_differences_stay() -> None:
    for pattern in ([0.3, -0.2], [0.05, -0.05, 0.002], [-0.3, 0.2]):
        first = SequentialMatch(0.02, 10**6, 1.0)
        first.add(np.tile(pattern, 100)[:100])
        assert first.state.more_boards is not None
        boards = 100 + first.state.more_boards
        late = SequentialMatch(0.02, 10**6, 1.0).add(np.tile(pattern, 10**5)[: boards + 200])
        assert late.over
        assert late.boards >= boards - 200
        assert first.state.more_name == (late.verdict is not Verdict.EVEN)


def test_a_difference_beyond_the_range_is_refused() -> None:
    with pytest.raises(ValueError, match="beyond the range of 1"):
        bets_on([1.1], 1.0)
    with pytest.raises(ValueError, match="finite range"):
        Bets(math.inf)
