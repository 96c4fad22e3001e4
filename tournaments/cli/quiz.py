"""`sweepstakes quiz`: one decision in each of a standard set of positions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import isolation_option, no_cache_option, plugin_option, seed_option


@click.command("quiz")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@click.option(
    "--positions", "count", type=click.IntRange(1, 10_000), default=500, show_default=True, help="Number of positions."
)
@seed_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs/quiz"),
    show_default=True,
    metavar="DIR",
    help="Folder for answers and results. Positions that are answered there are not asked again.",
)
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also publish the results: a folder with page, numbers, answers and plot.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of simultaneous questions, for built-in agents that wait for an endpoint.",
)
@no_cache_option
@isolation_option
@plugin_option
def quiz(**options: Any) -> None:
    """Ask agents for a decision in each of a set of positions, and judge it by the exact probabilities.

    The same positions are used for every agent. They come from boards of three sizes and are of four kinds: those in
    which a single clue proves a cell safe, those that need several clues, those that need the mine count, and those
    that need a guess. The results are missed proofs, unsound claims, the regret of guesses and the Brier score of
    stated probabilities, with intervals. To resume a quiz that was stopped, repeat the command.
    """
    from sweepstakes.tournaments.cli._quiz import quiz as act

    act(**options)
