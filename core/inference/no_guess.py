"""Check whether a board can be cleared without a guess."""

from __future__ import annotations

from sweepstakes.errors import PositionError
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.rules import Rules
from sweepstakes.game.turn import Turn
from sweepstakes.inference.posterior import decide


def needs_guess(board: Board, start: tuple[int, int]) -> bool:
    """Return whether clearing the board needs a guess after the safe cell `start` has been opened.

    A cell is certain if it follows from the clues and the number of mines, as found by the exact engine. If the engine
    runs out of states and finds no certain cell, the board counts as one that needs a guess.
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
