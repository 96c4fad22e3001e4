"""Best play against a slow twin, and against the known optima of tiny boards."""

from __future__ import annotations

import pytest
from endgame_twin import best_play, layouts_of
from positions import stuck_positions

from sweepstakes import Cell, PositionError, View
from sweepstakes.inference import endgame

SIZES = [(3, 4, 3), (3, 4, 5), (2, 6, 4), (3, 5, 3), (4, 4, 4)]


def opened(rows: int, cols: int, mines: int, cell: Cell, clue: int) -> View:
    marks = ["." * cols] * rows
    marks[cell.row] = "." * cell.col + str(clue) + "." * (cols - cell.col - 1)
    return View.parse("\n".join([f"{rows} {cols} {mines}", *marks]))


@pytest.mark.parametrize("size", SIZES)
def test_it_agrees_with_the_twin(size: tuple[int, int, int]) -> None:
    for view in stuck_positions(*size, 6, seed=3):
        plain = View.parse(str(view).replace("F", "."))
        layouts, won, wins = best_play(plain)
        found = endgame(view, every=True)
        assert found is not None
        assert (found.layouts, found.won) == (layouts, won), view
        assert found.wins == {cell: count for cell, count in wins.items() if cell in found.wins}, view
        assert set(wins) - set(found.wins) <= set(view.flagged()) | set(view.covered())
        assert found.best is not None
        assert wins[found.best] == won == max(wins.values()), view
        quick = endgame(view)
        assert quick is not None
        assert (quick.won, quick.best, quick.wins) == (won, found.best, {}), view


@pytest.mark.parametrize(
    ("rows", "cols", "mines", "layouts", "won"),
    [(4, 4, 3, 560, 400), (4, 4, 4, 1820, 961), (3, 5, 4, 1365, 614), (4, 5, 4, 4845, 2950)],
)
def test_best_play_from_the_best_first_cell_reaches_the_known_optimum(
    rows: int, cols: int, mines: int, layouts: int, won: int
) -> None:
    empty = View.parse("\n".join([f"{rows} {cols} {mines}", *["." * cols] * rows]))
    assert len(layouts_of(empty)) == layouts
    by_first_cell = []
    for cell in empty.covered():
        if cell.row > (rows - 1) / 2 or cell.col > (cols - 1) / 2:
            continue  # the board is symmetric
        total = 0
        for clue in range(9):
            try:
                found = endgame(opened(rows, cols, mines, cell, clue), layouts=4845, nodes=5_000_000)
            except PositionError:
                continue
            assert found is not None
            total += found.won
        by_first_cell.append(total)
    assert max(by_first_cell) == won
