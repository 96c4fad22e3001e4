"""Writes the page that compares the claims of five earlier reports with the published leaderboards."""

from __future__ import annotations

from pathlib import Path

from claims.claim_list import SYSTEMS
from claims.claims import claims_page, judge_claims

DOCS = Path(__file__).resolve().parents[1]
PUBLISHED = DOCS.parent / "leaderboards" / "published"


def generated() -> dict[Path, str]:
    """Return the page with its text."""
    return {DOCS / "claims.md": claims_page(judge_claims(SYSTEMS, PUBLISHED))}
