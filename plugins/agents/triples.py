"""`triples` and `triples-global`: a clue and its neighbourhood, three equations at a time.

The agent combines every clue with every two nearby clues that share cells with it. It solves single equations first,
then the differences of two equations, then the differences of those:

    A + B + H + C + D = 2 less A + B = 1 leaves H + C + D = 1; that less C + D = 1 leaves H = 0: H is safe.

If neither equation contains the other, their difference still bounds the mines in the remaining cells, and bounds are
subtracted in the same way. The agent repeats this over the whole board until no new cell is proven. If no cell is
proven safe, it opens a random one.

`triples-global` also uses the number of mines. Once all mines are flagged, proven or detonated, it opens all other
cells. With `stop: true` it gives up the game instead, which saves turns and does not change the score `identified`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import triples
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule


class Triples(Deducer):
    """Proves cells from three equations at a time, else opens a random covered cell."""

    version = 1

    def deduce(self, view: View) -> Knowledge:
        """Return the cells that follow from up to three equations."""
        return Knowledge.of(view, triples)


class TriplesGlobal(Triples):
    """Proves cells from three equations at a time, and from the mine count once every mine is known."""

    version = 1

    def __init__(self, stop: bool = False, guess: GuessRule = "random") -> None:
        super().__init__(guess)
        self.stop = stop

    def act(self, view: View) -> Turn:
        """Play like `triples` until all mines are known."""
        known = self.deduce(view)
        if known.known_mines() != view.mines:
            return self.turn(view, known)
        mines, rest = known.mines, np.concatenate([known.safe, known.rest()])
        if self.stop:
            rest = rest[:0]
        proofs = None
        if self.explain:  # no clues: the mine count proves the cell
            proofs = {cell: known.evidence().get(cell, []) for cell in known.cells_of(mines) + known.cells_of(rest)}
        return Turn(open=rest, flag=mines, why="proof", evidence=proofs)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `triples` and `triples-global`."""
    return {"triples": Triples, "triples-global": TriplesGlobal}
