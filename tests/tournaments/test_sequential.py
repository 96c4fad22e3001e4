import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import sequential_errors
from benchmarks.sequential_errors import BOUNDED, WINS, Model, adjusted, decisive, rare, simulate
from sweepstakes.standings import Interval
from sweepstakes.tournaments.statistics.confidence_sequence import confidence_interval, half_width
from sweepstakes.tournaments.statistics.sequential_test import (
    BATCH,
    BOUND,
    MIRRORED_BOUND,
    MatchState,
    Method,
    SequentialMatch,
    Verdict,
    log_ratio,
)


def played(differences: object, delta: float = 0.02, maximum: int = 100_000) -> MatchState:
    return SequentialMatch(delta, maximum, method=Method.ASYMPTOTIC).add(np.asarray(differences, dtype=float))


def test_bounds_are_walds() -> None:
    assert round(BOUND, 3) == 2.944
    assert round(MIRRORED_BOUND, 3) == 4.554


def test_ratio_is_that_of_two_normal_likelihoods() -> None:
    values = np.random.default_rng(1).normal(0.03, 0.3, 500)
    scatter = float(((values - values.mean()) ** 2).sum())
    variance = (scatter + 2 * np.abs(values).max() ** 2) / 499
    expected = (values**2 - (values - 0.05) ** 2).sum() / (2 * variance)
    found = log_ratio(500, values.mean(), scatter, np.abs(values).max(), 0.05)
    assert math.isclose(found, expected, rel_tol=1e-9)


def test_a_clear_lead_ends_early_with_a_better() -> None:
    state = played(np.tile([1.0, 0.0, 1.0, -1.0], 1000), delta=0.1)
    assert state.verdict is Verdict.BETTER
    assert state.over
    assert state.boards < 1000
    assert state.llr >= BOUND
    assert state.difference.low < 0.25 == state.difference.mean < state.difference.high
    assert state.sentence("alice", "bob") == f"alice is better than bob, after {state.boards} boards."


def test_the_mirrored_lead_ends_with_b_better() -> None:
    state = played(np.tile([-1.0, 0.0, -1.0, 1.0], 1000), delta=0.1)
    assert state.verdict is Verdict.WORSE
    assert state.mirrored_llr >= MIRRORED_BOUND


def test_balanced_differences_end_even() -> None:
    state = played(np.tile([1.0, -1.0], 10_000), delta=0.1)
    assert state.verdict is Verdict.EVEN
    assert state.over


def test_no_difference_at_all_is_equal_so_far_to_the_maximum() -> None:
    state = played(np.zeros(250), maximum=250)
    nothing = Interval(0.0, 0.0, 0.0)
    assert state[:6] == MatchState(250, 0.0, 0.0, nothing, Verdict.EQUAL, True)[:6]
    assert (state.better, state.worse, state.equal, state.more_boards) == (0, 0, 250, None)
    assert not played(np.full(200, 1e-12)).over


@pytest.mark.parametrize(
    ("constant", "verdict"),
    [(0.5, Verdict.BETTER), (-0.5, Verdict.WORSE), (0.02, Verdict.BETTER), (0.001, Verdict.EVEN)],
)
def test_the_same_difference_on_every_board_decides(constant: float, verdict: Verdict) -> None:
    assert played(np.full(1000, constant)).verdict is verdict


def test_maximum_ends_an_open_match() -> None:
    state = played([1.0, -1.0] * 200, delta=0.02, maximum=130)
    assert state.boards == 130
    assert state.over
    assert state.verdict is Verdict.UNDECIDED
    assert "undecided after 130 boards" in state.sentence("alice", "bob")


def test_one_test_may_be_decided_at_the_maximum_and_the_other_open() -> None:
    pattern = np.tile([1.0, -1.0, -1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0], 200)
    state = played(pattern, delta=0.1, maximum=300)
    assert state.verdict is Verdict.NOT_BETTER
    assert state.over
    assert "alice is not better than bob by 0.1" in state.sentence("alice", "bob")
    assert played(-pattern, delta=0.1, maximum=200).verdict is Verdict.NOT_WORSE


