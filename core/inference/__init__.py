"""Exact inference: what a position proves, and the mine probability of every cell that it leaves open."""

import numpy as np
from sweepstakes.inference._workspace import default_budget
from sweepstakes.inference.blame import conflict
from sweepstakes.inference.constraints import Constraint, Constraints, Deduction, deduce, pairs, propagate
from sweepstakes.inference.engine import (
    Decision,
    Posterior,
    Status,
    Weighting,
    decide,
    forced,
    posterior,
)

__all__ = [
    "Constraint",
    "Constraints",
    "Decision",
    "Deduction",
    "Posterior",
    "Status",
    "Weighting",
    "conflict",
    "decide",
    "deduce",
    "default_budget",
    "forced",
    "pairs",
    "posterior",
    "propagate",
    "warm_up",
]


def warm_up(*, deduction: bool = False) -> None:
    """Compile what `posterior` and `decide` need, and `Constraints` if asked, or load it from the cache.

    Takes seconds the first time. Workers that are forked afterwards have it, others find it in the cache.
    """
    shown = np.full((3, 5), -1, dtype=np.int8)
    shown[0, 1] = 1
    posterior(shown, 3)
    posterior(shown, 3, budget=1)
    if deduction:
        deduce(Constraints.of(shown))
