"""`local-probability`: subtraction of two clues, then the lowest local probability.

The agent proves cells from single clues and from pairs of clues with common neighbours: A + B = 1 and A + B + C = 2
make C a mine. When it can prove no cell safe, each clue gives its covered neighbours the probability missing mines /
covered neighbours. A cell takes the largest probability of its clues, or 1 if it has no clue. The agent opens a cell
with the lowest probability and breaks ties at random.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import pairs
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule


class LocalProbability(Deducer):
    """Proves cells from one or two clues, else opens a cell with the lowest local probability."""

    version = 1

    def __init__(self, guess: GuessRule = "local") -> None:
        super().__init__(guess)

    def deduce(self, view: View) -> Knowledge:
        """Return the cells that follow from one or two clues."""
        return Knowledge.of(view, pairs, False)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `local-probability`."""
    return {"local-probability": LocalProbability}
