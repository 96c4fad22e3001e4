"""`sweepstakes publish`: writes a finished run as a page with tables, plots and data, or as a website."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option


@click.command("publish")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.option("--to", "target", metavar="DIR", help="Directory for the page and its files.")
@click.option("--site", metavar="DIR", help="Directory for a website, which can also be opened from disk.")
@click.option(
    "--replays",
    type=click.IntRange(0, 1000),
    default=3,
    show_default=True,
    help="Number of boards whose games --site shows.",
)
@click.option(
    "--engine/--no-engine",
    default=True,
    help="Whether --site can play games and analyse positions, by an engine of 0.2 MB.",
)
@click.option("--transcripts", is_flag=True, help="Let --site show what language models said in each turn.")
@click.option(
    "--keep-boards",
    "keep",
    type=click.IntRange(1),
    metavar="N",
    help="With --to, write rows for the first N boards of each condition, and packed scores and faults for the others.",
)
@click.option(
    "--sums",
    is_flag=True,
    help="For boards without rows, write only who won (one bit per game) and the sums of the other scores.",
)
@click.option("--quiet", is_flag=True, help="Print no progress.")
@plugin_option
def publish(**options: Any) -> None:
    """Write a finished run as a page with tables, plots and data, as a website, or both.

    If the directory of --to has a file reading.md, the page includes it. Use --keep-boards for a large run that keeps
    all rows, and --sums for a run that is too large to publish even if packed. The tables still count all games, to the
    last digit.
    """
    from sweepstakes.leaderboards.cli._publish import publish as act

    act(**options)
