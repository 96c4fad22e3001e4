"""The citation of a publication: a line with everything that others need to check it."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from pathlib import Path

from sweepstakes.markup import escape_markdown
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.published_games import FILE as GAMES

FILE = "citation.md"


def citation_text(plan: Plan, target: Path) -> str:
    """The citation of a publication, whose games and versions.json are written already."""
    played: dict[str, str] = {}
    with suppress(OSError, ValueError, TypeError, RecursionError):  # of an earlier publication, perhaps damaged
        played = dict(json.loads((target / "versions.json").read_text(encoding="utf-8")))
    with run_errors(target / GAMES):
        digest = hashlib.sha256((target / GAMES).read_bytes()).hexdigest()
    commit = f", commit {played['commit']}" if played.get("commit") else ""
    conditions = len(plan.conditions)
    boards = f"{plan.config.games:,} boards{f' for each of {conditions} conditions' if conditions > 1 else ''}"
    agents = ", ".join(f"{entry.label} ({entry.version})" for entry in plan.entries)
    version = f" {played['sweepstakes']}" if played.get("sweepstakes") else ""
    text = (
        f"sweepstakes{version}{commit}: tournament {plan.config.name}, seed {plan.config.seed}, "
        f"{boards}, agents {agents}; SHA-256 of {GAMES}: {digest}."
    )
    return f"{escape_markdown(text, 10_000)}\n"
