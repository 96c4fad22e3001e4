"""Lookahead against the full engine, which solves the position after every clue from scratch, and against brute force."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest

from sweepstakes import Cell, PositionError, View
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.inference import Posterior, Status, posterior
from sweepstakes.inference.lookahead import ClueOutlook, lookahead
from positions import stuck_positions
from twin import neighbours

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
    ("level", "number"), [((16, 30, 99), 12), ((16, 16, 40), 12), ((9, 9, 10), 12), ((7, 9, 20), 20)]
)
def test_it_agrees_with_solving_every_clue_from_scratch(level: tuple[int, int, int], number: int) -> None:
    rng = np.random.default_rng(5)
    for view in stuck_positions(*level, number):
        covered = view.covered()
        picked = rng.permutation(len(covered))[:12]
        solved = posterior(view.shown, view.mines)
        assert_agrees(view, [covered[i] for i in picked if solved.certain[covered[i]] != 2])
