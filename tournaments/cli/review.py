"""`sweepstakes review`: judge every decision of a run's games against the exact posterior."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option, workers_option


@click.command("review")
@click.argument("directory", metavar="RUN|PUBLISHED|FILE")
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--agent", "agents", multiple=True, metavar="LABEL", help="Review only this agent. May be repeated.")
@click.option(
    "--games", "most", type=click.IntRange(1), metavar="N", help="Review only the first N boards of each condition."
)
@click.option(
    "--worst", type=click.IntRange(0, 100), default=10, show_default=True, help="Number of decisions to list."
)
@click.option(
    "--inaccuracy",
    type=click.FloatRange(0, 1),
    default=0.02,
    show_default=True,
    help="A guess is an inaccuracy if its risk exceeds the lowest risk by more than this.",
)
@click.option(
    "--blunder",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="A guess is a blunder if its risk exceeds the lowest risk by more than this.",
)
@click.option("--svg", "pictures", metavar="DIR", help="Write pictures of the listed decisions to this folder.")
@workers_option
@click.option("--quiet", is_flag=True, help="Print no progress.")
@plugin_option
def review(**options: Any) -> None:
    """Judge every decision in a run, a published leaderboard or one of your own games, and list the worst.

    Each opened or flagged cell is compared with the exact mine probabilities at that moment. With GAME, which is
    AGENT/CONDITION/NUMBER as in basic/1/0, one game is reviewed turn by turn. Games whose moves were not kept are
    played again. Only boards of the source uniform can be judged.

    FILE is a game that somebody played elsewhere, in the replay format RAWVF (game.rawvf).
    """
    from sweepstakes.tournaments.cli._review import review as act

    act(**options)
