"""Lookahead against the full engine, which solves the position after every clue, and against brute force."""

from __future__ import annotations

import doctest
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from endgame_twin import layouts_of
from positions import stuck_positions
from twin import neighbours

from sweepstakes import Cell, PositionError, View
from sweepstakes.game.codes import COVERED
from sweepstakes.inference import ClueOutlook, Posterior, Status, advise, decide, endgame, lookahead, posterior
from sweepstakes.inference.best_guess import Settings

Shown = npt.NDArray[np.int8]


def clues_twin(view: View, cell: Cell) -> list[ClueOutlook]:
    """The same by solving the position after each clue with the full engine."""
    before = posterior(view.shown, view.mines)
    found = []
    for clue in range(9):
        shown = view.shown.copy()
        shown[cell] = clue
        after = posterior(shown, view.mines)
        if after.status is Status.OK:
            chance = math.exp(after.log_layouts - before.log_layouts)
            found.append(ClueOutlook(clue, chance, *safeties(shown, after, cell)))
    return found


def safeties(shown: Shown, after: Posterior, opened: Cell) -> tuple[float, float, int]:
    rows, cols = shown.shape
    sure, chance = after.certain.reshape(-1), after.probability.reshape(-1)
    covered = [i for i, code in enumerate(shown.reshape(-1).tolist()) if code == COVERED]
    undecided = {i for i in covered if sure[i] == 0}
    living, others = [], []
    for i in covered:
        if sure[i] == 2:
            continue
        if undecided & set(neighbours(rows, cols, i)):
            living.append(1.0 if sure[i] == 1 else 1 - chance[i])
        elif sure[i] == 0:
            others.append(1 - chance[i])
    ordered = sorted(living, reverse=True)[:2]
    ordered += sorted(others, reverse=True)[: 2 - len(ordered)]
    ordered += [1.0] * (2 - len(ordered))
    return float(ordered[0]), float(ordered[1]), int((sure[covered] == 1).sum())


def assert_agrees(view: View, cells: list[Cell]) -> None:
    for outlook in lookahead(view, cells):
        expected = clues_twin(view, outlook.cell)
        assert [each.clue for each in outlook.clues] == [each.clue for each in expected], (str(view), outlook.cell)
        assert sum(each.probability for each in outlook.clues) == pytest.approx(outlook.safe, abs=1e-9)
        for mine, theirs in zip(outlook.clues, expected, strict=True):
            assert mine == pytest.approx(theirs, abs=1e-9), (str(view), outlook.cell)


@pytest.mark.parametrize(
    ("level", "number"), [((16, 30, 99), 10), ((16, 16, 40), 8), ((9, 9, 10), 8), ((7, 9, 20), 16)]
)
def test_it_agrees_with_solving_every_clue_from_scratch(level: tuple[int, int, int], number: int) -> None:
    rng = np.random.default_rng(5)
    for view in stuck_positions(*level, number):
        covered = view.covered()
        picked = rng.permutation(len(covered))[:12]
        solved = posterior(view.shown, view.mines)
        assert_agrees(view, [covered[i] for i in picked if solved.certain[covered[i]] != 2])


def test_it_agrees_with_counting_layouts() -> None:
    for view in stuck_positions(4, 5, 5, 8, seed=9):
        plain = View.parse(str(view).replace("F", "."))
        layouts = layouts_of(plain)
        for outlook in lookahead(plain, plain.covered()):
            at = outlook.cell.row * view.cols + outlook.cell.col
            safe = [layout for layout in layouts if at not in layout]
            assert outlook.safe == pytest.approx(len(safe) / len(layouts), abs=1e-9)
            around = neighbours(view.rows, view.cols, at)
            for clue in range(9):
                share = sum(sum(i in layout for i in around) == clue for layout in safe) / len(layouts)
                told = [each.probability for each in outlook.clues if each.clue == clue]
                assert told == ([pytest.approx(share, abs=1e-9)] if share else []), (str(plain), outlook.cell)


def test_a_cell_that_is_certainly_a_mine_has_no_clue_and_a_safe_one_may_be_asked_for() -> None:
    view = View.parse("3 3 3\n2.1\n...\n.3.")
    mine, safe = lookahead(view, [Cell(1, 0), Cell(0, 1)])
    assert (mine.safe, mine.clues) == (0.0, ())
    assert (safe.safe, [clue.clue for clue in safe.clues]) == (1.0, [2])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 3 1\n1..", r"\(0, 0\) is not covered"),
        ("1 3 1 noise=liar(rate=0.25)\n...", "exact clues"),
        ("1 3 1 first_click=safe\n...", "before the first click"),
        ("1 3 1\n.2.", "no layout agrees"),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line(text: str, said: str) -> None:
    with pytest.raises(PositionError, match=said):
        lookahead(View.parse(text), [Cell(0, 0)])


def test_the_worked_example_of_the_docs_comes_out_as_written() -> None:
    page = Path(__file__).parents[2] / "docs" / "champion.md"
    done = doctest.testfile(str(page), module_relative=False)
    assert done.attempted >= 4
    assert done.failed == 0
    view = View.parse("3 4 2\n.1..\n....\n...1")
    played = endgame(view, every=True)
    assert played is not None
    assert (played.layouts, played.wins[Cell(0, 3)], played.wins[Cell(2, 0)], played.won) == (11, 9, 10, 10)
    assert advise(view, Settings(endgame=False)).open == (Cell(2, 0),)
    guess = decide(view.shown, view.mines).guess
    assert divmod(guess, view.cols) == (0, 3)
