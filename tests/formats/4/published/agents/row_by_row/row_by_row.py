"""`row-by-row`: opens the covered cells row by row, and raises an error once more than half of the board is open."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Turn, View, hookimpl


class RowByRow(Agent):
    """Opens the first covered cell."""

    def act(self, view: View) -> Turn:
        """The first covered cell, as a guess; `RuntimeError` on a board that is more than half open."""
        if 2 * len(view.open()) > (view.rows * view.cols):
            raise RuntimeError("more than half of the board is open")
        return Turn(open=[view.covered()[0]], why="guess")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `row-by-row`."""
    return {"row-by-row": RowByRow}
