"""`exact`: the true probability of every cell.

Every layout of the whole board that agrees with what is shown is equally likely, so a frontier solution weighs as
much as there are ways to place the remaining mines elsewhere; under clue noise each also weighs its likelihood. Certain
cells are opened and flagged; otherwise the cell least likely a mine is opened, ties to the fewest covered neighbours.

The first move is a corner, whose neighbours are fewest; where the first click opens a blank it is the third cell of the
diagonal, or the fourth on boards of Expert's size, from which an opening reaches further.

Under noise hardly anything is certain. A flag then needs a mine probability of `threshold`, and is taken back when new
clues put it below. Under `on_mine: end` flags do not hold back the agent: it opens the least likely mine when nothing
else is left. Where the sum is too large some clues are left out, and the turn says so (`fallback`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sweepstakes import Agent, ParameterError, Turn, View, hookimpl
from sweepstakes.inference._kernels_frontier import least_probable
from sweepstakes.inference.evidence import evidence
from sweepstakes.inference.posterior import Posterior, Status, decide, posterior
from sweepstakes.plugins.agents._deducer import opening
from sweepstakes.shown import COVERED, FLAG

EXPERT = 480
"""Cells from which on a board counts as Expert-sized."""


class Exact(Agent):
    """Proves and guesses by the exact mine probability of every cell, under every clue noise."""

    version = 1

    def __init__(self, threshold: float = 0.95) -> None:
        if not 0.5 < threshold <= 1:
            raise ParameterError(f"threshold {threshold}: expected more than 0.5, up to 1")
        self.threshold = threshold
        self._begun = False

    def act(self, view: View) -> Turn:
        """Everything certain, or the least likely mine."""
        if not self._begun:
            self._begun = True
            if view.rules.first_click == "opening" and _untouched(view):
                step = 3 if len(view.data) >= EXPERT else 2
                return opening(min(step, view.rows - 1) * view.cols + min(step, view.cols - 1), 0.0)
        return self._exact_clues(view) if view.noise.exact else self._noisy_clues(view)

    def _exact_clues(self, view: View) -> Turn:
        shown = view.shown
        found = decide(shown, view.mines)
        proofs = evidence(shown, view.mines, found.safe, found.mines) if self.explain else None
        if found.guess < 0:
            return Turn(open=found.safe, flag=found.mines, why="proof", evidence=proofs)
        probability = min(found.probability, 1.0)
        if view.rules.first_click != "any" and _untouched(view):
            probability = 0.0
        turn = opening(found.guess, probability)
        return turn._replace(flag=found.mines, evidence=proofs, fallback=found.status != Status.OK)

    def belief(self, view: View) -> Posterior:
        """How likely a mine each cell is, given what the noise does to clues; flags are only opinions."""
        return posterior(view.shown, view.mines, noise=view.noise.table, trust_flags=False)

    def _noisy_clues(self, view: View) -> Turn:
        shown = view.shown
        belief = self.belief(view)
        chance = belief.probability
        sure = (chance >= self.threshold) | belief.mine
        flags = shown == FLAG
        flag = np.flatnonzero(sure & (shown == COVERED))
        unflag = np.flatnonzero(flags & ~sure)
        safe = np.flatnonzero(belief.safe)
        if safe.size:
            return Turn(open=safe, flag=flag, unflag=unflag, why="proof")
        cell, probability = least_probable(shown, chance, self.threshold, False, True)
        if cell < 0 and view.rules.on_mine == "end":
            cell, probability = least_probable(shown, chance, np.inf, False, True)
            flag = flag[flag != cell]
            if flags.reshape(-1)[cell]:
                unflag = np.append(unflag, cell)
        if cell < 0:
            return Turn(flag=flag, unflag=unflag, why="guess", fallback=belief.status != Status.OK)
        turn = opening(cell, min(probability, 1.0))
        return turn._replace(flag=flag, unflag=unflag, fallback=belief.status != Status.OK)


def _untouched(view: View) -> bool:
    """Whether every cell is covered still."""
    return view.data.count(COVERED & 0xFF) == len(view.data)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `exact`."""
    return {"exact": Exact}