def test_every_verdict_has_a_sentence_with_both_names() -> None:
    for verdict in Verdict:
        state = played([])._replace(boards=1200, verdict=verdict)
        sentence = state.sentence("alice", "bob")
        assert "alice" in sentence
        assert "bob" in sentence
        assert "1,200 boards" in sentence


@given(
    st.lists(st.integers(0, 400), max_size=10),
    st.integers(0, 2**32),
    st.floats(-0.2, 0.2),
    st.integers(1, 1500),
)
def test_portions_change_no_bit(cuts: list[int], seed: int, lead: float, maximum: int) -> None:
    differences = np.random.default_rng(seed).normal(lead, 0.5, 1500)
    match = SequentialMatch(0.1, maximum, method=Method.ASYMPTOTIC)
    for part in np.split(differences, np.cumsum(cuts).clip(max=1500)):
        match.add(part)
    assert repr(match.state) == repr(played(differences, 0.1, maximum))
    assert match.state.boards % BATCH == 0 or match.state.boards == maximum


@given(st.lists(st.floats(-1e100, 1e100) | st.sampled_from([0.0, 1.0, -1.0]), max_size=300), st.integers(1, 300))
def test_states_are_finite(differences: list[float], maximum: int) -> None:
    state = played(differences, maximum=maximum)
    assert all(map(math.isfinite, (state.llr, state.mirrored_llr, *state.difference)))


def test_a_finished_match_takes_no_more_boards() -> None:
    match = SequentialMatch(0.1, 10_000, 1.0)
    finished = match.add(np.ones(500))
    assert finished.over
    assert match.add(-np.ones(5000)) == finished


def test_a_match_of_a_score_without_a_range_names_no_winner() -> None:
    match = SequentialMatch(0.1, 1000)
    state = match.add(np.ones(1000))
    assert (match.method, state.verdict, state.over) == (Method.NONE, Verdict.UNDECIDED, True)


def test_no_lead_can_be_as_large_as_the_range() -> None:
    with pytest.raises(ValueError, match="less than the largest possible difference, 1, not 1"):
        SequentialMatch(1.0, 1000, 1.0)


@pytest.mark.parametrize(("delta", "maximum"), [(0.0, 10), (-0.1, 10), (math.nan, 10), (math.inf, 10), (0.1, 0)])
def test_impossible_matches_are_refused(delta: float, maximum: int) -> None:
    with pytest.raises(ValueError, match=r"delta|board"):
        SequentialMatch(delta, maximum)


@pytest.mark.parametrize("method", [Method.WINS, Method.BETTING])
def test_simulation_plays_the_same_matches_as_the_test_itself(method: Method) -> None:
    for mean in (0.0, 0.1, -0.1):
        for seed in range(30):
            rates = simulate(Model("", decisive(0.3), 0.1, 1.0), mean, method, matches=1, maximum=2000, seed=seed)
            rng = np.random.default_rng(seed)
            match = SequentialMatch(0.1, 2000, 1.0, method)
            while not match.state.over:
                match.add(decisive(0.3)(rng, (1, BATCH), mean))
            assert rates.boards == match.state.boards
            assert rates.better == (match.state.verdict is Verdict.BETTER)
            assert rates.worse == (match.state.verdict is Verdict.WORSE)
            _, low, high = match.state.difference
            assert rates.covered == (low <= mean <= high)


def named(model: Model) -> str:
    return f"{model.name}, delta {model.delta}"


@pytest.mark.parametrize("model", WINS, ids=named)
def test_errors_of_wins_stay_within_six_per_cent_and_intervals_cover_though_matches_stop_early(model: Model) -> None:
    means = 0.0, model.delta, -model.delta
    equal, lead, lag = (simulate(model, mean, Method.WINS, matches=3000) for mean in means)
    assert equal.better + equal.worse <= 0.06
    assert lead.better >= 0.94
    assert lag.worse >= 0.94
    for rates in (equal, lead, lag):
        assert rates.covered >= rates.always_covered >= 0.95


