"""`chain`: the chain of influence along neighbouring clues.

Each clue at the frontier allows certain placements of its mines. The agent merges neighbouring clues: it combines their
placements and keeps the combinations that agree.

    clue 2 on A B C, clue 1 on B C D:    the mines among A B C D are A B or A C.

A cell that is a mine in every combination is a mine, and a cell that is a mine in no combination is safe. A chain is a
clue and the clues that follow it, up to `window` clues, in breadth-first order over clues that share covered cells.
With `patterns` the agent first looks for the two-clue patterns that players know by heart.

When it can prove no cell safe, the agent opens the frontier cell with the lowest accumulated probability: the sum over
its clues of missing mines / covered neighbours. Without a frontier it opens a random cell. Chains that would take too
long to merge are skipped.

With `blocked: stop` the agent gives up when it is walled in: some clues are open, but none has an unknown neighbour.
The report's agent does the same ("blocked by the mines"). After its first cell it never opens one away from the clues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from sweepstakes import Agent, ParameterError, Turn, View, hookimpl
from sweepstakes.game.codes import WITHHELD
from sweepstakes.inference import Knowledge
from sweepstakes.inference.deduction import LONGEST, windows
from sweepstakes.plugins.agents._deducer import Deducer
from sweepstakes.plugins.agents._guessing import GuessRule, beside_clues


class Chain(Deducer):
    """Proves cells by merging neighbouring clues, else opens the cell with the lowest accumulated probability."""

    version = 1

    def __init__(
        self,
        window: int = 4,
        patterns: bool = True,
        guess: GuessRule = "accumulated",
        blocked: Literal["random", "stop"] = "random",
    ) -> None:
        super().__init__(guess)
        if not 1 <= window <= LONGEST:
            raise ParameterError(f"window {window}: expected 1 to {LONGEST}")
        self.window = window
        self.patterns = patterns
        self.blocked = blocked

    def deduce(self, view: View) -> Knowledge:
        """Return the cells that follow from chains of clues."""
        return Knowledge.of(view, windows, self.window, self.patterns)

    def turn(self, view: View, known: Knowledge) -> Turn:
        """Return the turn for the proven cells, or a guess; give up if walled in and `blocked` is `stop`."""
        walled_in = (
            self.blocked == "stop"
            and not known.safe.size
            and bool(np.any((view.shown >= 0) & (view.shown < WITHHELD)))
            and not beside_clues(view, known.rest()).size
        )
        if not walled_in:
            return super().turn(view, known)
        mines = known.mines
        return Turn(flag=mines, why="proof", evidence=known.evidence() if self.explain and mines.size else None)


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `chain`."""
    return {"chain": Chain}
