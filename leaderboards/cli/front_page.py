"""`sweepstakes front-page`: writes the front page of all published leaderboards."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("front-page")
@click.argument("directory", metavar="DIR", default="leaderboards")
def front_page(directory: str) -> None:
    """Write the front page and the table of claims for the leaderboards published in DIR."""
    from sweepstakes.leaderboards.pages.index_page import front_page as write

    for file in write(Path(directory)):
        click.echo(f"written: {file}", err=True)
