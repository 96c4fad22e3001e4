"""`trusting`: what `exact` would do if every shown clue were true.

Comparing the two agents shows what modelling the noise is worth. `trusting` takes shown clues as true. It gives
withheld clues the likelihoods of the noise, so under `hidden` the two agents are the same. Sooner or later false clues
contradict others. If single clues or pairs of clues show a contradiction, the agent ignores the clues involved. If the
other clues still contradict each other, it ignores all clues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sweepstakes import Agent, Noise, View, hookimpl
from sweepstakes.game.codes import COVERED, FLAG, WITHHELD
from sweepstakes.inference import Knowledge, Posterior, Status, posterior
from sweepstakes.inference.deduction import pairs
from sweepstakes.plugins.agents.exact import Exact


class Trusting(Exact):
    """Proves and guesses like `exact`, but believes every clue that is shown."""

    version = 1

    def likelihoods(self, noise: Noise) -> npt.NDArray[np.float64]:
        """Return likelihoods under which shown clues are true and withheld clues follow the noise."""
        return _believing(noise)

    def belief(self, view: View) -> Posterior:
        """Return the posterior if shown clues are true, ignoring clues that contradict each other."""
        table = self.likelihoods(view.noise)
        found = super().belief(view)
        if found.status == Status.INCONSISTENT:
            bare = view._replace(data=view.data.replace(_FLAG, _COVERED))
            silent = np.where(Knowledge.of(bare, pairs, False).discarded(), np.int8(WITHHELD), view.shown)
            found = posterior(silent, view.mines, noise=table, trust_flags=False)
        if found.status == Status.INCONSISTENT:
            silent = np.where(view.shown >= 0, np.int8(WITHHELD), view.shown)
            found = posterior(silent, view.mines, trust_flags=False)
        return found


_FLAG, _COVERED = bytes([FLAG & 0xFF]), bytes([COVERED & 0xFF])


@lru_cache(maxsize=64)
def _believing(noise: Noise) -> npt.NDArray[np.float64]:
    """Return the likelihoods if shown clues are true and withheld clues follow the noise."""
    table = noise.table.copy()
    table[:, :, :WITHHELD] = np.eye(9)
    table.flags.writeable = False
    return table


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `trusting`."""
    return {"trusting": Trusting}
