from __future__ import annotations

import math
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from golden_boards import Golden, golden_boards
from hypothesis import given
from hypothesis import strategies as st
from place_mines_twin import permutation, place_mines
from scipy.stats import chisquare

from sweepstakes import PRESETS, Board, BoardRef, BoardSource, Cell, PositionError, Rng, Rules, Size, SweepstakesError
from sweepstakes.game.rng import derive
from sweepstakes.plugins.boards.uniform import Uniform


def uniform(seed: int, size: Size, protected: tuple[int, ...] = ()) -> Board:
    return BoardRef(Uniform(), size, seed).board(protected)


@pytest.mark.parametrize("golden", golden_boards(), ids=lambda g: f"{g.rows}x{g.cols}-{g.number}-{g.first_click}")
def test_golden_boards_stay_what_they_are(golden: Golden) -> None:
    size = Size.of(golden.rows, golden.cols, mines=golden.mines)
    dealt = BoardRef.of(Uniform(), "uniform", size, golden.tournament_seed, golden.number)
    assert dealt.seed == golden.seed
    rules = Rules(first_click=golden.first_click)
    assert str(dealt.board(rules.protected(size, Cell(golden.row, golden.col)))) == golden.text


def test_golden_boards_cover_the_presets_and_every_first_click() -> None:
    boards = golden_boards()
    assert {Size(*board[:3]) for board in boards} >= set(PRESETS.values())
    assert {board.first_click for board in boards} == {"any", "safe", "opening"}


def test_the_first_golden_board_is_also_here_to_be_seen() -> None:
    assert str(BoardRef.of(Uniform(), "uniform", PRESETS["beginner"], 2026, 0).board()).split() == [
        ".........",
        ".........",
        "........*",
        ".*..*..*.",
        ".......*.",
        "*....**..",
        "..*......",
        "......*..",
        ".........",
    ]


def test_presets_are_the_standard_ones() -> None:
    assert PRESETS == {"beginner": (9, 9, 10), "intermediate": (16, 16, 40), "expert": (16, 30, 99)}


def test_a_seed_depends_on_everything_that_names_the_board_and_on_nothing_else() -> None:
    size, source = PRESETS["beginner"], Uniform()
    seeds = {
        BoardRef.of(source, "uniform", size, 1, 0).seed,
        BoardRef.of(source, "uniform", size, 2, 0).seed,
        BoardRef.of(source, "uniform", size, 1, 1).seed,
        BoardRef.of(source, "uniform(x=1)", size, 1, 0).seed,
        BoardRef.of(source, "uniform", Size(9, 9, 11), 1, 0).seed,
        BoardRef.of(source, "uniform", Size(9, 10, 10), 1, 0).seed,
    }
    assert len(seeds) == 6
    assert BoardRef.of(source, "uniform", size, 1, 0).seed == derive("board", 1, "uniform", 9, 9, 10, 0)


@given(st.integers(0, 2**64 - 1), st.integers(1, 12), st.integers(1, 12), st.data())
def test_dealing_agrees_with_its_plain_twin(seed: int, rows: int, cols: int, data: st.DataObject) -> None:
    cells = rows * cols
    protected = tuple(sorted(data.draw(st.sets(st.integers(0, cells - 1), max_size=min(9, cells)))))
    mines = data.draw(st.integers(0, cells - len(protected)))
    assert uniform(seed, Size(rows, cols, mines), protected).layout == place_mines(seed, cells, mines, protected)


def test_dealing_rejects_what_would_favour_the_first_cells() -> None:
    seed = 3558559446808474027  # its first number is 2**64 - 1, which no board may use
    assert Rng(seed).bits() == 2**64 - 1
    for cells in (3, 7, 480):
        rest = Rng(seed)
        rest.bits()
        assert uniform(seed, Size(1, cells, 1)).layout.index(1) == rest.below(cells)


@given(st.integers(0, 2**64 - 1))
def test_more_mines_only_add_mines(seed: int) -> None:
    few, many = uniform(seed, Size(6, 7, 9)).mines, uniform(seed, Size(6, 7, 10)).mines
    assert (few <= many).all()


def test_every_layout_is_equally_likely() -> None:
    size = Size(2, 3, 3)
    counts = Counter(uniform(derive("test", k), size).layout for k in range(20_000))
    assert len(counts) == math.comb(6, 3)
    assert chisquare(list(counts.values())).pvalue > 1e-3


