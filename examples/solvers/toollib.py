"""The agent `toollib`: opens the safest cell by the probabilities of ms_toollib (`pip install ms_toollib`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ms_toollib

from sweepstakes import Agent, Turn, View, hookimpl

COVERED = 10  # ms_toollib's code for a cell that is not open; codes 0 to 8 are clues
CERTAIN = 1e-9


class Toollib(Agent):
    """Opens all certainly safe cells, otherwise one cell with the lowest risk.

    Detonated mines and withheld clues are covered cells to the library. Clues that lie have no solution there.
    """

    def act(self, view: View) -> Turn:
        """Return all safe cells, or the first cell with the lowest risk."""
        clues = [[view.clue((row, col)) for col in range(view.cols)] for row in range(view.rows)]
        board = [[COVERED if clue is None else clue for clue in line] for line in clues]
        risks, _ = ms_toollib.cal_probability_onboard(board, view.mines)
        safe = [cell for cell in view.covered() if risks[cell.row][cell.col] < CERTAIN]
        if safe:
            return Turn(open=safe, why="proof")
        return Turn(open=[min(view.covered(), key=lambda cell: risks[cell.row][cell.col])], why="guess")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Register `toollib`."""
    return {"toollib": Toollib}
