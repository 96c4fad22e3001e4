"""`sweepstakes review`: judge every decision of a run's games against the exact posterior."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option, workers_option


@click.command("review")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--agent", "agents", multiple=True, metavar="LABEL", help="Review only this agent; may be repeated.")
@click.option(
    "--games", "most", type=click.IntRange(1), metavar="N", help="Review only the first N boards of each condition."
)
@click.option("--worst", type=click.IntRange(0, 100), default=10, show_default=True, help="How many decisions to list.")
@click.option(
    "--inaccuracy",
    type=click.FloatRange(0, 1),
    default=0.02,
    show_default=True,
    help="The risk above the least one from which on a guess is an inaccuracy.",
)
@click.option(
    "--blunder",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="The risk above the least one from which on a guess is a blunder.",
)
@click.option("--svg", "pictures", metavar="DIR", help="Draw the positions of the listed decisions into this folder.")
@workers_option
@click.option("--quiet", is_flag=True, help="Print no progress.")
@plugin_option
def review(**options: Any) -> None:
    """Judge every decision of the games of a run or of a published leaderboard, and list the worst ones.

    Each opened or flagged cell is compared with the exact mine probabilities of what was shown before it. GAME is
    AGENT/CONDITION/NUMBER, as in basic/1/0: that game is reviewed turn by turn. Games that did not keep their moves are
    played again. Boards of other sources than uniform cannot be judged.
    """
    from sweepstakes.tournaments.cli._review import review as act

    act(**options)