@pytest.mark.parametrize("model", BOUNDED, ids=named)
def test_bets_keep_their_errors_and_intervals_cover_however_skewed_the_differences_are(model: Model) -> None:
    means = 0.0, model.delta, -model.delta
    equal, lead, lag = (simulate(model, mean, Method.BETTING, matches=300) for mean in means)
    assert equal.better <= 0.05
    assert equal.worse <= 0.01
    assert lead.better >= 0.95
    assert lag.worse >= 0.95
    for rates in (equal, lead, lag):
        assert rates.covered >= rates.always_covered >= 0.95


def test_the_normal_test_would_name_a_winner_among_equals_where_a_rare_loss_makes_them_equal() -> None:
    model = Model("", rare(0.002, 0.9), 0.002, 1.0)
    equal = simulate(model, 0.0, Method.ASYMPTOTIC, matches=300)
    assert equal.better > 0.5
    assert equal.covered < 0.5


def test_the_asymptotic_errors_on_stored_games_are_near_those_of_wins() -> None:
    models = list(adjusted())
    assert len(models) == 9
    for model in models[::4]:
        equal = simulate(model, 0.0, Method.ASYMPTOTIC, matches=1000)
        assert equal.better + equal.worse <= 0.08
        assert equal.always_covered >= 0.95


def test_the_width_is_that_of_the_mixture_martingale() -> None:
    # The martingale of the docstring, integrated numerically over b, is 1 / 0.05 at the end of the interval.
    n, variance = 500, 0.25
    half = float(half_width(n, variance * (n - 1), 0.0))
    b, step = np.linspace(-3, 3, 200_001, retstep=True)
    density = np.exp(-(b**2) / (2 * 0.02 * variance)) / math.sqrt(2 * math.pi * 0.02 * variance)
    martingale = float((np.exp(b * n * half / variance - n * b**2 / (2 * variance)) * density).sum() * step)
    assert math.isclose(martingale, 20, rel_tol=1e-6)


def test_boards_that_happen_to_agree_make_no_interval_of_no_width() -> None:
    assert confidence_interval(100, 0.5, 0.0, 0.5).low < 0.48
    assert confidence_interval(100, 0.0, 0.0, 1.0).high > 0.03, "of wins it is known that they can differ by 1"


@pytest.mark.parametrize("lead", [0.3, 0.02, -0.02, 0.012, 0.0])
def test_as_many_more_boards_as_it_says_decide_if_the_lead_stays(lead: float) -> None:
    pattern = np.tile([1.0, -1.0] * 5, 10) + lead
    first = played(pattern, delta=0.02)
    assert first.more_boards is not None
    boards = 100 + first.more_boards
    slack = boards // 20 + 100  # the added squares count for less and less
    assert not played(np.tile(pattern, 2000)[: boards - slack]).over
    assert played(np.tile(pattern, 2000)[: boards + slack]).over


def test_a_delta_that_was_not_chosen_suits_the_differences() -> None:
    differences = np.tile([30.0, -10.0], 500)
    match = SequentialMatch(None, 1000, method=Method.ASYMPTOTIC)
    assert match.add(np.zeros(100)).verdict is Verdict.EQUAL
    assert match.add(differences).verdict is Verdict.BETTER
    assert 1 < match.state.delta < 3


def test_the_elo_difference_is_that_of_the_boards_better_and_worse() -> None:
    state = played(np.tile([2.0, 1.0, 3.0, -9.0, 0.0], 20), delta=0.1)
    assert (state.better, state.worse, state.equal) == (60, 20, 20)
    share = 70.5 / 101
    assert math.isclose(state.elo.mean, 400 * math.log10(share / (1 - share)))
    assert state.elo.low < state.elo.mean < state.elo.high


def test_the_tables_print_a_line_for_each_model(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequential_errors, "WINS", WINS[1:2])
    monkeypatch.setattr(sequential_errors, "BOUNDED", BOUNDED[:1])
    monkeypatch.setattr(sequential_errors, "adjusted", lambda: iter([*adjusted()][:1]))
    sequential_errors.main(matches=20)
    assert len(capsys.readouterr().out.splitlines()) == 3 + 3 * 2 + 2 + 4
