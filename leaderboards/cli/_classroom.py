"""What `sweepstakes classroom` does."""

from __future__ import annotations

from pathlib import Path

import click

from sweepstakes.leaderboards.classroom.classroom import run_classroom
from sweepstakes.leaderboards.classroom.grades import GRADES
from sweepstakes.leaderboards.classroom.pages import INDEX


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
    """Run the class, and print a line for each student."""
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
