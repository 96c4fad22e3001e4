"""`local-probability`: subtraction of two clues, then the least local probability.

Proofs are those of single clues and of two clues with common neighbours: A + B = 1 and A + B + C = 2 make C a mine.
When nothing is proven safe, each clue gives its covered neighbours the probability missing mines / covered neighbours.
A cell gets the largest probability of its clues, a cell without a clue 1; a cell with the least is opened, ties at
random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import pairs
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule


class LocalProbability(Deducer):
    """Proves cells by one clue or two, else opens a cell of least local probability."""

    version = 1

    def __init__(self, guess: GuessRule = "local") -> None:
        super().__init__(guess)

    def deduce(self, view: View) -> Knowledge:
        """The cells that follow from one clue, or from two."""
        return Knowledge.of(view, pairs, False)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `local-probability`."""
    return {"local-probability": LocalProbability}
