"""`champion`: certain cells first, then best play of small endgames, then a joint lookahead with learned weights."""

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
    """Proves like `exact`; guesses by the endgame tree, or by what each clue of a candidate would tell."""

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
        if view.rules.on_mine == "continue":
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
