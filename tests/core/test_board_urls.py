"""Boards and positions in addresses."""

from __future__ import annotations

import random
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Board, PositionError, View, board_from_url, board_url, read_board, view_from_url, view_url
from sweepstakes.game.board_formats import FORMATS, decode, encode
from sweepstakes.game.board_urls import ADDRESSES
from sweepstakes.untrusted.files import is_url

PTTACG, LLAMA, ANALYSER = ADDRESSES["pttacg"], ADDRESSES["llamasweeper"], ADDRESSES["jsminesweeper"] + "?analysis="


@lru_cache(None)
def random_board(seed: int) -> Board:
    rng = random.Random(seed)
    rows, cols, density = rng.randint(1, 16), rng.randint(1, 16), rng.random()
    return Board(rows, cols, bytes(rng.random() < density for _ in range(rows * cols)))


@pytest.mark.parametrize("form", [*FORMATS, *ADDRESSES])
def test_a_thousand_boards_travel_through_every_format(form: str) -> None:
    for seed in range(1000):
        board = random_board(seed)
        assert decode(encode(board, form), form) == board, seed


def test_a_file_with_an_address_is_a_board(tmp_path: Path) -> None:
    (tmp_path / "board.txt").write_bytes(encode(random_board(3), "pttacg"))
    assert read_board(str(tmp_path / "board.txt")) == random_board(3)


@pytest.mark.parametrize("form", ADDRESSES)
@pytest.mark.parametrize("shape", [(1, 1), (1000, 1), (1, 1000), (9, 9), (9, 100), (100, 9), (120, 30)])
def test_boards_of_every_shape_travel(form: str, shape: tuple[int, int]) -> None:
    for layout in (bytes(shape[0] * shape[1]), bytes([1]) * shape[0] * shape[1]):
        board = Board(*shape, layout)
        assert board_from_url(board_url(board, form)) == board


def test_an_address_that_the_zini_calculator_wrote_is_read() -> None:
    url = PTTACG + "?b=4005&m=vvvvvvvv000000010000000194i94i95vvvvvvvv"
    side = "." * 39 + "*"
    assert str(board_from_url(url)).splitlines() == ["*" * 40, side, side, ".*." * 13 + "*", "*" * 40]
    assert board_url(board_from_url(url), "pttacg") == url


def test_an_address_that_llamasweeper_wrote_is_read() -> None:
    url = LLAMA + "?b=2&m=0000000000000000220c8014k0pg0i80h30cc01140oo0ii0hh00"
    assert board_from_url(url).size == (16, 16, 39)
    assert board_url(board_from_url(url), "llamasweeper") == url


@pytest.mark.parametrize("b", ["0910", "910", "009010"])
def test_width_and_height_are_told_apart_where_a_program_does_not_pad_them(b: str) -> None:
    board = Board(10, 9, bytes([1]) + bytes(89))
    assert board_from_url(f"?b={b}&m=g00000000000000000") == board


def test_bits_are_cells_row_by_row() -> None:
    assert board_url(Board.parse("*..\n..*"), "pttacg") == f"{PTTACG}?b=0302&m=gg"
    assert board_url(Board.parse("...\n..."), "pttacg") == f"{PTTACG}?b=0302"
    assert board_from_url("?b=0302&m=GG") == Board.parse("*..\n..*")


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("adacaaac2e2", "2 3 2\nF21\n12F"),
        ("afaeaaaeTb2bsxblSl9mSnc", "4 5 4\n..1F1\n2312.\n1F11.\n11100"),
        ("adacaaabb9ScS", "2 3 1\n0F.\n00."),
    ],
)
def test_codes_are_what_the_analyser_makes_of_the_same_cells(code: str, text: str) -> None:
    """The codes were read and written again by the code of JSMinesweeper, which gave the same cells and characters."""
    view = View.parse(text)
    assert view_url(view) == ANALYSER + code
    assert view_from_url(ANALYSER + code) == view


