"""`champion`: certain cells first, then best play of small endgames, then a joint lookahead with learned weights.

The agent opens and flags certain cells like `exact`. If no cell is certainly safe, it tries the following in order:

1. It plays out a part of the frontier that is independent of the rest of the board: its number of mines is certain, its
   cells touch no other covered cell, and it has at most 200 layouts. It opens the cell that wins most of its layouts.
2. If the board has at most 1,000 layouts left, it does the same for the whole board. On tiny boards this is optimal.
3. It opens a cell that can be a mine only as part of a 50/50, which must be guessed sooner or later.
4. It scores the cells that are nearly as safe as the safest one. The score combines the logarithm of a cell's safety
   with what is expected after its clue: the safety of the best and of the second-best cell, the certain cells, and the
   50/50s avoided.

In `.1../..../...1` with two mines, (0, 3), (2, 0) and (2, 1) are mines in 1 of 11 layouts each. `exact` opens (0, 3),
which has the fewest covered neighbours. `champion` opens (2, 0): whatever its clue, the next move is certain.

docs/champion.md explains the lookahead. `endgame`, `lookahead`, `influence` (how 50/50s are weighed: exact, product or
none) and `weights` (five or all) switch its parts, to measure what each is worth. Without `endgame` and `lookahead` the
agent is `exact`.

Like `exact`, the agent assumes that every layout is equally likely, since a view does not say where its board comes
from. It makes the same choice as `exact` under clue noise, under `on_mine: continue`, for the first click, and when the
sums are too large for a lookahead. All searches are limited to a number of states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sweepstakes import Agent, ParameterError, Turn, View, hookimpl
from sweepstakes.inference import Status, evidence
from sweepstakes.inference.best_guess import INFLUENCES, Influence, Settings, Weights, best_guess
from sweepstakes.inference.posterior import CODES
from sweepstakes.inference.summed import summed
from sweepstakes.plugins.agents.exact import Exact


class Champion(Exact):
    """Proves like `exact`; guesses by searching the endgame, or by what each candidate's clue would reveal."""

    version = 1

    def __init__(
        self, endgame: bool = True, lookahead: bool = True, influence: Influence = "exact", weights: Weights = "five"
    ) -> None:
        super().__init__()
        if influence not in INFLUENCES:
            raise ParameterError(f"influence {influence}: expected {', '.join(INFLUENCES)}")
        if weights not in ("five", "all"):
            raise ParameterError(f"weights {weights}: expected five or all")
        self.settings = Settings(endgame, lookahead, influence, weights)

    def _exact_clues(self, view: View) -> Turn:
        if view.rules.last_mine != 1:
            return super()._exact_clues(view)
        shown = view.shown
        chance = np.empty(shown.size)
        certain = np.empty(shown.size, CODES)
        found = summed(shown, view.mines, stop_at_first_safe=True, probability=chance, certain=certain)
        safe, mines, guess, _, status = found.decision
        proofs = evidence(shown, view.mines, safe, mines) if self.explain else None
        if guess < 0:
            return Turn(open=safe, flag=mines, why="proof", evidence=proofs)
        cell = best_guess(found, self.settings).cell
        return Turn(
            open=np.array([cell]),
            flag=mines,
            why="guess",
            probability=min(float(chance[cell]), 1.0),
            evidence=proofs,
            fallback=status != Status.OK,
        )


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `champion`."""
    return {"champion": Champion}