@pytest.mark.parametrize(
    ("first_click", "first", "size"), [("safe", Cell(0, 1), Size(2, 3, 2)), ("opening", Cell(0, 0), Size(3, 3, 2))]
)
def test_every_layout_is_equally_likely_given_the_protection(first_click: Any, first: Cell, size: Size) -> None:
    protected = Rules(first_click=first_click).protected(size, first)
    counts = Counter(uniform(derive("test", k), size, protected).layout for k in range(12_000))
    free = [cell for cell in range(size.cells) if cell not in protected]
    layouts = {bytes(i in mines for i in range(size.cells)) for mines in combinations(free, size.mines)}
    assert set(counts) == layouts
    assert chisquare(list(counts.values())).pvalue > 1e-3


@given(st.integers(0, 2**64 - 1), st.integers(0, 79), st.sampled_from(["safe", "opening"]))
def test_agents_that_start_elsewhere_get_boards_that_differ_as_little_as_possible(
    seed: int, first: int, first_click: Any
) -> None:
    size = Size(8, 10, 15)
    protected = Rules(first_click=first_click).protected(size, Cell(*divmod(first, 10)))
    plain = {i for i, mine in enumerate(uniform(seed, size).layout) if mine}
    moved = {i for i, mine in enumerate(uniform(seed, size, protected).layout) if mine}
    assert plain - moved == plain & set(protected)
    instead = [cell for cell in permutation(seed, 80) if cell not in plain and cell not in protected]
    assert moved - plain == set(instead[: len(plain & set(protected))])


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_a_boards_text_reads_back(rows: int, cols: int, data: st.DataObject) -> None:
    layout = data.draw(st.lists(st.booleans(), min_size=rows * cols, max_size=rows * cols))
    board = Board(rows, cols, bytes(layout))
    assert Board.parse(str(board)) == board
    assert hash(Board.parse(str(board))) == hash(board)
    assert Board.of(rows, cols, [(int(r), int(c)) for r, c in np.argwhere(board.mines)]) == board


@given(st.integers(0, 2**64 - 1), st.integers(1, 9), st.integers(1, 9), st.data())
def test_clues_count_the_mines_around(seed: int, rows: int, cols: int, data: st.DataObject) -> None:
    board = uniform(seed, Size(rows, cols, data.draw(st.integers(0, rows * cols))))
    for row in range(rows):
        for col in range(cols):
            around = sum(
                board.is_mine(Cell(r, c))
                for r in range(row - 1, row + 2)
                for c in range(col - 1, col + 2)
                if (r, c) != (row, col) and 0 <= r < rows and 0 <= c < cols
            )
            assert board.clues[row, col] == (-1 if board.is_mine(Cell(row, col)) else around)


def test_a_board_cannot_be_changed() -> None:
    board = Board.parse("*.\n..")
    with pytest.raises(ValueError, match="read-only"):
        board.mines[0, 0] = False
    with pytest.raises(ValueError, match="WRITEABLE"):
        board.mines.setflags(write=True)
    with pytest.raises(AttributeError):
        board.rows = 3  # type: ignore[misc]
    board.clues[:] = 7
    assert board.clues.tolist() == [[-1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1 to 1000 rows"),
        ("   \n ", "1 to 1000 rows"),
        ("..\n.", "row 2 of the board has length 1, expected 2"),
        ("..\n.x", "row 2 of the board has 'x'"),
        ("." * 1001, "1 to 1000 rows"),
        ("\n".join("." * 1001), "1 to 1000 rows"),
    ],
)
def test_a_boards_text_is_refused_with_the_place_of_the_fault(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Board.parse(text)


@pytest.mark.parametrize("cell", [(-1, 0), (0, -1), (2, 0), (0, 3)])
def test_cells_outside_the_board_are_refused(cell: tuple[int, int]) -> None:
    with pytest.raises(PositionError, match="not on a board of 2 x 3"):
        Board.of(2, 3, [cell])
    with pytest.raises(PositionError, match="not on a board of 2 x 3"):
        Board.of(2, 3, []).is_mine(Cell(*cell))


@pytest.mark.parametrize(
    ("density", "rows", "cols", "mines"),
    [
        (0.15, 16, 16, 38),  # 38.4
        (0.5, 1, 1, 1),  # 0.5 goes up
        (0.5, 1, 3, 2),
        (0.145, 10, 10, 15),  # 14.5 as written, 14.499999999999998 in floats
        (0.285, 10, 10, 29),
        (0.575, 10, 10, 58),
        (1.005e-2, 100, 100, 101),  # 100.5
        (0.1, 3, 3, 1),
        (0, 5, 5, 0),
        (1, 5, 5, 25),
        (1e-7, 1000, 1000, 0),
        (5e-7, 1000, 1000, 1),
        (0.2063, 1000, 1000, 206_300),
        (np.float64(0.145), 10, 10, 15),
        (Decimal("0.145"), 10, 10, 15),
    ],
)
def test_density_is_rounded_on_the_decimal_as_it_is_written(density: Any, rows: int, cols: int, mines: int) -> None:
    assert Size.of(rows, cols, density=density) == (rows, cols, mines)


@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(1, 60))
def test_density_agrees_with_decimal_arithmetic(ten_thousandths: int, rows: int, cols: int) -> None:
    density = Decimal(ten_thousandths) / 10_000
    expected = (density * rows * cols).quantize(Decimal(1), ROUND_HALF_UP)
    assert Size.of(rows, cols, density=float(density)).mines == expected