def test_a_complete_board_is_flags_and_zeros_for_the_analyser() -> None:
    assert board_url(Board.parse("*..\n..*"), "jsminesweeper") == ANALYSER + "adacaaac2e2"


def marks_of(seed: int) -> View:
    """A position with open cells, flags (also wrong ones) and detonated mines, the first cell open."""
    rng = random.Random(seed)
    board = random_board(seed)
    share = rng.random()
    marks = []
    for mine, clue in zip(board.layout, board.clues.reshape(-1).tolist(), strict=True):
        safe = str(clue) if rng.random() < share else rng.choice("....F")
        marks.append(rng.choice("F.*") if mine else safe)
    marks[0] = "."
    rows = ["".join(marks[i : i + board.cols]) for i in range(0, len(marks), board.cols)]
    return View.parse("\n".join(rows), mines=board.size.mines)


def test_a_thousand_positions_travel_to_the_analyser() -> None:
    for seed in range(1000):
        view = marks_of(seed)
        assert view_from_url(view_url(view)).marks == view.marks.replace("*", "F"), seed


def test_the_position_of_a_board_has_every_mine_flagged() -> None:
    board = Board.parse("*..\n...\n..*")
    for form in ADDRESSES:
        assert view_from_url(board_url(board, form)) == View.parse("3 3 2\nF10\n121\n01F")


@given(text=st.text())
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    for url in (text, f"?b={text}", f"?b=0302&m={text}", f"?analysis={text}", f"?b={text}&m={text}"):
        for read in (board_from_url, view_from_url):
            with suppress(PositionError):
                read(url)


@given(text=st.text("abcdefgHIJKLMNOPQRSTUVWXYZ0123456789", min_size=8, max_size=40))
def test_any_code_for_the_analyser_is_read_or_refused(text: str) -> None:
    try:
        view = view_from_url(f"?analysis=a{text[0]}a{text[1]}aaa{text[2]}{text[3:]}")
    except PositionError:
        return
    assert set(view.marks) <= set(".F012345678")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/", "no board in this address: expected .b= and &m=, or .analysis="),
        ("https://minesweeper.online/game/1234567890", "names a game, not its mines"),
        ("?b=4", "b='4': expected 1, 2, 3, or width and height"),
        ("?b=abcd&m=0", "b='abcd': expected 1, 2, 3"),
        ("?b=910", "b=910: expected width and height with as many digits each"),
        ("?b=0008&m=0", "no board of 8 x 0"),
        ("?b=1&m=0", "m= has 1 characters: expected 17 for 9 x 9 cells"),
        ("?b=0302&m=g!", "character 2 of m= is '!': expected 0-9 or a-v"),
        ("?b=0302&m=0f", "m= has a mine after the last of the 2 x 3 cells"),
        ("?analysis=ad", "expected width, height, mines and the cells"),
        ("?analysis=adac-aaca", "character 5 of analysis= is '-'"),
        ("?analysis=adacaaacg", "a position with 0 flags and 2 mines: expected a whole board"),
        ("?analysis=adacaaacf", "analysis= has 5 cells: expected 6 for 2 x 3"),
        ("?analysis=adacaaacba", "analysis= has more cells: expected 6"),
        ("?analysis=aaacaaacb", "no board of 2 x 0"),
    ],
)
def test_what_is_wrong_with_an_address_is_said(url: str, expected: str) -> None:
    with pytest.raises(PositionError, match=expected):
        board_from_url(url)


def test_a_program_without_addresses_is_refused() -> None:
    with pytest.raises(PositionError, match=r"no address format for the program 'pttac' \(did you mean 'pttacg'"):
        board_url(random_board(1), "pttac")


def test_a_withheld_clue_has_no_sign_in_the_analyser() -> None:
    with pytest.raises(PositionError, match="cannot represent an open cell whose clue is withheld"):
        view_url(View.parse("1 2 1\n?."))


def test_a_path_is_not_an_address() -> None:
    assert is_url("https://example.org/?b=1")
    assert is_url("?b=1")
    assert not any(map(is_url, ("board.txt", "a?b=1", "-", "16x30/99", "", "?")))
