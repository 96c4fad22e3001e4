"""`sweepstakes verify`: checks the rows and tables of a run or of a publication against their games."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option, workers_option


@click.command("verify")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.option(
    "--sample",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="The share of the games to play again: 0 is no game, 1 is all games.  [default: 0.05, at least 100 games]",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="The seed of the random sample; by default another each time.",
)
@click.option(
    "--allow-unverified",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Accept that this agent cannot be verified; may be repeated.",
)
@workers_option
@click.option("--quiet", is_flag=True, help="Print only the findings, no progress.")
@plugin_option
def verify(**options: Any) -> None:
    """Check the rows and tables of a run or of a published leaderboard by playing games again.

    For every game that kept its moves, the referee repeats the turns. A random sample of all games is played again by
    their agents, and so is every game of a built-in agent that ended by a limit. Standings, pairs, ratings and faults
    are computed again from the rows, and compared with every value in the tables. Missing games are named. Prose,
    pictures and times are not compared. A seed that was secret is compared with its commitment.

    Exit code 1: something differs. 3: nothing differs, but something could not be verified. The last line says which.
    """
    from sweepstakes.leaderboards.cli._verify import verify as act

    act(**options)
