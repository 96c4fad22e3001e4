"""Exact inference: what a position proves, and the mine probability of every cell that it leaves open."""

from sweepstakes.inference.posterior import (
    Decision,
    Posterior,
    Status,
    Weighting,
    decide,
    default_budget,
    posterior,
)

__all__ = [
    "Decision",
    "Posterior",
    "Status",
    "Weighting",
    "decide",
    "default_budget",
    "posterior",
]
