"""`sweepstakes compare`: two agents on the boards that both have played."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option


@click.command("compare")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@click.option(
    "--with",
    "other",
    metavar="RUN|PUBLISHED",
    help="Run of B, if A and B are from different runs. B may then be omitted if it is the same agent as A.",
)
@click.option("--score", metavar="SPEC", help="Score to compare, instead of the one that decides the ranks.")
@click.option("--condition", metavar="TEXT", help="Compare only conditions whose name contains TEXT.")
@click.option(
    "--boards",
    "most",
    type=click.IntRange(0, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="Maximum number of boards to list.",
)
@plugin_option
def compare(**options: Any) -> None:
    """Compare two agents, or two versions of one agent, on the boards that both have played.

    A and B are names of agents, as printed in tables. They may be from the same run or from two runs. The output has
    the paired difference of their scores, overall and for each condition. It also lists the boards on which they differ
    most, with the commands that show these games.
    """
    from sweepstakes.tournaments.cli._compare import compare as act

    act(**options)
