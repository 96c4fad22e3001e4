"""What `sweepstakes classroom` does."""

from __future__ import annotations

from pathlib import Path

import click

from sweepstakes.leaderboards.classroom.classroom import read_class, run_classroom
from sweepstakes.leaderboards.classroom.grades import GRADES
from sweepstakes.leaderboards.classroom.gradescope import (
    check_gradescope,
    gradescope_results,
    no_agent_results,
    write_gradescope,
)
from sweepstakes.leaderboards.classroom.pages import INDEX
from sweepstakes.untrusted.files import is_folder


def classroom(
    submissions: str,
    out: str,
    tournament: str | None,
    games: int | None,
    deadline: str | None,
    workers: int | None,
    check: bool,
    gradescope: str | None,
    quiet: bool,
) -> None:
    """Run the class, and print a line for each student."""
    if gradescope is not None:
        rules = read_class(tournament, games, deadline)[2]
        if is_folder(Path(submissions)):
            check_gradescope(Path(submissions), rules)
            if (results := no_agent_results(Path(submissions), rules)) is not None:
                write_gradescope(results, Path(gradescope))
                click.echo(results["output"])
                return
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
    if gradescope is not None:
        write_gradescope(gradescope_results(found, rules), Path(gradescope))
    for absent in found.absent:
        click.echo(f"   -  {absent.label:<20} {absent.status}: {absent.reason}")
    click.echo(f"\nwritten to {out}: {INDEX}, {GRADES}", err=True)
