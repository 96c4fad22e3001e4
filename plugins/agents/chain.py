"""`chain`: the chain of influence along neighbouring clues.

Each clue at the frontier allows certain placements of its mines. Clues next to each other are merged: of all
combinations of their placements those that agree are kept.

    clue 2 on A B C, clue 1 on B C D:    A B C D holds its mines at A B or at A C.

A cell that is a mine in all of them is a mine, one that is in none is safe. A chain is a clue and the next ones, in
breadth-first order over clues that share covered cells, up to `window` clues. Before that, `patterns` looks for the
shapes of two clues that players know by heart.

Otherwise it opens the frontier cell with the least accumulated probability: the sum over its clues of missing mines /
covered neighbours. Without a frontier a random cell is opened. A chain that would take too long to merge is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, ParameterError, View, hookimpl
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import LONGEST, windows
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule


class Chain(Deducer):
    """Proves cells by merging neighbouring clues, else opens the cell of least accumulated local probability."""

    version = 1

    def __init__(self, window: int = 4, patterns: bool = True, guess: GuessRule = "accumulated") -> None:
        super().__init__(guess)
        if not 1 <= window <= LONGEST:
            raise ParameterError(f"window {window}: expected 1 to {LONGEST}")
        self.window = window
        self.patterns = patterns

    def deduce(self, view: View) -> Knowledge:
        """The cells that follow from chains of clues."""
        return Knowledge.of(view, windows, self.window, self.patterns)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `chain`."""
    return {"chain": Chain}
