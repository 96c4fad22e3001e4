"""The posterior of a view, taking into account the rules about the first click."""

from __future__ import annotations

import math

import numpy as np

from sweepstakes.game.codes import COVERED, DETONATED
from sweepstakes.game.view import View
from sweepstakes.inference.posterior import NO_CELLS, Decision, Posterior, Status, posterior


def is_first_click_safe(view: View) -> bool:
    """Return whether no cell has been opened yet and the rules make any first cell safe."""
    if view.rules.first_click == "any" or view.rules.start is not None:
        return False
    return not ((view.shown >= 0) | (view.shown == DETONATED)).any()


def posterior_under_rules(view: View, *, trust_flags: bool = True) -> Posterior:
    """Return the exact mine probability of every unknown cell of a view, under its clue noise and its rules.

    Before a first click that is safe by the rules, every cell, flagged or not, is safe if it is opened first. But not
    all are safe together, since the board is dealt after that click. The decision is then to open the first covered
    cell, and lists no cell as safe. `log_layouts` is nan.
    """
    if is_first_click_safe(view):
        shape = view.shown.shape
        return Posterior(np.zeros(shape), np.ones(shape, np.int8), math.nan, _any_first_cell(view), 0, view.shown)
    noise = None if view.noise.exact else view.noise.table
    return posterior(view.shown, view.mines, noise=noise, trust_flags=trust_flags)


def _any_first_cell(view: View) -> Decision:
    """Return the decision before a first click that is safe by the rules."""
    covered = np.flatnonzero(view.shown == COVERED)
    guess, chance = (int(covered[0]), 0.0) if covered.size else (-1, math.nan)
    return Decision(NO_CELLS, NO_CELLS, guess, chance, Status.OK)
