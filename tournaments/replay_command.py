"""`sweepstakes replay`: see a game of a run again."""

from __future__ import annotations

from contextlib import closing

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
    from sweepstakes.tournaments.recording import open_recording

    with closing(open_recording(run, plugins)) as recording:
        if game is not None:
            present(recording.film(game), plain, delay)
            return
        for number, condition in enumerate(recording.conditions, 1):
            click.echo(f"condition {number}: {condition.label}")
        lines: dict[str, list[str]] = {}
        for listed in recording.games(agent):
            lines.setdefault(f"{listed.agent}/{listed.condition}", []).append(f"{listed.number} {listed.ending}")
        for block, boards in lines.items():
            click.echo(f"{block}/NUMBER: {', '.join(boards)}")
        if not lines:
            click.echo("no game of this run kept its moves; `moves: sample` or `moves: all` in the tournament does")
