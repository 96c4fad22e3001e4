"""Compares the claims and questions of five earlier reports with the published leaderboards.

Each claim has a function from published numbers to a measurement with a verdict, so that the page always agrees with
the results. docs/sources.md cites the reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from claims.published import Published
from claims.verdicts import (
    ANSWER,
    FAILS,
    HOLDS,
    NOT_REPRODUCED,
    OPEN,
    PARTLY,
    UNSTATED,
    Measure,
    Measured,
)
from sweepstakes.markup import escape_markdown as escape

SOURCES = "sources.md"
FIVE_SYSTEMS = "five-systems.md"
PUBLISHED = "../leaderboards/published"
VERDICTS = {
    HOLDS: "true under at least one condition and false under no condition; undecided conditions are listed",
    PARTLY: "true under some conditions and false under others",
    FAILS: "false under at least one condition and true under no condition",
    NOT_REPRODUCED: "the authors observed it with their own program, but our agent does not show it",
    OPEN: "undecided under every condition",
    UNSTATED: "the claim gives no figure that could be right or wrong, so only the numbers are shown",
    ANSWER: "the report asks a question, and the numbers answer it",
}
PLURALS = {
    HOLDS: "hold",
    PARTLY: "hold in part",
    FAILS: "do not hold",
    NOT_REPRODUCED: "are not reproduced",
    UNSTATED: "give no figure",
    ANSWER: "answers",
}
"""Plural forms of verdicts, where they differ."""


class Claim(NamedTuple):
    """A claim or a question of an earlier report."""

    section: str
    """The section of the report."""
    claim: str
    """What it says or asks, in our words."""
    leaderboard: str
    """The leaderboard that tests it; empty if no tournament is needed."""
    measure: Measure
    command: str = ""
    """The command that repeats the measurement, if no leaderboard does."""
    quote: str = ""
    """The sentence that is judged, as the report prints it."""
    note: str = ""
    """What else there is to say about the row."""

    @property
    def link(self) -> str:
        """The leaderboard whose games are played again, with a link; or where the command is."""
        return f"[{self.leaderboard}]({PUBLISHED}/{self.leaderboard}/README.md)" if self.leaderboard else "see below"


class System(NamedTuple):
    """One of the five systems: its letter, its method and the claims of its report."""

    letter: str
    method: str
    claims: Sequence[Claim]
    held: str = ""
    """What held, in a sentence that names the claims by their numbers, as A7."""
    partly: str = ""
    """What held in part or is open."""
    failed: str = ""
    """What did not hold or was not reproduced."""

    @property
    def name(self) -> str:
        """Letter and method."""
        return f"{self.letter}: {self.method}"

    @property
    def summary(self) -> dict[str, str]:
        """The three sentences, by what they tell."""
        return {"held": self.held, "in part or open": self.partly, "did not hold": self.failed}


class Judged(NamedTuple):
    """A claim with its measurement, None if its leaderboard is not published."""

    system: System
    number: int
    """Its place among the claims of its report, from 1."""
    claim: Claim
    measured: Measured | None

    @property
    def name(self) -> str:
        """Its letter and number, as A7."""
        return f"{self.system.letter}{self.number}"


def judge_claims(systems: Iterable[System], directory: Path) -> list[Judged]:
    """Every claim with its measurement in the published leaderboards."""
    library = Published(directory / "none")
    found = []
    for system in systems:
        for number, claim in enumerate(system.claims, 1):
            published = library.beside(claim.leaderboard)
            there = not claim.leaderboard or published.exists
            found.append(Judged(system, number, claim, claim.measure(published) if there else None))
    return found


def counts(judged: Iterable[Judged]) -> str:
    """How many claims there are of each verdict, in a line."""
    verdicts = [j.measured.verdict for j in judged if j.measured is not None]
    numbers = {verdict: verdicts.count(verdict) for verdict in VERDICTS if verdict in verdicts}
    return ", ".join(
        f"{n} **{verdict if n == 1 else PLURALS.get(verdict, verdict)}**" for verdict, n in numbers.items()
    )


def claims_page(judged: Sequence[Judged]) -> str:
    """The page: a summary of each report, then its claims, each with a few numbers, then all numbers."""
    reports = {j.system.letter: [x for x in judged if x.system.letter == j.system.letter] for j in judged}
    parts = [
        "# Claims and measurements",
        "What five earlier reports claim and ask, compared with what we measured. The measured agents are our readings "
        f"of the reports' texts, not their authors' programs; [sources]({SOURCES}) says what we decided where a text "
        "is unclear. The reports mostly played 5 to 10 boards per data point; we played 60 to 1,000. "
        f"[Five systems]({FIVE_SYSTEMS}) has a summary of each report.",
        "## Summary",
        _summary(reports),
    ]
    for own in reports.values():
        system = own[0].system
        lines = [f"- {what.capitalize()}: {text}" for what, text in system.summary.items() if text]
        if lines:
            parts.append("\n".join([f"**{system.name}**", "", *lines]))
    parts += [
        "## How to read the tables",
        _table(["verdict", "meaning"], [[f"**{verdict}**", text] for verdict, text in VERDICTS.items()]),
        "Numbers are means with their 95 % interval in brackets, computed from the published games. A claim about "
        "several conditions is decided separately under each of them, by its interval. Agents are compared on the same "
        "boards. Different densities, sizes and sources have different boards, so their intervals are those of "
        "independent samples. Shares of 0 % and 100 % have the exact interval of Clopper and Pearson. `at 0.3` means "
        "at a mine density of 0.3. Below each table is a list of all numbers behind each claim.",
        "To repeat a measurement, run `sweepstakes run NAME` with the name in the last column. Then update this page "
        "with `sweepstakes publish runs/NAME --to leaderboards/published/NAME` and `python docs/tools/write.py --write "
        "claims`.",
    ]
    for own in reports.values():
        parts += _report(own)
    return "\n\n".join(parts) + "\n"


def _summary(reports: dict[str, list[Judged]]) -> str:
    """The number of claims of each verdict, a line for each report."""
    found = {f"[{own[0].system.name}](#{_anchor(own[0].system)})": own for own in reports.values()}
    found["all"] = [j for own in reports.values() for j in own]
    rows = []
    for name, own in found.items():
        verdicts = [j.measured.verdict for j in own if j.measured is not None]
        rows.append([name, *(str(verdicts.count(verdict) or "–") for verdict in VERDICTS)])
    return _table(["report", *VERDICTS], rows, ["left", *["right"] * len(VERDICTS)])


def _report(own: list[Judged]) -> list[str]:
    """The section of a report: its claims with a few numbers each, then all numbers."""
    system = own[0].system
    details = []
    for j in own:
        lines = [f'the report: "{escape(j.claim.quote)}"'] if j.claim.quote else []
        lines += list(j.measured.details) if j.measured is not None else []
        lines += [escape(j.claim.note)] if j.claim.note else []
        lines += [f"repeat: `{j.claim.command}`"] if j.claim.command else []
        details += [[j.name, _cell(line)] for line in lines]
    parts = [
        f"## {system.name}",
        f"Its report: [{system.letter}]({SOURCES}#{system.letter.lower()}).",
        _table(["", "section", "claimed or asked", "measured", "verdict", "`sweepstakes run`"], map(_row, own)),
    ]
    if details:
        parts += [
            f"<details>\n<summary>All numbers of report {system.letter}</summary>",
            _table(["", "numbers"], details),
            "</details>",
        ]
    return parts


def _row(judged: Judged) -> list[str]:
    claim = judged.claim
    measured = judged.measured or Measured("not measured yet", "open")
    verdict = f"**{measured.verdict}**" + (f"; {measured.exceptions}" if measured.exceptions else "")
    return [judged.name, escape(claim.section), escape(claim.claim), _cell(measured.numbers), verdict, claim.link]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]], align: Sequence[str] | None = None) -> str:
    return tabulate(list(rows), heads, tablefmt="pipe", colalign=align or ["left"] * len(heads), disable_numparse=True)


def _anchor(system: System) -> str:
    return system.name.lower().replace(":", "").replace(" ", "-")


def _cell(text: str) -> str:
    """A text for a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")
