"""`sweepstakes replay`: show a stored game turn by turn, or list the games."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option
from sweepstakes.tournaments.cli.watch import delay_option, picture_options, plain_option


@click.command("replay")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--agent", help="List only the games of this agent.")
@plain_option
@delay_option
@picture_options
@plugin_option
def replay(**options: Any) -> None:
    """Show a game of a run or a published leaderboard turn by turn, or list the games.

    GAME is AGENT/CONDITION/NUMBER, as in basic/1/0, or AGENT/NUMBER if there is only one condition. Without GAME, the
    games whose moves were kept are listed.
    """
    from sweepstakes.tournaments.cli._replay import replay as act

    act(**options)
