"""The board sources that are not uniform."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepstakes import PRESETS, Board, BoardRef, BoardSource, Cell, Game, PositionError, Registry, Rules, Size
from sweepstakes.errors import ParameterError
from sweepstakes.game.cell import neighbours
from sweepstakes.inference import needs_guess
from sweepstakes.plugins.boards.clustered import Clustered
from sweepstakes.plugins.boards.file import FileBoards
from sweepstakes.plugins.boards.no_guess import NoGuess

BEGINNER, INTERMEDIATE = PRESETS["beginner"], PRESETS["intermediate"]

GOLDEN = {
    Clustered(): "c4",
    Clustered(9): "c9",
    NoGuess(): "ng",
}
GOLDEN_BOARDS = {
    "c4": """
        ........*
        .......*.
        .......**
        ..*......
        ...*.....
        ..*......
        ..**.....
        .*.......
        .........
    """,
    "c9": """
        .........
        ..*......
        .........
        .........
        .........
        .........
        ....*****
        ....*.*..
        ...**....
    """,
    "ng": """
        .........
        ..*......
        *.....*..
        .........
        *........
        .........
        *...*.*..
        *.....*..
        .*.......
    """,
}


@pytest.mark.parametrize("source", GOLDEN, ids=GOLDEN.values())
def test_golden_boards_pin_the_version(source: BoardSource) -> None:
    label = GOLDEN[source]
    assert source.version == 1
    assert BoardRef.of(source, label, BEGINNER, 2026, 1).board((40,)) == Board.parse(GOLDEN_BOARDS[label])


def test_clustered_mines_have_more_mines_around_them_than_uniform_ones() -> None:
    def crowding(source: BoardSource) -> int:
        total = 0
        for number in range(50):
            board = BoardRef.of(source, "x", INTERMEDIATE, 1, number).board()
            mines = [Cell(*divmod(i, board.cols)) for i, mine in enumerate(board.layout) if mine]
            total += sum(board.is_mine(near) for mine in mines for near in neighbours(board.rows, board.cols, *mine))
        return total

    uniform = Registry.default().make("board source", "uniform")
    assert crowding(Clustered(8)) > crowding(Clustered(4)) > 1.3 * crowding(uniform)


@pytest.mark.parametrize("mines", [0, 1, 80, 81])
def test_clustered_lays_every_mine_on_boards_of_any_density(mines: int) -> None:
    size = Size.of(9, 9, mines=mines)
    for number in range(20):
        BoardRef.of(Clustered(), "x", size, 1, number).board((40,) if mines < 81 else ())  # which checks it


def test_a_start_elsewhere_alters_few_clustered_mines() -> None:
    moved = 0
    for number in range(100):
        board_ref = BoardRef.of(Clustered(), "x", INTERMEDIATE, 1, number)
        pairs = zip(board_ref.board((0,)).layout, board_ref.board((136,)).layout, strict=True)
        moved += sum(a != b for a, b in pairs) // 2
    assert moved < 150  # of 4,000


def test_a_group_of_no_mines_is_refused() -> None:
    with pytest.raises(ParameterError, match="group 0: expected 1 or more"):
        Clustered(0)


@pytest.mark.parametrize("first_click", ["safe", "opening"])
@pytest.mark.parametrize("start", [Cell(0, 0), Cell(4, 8), Cell(4, 4)])
def test_no_guess_boards_can_be_cleared_from_their_start(first_click: str, start: Cell) -> None:
    rules = Rules("end", first_click, start)  # type: ignore[arg-type]
    for number in range(5):
        game = Game(BoardRef.of(NoGuess(), "x", BEGINNER, 1, number), rules)
        assert not needs_guess(game.board, start)


def test_a_board_that_needs_a_guess_is_told_from_one_that_does_not() -> None:
    assert not needs_guess(Board.parse("*..\n...\n..."), Cell(2, 2))
    assert needs_guess(Board.parse("*1.\n.1.".replace("1", ".")), Cell(0, 2))  # either cell of the left column


def test_no_guess_says_so_when_it_finds_no_board() -> None:
    with pytest.raises(PositionError, match="none of 3 boards of 9x9/60 can be cleared by proofs from"):
        NoGuess(attempts=3).board(1, 0, Size(9, 9, 60), (0,))


def test_no_guess_refuses_games_whose_start_it_cannot_know() -> None:
    with pytest.raises(PositionError, match="expected first_click: safe or opening"):
        NoGuess().check(BEGINNER, 1, Rules())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number, text in enumerate(["*..\n...\n...", "...\n.*.\n...", "...\n...\n..*"]):
        (tmp_path / f"{number}.txt").write_text(text)
    return tmp_path


def test_board_k_of_a_folder_is_the_kth_file(folder: Path) -> None:
    source = FileBoards(str(folder))
    size = Size(3, 3, 1)
    assert source.board(9, 1, size, ()) == Board.of(3, 3, [(1, 1)])
    listed = FileBoards([str(folder / "2.txt"), str(folder / "0.txt")])
    assert listed.board(9, 0, size, ()) == Board.of(3, 3, [(2, 2)])
    with pytest.raises(PositionError, match="there is no board number 2: the source has 2, counted from 0"):
        listed.check(size, 3, Rules())
    with pytest.raises(PositionError, match=r"0\.txt is a board of 3x3/1, expected 9x9/10"):
        source.check(BEGINNER, 1, Rules())


def test_a_mine_under_a_protected_first_click_moves_to_a_cell_drawn_from_the_seed(folder: Path) -> None:
    source, size = FileBoards(str(folder)), Size(3, 3, 1)
    assert source.board(5, 0, size, (8,)) == source.board(5, 0, size, ())
    found = {source.board(seed, 0, size, (0, 1)).layout.index(1) for seed in range(200)}
    assert found == set(range(2, 9))
    assert source.board(5, 0, size, (0,)) == source.board(5, 0, size, (0,))


def test_the_contents_of_the_files_are_part_of_a_games_identity(folder: Path) -> None:
    before = FileBoards(str(folder)).contents()
    (folder / "0.txt").write_text(".*.\n...\n...")
    assert FileBoards(str(folder)).contents() != before


@pytest.mark.parametrize(
    ("path", "expected"),
    [("nowhere.txt", "cannot be read: No such file"), ("", "there is no .txt, .mbf, .json file in this folder")],
)
def test_missing_boards_are_named(tmp_path: Path, path: str, expected: str) -> None:
    with pytest.raises(PositionError, match=expected):
        FileBoards(str(tmp_path / path))
