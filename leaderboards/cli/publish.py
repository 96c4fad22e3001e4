"""The commands that show results: leaderboard, publish, front-page."""

from __future__ import annotations

from pathlib import Path

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
    from sweepstakes.tournaments.running.available import changed_since
    from sweepstakes.tournaments.storage.stored_run import open_run

    with open_run(run, plugins) as opened:
        made = opened.make("report", report)
        results = read_results(opened, condition)
        changed = changed_since(opened)
    if results.missing:
        click.echo(f"sweepstakes: {results.missing:,} games are still to be played", err=True)
    if changed:
        click.echo(f"sweepstakes: changed since these games were played: {', '.join(changed)}", err=True)
    click.echo(made.text(results.standings), nl=False)


@click.command("publish")
@click.argument("run", metavar="RUN|PUBLISHED")
@click.option("--to", "target", metavar="DIR", help="Where the page and its files go.")
@click.option("--site", metavar="DIR", help="Where a site to browse goes; it also opens from disk.")
@click.option("--replays", type=click.IntRange(0, 1000), default=3, show_default=True, help="Boards that --site shows.")
@plugin_option
def publish(run: str, target: str | None, site: str | None, replays: int, plugins: tuple[str, ...]) -> None:
    """Write a finished run as a page with tables, plots, data and how to repeat it, or as a site to browse, or both.

    If the DIR of --to has a file reading.md, written by hand, the page includes it.
    """
    if target is None and site is None:
        raise click.UsageError("say where: --to DIR for a page with its data, --site DIR for a site to browse")
    if target is not None:
        from sweepstakes.leaderboards.publish import publish as write
        from sweepstakes.tournaments.storage.stored_run import open_run

        with open_run(run, plugins) as opened:
            files = write(opened, Path(target))
        click.echo(f"{len(files)} files written to {target}", err=True)
    if site is not None:
        from sweepstakes.web.site.site import write_site

        click.echo(f"written: {write_site(run, site, boards=replays, plugins=plugins)}", err=True)


@click.command("front-page")
@click.argument("directory", metavar="DIR", default="leaderboards")
def front_page(directory: str) -> None:
    """Write the front page and the claims table over the leaderboards published in DIR."""
    from sweepstakes.leaderboards.pages.index_page import front_page as write

    for file in write(Path(directory)):
        click.echo(f"written: {file}", err=True)


COMMANDS = [leaderboard, publish, front_page]
