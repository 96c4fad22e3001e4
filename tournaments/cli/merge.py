"""`sweepstakes merge`: make one run of the runs that played shares of a tournament."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option


@click.command("merge")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="The run directory to make, or to add to.")
@click.option("--quiet", is_flag=True, help="Print only the table, or what is missing.")
@plugin_option
def merge(**options: Any) -> None:
    """Make one run of runs that played shares of one tournament, and print its leaderboard.

    The runs must be of the same tournament, and a game that two of them have must have the same result. The tables are
    those of a single run. If games are missing, the command says which, and exits with code 1; it can be repeated.
    """
    from sweepstakes.tournaments.cli._merge import merge as act

    act(**options)
