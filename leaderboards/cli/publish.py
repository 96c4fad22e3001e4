"""`sweepstakes publish`: writes a finished run as a page with tables, plots and data, or as a website."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option


@click.command("publish")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.option("--to", "target", metavar="DIR", help="The directory for the page and its files.")
@click.option("--site", metavar="DIR", help="The directory for a website, which also opens from disk.")
@click.option(
    "--replays", type=click.IntRange(0, 1000), default=3, show_default=True, help="Boards whose games --site shows."
)
@click.option("--engine/--no-engine", default=True, help="Let --site play and analyse too: 0.3 MB more.")
@click.option("--transcripts", is_flag=True, help="Let --site show what language models said in each turn.")
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="GAMES",
    help="Write at most so many games line by line with --to: of the others who won, and sums.",
)
@click.option("--quiet", is_flag=True, help="Print no progress.")
@plugin_option
def publish(**options: Any) -> None:
    """Write a finished run as a page with tables, plots and data, or as a website, or both.

    If the DIR of --to has a file reading.md, written by hand, the page includes it. --keep is for runs of very many
    games whose ranking score is yes or no, as win: the tables are those of all games to the last digit.
    """
    from sweepstakes.leaderboards.cli._publish import publish as act

    act(**options)
