"""The choice of a guess: influence against brute force, scores computed a second time, what it may not depend on."""

from __future__ import annotations

import math
from itertools import product

import pytest
from endgame_twin import Layout, layouts_of
from positions import stuck_mesh, stuck_positions
from test_lookahead import clues_twin

from sweepstakes import Cell, View
from sweepstakes.game.codes import COVERED
from sweepstakes.inference.best_guess import Guess, Settings, best_guess
from sweepstakes.inference.exact.base import STATES
from sweepstakes.inference.exact.workspace import workspace
from sweepstakes.inference.posterior import NO_CODES, NO_FLOATS
from sweepstakes.inference.summed import summed

LOOKAHEAD = Settings(endgame=False)


def guess_of(view: View, settings: Settings = LOOKAHEAD, explain: bool = True) -> Guess:
    found = summed(view.shown, view.mines, probability=NO_FLOATS, certain=NO_CODES)
    return best_guess(found, settings, explain=explain)


def share_of_fifty(view: View, layouts: list[Layout], mined: list[Cell], safe: list[Cell], ends: list[Cell]) -> float:
    """In which share of the layouts a 50/50 has its mines on these cells, by the rules of the docs."""
    known = {cell for cell in view.covered() + view.flagged() if all(at(view, cell) in each for each in layouts)}
    inside = [cell for cell in ends if 0 <= cell.row < view.rows and 0 <= cell.col < view.cols]
    if any(not (0 <= c.row < view.rows and 0 <= c.col < view.cols) for c in mined + safe):
        return 0.0
    if any(view.is_open(cell) or cell in known for cell in mined + safe) or any(view.is_open(cell) for cell in inside):
        return 0.0
    missing = [cell for cell in inside if cell not in known]
    if len(missing) > 3:
        return 0.0
    mines = {at(view, cell) for cell in missing + mined}
    clear = {at(view, cell) for cell in safe}
    return sum(mines <= each and not clear & each for each in layouts) / len(layouts)


def at(view: View, cell: Cell) -> int:
    return cell.row * view.cols + cell.col


def influence_twin(view: View, layouts: list[Layout], cell: Cell) -> float:
    row, col = cell
    chance = sum(at(view, cell) in each for each in layouts) / len(layouts)
    pairs = []
    for down, right in ((0, 1), (1, 0)):
        largest = 0.0
        for back in (0, 1):
            a = Cell(row - back * down, col - back * right)
            b = Cell(a.row + down, a.col + right)
            ends = [
                Cell(end.row + step * down + side * right, end.col + step * right + side * down)
                for end, step in ((a, -1), (b, 1))
                for side in (-1, 0, 1)
            ]
            largest = max(largest, share_of_fifty(view, layouts, [a], [b], ends))
        pairs.append(largest)
    boxes = 0.0
    for up, left in product((0, 1), (0, 1)):
        r, c = row - up, col - left
        ends = [Cell(r + i, c + j) for i in (-1, 2) for j in (-1, 2)]
        diagonal, other = [Cell(r, c), Cell(r + 1, c + 1)], [Cell(r, c + 1), Cell(r + 1, c)]
        boxes = max(boxes, share_of_fifty(view, layouts, diagonal, other, ends))
    return min(sum(pairs) + boxes, chance, 1 - chance)


def without_flags(view: View) -> View:
    return View.parse(str(view).replace("F", "."))


@pytest.mark.parametrize("size", [(4, 5, 5), (3, 6, 6)])
def test_influence_is_what_counting_the_layouts_gives(size: tuple[int, int, int]) -> None:
    compared, positive = 0, 0
    for view in stuck_positions(*size, 12, seed=4):
        layouts = layouts_of(without_flags(view))
        for each in guess_of(view).candidates:
            expected = influence_twin(view, layouts, each.cell)
            assert each.influence == pytest.approx(expected, abs=1e-9), (str(view), each.cell)
            compared += 1
            positive += expected > 0
    assert compared > 20
    assert positive > 10


@pytest.mark.parametrize("size", [(16, 30, 99), (9, 9, 14)])
def test_a_score_is_the_weighted_sum_of_what_solving_every_clue_gives(size: tuple[int, int, int]) -> None:
    compared = 0
    for view in stuck_positions(*size, 6, seed=8):
        for each in guess_of(view).candidates[:5]:
            if each.state != "scored":
                continue
            clues = clues_twin(view, each.cell)
            safe = sum(clue.probability for clue in clues)
            best = sum(clue.probability * clue.best for clue in clues) / safe
            second = sum(clue.probability * clue.second for clue in clues) / safe
            certain = sum(clue.probability * min(clue.certain, 10) / 10 for clue in clues) / safe
            blank = sum(clue.probability for clue in clues if clue.clue == 0) / safe
            score = math.log(safe) + 0.72 * math.log(best) + 0.53 * math.log(second) + 0.056 * certain + 0.012 * blank
            score += math.log(1 + 0.9 * each.influence / safe)
            assert (each.safe, each.best, each.second) == pytest.approx((safe, best, second), abs=1e-9)
            assert each.score == pytest.approx(score, abs=1e-9)
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("settings", [LOOKAHEAD, Settings(), Settings(weights="all"), Settings(influence="product")])
def test_explaining_a_guess_does_not_change_it(settings: Settings) -> None:
    for view in stuck_positions(12, 12, 30, 10, seed=2):
        told, quick = guess_of(view, settings), guess_of(view, settings, False)
        assert (told.cell, told.reason) == (quick.cell, quick.reason)
        scored = [each.score for each in told.candidates if each.state == "scored"]
        assert not scored or told.candidates[0].score >= max(scored) - 1e-9


def test_a_guess_does_not_depend_on_the_memory_of_earlier_positions() -> None:
    views = stuck_positions(16, 30, 99, 10, seed=6)
    before = [guess_of(view) for view in views]
    workspace((16, 30)).grow(2 * STATES)
    assert [guess_of(view) for view in views] == before


def test_a_sum_answers_after_another_position_of_its_shape_was_summed() -> None:
    views = stuck_positions(16, 30, 99, 6, seed=6)
    sums = [summed(view.shown, view.mines, probability=NO_FLOATS, certain=NO_CODES) for view in views]
    assert [best_guess(found, LOOKAHEAD) for found in sums] == [guess_of(view, LOOKAHEAD, False) for view in views]


def test_random_meshes_of_clues_are_answered_within_the_bounds() -> None:
    answered = 0
    for rows, cols, density in ((16, 30, 0.2), (16, 30, 0.35), (40, 40, 0.3)):
        for share in (0.3, 0.6, 0.9):
            view = stuck_mesh(rows, cols, density, share, seed=3)
            if view is not None:
                guess = guess_of(view, Settings(), False)
                assert view.shown.reshape(-1)[guess.cell] == COVERED
                answered += 1
    assert answered > 5
