"""The worked examples and figures of the five reports that docs/sources.md cites, as data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from claims import examples
from claims.published import Published
from claims.verdicts import FAILS, HOLDS, OPEN, PARTLY

from sweepstakes import Board, Cell, Game, PositionError, Registry, Rules, Turn, View
from sweepstakes.agent import start_agent
from sweepstakes.game.board_formats import read_board
from sweepstakes.inference import Knowledge, posterior
from sweepstakes.inference.solving import solve

ROOT = Path(__file__).parents[2]
BOARD = ROOT / "examples" / "boards" / "game-of-100-plays.txt"
AFTER = ROOT / "examples" / "positions" / "after-play-87.txt"
FIGURE_6 = ROOT / "examples" / "positions" / "figure-6.txt"
NOTHING = Published(Path("nothing"))
Terminal = Callable[..., Any]

PLAYS = [line.split() for line in (ROOT / "tests/positions/game_of_100_plays.txt").read_text().splitlines()]
"""Row, column, and what was found: a clue, `*` a mine that went off, `F` a mine that was worked out."""


def test_the_log_of_100_plays_fits_its_board_cell_by_cell() -> None:
    board: Board = read_board(BOARD)
    assert len(PLAYS) == len({(row, col) for row, col, _ in PLAYS}) == 100
    game = Game(board, Rules(flood=False))
    for row, col, found in PLAYS:
        cell = Cell(int(row), int(col))
        game.take(Turn(flag=[cell]) if found == "F" else Turn(open=[cell]))
        shown = game.view()
        if found in "F*":
            assert board.layout[cell.row * 10 + cell.col]
            assert shown.is_flagged(cell) == (found == "F")
        else:
            assert shown.clue(cell) == int(found)
    result = game.result()
    assert (result.opened, result.right_flags, result.detonated) == (90, 8, 2)


def position_after(plays: int) -> View:
    marks = [["."] * 10 for _ in range(10)]
    for row, col, found in PLAYS[:plays]:
        marks[int(row)][int(col)] = found
    return View.parse("\n".join("".join(line) for line in marks), mines=10)


def test_after_play_87_single_clues_prove_five_cells_safe_though_no_more_solutions_were_found() -> None:
    view = View.parse(AFTER.read_text())
    assert view == position_after(87) == View.parse(examples.AFTER_PLAY_87)
    known = Knowledge.of(view)
    assert sorted(known.cells_of(known.safe)) == [(0, 9), (7, 0), (7, 1), (7, 2), (7, 3)]
    assert PLAYS[87] == ["9", "3", "*"]
    assert solve(view).probability[9, 3] == pytest.approx(0.5)
    measured = examples.after_play_87(NOTHING)
    assert (measured.verdict, "prove 5 cells safe" in measured.numbers) == (FAILS, True)
    agent = start_agent(Registry.default().agent("basic"), 1)
    assert agent.act(view).why == "proof"


def test_the_documented_commands_print_what_the_page_says(
    sweepstakes: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    for command in (
        ["solve", "examples/positions/after-play-87.txt"],
        ["solve", "examples/positions/figure-6.txt", "--agent", "probabilistic"],
    ):
        assert f"sweepstakes {' '.join(command)}\n" in page
        done = sweepstakes(*command)
        assert done.code == 0, done.err
        assert f"```\n{done.out.rstrip()}\n```" in page
    watch = ["watch", "triples", "--board", "examples/boards/game-of-100-plays.txt", "--start", "2,8", "--plain"]
    assert f"sweepstakes {' '.join(watch)}\n" in page
    done = sweepstakes(*watch)
    assert "shows 1: (2, 8)" in done.out
    assert "0 detonated" in done.out  # with the proofs that the report's agent missed, no mine goes off
    why = sweepstakes("solve", "examples/positions/after-play-87.txt", "--why", "7,0")
    assert why.out.startswith("(7, 0) is safe because of the 0 at (6, 0)")


def test_figure_6_and_what_is_printed_about_it() -> None:
    assert View.parse(FIGURE_6.read_text()) == View.parse(examples.FIGURE_6.format(3))
    printed = {"A": 0.33, "B": 1, "C": 0.67, "D": 0, "E": 0.5, "F": 0.5}
    slip = examples.printed_shares(None, printed)(NOTHING)
    assert slip.verdict == PARTLY
    assert slip.numbers.endswith("E is printed as 0.5, F is printed as 0.5")
    counted = {"A": 0, "B": 1, "C": 1, "D": 0, "E": 0.5, "F": 0.5}
    assert examples.printed_shares(3, counted)(NOTHING).verdict == HOLDS
    assert examples.pair_subtraction(NOTHING).verdict == HOLDS
    weights = examples.printed_weights({"A": 3, "B": 5, "C": 6, "D": 5, "E": 3, "F": 3})(NOTHING)
    assert (weights.numbers, weights.verdict) == ("A 3, B 5, C 6, D 4, E 3, F 3; D is printed as 5", PARTLY)


def test_three_equations_show_what_pairs_do_not() -> None:
    assert examples.hole(NOTHING).verdict == HOLDS
    assert examples.ring(NOTHING).verdict == HOLDS


def test_the_table_of_five_cells_has_one_solution_and_two_of_its_clues_prove_a_mine() -> None:
    assert examples.merged(NOTHING).verdict == HOLDS
    found = posterior(View.parse(examples.TABLE).shown, None)
    assert np.exp(found.log_layouts) == pytest.approx(1)


def test_the_long_chain_of_the_fourth_report_has_two_cells_in_all_its_placements() -> None:
    placements = [set("BCEF"), set("ABC"), set("BCDG"), set("ABCG")]
    assert set.intersection(*placements) == {"B", "C"}


def test_the_second_equation_of_the_second_report_would_open_a_mine() -> None:
    view = View.parse(examples.SECOND_EQUATION)
    covered = [cell for cell in view.neighbours(Cell(1, 1)) if view.is_covered(cell)]
    assert len(covered) == 8 - 1
    assert np.nanmax(posterior(view.shown, view.mines).probability) > 0
    assert examples.second_equation(NOTHING).verdict == FAILS


def test_the_figure_of_the_fourth_report_that_is_misdrawn_has_no_solution() -> None:
    assert examples.misdrawn(NOTHING).verdict == OPEN
    with pytest.raises(PositionError, match="cannot all be true"):
        solve(View.parse(examples.FIGURE_V))


def test_shares_are_shown_beside_the_exact_probabilities(sweepstakes: Terminal) -> None:
    done = sweepstakes("solve", str(FIGURE_6), "--agent", "probabilistic", "--json")
    assert '"stated": [[null, 0.3333333333333333, null], [1.0, 0.6666666666666666, 0.0]' in done.out
    for spec, number in (("local-probability", "50"), ("chain", "100"), ("improved-probabilistic", "0")):
        done = sweepstakes("solve", str(FIGURE_6), "--agent", spec)
        assert done.out.splitlines()[0].split() == ["exact", "|", spec]
        assert done.out.splitlines()[1].split()[5] == number
    for spec, why in (("basic", "computes no probabilities"), ("examples/edge_first.py", "is not built in")):
        done = sweepstakes("solve", str(FIGURE_6), "--agent", spec)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert why in done.err
