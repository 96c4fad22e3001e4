"""`improved-probabilistic`: the share of solutions that fit the mine count.

The agent plays like `probabilistic`, but rejects solutions that need more mines than remain, or that leave more mines
than fit elsewhere. If the board in the example of `probabilistic` has three mines in all, the solution A B E F is
rejected: A is safe too, C is a mine, and E and F have a share of 1/2. Towards the end of a game the mine count may also
prove cells without a clue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Decision, decide
from sweepstakes.inference.deduction import least_probable
from sweepstakes.plugins.agents.probabilistic import Probabilistic


class ImprovedProbabilistic(Probabilistic):
    """Proves and guesses by the share of the frontier solutions that fit the mine count."""

    version = 1

    def mines(self, view: View) -> int | None:
        """Return the mine count, which this agent knows."""
        return view.mines

    def decide(self, shown: npt.NDArray[np.int8], mines: int | None) -> Decision:
        """Return the certain cells, or the frontier cell to guess, even if a cell without a clue would be safer."""
        shares = np.empty(shown.shape)
        found = decide(shown, mines, weighting="solutions", out=shares)
        if found.guess < 0 or mines is None:
            return found
        cell, share = least_probable(shown, shares, 1.0, True, False)
        return found._replace(guess=cell, probability=share)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `improved-probabilistic`."""
    return {"improved-probabilistic": ImprovedProbabilistic}
