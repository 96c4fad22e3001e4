"""`sweepstakes positions`: write positions with exact probabilities, for supervised learning."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import (
    noise_option,
    plugin_option,
    seed_option,
    source_options,
)
from sweepstakes.cli.rule_options import rule_options
from sweepstakes.game.rules import CLASSIC


@click.command("positions")
@click.argument("size")
@click.option("--out", required=True, type=click.Path(), metavar="FILE.npz", help="File to write.")
@click.option(
    "--count", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True, help="Number of positions."
)
@seed_option
@click.option(
    "--agent", default="exact", show_default=True, metavar="SPEC", help="Built-in agent that plays the games."
)
@rule_options(CLASSIC)
@source_options
@noise_option
@plugin_option
def write_positions(**options: Any) -> None:
    """Write positions from an agent's games, with the exact mine probability of every cell.

    The NumPy .npz file has the arrays shown, probability, certain, exact, game, turn, won and mines. They are described
    in docs/learning.md. No tournament plays these boards.
    """
    from sweepstakes.cli._positions import write_positions as act

    act(**options)
