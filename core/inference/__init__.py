"""Exact inference: what a position proves, and the mine probability of every cell that it leaves open."""

from sweepstakes.inference._workspace import default_budget
from sweepstakes.inference.blame import conflict
from sweepstakes.inference.engine import Decision, Posterior, Status, Weighting, decide, forced, posterior
from sweepstakes.inference.evidence import enough, evidence
from sweepstakes.inference.knowledge import Knowledge

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
    "forced",
    "posterior",
]
