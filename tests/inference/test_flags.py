"""Flags held against the clues: which are proven, which cannot be right, alone or together."""

from __future__ import annotations

from itertools import combinations
from random import Random

from sweepstakes import Cell, View
from sweepstakes.inference import check_flags


def test_a_flag_on_a_cell_that_the_clues_prove_safe_is_wrong() -> None:
    assert check_flags(View.parse("1 5 1\n01.F.\n")).wrong == [Cell(0, 3)]


def test_a_flag_on_a_cell_that_the_clues_prove_to_be_a_mine_is_proven() -> None:
    assert check_flags(View.parse("1 5 1\n01F..\n")) == ([Cell(0, 2)], [], [])


def test_more_flags_around_a_clue_than_it_says_cannot_all_be_right() -> None:
    found = check_flags(View.parse("3 5 4\nFF...\n.1...\n....F\n"))
    assert (found.proven, found.wrong) == ([], [])
    assert found.together == [Cell(0, 0), Cell(0, 1)]


def test_more_flags_than_mines_cannot_all_be_right() -> None:
    found = check_flags(View.parse("2 4 2\nFFF.\n....\n"))
    assert len(found.together) == 3


def test_before_a_first_click_that_is_safe_no_flag_is_judged() -> None:
    assert check_flags(View.parse("2 3 1 first_click=safe\nFFF\nFFF\n")) == ([], [], [])


def test_flags_of_an_impossible_position_are_not_judged() -> None:
    assert check_flags(View.parse("1 3 3\nF0.\n")) == ([], [], [])


def layouts(view: View) -> list[set[Cell]]:
    """Every set of mines that agrees with the clues and the count; flags are not believed."""
    free = [*view.covered(), *view.flagged()]
    found = []
    for mines in combinations(free, view.mines):
        chosen = set(mines)
        if all(view.clue(cell) == len(chosen & set(view.neighbours(cell))) for cell in view.open()):
            found.append(chosen)
    return found


def position(rng: Random) -> View:
    """A real position with flags set at random."""
    rows, cols, mines = 3, 4, rng.randint(1, 4)
    cells = [Cell(row, col) for row in range(rows) for col in range(cols)]
    board = set(rng.sample(cells, mines))
    view = View.parse(f"{rows} {cols} {mines}\n" + "." * cols + ("\n" + "." * cols) * (rows - 1))
    marks = {}
    for cell in cells:
        if cell not in board and rng.random() < 0.35:
            marks[cell] = str(len(board & set(view.neighbours(cell))))
        else:
            marks[cell] = "F" if rng.random() < 0.4 else "."
    text = "\n".join("".join(marks[Cell(row, col)] for col in range(cols)) for row in range(rows))
    return View.parse(text, mines=mines)


def test_a_thousand_positions_are_judged_as_by_counting_every_layout() -> None:
    rng = Random(5)
    blamed = 0
    for _ in range(1000):
        view = position(rng)
        every, found, flags = layouts(view), check_flags(view), set(view.flagged())
        assert set(found.proven) == {cell for cell in flags if all(cell in mines for mines in every)}
        assert set(found.wrong) == {cell for cell in flags if not any(cell in mines for mines in every)}
        rest = flags - set(found.wrong)
        assert bool(found.together) == (not any(rest <= mines for mines in every)), view
        if found.together:
            blamed += 1
            together = set(found.together)
            assert together <= rest
            assert not any(together <= mines for mines in every)
            for cell in together:
                assert any(together - {cell} <= mines for mines in every), view
    assert blamed > 50
