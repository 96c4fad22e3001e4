"""`sweepstakes replay`: see a game of a run again."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click

from sweepstakes.options import plugin_option
from sweepstakes.tournaments.watch_command import delay_option, plain_option, present


@click.command("replay")
@click.argument("run", metavar="RUN")
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--agent", help="List only this agent's games.")
@plain_option
@delay_option
@plugin_option
def replay(run: str, game: str | None, agent: str | None, plain: bool, delay: float, plugins: tuple[str, ...]) -> None:
    """Show a game of the run directory RUN again, or list its games.

    GAME is AGENT/CONDITION/NUMBER, as in basic/1/0, or AGENT/NUMBER when the run has one condition.
    """
    from sweepstakes.tournaments.opened import open_without_agents
    from sweepstakes.tournaments.recording import find, stored_film

    with closing(open_without_agents(Path(run), plugins)) as opened:
        if game is not None:
            shown, complaint = stored_film(opened, find(opened, game), plugins)
            present(shown, plain, delay)
            if complaint:
                click.echo(f"{complaint}: the row is not what the game was")
                sys.exit(1)
            return
        for number, condition in enumerate(opened.plan.conditions, 1):
            click.echo(f"condition {number}: {condition.label}")
        lines: dict[str, list[str]] = {}
        for fixture, ending in opened.games.kept():
            label = opened.plan.entries[fixture.agent].label
            if agent in (None, label):
                lines.setdefault(f"{label}/{fixture.condition + 1}", []).append(f"{fixture.number} {ending}")
        for block, boards in lines.items():
            click.echo(f"{block}/NUMBER: {', '.join(boards)}")
        if not lines:
            click.echo("no game of this run kept its moves; `moves: sample` or `moves: all` in the tournament does")
