"""An agent: `edge-first` begins at the border. Hook: `sweepstakes_agents`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Cell, Turn, View, hookimpl


class EdgeFirst(Agent):
    """Flags the mines that a single clue proves, else opens the covered cell nearest to the border."""

    def act(self, view: View) -> Turn:
        """Mines to flag, or one cell to open."""
        for clue in view.open():
            closed = [cell for cell in view.neighbours(clue) if not view.is_open(cell)]
            mines = [cell for cell in closed if view.is_covered(cell)]
            if mines and len(closed) == view.clue(clue):
                return Turn(flag=mines, why="proof")

        def depth(cell: Cell) -> int:
            return min(cell.row, cell.col, view.rows - 1 - cell.row, view.cols - 1 - cell.col)

        return Turn(open=sorted(view.covered(), key=depth)[:1], why="random")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `edge-first`."""
    return {"edge-first": EdgeFirst}
