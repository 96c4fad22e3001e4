"""3BV, openings and islands, compared with a direct implementation of their definitions."""

from __future__ import annotations

import random

import pytest

from sweepstakes import Board, board_statistics
from sweepstakes.game.cell import neighbours


def slow(board: Board) -> tuple[int, int, int]:
    """Return 3BV by clicking openings first, then every other clue, and islands by joining clues one by one."""
    clues = board.clues
    cells = [(row, col) for row in range(board.rows) for col in range(board.cols)]
    opened: set[tuple[int, int]] = set()
    openings = 0
    for cell in cells:
        if clues[cell] == 0 and cell not in opened:
            openings += 1
            waiting = [cell]
            while waiting:
                here = waiting.pop()
                if here in opened:
                    continue
                opened.add(here)
                if clues[here] == 0:
                    waiting += [tuple(other) for other in neighbours(board.rows, board.cols, *here)]  # type: ignore[misc]
    alone = [cell for cell in cells if clues[cell] > 0 and cell not in opened]
    islands: list[set[tuple[int, int]]] = []
    for cell in alone:
        touching = [
            island for island in islands if any(max(abs(cell[0] - r), abs(cell[1] - c)) == 1 for r, c in island)
        ]
        islands = [island for island in islands if island not in touching] + [{cell}.union(*touching)]
    return openings + len(alone), openings, len(islands)


def test_random_boards_have_the_statistics_of_the_slow_twin() -> None:
    for seed in range(400):
        rng = random.Random(seed)
        rows, cols, density = rng.randint(1, 12), rng.randint(1, 12), rng.random() * 0.5
        board = Board(rows, cols, bytes(rng.random() < density for _ in range(rows * cols)))
        found = board_statistics(board)
        assert found[:3] == slow(board), str(board)
        assert sum(found.clues) == rows * cols - board.size.mines


@pytest.mark.parametrize(
    ("text", "three_bv", "openings", "islands"),
    [
        (".", 1, 1, 0),
        ("*", 0, 0, 0),
        ("*.", 1, 0, 1),
        ("*..", 1, 1, 0),
        ("..*..", 2, 2, 0),
        (".*.*.", 3, 0, 3),
        ("*..\n...\n..*", 2, 2, 0),
        ("*.*\n...\n*.*", 5, 0, 1),
    ],
)
def test_small_boards_have_the_statistics_that_one_counts(
    text: str, three_bv: int, openings: int, islands: int
) -> None:
    assert board_statistics(Board.parse(text))[:3] == (three_bv, openings, islands)


def test_the_statistics_are_those_of_a_library_for_players() -> None:
    toolbox = pytest.importorskip("ms_toollib")
    for seed in range(200):
        rng = random.Random(seed)
        board = Board(16, 30, bytes(rng.random() < 0.2 for _ in range(480)))
        plain = board.clues.tolist()
        found = board_statistics(board)
        assert (found.three_bv, found.openings) == (toolbox.cal_bbbv(plain), toolbox.cal_op(plain))
