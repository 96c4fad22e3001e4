"""`sweepstakes front-page`: writes the front page of all published leaderboards."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("front-page")
@click.argument("directory", metavar="DIR", default="leaderboards/published")
def front_page(directory: str) -> None:
    """Write the front page of the leaderboards published in DIR."""
    from sweepstakes.leaderboards.pages.index_page import front_page as write

    click.echo(f"written: {write(Path(directory))}", err=True)
