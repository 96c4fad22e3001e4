"""`knowledge-base`: clues as equations, subtracted from each other in pairs.

Each clue says how many of its covered neighbours are mines: A + B + C = 2. The agent solves each equation whose cells
are all mines or all safe, inserts the proven cells into the other equations, and repeats this. Then it subtracts every
equation from every other:

    A + B + C = 2
    A + C + D = 1      leaves B - D = 1, so B is a mine and D is safe.

A difference that proves nothing by itself is discarded. So the agent misses what only three equations prove together,
such as H in A + B + H + C + D = 2 with A + B = 1 and C + D = 1. When it can prove no cell safe, it opens a random cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import pairs
from sweepstakes.plugins.agents._deducer import Deducer


class KnowledgeBase(Deducer):
    """Proves cells from single equations and differences of two, else opens a random covered cell."""

    version = 1

    def deduce(self, view: View) -> Knowledge:
        """Return the cells that follow from one or two equations."""
        return Knowledge.of(view, pairs, False)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `knowledge-base`."""
    return {"knowledge-base": KnowledgeBase}
