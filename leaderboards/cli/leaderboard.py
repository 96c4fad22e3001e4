"""`sweepstakes leaderboard`: print the leaderboard of a run, or of a publication."""

from __future__ import annotations

import click

from sweepstakes.cli.options import plugin_option


@click.command("leaderboard")
@click.argument("run", metavar="RUN|PUBLISHED")
@click.option("--format", "report", default="markdown", show_default=True, metavar="SPEC", help="Any report by name.")
@click.option("--condition", metavar="TEXT", help="Only conditions that contain these words.")
@plugin_option
def leaderboard(run: str, report: str, condition: str | None, plugins: tuple[str, ...]) -> None:
    """Print the leaderboard of a run, finished or not, or of a published one."""
    from sweepstakes.leaderboards.results import read_results
    from sweepstakes.tournaments.running.playable_agents import changed_since_played
    from sweepstakes.tournaments.storage.stored_run import open_run

    with open_run(run, plugins) as opened:
        made = opened.make("report", report)
        results = read_results(opened, condition)
        changed = changed_since_played(opened)
    if results.missing:
        click.echo(f"sweepstakes: {results.missing:,} games are still to be played", err=True)
    if changed:
        click.echo(f"sweepstakes: changed since these games were played: {', '.join(changed)}", err=True)
    click.echo(made.text(results.standings), nl=False)
