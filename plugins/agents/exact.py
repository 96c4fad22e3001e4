"""`exact`: the true probability of every cell.

Every layout of the whole board that agrees with the shown cells is equally likely. So the weight of a frontier solution
is the number of ways to place the remaining mines elsewhere; under clue noise it is multiplied by the solution's
likelihood. The agent opens and flags certain cells. If no cell is certainly safe, it opens the cell with the lowest
mine probability, and among equals the one with the fewest covered neighbours.

If the first click is safe, the first move is a corner, which has the fewest neighbours. If the first click is an
opening, it is the third cell of the diagonal, or the fourth on boards of Expert's size or larger, because openings
reach further from there.

Under noise few cells are certain. As well as guessing, the agent then flags cells whose mine probability is `threshold`
or more, and removes flags when the probability falls below it. Under `on_mine: end` it opens even a flagged cell, the
least likely mine, when no other cell is left. If the sum would be too large, some clues are ignored, and the turn has
`fallback` set.

With `singles_first` the agent opens what single clues prove, turn by turn, and sums layouts only when they prove no
cell safe. Such a game visits the positions in which deductions can be compared, by scores such as `pairs-prove`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Noise, ParameterError, Turn, View, hookimpl
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.inference import Knowledge, Posterior, Status, decide, evidence, posterior
from sweepstakes.inference.deduction import least_probable
from sweepstakes.plugins.agents._deducer import opening

EXPERT = 480
"""Minimum number of cells of a board of Expert's size."""
THRESHOLD = 0.95
"""The default mine probability from which the agent flags a cell under noise."""


class Exact(Agent):
    """Proves and guesses by the exact mine probability of every cell, under every clue noise."""

    version = 1

    def __init__(self, threshold: float = THRESHOLD, singles_first: bool = False) -> None:
        if not 0.5 < threshold <= 1:
            raise ParameterError(f"threshold {threshold}: expected more than 0.5, up to 1")
        self.threshold = threshold
        self.singles_first = singles_first

    def act(self, view: View) -> Turn:
        """Return all certain cells, or the least likely mine."""
        if view.rules.first_click != "any" and _untouched(view):
            return opening(first_cell(view), 0.0)
        return self._exact_clues(view) if view.noise.exact else self._noisy_clues(view)

    def _exact_clues(self, view: View) -> Turn:
        if self.singles_first:
            known = Knowledge.of(view)
            if known.safe.size:
                evident = known.evidence() if self.explain else None
                return Turn(open=known.safe, flag=known.mines, why="proof", evidence=evident)
        shown = view.shown
        found = decide(shown, view.mines)
        proofs = evidence(shown, view.mines, found.safe, found.mines) if self.explain else None
        if found.guess < 0:
            return Turn(open=found.safe, flag=found.mines, why="proof", evidence=proofs)
        return Turn(
            open=np.array([found.guess]),
            flag=found.mines,
            why="guess",
            probability=min(found.probability, 1.0),
            evidence=proofs,
            fallback=found.status != Status.OK,
        )

    def probabilities(self, view: View) -> npt.NDArray[np.float64] | None:
        """Return the mine probabilities that the agent computes; None if no layout agrees with the clues."""
        found = self.belief(view)
        return found.probability if found.status != Status.INCONSISTENT else None

    def likelihoods(self, noise: Noise) -> npt.NDArray[np.float64]:
        """Return the likelihoods that the agent assumes, in the format of `Noise.table`."""
        return noise.table

    def belief(self, view: View) -> Posterior:
        """Return the posterior under the assumed likelihoods; flags do not count as known mines."""
        return posterior(view.shown, view.mines, noise=self.likelihoods(view.noise), trust_flags=False)

    def _noisy_clues(self, view: View) -> Turn:
        shown, belief = view.shown, self.belief(view)
        chance = belief.probability
        sure = (chance >= self.threshold) | belief.mine
        covered, flags = shown == COVERED, shown == FLAG
        unflag = np.flatnonzero(flags & ~sure)
        safe, mines = np.flatnonzero(belief.safe), np.flatnonzero(belief.mine & covered)
        proofs = None
        if self.explain:
            proofs = evidence(shown, view.mines, safe, mines, noise=self.likelihoods(view.noise))
        if safe.size:
            return Turn(open=safe, flag=mines, unflag=unflag, why="proof", evidence=proofs)
        cell, probability = least_probable(shown, chance, self.threshold, False, True)
        if cell < 0 and view.rules.last_mine:
            cell, probability = least_probable(shown, chance, np.inf, False, True)
            sure.reshape(-1)[cell] = False
            unflag = np.flatnonzero(flags & ~sure)
        flag = np.flatnonzero(sure & covered)
        turn = opening(cell, min(probability, 1.0)) if cell >= 0 else Turn(why="guess")
        return turn._replace(flag=flag, unflag=unflag, evidence=proofs, fallback=belief.status != Status.OK)


def first_cell(view: View) -> int:
    """Return the first cell to open if the first click is protected: a corner, or for an opening a cell near it."""
    if view.rules.first_click == "safe":
        return 0
    return opening_cell(view.rows, view.cols)


def opening_cell(rows: int, cols: int) -> int:
    """Return the cell from which an opening reaches far. The engine of the pages compiles this function."""
    step = 3 if rows * cols >= EXPERT else 2
    return min(step, rows - 1) * cols + min(step, cols - 1)


def _untouched(view: View) -> bool:
    """Return whether every cell is covered."""
    return view.data == bytes([COVERED & 0xFF]) * len(view.data)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `exact`."""
    return {"exact": Exact}
