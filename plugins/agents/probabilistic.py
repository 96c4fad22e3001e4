"""`probabilistic`: the share of solutions.

All solutions of the equations at the frontier are weighed alike, and a cell is a mine in a share of them. A cell that
is a mine in none is opened, one that is a mine in all is flagged; otherwise the frontier cell with the smallest share
is opened, and a random cell where there is no frontier. Of the six covered cells on the left

    2 A 1      A + B + C = 2           solutions: A B E F, B C F, B C E
    B C D      A + C + D = 1           shares: A 1/3, B 1, C 2/3, D 0, E 2/3, F 2/3
    E 3 F      B + C + D + E + F = 3

Weighing solutions alike means that a cell is a mine with even odds before any clue speaks. Below a density of about
0.2 that favours solutions with too many mines: on 16 x 16 at 0.15 the cells it guesses hold a mine in 26 % of all cases
where it says 21 %, and `chain`, which proves less but guesses better (18 %), identifies more mines. With the true
density for odds the order would be the other way round.

The solutions are not listed one by one but summed: cells with the same clues are counted together, parts of the
frontier that share no cell apart, and what has the same consequences once. Where even that is too much, some clues are
left out, and the turn says so (`fallback`). Clues that contradict each other in ones or twos are left out as well;
where the others cannot hold together either, the least local probability decides.
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
        """The mine count, if the agent knows it."""
        return None

    def decide(self, shown: npt.NDArray[np.int8], mines: int | None) -> Decision:
        """The certain cells, or the frontier cell to guess."""
        return decide(shown, mines, weighting="solutions")

    def probabilities(self, view: View) -> npt.NDArray[np.float64] | None:
        """The share of solutions in which each cell is a mine; None if there is no solution."""
        found = posterior(view.shown, self.mines(view), weighting="solutions")
        return found.probability if found.status != Status.INCONSISTENT else None

    def act(self, view: View) -> Turn:
        """All certain cells, or the frontier cell with the smallest share."""
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
        """A guess by local probability, for clues that have no common solution; an empty turn if no cell is covered."""
        cells, probability = Knowledge.of(view).least_local(accumulate=False)
        if cells.size:
            return opening(int(cells[self.rng.below(cells.size)]), probability)
        covered = np.flatnonzero(view.shown == COVERED)
        return opening(int(covered[self.rng.below(covered.size)])) if covered.size else Turn()


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `probabilistic`."""
    return {"probabilistic": Probabilistic}
