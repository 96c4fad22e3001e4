"""What `sweepstakes replay` does."""

from __future__ import annotations

import sys

import click

from sweepstakes.drawing.svg import Theme
from sweepstakes.errors import ExitCode, RunError
from sweepstakes.tournaments.cli._watch import draw, present
from sweepstakes.tournaments.replay.explained import replay as replay_stored_game
from sweepstakes.tournaments.stored_run import open_run
from sweepstakes.warm_up import warm_up


def replay(
    directory: str,
    game: str | None,
    agent: str | None,
    plain: bool,
    delay: float,
    svg_file: str | None,
    turn: int | None,
    gif_file: str | None,
    theme: Theme,
    plugins: tuple[str, ...],
) -> None:
    """Show one game, or list the games that kept their moves."""
    if game is None and (svg_file is not None or gif_file is not None):
        raise RunError("--svg and --gif draw one game: name it, as in basic/1/0")
    with open_run(directory, plugins) as opened:
        run = opened.including(
            *([game.rsplit("/", parts)[0] for parts in (1, 2)] if game is not None else [agent or ""])
        )
        if game is not None:
            warm_up()
            stored_replay = replay_stored_game(run, run.game(game))
            if not draw(stored_replay, svg_file, turn, gif_file, theme, delay):
                present(stored_replay, plain, delay)
            if stored_replay.mismatch:
                click.echo(f"{stored_replay.mismatch}: the row differs from the game")
                sys.exit(ExitCode.FAILED)
            return
        for number, condition in enumerate(run.conditions, 1):
            click.echo(f"condition {number}: {condition.title}")
        lines: dict[str, list[str]] = {}
        for fixture, result in run.kept():
            label = run.agents[fixture.agent].label
            if agent in (None, label):
                lines.setdefault(f"{label}/{fixture.condition + 1}", []).append(f"{fixture.number} {result.ending}")
        for block, boards in lines.items():
            click.echo(f"{block}/NUMBER: {', '.join(boards)}")
        if not lines:
            click.echo("no game kept its moves; to have a game played again, name it: AGENT/CONDITION/NUMBER")
