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
    show_default="0.05, at least 100 games",
    help="Share of the games to play again, from 0 (none) to 1 (all).",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    show_default="random",
    help="Seed of the random sample.",
)
@click.option(
    "--allow-unverified",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Accept that this agent cannot be verified. May be repeated.",
)
@workers_option
@click.option("--quiet", is_flag=True, help="Print only the findings.")
@plugin_option
def verify(**options: Any) -> None:
    """Verify a run or a published leaderboard by playing games again.

    The referee repeats the turns of every game whose moves were kept. Agents play a random sample of all games again,
    and every game that a built-in agent lost to a limit. Standings, paired comparisons, ratings and faults are computed
    again from the results of the games and compared with every value in the tables. A seed that was secret is compared
    with its commitment. Missing games are listed. Prose, pictures and times are not compared.

    Exit code 1 means that something differs. Exit code 3 means that nothing differs, but something could not be
    verified. The last line says what.
    """
    from sweepstakes.leaderboards.cli._verify import verify as act

    act(**options)
