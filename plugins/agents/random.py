"""`random`: the baseline that every other agent is compared with.

It opens one covered cell per turn, each with the same probability. It ignores all clues and never flags.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes.game.codes import COVERED


class Random(Agent):
    """Opens a random covered cell each turn and never flags."""

    version = 1

    def act(self, view: View) -> Turn:
        """Open one covered cell, each with the same probability."""
        covered = np.flatnonzero(view.shown == COVERED)
        pick = self.rng.below(len(covered))
        return Turn(open=covered[pick : pick + 1], why="random")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `random`."""
    return {"random": Random}
