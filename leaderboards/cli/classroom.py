"""`sweepstakes classroom`: plays the submissions of a class and writes its pages and a table of grades."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import workers_option


@click.command("classroom")
@click.argument("submissions", metavar="FOLDER")
@click.option("--out", metavar="DIR", default="class", show_default=True, help="The directory of the class.")
@click.option(
    "--tournament",
    metavar="FILE|PRESET",
    help="Boards, rules, scores, limits and agents to compare with, instead of those of a class.",
)
@click.option("--games", type=click.IntRange(1, 100_000), metavar="N", help="Boards for each condition.")
@click.option("--deadline", metavar="DATE", help="Mark later submissions as late, as in '2026-11-20 18:00'.")
@workers_option
@click.option("--check/--no-check", default=True, show_default=True, help="Whether to check submissions as well.")
@click.option(
    "--gradescope",
    metavar="FILE",
    help="Also write the result of the only submission to FILE, as results.json of a Gradescope autograder.",
)
@click.option("--quiet", is_flag=True, help="Print only the table, no progress.")
def classroom(**options: Any) -> None:
    """Check and play every submission in FOLDER, and write a leaderboard, a page for each, and grades.csv.

    A submission is a Python file, or a folder with agent.py. One that cannot be imported or offers no agent forfeits
    its games. A folder without an agent is reported and skipped. Run it again after resubmissions: only what changed is
    checked, compared and played.
    """
    from sweepstakes.leaderboards.cli._classroom import classroom as act

    act(**options)
