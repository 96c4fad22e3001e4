import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import small
from twin import Exact, brute, exact, logarithm, midgame

from sweepstakes.inference import Posterior, Status, decide, posterior, weigh

FIGURE = np.array([[2, -1, 1], [-1, -1, -1], [-1, 3, -1]], dtype=np.int8)


def check_against_brute_force(seed: int, noisy: bool, counted: bool, prior: float | None) -> None:
    case = small(seed, noisy)
    mines = case.mines if counted else None
    told: dict[str, Any] = {"noise": case.noise, "trust_flags": case.trust_flags, "prior": prior}
    known = brute(case.shown, mines, **told)
    answer = posterior(case.shown, mines, **told)
    if known.total == 0:
        assert answer.status == Status.INCONSISTENT
        return
    assert answer.status == Status.OK
    assert np.array_equal(np.isnan(known.probability), np.isnan(answer.probability))
    assert np.allclose(known.probability, answer.probability, rtol=0, atol=1e-12, equal_nan=True)
    assert np.array_equal(known.certain, answer.certain)
    assert answer.log_layouts == pytest.approx(math.log(known.total), abs=1e-9)


@pytest.mark.parametrize("noisy", [False, True])
def test_thousands_of_small_positions_agree_with_brute_force(noisy: bool) -> None:
    for seed in range(1500):
        check_against_brute_force(seed, noisy, counted=True, prior=None)


@pytest.mark.parametrize("noisy", [False, True])
def test_a_prior_density_agrees_with_brute_force(noisy: bool) -> None:
    for seed in range(300):
        check_against_brute_force(seed, noisy, counted=False, prior=(seed % 9 + 1) / 10)


@settings(max_examples=300, deadline=None)
@given(st.integers(min_value=10_000), st.booleans(), st.booleans())
def test_any_small_position_agrees_with_brute_force(seed: int, noisy: bool, counted: bool) -> None:
    check_against_brute_force(seed, noisy, counted, None if counted else 0.2)


@pytest.mark.parametrize("mines", [True, False])
def test_solutions_alike_agree_with_the_twin(mines: bool) -> None:
    for seed in range(400):
        case = small(seed, noisy=seed % 3 == 0)
        count = case.mines if mines else None
        known = exact(case.shown, count, noise=case.noise, trust_flags=case.trust_flags, weighting="solutions")
        answer = posterior(case.shown, count, noise=case.noise, trust_flags=case.trust_flags, weighting="solutions")
        check_against_twin(known, answer)


def check_against_twin(known: Exact, answer: Posterior) -> None:
    if known.total == 0:
        assert answer.status == Status.INCONSISTENT
        return
    assert answer.status == Status.OK
    assert answer.log_layouts == pytest.approx(logarithm(known.total), abs=1e-9)
    flat = answer.probability.reshape(-1)
    certain = answer.certain.reshape(-1)
    assert set(np.flatnonzero(~np.isnan(flat))) == {i for i, p in known.probability.items() if p is not None}
    for cell, p in known.probability.items():
        if p is not None:
            assert abs(float(p) - flat[cell]) < 1e-12
            assert certain[cell] == (1 if p == 0 else 2 if p == 1 else 0)


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "opened", "seeds"),
    [(16, 30, 99, 0.4, 12), (30, 30, 180, 0.5, 4), (50, 50, 500, 0.5, 2), (100, 100, 2000, 0.6, 1)],
)
def test_positions_of_play_agree_with_the_twin(rows: int, cols: int, mines: int, opened: float, seeds: int) -> None:
    for seed in range(seeds):
        shown = midgame(rows, cols, mines, seed, opened)
        check_against_twin(exact(shown, mines), posterior(shown, mines))


def test_a_worked_example_with_and_without_the_count() -> None:
    alike = posterior(FIGURE, None)
    third = 1 / 3
    wanted = [[np.nan, third, np.nan], [1, 2 * third, 0], [2 * third, np.nan, 2 * third]]
    assert np.allclose(alike.probability, wanted, atol=1e-15, equal_nan=True)
    counted = posterior(FIGURE, 3)
    assert np.allclose(
        counted.probability, np.array([[np.nan, 0, np.nan], [1, 1, 0], [0.5, np.nan, 0.5]]), atol=1e-15, equal_nan=True
    )
    assert counted.log_layouts == pytest.approx(math.log(2))
    assert counted.safe.tolist() == [[False, True, False], [False, False, True], [False, False, False]]
    assert counted.mine.tolist() == [[False, False, False], [True, True, False], [False, False, False]]


def test_solutions_that_do_not_fit_the_count_are_rejected_and_the_rest_weigh_alike() -> None:
    # Two solutions next to the 1; each leaves one mine for the three cells behind.
    shown = np.array([[-1, 1, -1, -1, -1, -1]], dtype=np.int8)
    by_layouts = posterior(shown, 2)
    by_solutions = posterior(shown, 2, weighting="solutions")
    assert by_layouts.probability[0, 0] == by_solutions.probability[0, 0] == 0.5
    assert by_layouts.log_layouts == pytest.approx(math.log(6))
    assert by_solutions.log_layouts == pytest.approx(math.log(2))
    assert posterior(shown, 5, weighting="solutions").status == Status.INCONSISTENT


def test_cells_that_no_clue_sees_have_no_probability_without_a_count() -> None:
    shown = np.array([[-1, 1, -1, -1]], dtype=np.int8)
    assert np.isnan(posterior(shown, None).probability[0, 3])
    assert posterior(shown, None, prior=0.3).probability[0, 3] == 0.3
    assert posterior(shown, 2).probability[0, 3] == 1.0


