"""`ibm`: proof by contradiction.

Where single equations prove nothing, a covered cell is assumed to be a mine, the least involved first: the one that
stands in the fewest equations. The assumption goes into all equations, those that become trivial are solved, and so on:
with 4 assumed, 4 + 1 + 2 = 1 becomes 1 + 2 = 0, so 1 and 2 are safe. An equation whose value falls below 0 or rises
above its number of cells is a contradiction, and the cell is safe. The other side is tried as well (no mine,
contradiction: a mine) unless `one_sided`. No cell leads to a contradiction: a random cell is opened.

The report tries one cell only, the least involved, and then opens a random one. Trying every cell is our decision.

It is neither weaker nor stronger than subtraction. It solves A + B + C = 1, B + D + E = 2, C + D + E = 2, where no
difference of two is trivial; it misses D in A + B + C = 1, A + B + C + D = 2, where no assumption leads anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import contradictions
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule


class Ibm(Deducer):
    """Proves cells by refuting the opposite, else opens a random covered cell."""

    version = 1

    def __init__(self, one_sided: bool = False, guess: GuessRule = "random") -> None:
        super().__init__(guess)
        self.one_sided = one_sided

    def deduce(self, view: View) -> Knowledge:
        """The cells that follow from single equations, with and without an assumption."""
        return Knowledge.of(view, contradictions, self.one_sided)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `ibm`."""
    return {"ibm": Ibm}
