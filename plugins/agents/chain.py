"""`chain`: the chain of influence along neighbouring clues.

Each clue at the frontier allows certain placements of its mines. Clues next to each other are merged: of all
combinations of their placements those that agree are kept.

    clue 2 on A B C, clue 1 on B C D:    A B C D holds its mines at A B or at A C.

A cell that is a mine in all of them is a mine, one that is in none is safe. A chain is a clue and the next ones, in
breadth-first order over clues that share covered cells, up to `window` clues. Before that, `patterns` looks for the
shapes of two clues that players know by heart.

Otherwise it opens the frontier cell with the least accumulated probability: the sum over its clues of missing mines /
covered neighbours. Without a frontier a random cell is opened. A chain that would take too long to merge is left out.

With `blocked: stop` the agent gives up when it is walled in: clues are open, and no unknown cell lies beside one. The
report's agent does so ("blocked by the mines"). It never opens a cell away from the clues, except as its first.
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
    """Proves cells by merging neighbouring clues, else opens the cell of least accumulated local probability."""

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
        """The cells that follow from chains of clues."""
        return Knowledge.of(view, windows, self.window, self.patterns)

    def turn(self, view: View, known: Knowledge) -> Turn:
        """The turn for the proven cells, or a guess; gives up if walled in and `blocked` is `stop`."""
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
