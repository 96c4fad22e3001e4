"""`sweepstakes solve`: positions in, probabilities, certainties and reasons out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from rich.text import Text

from sweepstakes import Cell, PositionError, View
from sweepstakes.inference import Status, posterior
from sweepstakes.inference.solving import heat_map, layouts_in_words, solve, why

FIGURE = "3 3 3\n2.1\n...\n.3.\n"
"""Six covered cells A to F around the clues 2, 1 and 3, with three mines in all."""


Command = Callable[..., Any]


@pytest.fixture
def run(sweepstakes: Command) -> Command:
    """The command `solve`."""
    return partial(sweepstakes, "solve")


def test_the_worked_example_comes_out_as_known() -> None:
    solution = solve(View.parse(FIGURE))
    assert solution.safe == [Cell(0, 1), Cell(1, 2)]
    assert solution.mines == [Cell(1, 0), Cell(1, 1)]
    assert solution.probability[2, 0] == solution.probability[2, 2] == pytest.approx(0.5)
    assert 10**solution.log10_layouts == pytest.approx(2)
    assert solution.status is Status.OK


@pytest.mark.parametrize(
    ("text", "best"),
    [
        (FIGURE, Cell(0, 1)),
        ("2 4 2\n.1..\n....\n", Cell(0, 0)),
        ("2 3 2 noise=liar(rate=0.25)\n1..\n...\n", Cell(1, 0)),
        ("1 2 1\n1.\n", None),
    ],
)
def test_the_layouts_are_weighed_once_for_the_whole_solution(text: str, best: Cell | None, sums: list[int]) -> None:
    assert solve(View.parse(text)).best == best
    assert len(sums) == 1


def test_json_has_the_promised_keys_and_null_for_open_cells(run: Command) -> None:
    done = run("-", "--json", text=FIGURE)
    assert done.code == 0, done.err
    data = json.loads(done.out)
    assert list(data) == ["probability", "safe", "mines", "log10_layouts", "best", "status"]
    assert data["probability"][0] == [None, 0.0, None]
    assert (data["safe"], data["best"], data["status"]) == ([[0, 1], [1, 2]], [0, 1], "ok")


def test_the_mine_count_can_be_given_beside_the_position(run: Command) -> None:
    rows = FIGURE.split("\n", 1)[1]
    assert run("-", "--mines", "3", text=rows).out == run("-", text=FIGURE).out
    done = run("-", text=rows)
    assert (done.code, done.out) == (2, "")
    assert "the mine count is missing" in done.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 3 3\n2.8\n...\n.3.\n", "the 8 at (0, 2) cannot be true"),
        ("3 3 8\n2.1\n...\n.3.\n", "8 mines in all do not fit into the 6 cells that are not open"),
        ("3 3 3\n2.x\n...\n.3.\n", "row 1 of the position has 'x'"),
        ("3 3 3\n2.1\n..\n.3.\n", "row 2 of the position has length 2, expected 3"),
        ("3 4 3\n2.1\n...\n.3.\n", "the first line says 3 x 4"),
        ("", "the position has no rows"),
    ],
)
def test_an_impossible_position_is_answered_by_one_line(text: str, expected: str, run: Command) -> None:
    done = run("-", text=text)
    assert (done.code, done.out) == (2, "")
    said = [line for line in done.err.splitlines() if not line.startswith("preparing")]
    assert len(said) == 1
    assert expected in said[0]


def test_a_missing_file_is_answered_by_one_line(run: Command) -> None:
    done = run("nowhere.txt", text="")
    assert done.code == 2
    assert done.err.count("\n") == 1


def test_the_reason_is_a_set_of_clues_none_of_which_can_be_spared() -> None:
    view = View.parse("4 6 4\n......\n.2121.\n.1001.\n......\n")
    solution = solve(view)
    cells = [*solution.safe, *solution.mines]
    assert cells
    for cell in cells:
        sentence = why(solution, cell)
        assert sentence.startswith(f"{cell} is {'safe' if cell in solution.safe else 'a mine'} because of the ")
        assert "\n" not in sentence


def test_a_cell_that_is_not_certain_says_how_likely_it_is() -> None:
    solution = solve(View.parse(FIGURE))
    assert why(solution, Cell(2, 0)) == "(2, 0) is not certain: it is a mine with probability 0.500000"
    with pytest.raises(PositionError, match="is not covered"):
        why(solution, Cell(0, 0))


def test_the_command_prints_the_reason(run: Command) -> None:
    done = run("-", "--why", "1,2", text=FIGURE)
    assert done.out.startswith("(1, 2) is safe because of ")
    assert run("-", "--why", "nonsense", text=FIGURE).code == 2


def test_known_mines_flags_and_detonated_cells_count_as_mines() -> None:
    solution = solve(View.parse("1 4 2\nF1.*\n"))
    assert solution.safe == [Cell(0, 2)]
    assert solution.probability[0].tolist()[0] == 1.0


def test_only_what_is_certain_reads_0_or_100() -> None:
    text = heat_map(solve(View.parse("1 5 1\n.....\n"))).plain
    assert text.split() == ["20"] * 5
    assert heat_map(solve(View.parse("1 3 1\n1..\n"))).plain.split() == ["1", "100", "0"]


def test_the_heat_map_goes_from_green_to_red_and_sets_off_what_is_known() -> None:
    solution = solve(View.parse("2 4 2\nF?..\n12..\n"))
    screen = io.StringIO()
    Console(file=screen, force_terminal=True, color_system="truecolor", soft_wrap=True).print(
        heat_map(solution), end=""
    )
    text = Text.from_ansi(screen.getvalue())
    assert text.plain.splitlines() == ["   F   ?  50   0", "   1   2  50   0"]
    styles = {text.plain[span.start : span.end]: str(span.style) for span in text.spans}
    assert styles["   F"] == "bold color(1)"
    assert styles["   ?"] == styles["   1   2"] == "dim"
    assert (styles["  50"], styles["   0"]) == ("color(0) on #ffff50", "color(0) on #00ff50")


def test_a_position_of_many_certain_cells_is_printed_whole() -> None:
    solution = solve(View.parse("300 300 0\n" + ("." * 300 + "\n") * 300))
    assert len(solution.safe) == 90_000
    assert heat_map(solution).plain == ("   0" * 300 + "\n") * 300
    assert why(solution, Cell(299, 299)) == "(299, 299) is safe because of the number of mines, 0 in all"


def test_layouts_are_counted() -> None:
    assert layouts_in_words(solve(View.parse("2 5 3\n.....\n.....\n"))) == "consistent layouts: 120"
    assert "e" in layouts_in_words(solve(View.parse("16 30 99\n" + ("." * 30 + "\n") * 16)))


def test_a_noisy_position_weighs_every_layout_by_its_likelihood() -> None:
    view = View.parse("2 3 2 noise=liar(rate=0.25)\n1..\n...\n")
    found = solve(view)
    table = view.noise.table
    cells = [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    weights = {
        layout: Fraction(float(table[3, sum(cell in layout for cell in ((0, 1), (1, 0), (1, 1))), 1]))
        for layout in combinations(cells, 2)
    }
    total = sum(weights.values())
    for cell in cells:
        expected = sum(weight for layout, weight in weights.items() if cell in layout) / total
        assert abs(found.probability[cell] - float(expected)) < 1e-12


def test_an_empty_answer_is_no_answer() -> None:
    assert np.isnan(posterior(View.parse("1 1 0\n0\n").shown, 0).probability).all()
    assert solve(View.parse("1 1 0\n0\n")).best is None


@pytest.mark.parametrize("rule", ["safe", "opening"])
@pytest.mark.parametrize("first", [".", "F"])
def test_before_a_first_click_that_is_safe_by_the_rules_no_cell_can_be_a_mine(
    rule: str, first: str, run: Command
) -> None:
    text = f"3 4 2 first_click={rule}\n{first}...\n....\n....\n"
    solution = solve(View.parse(text))
    assert (solution.probability == 0).all()
    assert solution.safe == []  # each cell is safe by itself, not all of them together
    assert heat_map(solution).plain.split() == [{".": "0"}.get(first, first), *["0"] * 11]
    assert why(solution, Cell(2, 2)) == "(2, 2) is safe if it is opened first: the first click is safe by the rules"
    assert run("-", text=text).out.splitlines()[3:] == [
        "safe: whichever cell is opened first: the first click is safe by the rules"
    ]
    data = json.loads(run("-", "--json", text=text).out)
    assert (data["probability"][1], data["log10_layouts"], data["status"]) == ([0.0] * 4, None, "ok")


def test_a_first_click_that_may_be_a_mine_has_its_probability() -> None:
    assert solve(View.parse("3 4 3 first_click=any\n....\n....\n....\n")).probability[0, 0] == pytest.approx(0.25)


def test_best_says_what_the_champion_would_open_and_lists_what_it_considered(run: Command) -> None:
    endgame = run("-", "--best", text="3 4 2\n.1..\n....\n...1\n")
    assert endgame.code == 0, endgame.err
    lines = endgame.out.splitlines()
    assert lines[:2] == [
        "open (2, 0): best play of all layouts that are left",
        "wins 10 of 11 layouts, 0.909091",
    ]
    assert "(0, 3)      0.909091       9" in lines
    certain = run("-", "--best", text=FIGURE)
    assert certain.out == "open (0, 1) (1, 2): certainly safe\n"
    noisy = run("-", "--best", text="2 3 2 noise=liar(rate=0.25)\n1..\n...\n")
    assert (noisy.code, noisy.out) == (2, "")
    assert "need exact clues" in noisy.err


def test_best_in_json_has_the_candidates_of_the_lookahead(run: Command) -> None:
    rows = [".1......", "........", "........", "........", "...2....", "........", "........", "........"]
    done = run("-", "--best", "--json", text="\n".join(["8 8 12", *rows]))
    assert done.code == 0, done.err
    data = json.loads(done.out)
    advice = data["advice"]
    assert list(advice) == ["open", "reason", "safe", "won", "layouts", "candidates", "wins"]
    assert advice["reason"] == "lookahead"
    assert advice["candidates"][0]["cell"] == advice["open"][0]
    row, col = advice["open"][0]
    assert advice["safe"] == pytest.approx(1 - data["probability"][row][col])
    scores = [each["score"] for each in advice["candidates"] if each["state"] == "scored"]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) > 3
