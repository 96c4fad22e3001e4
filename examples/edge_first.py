"""An agent: `edge-first` begins at the border. Hook: `sweepstakes_agents`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Cell, Turn, View, hookimpl


class EdgeFirst(Agent):
    """Opens the covered cell nearest to the border."""

    def act(self, view: View) -> Turn:
        """One cell a turn, never a flag."""

        def depth(cell: Cell) -> int:
            return min(cell.row, cell.col, view.rows - 1 - cell.row, view.cols - 1 - cell.col)

        return Turn(open=[min(view.covered(), key=depth)], why="random")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `edge-first`."""
    return {"edge-first": EdgeFirst}
