"""Whether a board can be cleared without a guess."""

from __future__ import annotations

from sweepstakes.errors import PositionError
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.rules import Rules
from sweepstakes.game.turn import Turn
from sweepstakes.inference.posterior import decide


def needs_guess(board: Board, start: tuple[int, int]) -> bool:
    """Whether certain cells alone do not clear the board, once the safe cell `start` is open.

    Certain is all that follows from the clues and the number of mines, found by the exact engine; a board on which the
    engine runs out of states and finds nothing needs a guess.
    """
    cell = Cell(*start)
    if board.is_mine(cell):
        raise PositionError(f"the start {cell} is a mine: expected a safe cell")
    game = Game(board, Rules(on_mine="end", start=cell))
    while not game.over:
        found = decide(game.view().shown, board.size.mines)
        if not found.safe.size:
            return True
        game.take(Turn(open=found.safe, flag=found.mines, why="proof"))
    return not game.result().won
