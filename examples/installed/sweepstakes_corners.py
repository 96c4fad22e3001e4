"""An agent, `corners`, in its own distribution, found through its entry point."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Turn, View, hookimpl


class Corners(Agent):
    """Opens the covered cell nearest to a corner."""

    def act(self, view: View) -> Turn:
        """Return one cell to open. This agent never flags."""
        cell = min(view.covered(), key=lambda c: min(c.row, view.rows - 1 - c.row) + min(c.col, view.cols - 1 - c.col))
        return Turn(open=[cell], why="random")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Register `corners`."""
    return {"corners": Corners}
