"""The base class of agents that prove cells from clues."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from sweepstakes import Agent, Turn, View
from sweepstakes.inference import Knowledge


class Deducer(Agent):
    """Opens everything it can prove safe and flags everything it can prove a mine; guesses where it can open nothing.

    Mines proven on the way to a guess are flagged in the same turn. It believes every clue: one that is withheld is
    ignored, and clues that contradict each other are left out, which leaves more to its guess.
    """

    @abstractmethod
    def deduce(self, view: View) -> Knowledge:
        """The cells that the agent can prove."""

    def guess(self, known: Knowledge) -> Turn:
        """A turn that opens a cell when none is proven safe: by default a random cell not proven to be a mine."""
        return opening(known.nth_unknown(self.rng.below(known.unknown)))

    def act(self, view: View) -> Turn:
        """All proven cells, or a guess."""
        return self.turn(self.deduce(view))

    def turn(self, known: Knowledge) -> Turn:
        """The turn for the proven cells, or a guess if none is proven safe."""
        safe, mines = known.safe, known.mines
        evidence = known.evidence() if self.explain and (safe.size or mines.size) else None
        if safe.size or not known.unknown:
            return Turn(open=safe, flag=mines, why="proof", evidence=evidence)
        return self.guess(known)._replace(flag=mines, evidence=evidence, fallback=known.fallback)


def opening(cell: int, probability: float | None = None) -> Turn:
    """A turn that opens one cell: a guess if its mine probability is passed, else a random choice."""
    cells = np.array([cell], np.int64)
    if probability is None:
        return Turn(open=cells, why="random")
    return Turn(open=cells, why="guess", probability=probability)
