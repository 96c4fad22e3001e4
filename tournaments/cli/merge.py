"""`sweepstakes merge`: make one run of the runs that played shares of a tournament."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option


@click.command("merge")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="Run directory to create or add to.")
@click.option("--quiet", is_flag=True, help="Print only the table, or the missing games.")
@plugin_option
def merge(**options: Any) -> None:
    """Merge the shards of a tournament into one run, and print its leaderboard.

    All runs must be of the same tournament. If two of them contain the same game, the results must agree. The tables
    are the same as those of a single run. If games are missing, the command lists them and exits with code 1. You can
    repeat it when they have been played.
    """
    from sweepstakes.tournaments.cli._merge import merge as act

    act(**options)
