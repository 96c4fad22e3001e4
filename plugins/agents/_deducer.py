"""The base class of agents that prove cells from clues."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Turn, View
from sweepstakes.inference import Knowledge
from sweepstakes.plugins.agents._guessing import GuessRule, guess, local_probabilities, opening

__all__ = ["Deducer", "opening"]


class Deducer(Agent):
    """Opens every cell that it can prove safe and flags every proven mine; guesses if no cell is proven safe.

    A turn that guesses also flags the mines proven so far. The agent believes every clue that is shown. It ignores
    withheld clues and clues that contradict each other, and so proves less and guesses more.
    """

    def __init__(self, guess: GuessRule = "random") -> None:
        self.guess_rule = guess

    @abstractmethod
    def deduce(self, view: View) -> Knowledge:
        """Return the cells that the agent can prove."""

    def probabilities(self, view: View) -> npt.NDArray[np.float64] | None:
        """Return the local probabilities by which the agent guesses; None if it guesses by another rule."""
        if self.guess_rule not in ("local", "accumulated"):
            return None
        return local_probabilities(view, self.deduce(view), accumulate=self.guess_rule == "accumulated")

    def act(self, view: View) -> Turn:
        """Return all proven cells, or a guess."""
        return self.turn(view, self.deduce(view))

    def turn(self, view: View, known: Knowledge) -> Turn:
        """Return the turn for the proven cells, or a guess if no cell is proven safe."""
        safe, mines = known.safe, known.mines
        evidence = known.evidence() if self.explain and (safe.size or mines.size) else None
        if safe.size or not known.unknown:
            return Turn(open=safe, flag=mines, why="proof", evidence=evidence)
        fallback = known.fallback
        turn = guess(self.guess_rule, view, known, self.rng)
        return turn._replace(flag=mines, evidence=evidence, fallback=fallback or turn.fallback)
