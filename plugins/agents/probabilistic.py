"""`probabilistic`: the share of solutions.

The agent gives all solutions of the frontier's equations the same weight and computes the share in which each cell is a
mine. It opens cells that are a mine in no solution and flags those that are a mine in all. If no cell is certainly
safe, it opens the frontier cell with the smallest share, or a random cell if there is no frontier. For the six covered
cells on the left:

    2 A 1      A + B + C = 2           solutions: A B E F, B C F, B C E
    B C D      A + C + D = 1           shares: A 1/3, B 1, C 2/3, D 0, E 2/3, F 2/3
    E 3 F      B + C + D + E + F = 3

Equal weights mean that, without clues, a cell would be a mine with a probability of 1/2. Below a density of about 0.2
that favours solutions with too many mines. On 16 x 16 at 0.15 the cells that the agent guesses are mines in 26 % of all
cases, though it predicts 21 %. `chain` proves less but guesses better (18 %), and identifies more mines. With weights
by the true density the order would be the other way round.

The solutions are summed rather than listed: cells with the same clues are counted together, parts of the frontier that
share no cell are counted separately, and partial solutions with the same consequences are counted once. If even that
takes too long, some clues are ignored, and the turn has `fallback` set. Clues are also ignored if single clues or pairs
show a contradiction. If the others still contradict each other, the lowest local probability decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes.game.codes import COVERED, WITHHELD
from sweepstakes.inference import Decision, Knowledge, Status, decide, evidence, posterior
from sweepstakes.inference.deduction import pairs
from sweepstakes.plugins.agents._guessing import GuessRule, flagging, guess, opening


class Probabilistic(Agent):
    """Proves and guesses by the share of frontier solutions in which a cell is a mine."""

    version = 1

    def __init__(self, guess: GuessRule = "share") -> None:
        self.guess_rule = guess

    def mines(self, view: View) -> int | None:
        """Return the mine count, or None if the agent does not use it."""
        return None

    def decide(self, shown: npt.NDArray[np.int8], mines: int | None) -> Decision:
        """Return the certain cells, or the frontier cell to guess."""
        return decide(shown, mines, weighting="solutions")

    def probabilities(self, view: View) -> npt.NDArray[np.float64] | None:
        """Return the share of solutions in which each cell is a mine; None if there is no solution."""
        found = posterior(view.shown, self.mines(view), weighting="solutions")
        return found.probability if found.status != Status.INCONSISTENT else None

    def act(self, view: View) -> Turn:
        """Return all certain cells, or the frontier cell with the smallest share."""
        shown, mines = view.shown, self.mines(view)
        found = self.decide(shown, mines)
        if found.status == Status.INCONSISTENT:
            known = Knowledge.of(view, pairs, False)
            shown = np.where(known.discarded(), np.int8(WITHHELD), shown)
            found = self.decide(shown, mines)
            if found.status == Status.INCONSISTENT:
                mines = None
                found = self.decide(shown, mines)
            if found.status == Status.INCONSISTENT:
                return self._local(view)
        proofs = evidence(shown, mines, found.safe, found.mines) if self.explain else None
        if found.safe.size:
            return Turn(open=found.safe, flag=found.mines, why="proof", evidence=proofs)
        covered = shown.reshape(-1) == COVERED
        covered[found.mines] = False
        rest = np.flatnonzero(covered)
        if not rest.size:
            return Turn(flag=found.mines, why="proof", evidence=proofs)
        rest_known = Knowledge.of(flagging(view, found.mines)) if self.guess_rule != "share" else None
        if rest_known is not None and rest_known.unknown:
            turn = guess(self.guess_rule, view, rest_known, self.rng)
        elif found.guess >= 0:
            turn = opening(found.guess, min(found.probability, 1.0))
        else:
            turn = opening(int(rest[self.rng.below(rest.size)]))
        fallback = turn.fallback or found.status != Status.OK
        return turn._replace(flag=found.mines, evidence=proofs, fallback=fallback)

    def _local(self, view: View) -> Turn:
        """Guess by local probability if the clues have no common solution; return an empty turn if none is covered."""
        cells, probability = Knowledge.of(view).least_local(accumulate=False)
        if cells.size:
            return opening(int(cells[self.rng.below(cells.size)]), probability)
        covered = np.flatnonzero(view.shown == COVERED)
        return opening(int(covered[self.rng.below(covered.size)])) if covered.size else Turn()


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `probabilistic`."""
    return {"probabilistic": Probabilistic}
