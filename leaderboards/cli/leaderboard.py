"""`sweepstakes leaderboard`: prints the leaderboard of a run or of a publication."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import plugin_option


@click.command("leaderboard")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.option("--format", "report", default="markdown", show_default=True, metavar="SPEC", help="Report to print.")
@click.option("--condition", metavar="TEXT", help="Print only conditions whose name contains TEXT.")
@click.option(
    "--games",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write every game to FILE (.csv, .jsonl or .parquet) instead of printing the leaderboard.",
)
@plugin_option
def leaderboard(**options: Any) -> None:
    """Print the leaderboard of a run, or a published leaderboard.

    The run need not be finished.
    """
    from sweepstakes.leaderboards.cli._leaderboard import leaderboard as act

    act(**options)
