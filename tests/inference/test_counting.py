"""The number of layouts, against brute force and the slow twin."""

from __future__ import annotations

import math

import numpy as np
import pytest
import twin
from positions import small

from sweepstakes import Board, Cell, Game, PositionError, Registry, Rules, Turn, View
from sweepstakes.inference import count_layouts, needs_guess, posterior
from sweepstakes.noise import EXACT


def view_of(shown: np.ndarray, mines: int) -> View:
    rows, cols = shown.shape
    return View(rows, cols, mines, Rules(), EXACT, shown.astype(np.int8).tobytes())


def test_small_positions_are_counted_as_by_going_through_all_layouts() -> None:
    impossible = 0
    for seed in range(600):
        case = small(seed, noisy=False, wrong=0.05)
        total = twin.brute(case.shown, case.mines).total
        assert count_layouts(view_of(case.shown, case.mines)) == total, seed
        impossible += total == 0
    assert 20 < impossible < 400


@pytest.mark.parametrize(("rows", "cols", "mines"), [(9, 9, 10), (16, 16, 40), (16, 30, 99), (30, 30, 180)])
def test_positions_in_the_midst_of_play_are_counted_as_by_the_twin(rows: int, cols: int, mines: int) -> None:
    for seed in range(8):
        shown = twin.midgame(rows, cols, mines, seed, 0.2 + 0.08 * seed)
        count = count_layouts(view_of(shown, mines))
        assert count == twin.exact(shown, mines).total
        assert math.log(count) == pytest.approx(posterior(shown, mines).log_layouts)


def test_an_untouched_board_has_a_binomial_number_of_layouts() -> None:
    assert count_layouts(View.parse("\n".join(["." * 30] * 16), mines=99)) == math.comb(480, 99)


def test_noisy_clues_are_refused() -> None:
    noise = Registry.default().noise("hidden(rate=0.25)")
    with pytest.raises(PositionError, match="expected exact clues"):
        count_layouts(View.parse("1.", mines=1, noise=noise))


def certain_by_enumeration(shown: np.ndarray, mines: int) -> list[int]:
    return np.flatnonzero(twin.brute(shown, mines).certain == 1).tolist()


def test_whether_a_guess_is_needed_agrees_with_enumeration() -> None:
    """Brute force plays: every cell that is safe in all layouts is opened, until none is left."""
    needed = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        rows, cols = (int(side) for side in rng.integers(1, 5, 2))
        layout = rng.random(rows * cols) < 0.2
        if layout.all():
            continue
        board = Board(rows, cols, layout.astype(np.uint8).tobytes())
        start = Cell(*divmod(int(np.flatnonzero(~layout)[0]), cols))
        game = Game(board, Rules(on_mine="end", start=start))
        while not game.over and (safe := certain_by_enumeration(game.view().shown, board.size.mines)):
            game.take(Turn(open=[Cell(*divmod(flat, cols)) for flat in safe]))
        assert needs_guess(board, start) == (not game.over), (seed, str(board))
        needed += not game.over
    assert needed > 5


def test_a_start_on_a_mine_is_refused() -> None:
    with pytest.raises(PositionError, match=r"the start \(0, 0\) is a mine"):
        needs_guess(Board.parse("*."), (0, 0))
    with pytest.raises(PositionError, match="is not on a board"):
        needs_guess(Board.parse("*."), (5, 0))