@pytest.mark.parametrize(
    ("rows", "cols", "given", "message"),
    [
        (0, 5, {"mines": 1}, "no board of 0 x 5: expected 1 to 1000"),
        (5, -1, {"mines": 1}, "no board of 5 x -1"),
        (1001, 1, {"mines": 1}, "no board of 1001 x 1"),
        (5, 5, {"mines": 26}, "26 mines on 5 x 5: expected 0 to 25"),
        (5, 5, {"mines": -1}, "-1 mines"),
        (5, 5, {}, "either a number of mines or a density"),
        (5, 5, {"mines": 1, "density": 0.1}, "either a number of mines or a density"),
        (5, 5, {"density": 1.01}, "density 1.01: expected 0 to 1"),
        (5, 5, {"density": -0.1}, "density -0.1"),
        (5, 5, {"density": float("nan")}, "density nan"),
        (5, 5, {"density": "much"}, "'much': expected numbers"),
        ("5", 5, {"mines": 1}, "'5' x 5"),
        (5.5, 5, {"mines": 1}, "5.5 x 5"),
        (5, None, {"mines": 1}, "5 x None"),
        (5, 5, {"mines": 1.5}, "1.5: expected numbers"),
    ],
)
def test_a_size_that_cannot_be_is_refused(rows: Any, cols: Any, given: Any, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Size.of(rows, cols, **given)


def test_numpys_numbers_give_the_same_board_as_pythons() -> None:
    size = Size.of(np.int64(9), np.int8(9), mines=np.uint8(10))  # type: ignore[arg-type]
    assert [type(number) for number in size] == [int, int, int]
    assert (
        BoardRef.of(Uniform(), "uniform", size, 1, 0).seed
        == BoardRef.of(Uniform(), "uniform", Size(9, 9, 10), 1, 0).seed
    )


def test_the_largest_board_has_a_million_cells() -> None:
    size = Size.of(1000, 1000, density=0.2063)
    board = uniform(5, size)
    assert board.size == size
    assert int((board.clues == -1).sum()) == 206_300
    assert board.layout == place_mines(5, 1_000_000, 206_300)


class Crooked(BoardSource):
    """Returns what it was created with."""

    def __init__(self, gives: Any) -> None:
        self.gives = gives

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        gives: Board = self.gives
        return gives


@pytest.mark.parametrize(
    ("gives", "message"),
    [
        (None, "Crooked made a NoneType, expected a Board"),
        (Board(2, 3, bytes(6)), "made a board of 2x3/0, expected 2x2/1"),
        (Board(2, 2, bytes(4)), "made a board of 2x2/0, expected 2x2/1"),
        (Board(2, 2, b"\1"), "not 4 bytes of 0 and 1"),
        (Board(2, 2, b"\1\0\0\0\0"), "not 4 bytes of 0 and 1"),
        (Board(2, 2, b"\1\2\0\0"), "not 4 bytes of 0 and 1"),
        (Board(2, 2, bytearray(b"\1\0\0\0")), "not 4 bytes of 0 and 1"),  # type: ignore[arg-type]
        (Board(2, 2, b"\1\0\0\0"), "put a mine where the first click is safe"),
    ],
)
def test_what_a_source_makes_wrong_is_said_and_is_never_played(gives: Any, message: str) -> None:
    with pytest.raises(SweepstakesError, match=message):
        BoardRef(Crooked(gives), Size(2, 2, 1), 1).board((0,))
