"""`sweepstakes positions`: write positions with exact probabilities, for supervised learning."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import first_click_option, plugin_option, seed_option, source_options


@click.command("positions")
@click.argument("size")
@click.option("--out", required=True, type=click.Path(), metavar="FILE.npz", help="File to write.")
@click.option(
    "--count", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True, help="How many positions."
)
@seed_option
@click.option("--agent", default="exact", show_default=True, metavar="SPEC", help="The built-in agent that plays.")
@click.option(
    "--on-mine", type=click.Choice(["continue", "end"]), default="end", show_default=True, help="What a mine does."
)
@first_click_option("safe")
@source_options
@click.option("--noise", default="exact-clues", show_default=True, metavar="SPEC", help="Clue noise.")
@plugin_option
def write_positions(**options: Any) -> None:
    """Write positions that an agent meets, with the exact mine probability of every cell.

    The file is numpy's .npz with the arrays shown, probability, certain, exact, game, turn, won and mines, which
    docs/learning.md describes. The boards are those of no tournament.
    """
    from sweepstakes.cli._positions import write_positions as act

    act(**options)
