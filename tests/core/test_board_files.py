"""Boards in files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Board, PositionError
from sweepstakes.game.board_formats import FORMATS, encode, read_board

BOARD = Board.of(2, 3, [(0, 2), (1, 0)])


def test_mbf_is_width_height_mines_and_then_column_and_row_of_each() -> None:
    assert encode(BOARD, "mbf") == bytes([3, 2, 0, 2, 2, 0, 0, 1])


def test_mbf_counts_more_than_255_mines_in_two_bytes() -> None:
    full = Board(20, 20, bytes([1] * 300 + [0] * 100))
    assert encode(full, "mbf")[2:4] == bytes([1, 44])


boards = st.integers(1, 12).flatmap(
    lambda cols: st.lists(st.booleans(), min_size=1, max_size=60).map(
        lambda cells: Board(
            -(-len(cells) // cols), cols, bytes(cells) + bytes(-(-len(cells) // cols) * cols - len(cells))
        )
    )
)


@pytest.mark.parametrize("form", FORMATS)
@given(board=boards)
def test_every_format_reads_back(tmp_path_factory: pytest.TempPathFactory, form: str, board: Board) -> None:
    path = tmp_path_factory.getbasetemp() / f"board{FORMATS[form]}"
    path.write_bytes(encode(board, form))
    assert read_board(path) == board


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.mbf", b"", "not an .mbf board"),
        ("a.mbf", bytes([0, 2, 0, 0]), "not an .mbf board"),
        ("a.mbf", bytes([3, 2, 0, 2, 0, 0]), "2 mines need 8 bytes, the file has 6"),
        ("a.mbf", bytes([3, 2, 0, 1, 3, 0]), r"a mine at \(0, 3\) is not on a board of 2 x 3"),
        ("a.mbf", bytes([3, 2, 0, 2, 1, 0, 1, 0]), r"the mine at \(0, 1\) is listed twice"),
        ("a.txt", b"..\n.x", "row 2 of the board has 'x'"),
        ("a.txt", b"\xff\xfe", "not text, and its name does not end in .mbf"),
        ("a.json", b"{", "not JSON"),
        ("a.json", b'{"rows": 1}', 'expected {"rows": R'),
        ("a.json", b'{"rows": 1, "cols": 1, "mines": [3]}', r"a mine at 3: expected \[row, col\]"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_name(tmp_path: Path, name: str, data: bytes, expected: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(PositionError, match=rf"{name}: .*{expected}"):
        read_board(tmp_path / name)


def test_a_board_too_wide_for_mbf_is_refused() -> None:
    with pytest.raises(PositionError, match="its sides are at most 255"):
        encode(Board(1, 256, bytes(256)), "mbf")
