"""`sweepstakes classroom`: plays the submissions of a class and writes its pages and a table of grades."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import workers_option


@click.command("classroom")
@click.argument("submissions", metavar="FOLDER")
@click.option("--out", metavar="DIR", default="class", show_default=True, help="Directory for the results.")
@click.option(
    "--tournament",
    metavar="FILE|PRESET",
    help="Tournament with boards, rules, scores, limits and reference agents, instead of the default for classes.",
)
@click.option("--games", type=click.IntRange(1, 100_000), metavar="N", help="Boards for each condition.")
@click.option("--deadline", metavar="DATE", help="Mark submissions after this time as late, as in '2026-11-20 18:00'.")
@workers_option
@click.option("--check/--no-check", default=True, show_default=True, help="Whether to also check submissions.")
@click.option(
    "--gradescope",
    metavar="FILE",
    help="With a single submission: also write its result to FILE, as results.json for Gradescope.",
)
@click.option("--quiet", is_flag=True, help="Print only the table.")
def classroom(**options: Any) -> None:
    """Check and play every submission in FOLDER, and write a leaderboard, a page per submission, and grades.csv.

    A submission is a Python file, or a folder with agent.py. A submission that cannot be imported or has no agent
    forfeits its games. A folder without agent.py is reported and skipped. After resubmissions, repeat the command: only
    what changed is checked, compared and played.
    """
    from sweepstakes.leaderboards.cli._classroom import classroom as act

    act(**options)
