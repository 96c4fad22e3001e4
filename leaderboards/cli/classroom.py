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
@click.option("--deadline", metavar="DATE", help="Mark later submissions as late, as in '2026-11-20 18:00'.")
@workers_option
@click.option("--check/--no-check", default=True, show_default=True, help="Whether to check submissions as well.")
@click.option("--quiet", is_flag=True, help="Print only the table, no progress.")
def classroom(
    submissions: str,
    out: str,
    tournament: str | None,
    games: int | None,
    deadline: str | None,
    workers: int | None,
    check: bool,
    quiet: bool,
) -> None:
    """Check and play every submission in FOLDER, and write a leaderboard, a page for each, and grades.csv.

    A submission is a Python file, or a folder with agent.py. One that cannot be imported or offers no agent forfeits
    its games. A folder without an agent is reported and skipped. Run it again after resubmissions: only what changed is
    checked, compared and played.
    """
    from sweepstakes.leaderboards.classroom.classroom import run_classroom
    from sweepstakes.leaderboards.classroom.grades import GRADES
    from sweepstakes.leaderboards.classroom.pages import INDEX

    found = run_classroom(
        Path(submissions),
        Path(out),
        tournament=tournament,
        games=games,
        workers=workers,
        check=check,
        quiet=quiet,
        deadline=deadline,
        say=lambda line: None if quiet else click.echo(line, err=True),
    )
    for student in found.students:
        rank, mean = student.hidden.rank or "-", student.hidden.scores[0].mean
        notes = [f"forfeits: {student.forfeit}"] if student.forfeit else []
        notes += [f"{student.hidden.faults} of {student.hidden.games} games lost by a fault"] * bool(
            student.hidden.faults and not student.forfeit
        )
        notes += [f"not allowed: {each}" for each in student.not_allowed]
        notes += [each for each in student.reuse.sentences() if each not in student.not_allowed]
        notes += [f"plays exactly as {', '.join(student.identical)}"] * bool(student.identical)
        notes += ["late"] * student.late
        notes += [f"check: {student.checked.message}"] * bool(student.checked.message and not student.forfeit)
        click.echo(f"{rank:>4}  {student.label:<20} {found.score} {mean:.3f}  {'; '.join(notes)}".rstrip())
    for absent in found.absent:
        click.echo(f"   -  {absent.label:<20} {absent.status}: {absent.reason}")
    click.echo(f"\nwritten to {out}: {INDEX}, {GRADES}", err=True)
