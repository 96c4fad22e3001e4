"""What `sweepstakes leaderboard` does."""

from __future__ import annotations

from pathlib import Path

import click

from sweepstakes.leaderboards.results import read_results
from sweepstakes.report import write_report
from sweepstakes.tournaments.resolve.playable import changed_since_played
from sweepstakes.tournaments.storage.games_file import games_writer
from sweepstakes.tournaments.stored_run import open_run


def leaderboard(
    directory: str, report: str, condition: str | None, games: Path | None, plugins: tuple[str, ...]
) -> None:
    """Print the leaderboard, or write its games to a file."""
    with open_run(directory, plugins) as run:
        if games is not None:
            write = games_writer(games)
            table = run.table(run.find_conditions(condition))
            write(table)
            click.echo(f"{len(table['number']):,} games written to {games}", err=True)
            return
        report_format = run.make("report", report)
        results = read_results(run, condition)
        changed = changed_since_played(run)
    if results.missing:
        click.echo(f"sweepstakes: {results.missing:,} games have not been played yet", err=True)
    if changed:
        click.echo(f"sweepstakes: changed since the games were played: {', '.join(changed)}", err=True)
    click.echo(write_report(report_format, report, results.standings._replace(place=directory)), nl=False)
