import numpy as np
import pytest
from positions import small
from sweepstakes.inference import (
    Constraint,
    Constraints,
    Deduction,
    Status,
    deduce,
    forced,
    pairs,
    posterior,
    propagate,
)
from twin import midgame, read

FIGURE = np.array([[2, -1, 1], [-1, -1, -1], [-1, 3, -1]], dtype=np.int8)


def told(*sentences: tuple[str, int]) -> Constraints:
    """`told(("AB", 1))`: one mine among A and B. The clue of a sentence is 100 and its number."""
    return Constraints.from_lists(
        26,
        [
            Constraint(100 + i, tuple(ord(c) - 65 for c in cells), mines, mines)
            for i, (cells, mines) in enumerate(sentences)
        ],
    )


def letters(deduction: Deduction) -> str:
    """Mines in capitals, safe cells in small letters, in order."""
    return "".join(
        sorted(
            chr((65 if mine else 97) + cell)
            for cell, mine in zip(deduction.cells, deduction.mines, strict=True)
        )
    )


def test_constraints_are_the_clues_with_unknown_cells_row_by_row() -> None:
    assert list(Constraints.of(FIGURE)) == [
        Constraint(0, (1, 3, 4), 2, 2),
        Constraint(2, (1, 4, 5), 1, 1),
        Constraint(7, (3, 4, 5, 6, 8), 3, 3),
    ]


def test_constraints_agree_with_the_twin_reading() -> None:
    for seed in range(300):
        case = small(seed, noisy=seed % 2 == 0)
        _, _, clues, _ = read(case.shown, case.noise, case.trust_flags)
        found = {
            (c.cells, max(c.low, 0), min(c.high, len(c.cells)))
            for c in Constraints.of(case.shown, noise=case.noise, trust_flags=case.trust_flags)
        }
        for clue in clues:
            possible = [v for v, weight in enumerate(clue.weight) if weight]
            if possible:
                assert (clue.cells, possible[0], possible[-1]) in found


def naive(constraints: Constraints) -> tuple[dict[int, int], bool]:
    """The twin of `propagate`: go through all constraints until nothing changes."""
    value: dict[int, int] = {}
    while True:
        before = len(value)
        for c in constraints:
            rest = [cell for cell in c.cells if cell not in value]
            mines = sum(value.get(cell, 0) for cell in c.cells)
            low, high = c.low - mines, c.high - mines
            if low > len(rest) or high < 0:
                return value, False
            if high == 0 or low == len(rest):
                value.update(dict.fromkeys(rest, int(high > 0)))
        if len(value) == before:
            return value, True


@pytest.mark.parametrize("noisy", [False, True])
def test_propagation_agrees_with_its_twin_with_and_without_reasons(noisy: bool) -> None:
    for seed in range(500):
        case = small(seed, noisy)
        asked = {"noise": case.noise, "trust_flags": case.trust_flags}
        constraints = Constraints.of(case.shown, **asked)
        value, consistent = naive(constraints)
        answer = propagate(constraints)
        quick = forced(case.shown, **asked)
        assert (answer.contradiction < 0) == consistent
        if consistent:
            assert dict(zip(answer.cells.tolist(), answer.mines.tolist(), strict=True)) == value
            if not noisy:
                assert quick.status == Status.OK
            # Gaps between possible counts may tell the quick one more than bounds tell.
            assert set(answer.safe) <= set(quick.safe)
            assert set(answer.mine) <= set(quick.mines)
            if not noisy:
                assert len(answer.cells) == len(quick.safe) + len(quick.mines)


def test_deductions_are_sound_and_pairs_find_more_than_single_clues() -> None:
    single = double = provable = 0
    for seed in range(40):
        shown = midgame(16, 30, 99, seed, 0.35)
        constraints = Constraints.of(shown)
        truth = posterior(shown, None)
        alone, both = propagate(constraints), deduce(constraints)
        assert truth.safe.reshape(-1)[both.safe].all()
        assert truth.mine.reshape(-1)[both.mine].all()
        assert set(alone.cells) <= set(both.cells)
        assert len(set(both.cells)) == len(both.cells)
        single += len(alone.cells)
        double += len(both.cells)
        provable += int((truth.certain > 0).sum())
    assert single < double < provable


@pytest.mark.parametrize(
    ("sentences", "single", "double"),
    [
        ([("ABC", 0), ("CD", 1)], "Dabc", "Dabc"),
        ([("AB", 1), ("ABC", 2)], "", "C"),
        ([("AB", 1), ("ABC", 1)], "", "c"),
        ([("ABC", 2), ("BCD", 1)], "", "Ad"),
        ([("ABC", 1), ("ABCD", 2)], "", "D"),
        ([("ABHCD", 2), ("AB", 1), ("CD", 1)], "", ""),
        ([("ABC", 1), ("BDE", 2), ("CDE", 2)], "", ""),
    ],
)
def test_worked_examples(sentences: list[tuple[str, int]], single: str, double: str) -> None:
    constraints = told(*sentences)
    assert letters(propagate(constraints)) == single
    assert letters(deduce(constraints)) == double


def test_the_reasons_are_the_clues_that_decided() -> None:
    chain = propagate(told(("AB", 2), ("BC", 1), ("CD", 1)))
    assert chain.cells.tolist() == [0, 1, 2, 3]
    assert chain.clues.tolist() == [[100, -1], [100, -1], [101, -1], [102, -1]]
    pair = pairs(told(("ABC", 2), ("BCD", 1)))
    assert pair.clues.tolist() == [[100, 101], [100, 101]]


def test_what_is_left_after_a_deduction_speaks_of_the_other_cells() -> None:
    constraints = told(("AB", 1), ("ABC", 2), ("CD", 1), ("CEF", 2))
    rest = constraints.without(pairs(constraints))
    assert list(rest) == [
        Constraint(100, (0, 1), 1, 1),
        Constraint(101, (0, 1), 1, 1),
        Constraint(102, (3,), 0, 0),
        Constraint(103, (4, 5), 1, 1),
    ]


def test_contradictions_are_named() -> None:
    assert propagate(told(("AB", 3))).contradiction == 100
    assert propagate(told(("AB", 2), ("B", 0))).contradiction in (100, 101)
    assert pairs(told(("ABC", 3), ("AB", 0))).contradiction == 100
    wrong = np.array([[1, 0]], dtype=np.int8)
    assert propagate(Constraints.of(wrong)).contradiction == 0


def test_no_constraints_prove_nothing() -> None:
    empty = Constraints.of(np.full((2, 2), -1, dtype=np.int8))
    assert len(empty) == 0
    for answer in (propagate(empty), pairs(empty), deduce(empty)):
        assert len(answer.cells) == 0
        assert answer.contradiction == -1
