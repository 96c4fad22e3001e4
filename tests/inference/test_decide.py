import math
from typing import Any

import numpy as np
import pytest
from positions import small
from twin import counts, midgame, neighbours

from sweepstakes.inference import Status, decide, forced, posterior


def test_a_decision_is_the_certain_cells_of_the_posterior_or_its_best_guess() -> None:
    guesses = 0
    for seed in range(600):
        case = small(seed, noisy=seed % 2 == 0)
        told: dict[str, Any] = {"noise": case.noise, "trust_flags": case.trust_flags}
        answer = posterior(case.shown, case.mines, **told)
        decision = decide(case.shown, case.mines, **told, stop_at_first_safe=False)
        assert decision.status == answer.status
        assert sorted(decision.safe) == np.flatnonzero(answer.safe).tolist()
        assert sorted(decision.mines) == np.flatnonzero(answer.mine).tolist()
        chance = answer.probability.reshape(-1)
        if len(decision.safe) or np.isnan(chance).all() or answer.mine.sum() == (~np.isnan(chance)).sum():
            assert decision.guess == -1
            assert np.isnan(decision.probability)
            continue
        guesses += 1
        unknown = ~np.isnan(chance) & ~answer.mine.reshape(-1)
        best = min(
            (i for i in np.flatnonzero(unknown) if chance[i] <= chance[unknown].min() + 1e-9),
            key=lambda i: (sum(unknown[j] for j in neighbours(case.shown.shape[0], case.shown.shape[1], int(i))), i),
        )
        assert decision.guess == best
        assert decision.probability == chance[best]
    assert guesses > 100


def test_a_posterior_keeps_the_decision_that_would_be_made_without_haste() -> None:
    for seed in range(300):
        case = small(seed, noisy=seed % 2 == 0, wrong=0.1)
        told: dict[str, Any] = {"noise": case.noise, "trust_flags": case.trust_flags}
        kept = posterior(case.shown, case.mines, **told).decision
        made = decide(case.shown, case.mines, **told, stop_at_first_safe=False)
        assert kept.safe.tolist() == made.safe.tolist()
        assert kept.mines.tolist() == made.mines.tolist()
        assert (kept.guess, str(kept.probability), kept.status) == (made.guess, str(made.probability), made.status)


def test_a_decision_writes_the_probabilities_that_it_is_made_by() -> None:
    stop_at_first_safe = 0
    for seed in range(200):
        case = small(seed, noisy=seed % 2 == 0)
        told: dict[str, Any] = {"noise": case.noise, "trust_flags": case.trust_flags}
        out = np.full(case.shown.shape, 7.0)
        decide(case.shown, case.mines, **told, weighting="solutions", out=out)
        if len(forced(case.shown, **told).safe):
            stop_at_first_safe += 1
            assert (out == 7.0).all()
            continue
        expected = posterior(case.shown, case.mines, **told, weighting="solutions").probability
        assert np.array_equal(out, np.where(np.isnan(expected), 7.0, expected))
    assert 20 < stop_at_first_safe < 180


@pytest.mark.parametrize(
    "out",
    [np.empty((4, 1)), np.empty((1, 3)), np.empty((1, 4), np.float32), np.empty((2, 8))[:1, ::2], np.empty(4)],
)
def test_probabilities_are_written_only_where_there_is_room_for_them(out: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"float64 of shape \(1, 4\)"):
        decide(np.array([[-1, 1, -1, -1]], dtype=np.int8), 1, out=out)


def test_a_hasty_decision_gives_part_of_the_safe_cells_at_once() -> None:
    for seed in range(50):
        shown = midgame(16, 30, 99, seed, 0.3)
        answer = posterior(shown, 99)
        stop_at_first_safe = decide(shown, 99)
        assert set(stop_at_first_safe.safe) <= set(np.flatnonzero(answer.safe))
        assert set(stop_at_first_safe.mines) <= set(np.flatnonzero(answer.mine))
        assert (len(stop_at_first_safe.safe) == 0) == (not answer.safe.any())


