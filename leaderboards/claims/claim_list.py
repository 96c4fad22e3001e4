"""The five systems with the claims and questions of their reports."""

from __future__ import annotations

from sweepstakes.leaderboards.claims.a_triples import A
from sweepstakes.leaderboards.claims.b_constraints import B
from sweepstakes.leaderboards.claims.c_contradiction import C
from sweepstakes.leaderboards.claims.d_chains import D
from sweepstakes.leaderboards.claims.e_local import E

SYSTEMS = (A, B, C, D, E)
"""In the order in which docs/sources.md cites their reports."""