def test_a_prior_beside_a_count_is_refused() -> None:
    with pytest.raises(ValueError, match="mine count is given"):
        posterior(FIGURE, 3, prior=0.2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        posterior(FIGURE, None, prior=1.0)


def test_flags_count_only_when_vouched_for() -> None:
    shown = np.array([[-2, 1, -1]], dtype=np.int8)
    assert posterior(shown, 1).safe.tolist() == [[False, False, True]]
    doubted = posterior(shown, 1, trust_flags=False)
    assert doubted.probability[0, 0] == doubted.probability[0, 2] == 0.5


def test_a_withheld_clue_tells_nothing_without_a_noise_model_and_its_table_with_one() -> None:
    shown = np.array([[-1, 9, -1]], dtype=np.int8)
    assert posterior(shown, None, prior=0.5).probability[0, 0] == 0.5
    table = np.zeros((9, 9, 10))
    for k in range(1, 9):
        table[:, k, 9] = 1.0
    table[:, 0, 0] = 1.0
    assert posterior(shown, None, prior=0.5, noise=table).probability[0, 0] == pytest.approx(2 / 3)
    assert posterior(shown, 1, noise=table).probability[0, 0] == 0.5
    assert posterior(shown, 0, noise=table).status == Status.INCONSISTENT


def test_tiny_likelihoods_do_not_become_certainties() -> None:
    table = np.zeros((9, 9, 10))
    for n in range(9):
        for k in range(n + 1):
            table[n, k, :9] = 1e-300
            table[n, k, k] = 1.0
    shown = np.full((3, 21), -1, dtype=np.int8)
    shown[1, 1::2] = 1
    answer = posterior(shown, None, prior=0.2, noise=table)
    assert answer.status == Status.OK
    assert not answer.certain.any()
    assert np.array_equal(np.isnan(answer.probability), shown >= 0)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2)])
def test_boards_without_clues_have_the_density_everywhere(shape: tuple[int, int]) -> None:
    shown = np.full(shape, -1, dtype=np.int8)
    cells = shown.size
    for mines in range(cells + 1):
        answer = posterior(shown, mines)
        assert np.allclose(answer.probability, mines / cells, atol=1e-15)
        assert answer.safe.all() == (mines == 0)
        assert answer.mine.all() == (mines == cells)
        assert answer.log_layouts == pytest.approx(math.log(math.comb(cells, mines)), abs=1e-12)
    assert posterior(shown, cells + 1).status == Status.INCONSISTENT


def test_a_finished_board_has_one_layout() -> None:
    answer = posterior(np.array([[0, 1, -3]], dtype=np.int8), 1)
    assert answer.status == Status.OK
    assert answer.log_layouts == 0.0
    assert np.isnan(answer.probability).all()


def test_the_answer_does_not_depend_on_what_was_asked_before() -> None:
    shown = midgame(16, 30, 99, 3, 0.4)
    first = posterior(shown, 99)
    for seed in range(20):
        posterior(midgame(16, 30, 99, seed, 0.3), 99, budget=50)
        decide(midgame(16, 30, 99, seed, 0.5), 99)
    again = posterior(shown, 99)
    assert np.array_equal(first.probability, again.probability, equal_nan=True)
    assert first.log_layouts == again.log_layouts


def test_a_chain_of_more_layouts_than_a_float_holds_is_summed() -> None:
    """Clues of 4 in every second column, each with 8 unknown cells around it.

    To swap mines and safe cells gives another solution, so each cell is a mine in half of them.
    """
    shown = np.full((3, 999), -1, dtype=np.int8)
    shown[1, 1::2] = 4
    ways = {mines: math.comb(3, mines) for mines in range(4)}  # solutions up to a column, by its number of mines
    for _ in range(499):
        ways = {
            after: math.comb(3, after)
            * sum(n * math.comb(2, 4 - before - after) for before, n in ways.items() if before + after <= 4)
            for after in range(4)
        }
    answer = posterior(shown, None)
    assert answer.status == Status.OK
    assert np.allclose(answer.probability[shown < 0], 0.5, rtol=0, atol=1e-9)
    assert not answer.certain.any()
    assert answer.log_layouts == pytest.approx(math.log(sum(ways.values())), rel=1e-9)
    assert answer.log_layouts > 1.2 * math.log(sys.float_info.max)


@pytest.mark.parametrize("prior", [1e-60, 1e-4, 0.9999999999])
def test_a_chain_of_rare_mines_or_rare_safe_cells_agrees_with_the_twin(prior: float) -> None:
    """Its layouts weigh less than any float: 1e-60 for each of 20 mines at least."""
    shown = np.full((3, 21), -1, dtype=np.int8)
    shown[1, 1::2] = 4
    check_against_twin(exact(shown, None, prior=prior), posterior(shown, None, prior=prior))


def test_a_position_is_weighed_as_by_its_posterior() -> None:
    for seed in range(300):
        case = small(seed, noisy=seed % 3 == 0)
        answer = posterior(case.shown, case.mines, noise=case.noise, trust_flags=case.trust_flags)
        weighed = weigh(case.shown, case.mines, case.noise, case.trust_flags)
        assert weighed.status == answer.status
        if answer.status == Status.INCONSISTENT:
            continue
        assert weighed.log_layouts == answer.log_layouts
        chances = answer.probability[~np.isnan(answer.probability)]
        all_mines = (answer.certain[~np.isnan(answer.probability)] == 2).all()
        assert weighed.safety == pytest.approx(1.0 if all_mines else 1.0 - chances.min(), abs=1e-12)