@pytest.mark.parametrize("stop_at_first_safe", [True, False])
def test_where_a_cell_is_safe_there_is_no_guess(stop_at_first_safe: bool) -> None:
    shown = np.array([[0, -1, -1, -1]], dtype=np.int8)
    decision = decide(shown, 1, stop_at_first_safe=stop_at_first_safe)
    assert decision.safe.tolist() == [1]
    assert decision.guess == forced(shown).guess == -1
    assert math.isnan(decision.probability)


def test_an_inconsistent_position_gives_neither_cells_nor_a_guess() -> None:
    decision = decide(np.array([[-1, 3, -1]], dtype=np.int8), 1)
    assert decision.status == Status.INCONSISTENT
    assert len(decision.safe) == len(decision.mines) == 0
    assert decision.guess == -1


def test_a_decision_can_be_kept_while_others_are_made() -> None:
    first = decide(np.array([[-1, 0, -1, -1]], dtype=np.int8), 1)
    decide(np.array([[-1, -1, 0, -1]], dtype=np.int8), 1)
    assert first.safe.tolist() == [0, 2]


def test_read_only_and_writable_views_give_the_same() -> None:
    shown = midgame(9, 9, 10, 1, 0.4)
    frozen = np.frombuffer(shown.tobytes(), dtype=np.int8).reshape(shown.shape)
    one, two = posterior(shown, 10), posterior(frozen, 10)
    assert np.array_equal(one.probability, two.probability, equal_nan=True)
    assert shown.flags.writeable


def mesh(rows: int, cols: int, density: float, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Cells opened here and there: what play under the continue rule comes to, and the hardest of all."""
    rng = np.random.default_rng(seed)
    mine = rng.random((rows, cols)) < density
    opened = (rng.random((rows, cols)) < share) & ~mine
    return np.where(opened, counts(mine), -1).astype(np.int8), mine


@pytest.mark.parametrize("budget", [1, 20, 300, 5000])
def test_over_budget_the_answer_says_so_and_its_certainties_hold(budget: int) -> None:
    approximate = 0
    for seed in range(6):
        shown, mine = mesh(24, 24, 0.35, 0.4, seed)
        mines = int(mine.sum())
        answer = posterior(shown, mines, budget=budget)
        assert answer.status != Status.INCONSISTENT
        assert answer.states <= budget
        assert not mine[answer.safe].any()
        assert mine[answer.mine].all()
        assert np.array_equal(np.isnan(answer.probability), shown >= 0)
        assert ((answer.probability >= 0) & (answer.probability <= 1))[shown < 0].all()
        approximate += answer.status == Status.APPROXIMATE
        again = posterior(shown, mines, budget=budget)
        assert np.array_equal(answer.probability, again.probability, equal_nan=True)
    assert approximate >= (0 if budget == 5000 else 6)


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "opened", "seed", "states", "log_layouts"),
    [
        (16, 30, 99, 0.35, 1, 100, 98.921611),
        (16, 30, 99, 0.35, 2, 72, 117.576892),
        (30, 30, 200, 0.4, 5, 82, 190.928702),
    ],
)
def test_over_budget_the_same_clues_are_left_out_for_ever(
    rows: int, cols: int, mines: int, opened: float, seed: int, states: int, log_layouts: float
) -> None:
    """Golden numbers: the guesses of agents depend on them, whose versions are raised when they change."""
    answer = posterior(midgame(rows, cols, mines, seed, opened), mines, budget=100)
    assert answer.status == Status.APPROXIMATE
    assert answer.states == states
    assert answer.log_layouts == pytest.approx(log_layouts, abs=1e-5)


def test_the_budget_is_part_of_the_question_not_of_the_history() -> None:
    shown, mine = mesh(24, 24, 0.35, 0.4, 7)
    mines = int(mine.sum())
    posterior(shown, mines)
    assert posterior(shown, mines, budget=300).states <= 300


def test_the_largest_boards_are_read_in_one_pass() -> None:
    shown = np.zeros((1000, 1000), dtype=np.int8)
    shown[:, 0] = -1
    shown[:, 1] = 3
    shown[0, 1] = shown[-1, 1] = 2
    decision = decide(shown, 1000)
    assert len(decision.mines) == 1000
    assert decision.status == Status.OK
