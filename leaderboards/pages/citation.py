"""The citation of a publication: a line with everything that others need to check it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sweepstakes.markup import escape_markdown
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.published_tally import FILE as TALLY
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.published_games import FILE as GAMES
from sweepstakes.tournaments.storage.published_packed import FILE as PACKED

FILE = "citation.md"
RESULTS = (GAMES, PACKED, TALLY)
"""The files that contain the results of the games."""


def citation_text(plan: Plan, target: Path, files: Sequence[str] = RESULTS) -> str:
    """Return the citation of a publication, with the hashes of `files`. The games and versions.json must exist."""
    played: dict[str, str] = {}
    with suppress(OSError, ValueError, TypeError, RecursionError):  # of an earlier publication, perhaps damaged
        played = dict(json.loads((target / "versions.json").read_text(encoding="utf-8")))
    hashes = ", ".join(f"{name}: {_digest(target / name)}" for name in files if (target / name).exists())
    commit = f", commit {played['commit']}" if played.get("commit") else ""
    conditions = len(plan.conditions)
    boards = f"{plan.config.games:,} boards{f' for each of {conditions} conditions' if conditions > 1 else ''}"
    agents = ", ".join(f"{entry.label} ({entry.version})" for entry in plan.entries)
    version = f" {played['sweepstakes']}" if played.get("sweepstakes") else ""
    text = (
        f"sweepstakes{version}{commit}: tournament {plan.config.name}, seed {plan.config.seed}, "
        f"{boards}, agents {agents}; SHA-256 of {hashes}."
    )
    return f"{escape_markdown(text, 10_000)}\n"


def _digest(path: Path) -> str:
    with run_errors(path):
        return hashlib.sha256(path.read_bytes()).hexdigest()
