"""`sweepstakes classroom`: plays the submissions of a class and writes its pages and a table of grades."""

from __future__ import annotations

from pathlib import Path

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
@workers_option
@click.option("--check/--no-check", default=True, show_default=True, help="Whether to check submissions as well.")
@click.option("--quiet", is_flag=True, help="Print only the table, no progress.")
def classroom(
    submissions: str, out: str, tournament: str | None, games: int | None, workers: int | None, check: bool, quiet: bool
) -> None:
    """Check and play every submission in FOLDER, and write a leaderboard, a page for each, and grades.csv.

    A submission is a Python file, or a folder with agent.py. One that cannot be imported or offers no agent forfeits
    its games. Run it again after resubmissions: only what changed is checked and played.
    """
    from sweepstakes.leaderboards.classroom.classroom import run_classroom
    from sweepstakes.leaderboards.classroom.pages import GRADES, INDEX

    found = run_classroom(
        Path(submissions),
        Path(out),
        tournament=tournament,
        games=games,
        workers=workers,
        check=check,
        quiet=quiet,
        say=lambda line: None if quiet else click.echo(line, err=True),
    )
    for student in found.students:
        mean = student.hidden.scores[0].mean
        notes = [f"forfeits: {student.forfeit}"] if student.forfeit else []
        notes += [f"{student.hidden.faults} of {student.hidden.games} games lost by a fault"] * bool(
            student.hidden.faults and not student.forfeit
        )
        notes += [f"plays exactly as {', '.join(student.identical)}"] * bool(student.identical)
        notes += [f"check: {student.checked.message}"] * bool(student.checked.message and not student.forfeit)
        click.echo(
            f"{student.hidden.rank:>4}  {student.label:<20} {found.score} {mean:.3f}  {'; '.join(notes)}".rstrip()
        )
    click.echo(f"\nwritten to {out}: {INDEX}, {GRADES}", err=True)
