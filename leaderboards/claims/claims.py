"""Compares the claims and questions of five earlier reports with the published leaderboards.

Each claim has a function from published numbers to a sentence and a verdict, so that the table always agrees with the
results. docs/sources.md cites the reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from sweepstakes.leaderboards.claims.measures import ANSWER, FAILS, HOLDS, OPEN, PARTLY, UNSTATED, Measure, Measured
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.plugins.reports.markdown import escape

SOURCES = "../docs/sources.md"
VERDICTS = {
    HOLDS: "true under every condition measured",
    PARTLY: "true under some of them, not under all",
    FAILS: "true under none, and clearly false under at least one",
    OPEN: "the intervals do not decide it, or the report leaves open what would",
    UNSTATED: "the claim has no figure that could be right or wrong: the numbers are there to be read",
    ANSWER: "a question, answered by the numbers",
}
PLURALS = {HOLDS: "hold", PARTLY: "hold in part", FAILS: "do not hold", UNSTATED: "give no figure", ANSWER: "answers"}
"""The verdicts as several claims have them, where that is another form."""


class Claim(NamedTuple):
    """A claim or a question of an earlier report."""

    section: str
    """Where it stands in the report."""
    claim: str
    """What it says or asks, in our words."""
    leaderboard: str
    """The leaderboard that tests it; empty if no tournament is needed."""
    measure: Measure
    command: str = ""
    """The command that repeats the measurement, if it is not `sweepstakes run` of the leaderboard's preset."""

    @property
    def repeat(self) -> str:
        """The command that repeats the measurement."""
        return self.command or f"sweepstakes run {self.leaderboard}"


class System(NamedTuple):
    """One of the five systems: its letter, its method and the claims of its report."""

    letter: str
    method: str
    claims: Sequence[Claim]

    @property
    def name(self) -> str:
        """Letter and method."""
        return f"{self.letter}: {self.method}"


class Judged(NamedTuple):
    """A claim with its measurement, None if its leaderboard is not published."""

    system: System
    claim: Claim
    measured: Measured | None


def judge_claims(systems: Iterable[System], directory: Path) -> list[Judged]:
    """Every claim with its measurement in the published leaderboards."""
    library = Published(directory / "none")
    found = []
    for system in systems:
        for claim in system.claims:
            published = library.beside(claim.leaderboard)
            there = not claim.leaderboard or published.exists
            found.append(Judged(system, claim, claim.measure(published) if there else None))
    return found


def counts(judged: Iterable[Judged]) -> str:
    """How many claims there are of each verdict, in a line."""
    verdicts = [j.measured.verdict for j in judged if j.measured is not None]
    numbers = {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}
    return ", ".join(
        f"{n} **{verdict if n == 1 else PLURALS.get(verdict, verdict)}**" for verdict, n in numbers.items()
    )


def claims_page(judged: Sequence[Judged]) -> str:
    """The page with a table of claims for each system."""
    parts = [
        "# Claims and measurements",
        f"What five earlier reports claim and ask ([who wrote them]({SOURCES})), mostly from 5 to 10 boards for each "
        "point, and what 60 to 1,000 boards measure. Each line names the section of the report. Numbers are means with "
        "their 95 % interval in brackets, read from the published games. Agents are compared on the same boards; "
        "between densities, sizes and sources boards differ, and the intervals are those of independent samples. A "
        "statement about several conditions is decided under each of them by its interval.",
        "\n".join(["| verdict | meaning |", "|---|---|", *(f"| **{v}** | {text} |" for v, text in VERDICTS.items())]),
        f"In all: {counts(judged)}.",
        "The command of a line plays its games again. `sweepstakes publish runs/NAME --to leaderboards/NAME` and "
        "`sweepstakes front-page leaderboards` then write this page.",
    ]
    for system in dict.fromkeys(j.system.letter for j in judged):
        own = [j for j in judged if j.system.letter == system]
        parts.append(f"## {own[0].system.name}")
        parts.append(f"Its report: [{system}]({SOURCES}#{system.lower()}).")
        lines = ["| section | claimed or asked | measured | verdict | repeat |", "|---|---|---|---|---|"]
        parts.append("\n".join([*lines, *map(_line, own)]))
    return "\n\n".join(parts) + "\n"


def _line(judged: Judged) -> str:
    claim = judged.claim
    text, verdict = judged.measured or Measured("not measured yet", "open")
    if claim.leaderboard and judged.measured is not None:
        text += f" ([{claim.leaderboard}]({claim.leaderboard}/README.md))"
    return f"| {escape(claim.section)} | {escape(claim.claim)} | {_cell(text)} | **{verdict}** | `{claim.repeat}` |"


def _cell(text: str) -> str:
    """A text for a cell of a table; links in it stay links."""
    return text.replace("|", "\\|").replace("\n", " ")
