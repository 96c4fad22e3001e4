"""The five systems with the claims and questions of their reports."""

from __future__ import annotations

from claims.a_triples import A
from claims.b_constraints import B
from claims.c_contradiction import C
from claims.d_chains import D
from claims.e_local import E

SYSTEMS = (A, B, C, D, E)
"""In the order in which docs/sources.md cites their reports."""
