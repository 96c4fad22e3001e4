"""`sweepstakes replay`: see a game of a run again."""

from __future__ import annotations

import sys

import click

from sweepstakes.cli.options import plugin_option
from sweepstakes.tournaments.cli.watch import delay_option, plain_option, present


@click.command("replay")
@click.argument("run", metavar="RUN|PUBLISHED")
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--agent", help="List only this agent's games.")
@plain_option
@delay_option
@plugin_option
def replay(run: str, game: str | None, agent: str | None, plain: bool, delay: float, plugins: tuple[str, ...]) -> None:
    """Show a game of a run, or of a published leaderboard, again, or list the games that kept their moves.

    GAME is AGENT/CONDITION/NUMBER, as in basic/1/0, or AGENT/NUMBER when the run has one condition.
    """
    from sweepstakes.tournaments.replay.explained import replay as walk_through
    from sweepstakes.tournaments.storage.stored_run import open_run
    from sweepstakes.warm_up import warm_up

    with open_run(run, plugins) as opened:
        if game is not None:
            warm_up()
            shown = walk_through(opened, opened.game(game))
            present(shown, plain, delay)
            if shown.mismatch:
                click.echo(f"{shown.mismatch}: the row is not what the game was")
                sys.exit(1)
            return
        for number, condition in enumerate(opened.conditions, 1):
            click.echo(f"condition {number}: {condition.label}")
        lines: dict[str, list[str]] = {}
        for fixture, result in opened.kept():
            label = opened.agents[fixture.agent].label
            if agent in (None, label):
                lines.setdefault(f"{label}/{fixture.condition + 1}", []).append(f"{fixture.number} {result.ending}")
        for block, boards in lines.items():
            click.echo(f"{block}/NUMBER: {', '.join(boards)}")
        if not lines:
            click.echo("no game kept its moves: any game that you name, AGENT/CONDITION/NUMBER, is played again")
