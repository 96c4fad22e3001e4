"""An agent, `edge-first`, that starts at the border. Hook: `sweepstakes_agents`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Cell, Turn, View, hookimpl


class EdgeFirst(Agent):
    """Flags and opens what a single clue proves, otherwise opens the covered cell nearest to the border."""

    def act(self, view: View) -> Turn:
        """Return the cells that one clue proves, or one cell to open."""
        for clue in view.open():
            closed = [cell for cell in view.neighbours(clue) if not view.is_open(cell)]
            covered = [cell for cell in closed if view.is_covered(cell)]
            if covered and view.clue(clue) == len(closed):
                return Turn(flag=covered, why="proof")
            if covered and view.clue(clue) == len(closed) - len(covered):
                return Turn(open=covered, why="proof")

        def depth(cell: Cell) -> int:
            return min(cell.row, cell.col, view.rows - 1 - cell.row, view.cols - 1 - cell.col)

        return Turn(open=sorted(view.covered(), key=depth)[:1], why="random")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Register `edge-first`."""
    return {"edge-first": EdgeFirst}
