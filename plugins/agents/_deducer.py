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
    """Opens everything it can prove safe and flags everything it can prove a mine; guesses where it can open nothing.

    Mines proven on the way to a guess are flagged in the same turn. It believes every clue: one that is withheld is
    ignored, and clues that contradict each other are left out, which leaves more to its guess.
    """

    def __init__(self, guess: GuessRule = "random") -> None:
        self.guess_rule = guess

    @abstractmethod
    def deduce(self, view: View) -> Knowledge:
        """The cells that the agent can prove."""

    def probabilities(self, view: View) -> npt.NDArray[np.float64] | None:
        """The local probabilities by which the agent guesses, if it does."""
        if self.guess_rule not in ("local", "accumulated"):
            return None
        return local_probabilities(view, self.deduce(view), accumulate=self.guess_rule == "accumulated")

    def act(self, view: View) -> Turn:
        """All proven cells, or a guess."""
        return self.turn(view, self.deduce(view))

    def turn(self, view: View, known: Knowledge) -> Turn:
        """The turn for the proven cells, or a guess if none is proven safe."""
        safe, mines = known.safe, known.mines
        evidence = known.evidence() if self.explain and (safe.size or mines.size) else None
        if safe.size or not known.unknown:
            return Turn(open=safe, flag=mines, why="proof", evidence=evidence)
        fallback = known.fallback
        turn = guess(self.guess_rule, view, known, self.rng)
        return turn._replace(flag=mines, evidence=evidence, fallback=fallback or turn.fallback)
