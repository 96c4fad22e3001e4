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
    "--with", "other", metavar="RUN|PUBLISHED", help="The run of B, by default the same; B is then A if left out."
)
@click.option("--score", metavar="SPEC", help="The score to compare by, instead of the one that ranks.")
@click.option("--condition", metavar="TEXT", help="Compare only under conditions whose label contains TEXT.")
@click.option(
    "--boards",
    "most",
    type=click.IntRange(0, 1000),
    default=5,
    show_default=True,
    metavar="N",
    help="List at most N boards on which they differ.",
)
@plugin_option
def compare(**options: Any) -> None:
    """Compare two agents of a run, of two runs, or two versions of one agent, on the boards that both have played.

    A and B are agents as tables print them. Prints the paired difference of their scores, over all conditions and under
    each, and the boards on which they differ most, with the commands that show these games.
    """
    from sweepstakes.tournaments.cli._compare import compare as act

    act(**options)
