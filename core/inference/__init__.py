"""Exact inference: what a position proves, and the mine probability of every cell that it leaves open."""

from sweepstakes.inference.conflict import conflict
from sweepstakes.inference.evidence import enough, evidence
from sweepstakes.inference.knowledge import Knowledge
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
    "Knowledge",
    "Posterior",
    "Status",
    "Weighting",
    "conflict",
    "decide",
    "default_budget",
    "enough",
    "evidence",
    "posterior",
]
