"""`knowledge-base`: clues as equations, subtracted from each other in pairs.

Each clue says how many of its covered neighbours are mines: A + B + C = 2. Equations that say all or none are solved,
what they prove is put into the others, and so on. Then every equation is subtracted from every other:

    A + B + C = 2
    A + C + D = 1      leaves B - D = 1, so B is a mine and D is safe.

A difference that decides nothing by itself is forgotten, so that what only three equations show stays hidden, as in
A + B + H + C + D = 2 with A + B = 1 and C + D = 1. Otherwise a random cell is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import pairs
from sweepstakes.plugins.agents._deducer import Deducer


class KnowledgeBase(Deducer):
    """Proves cells by single equations and differences of two, else opens a random covered cell."""

    version = 1

    def deduce(self, view: View) -> Knowledge:
        """The cells that follow from one equation, or from two."""
        return Knowledge.of(view, pairs, False)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `knowledge-base`."""
    return {"knowledge-base": KnowledgeBase}
