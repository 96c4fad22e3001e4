"""`sweepstakes board`: print, convert and export boards."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import (
    first_click_option,
    number_option,
    plugin_option,
    seed_option,
    source_options,
    start_option,
    svg_option,
    theme_option,
)


@click.command("board")
@click.argument("what", metavar="SIZE|FILE|URL")
@seed_option
@number_option
@click.option(
    "--count",
    type=click.IntRange(1, 10_000_000),
    help="How many boards, from --number on; --out is then a folder.",
)
@source_options
@first_click_option("any")
@start_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mbf", "json", "clues", "pttacg", "llamasweeper", "jsminesweeper"]),
    help="How the board is written, by default as the name of --out says; the last three are addresses.",
)
@click.option("--out", type=click.Path(), metavar="FILE", help="Write to a file (.txt, .mbf, .json).")
@click.option("--stats", is_flag=True, help="Print 3BV, openings, islands, and whether --start needs a guess.")
@svg_option
@theme_option
@plugin_option
def board(**options: Any) -> None:
    """Print, convert or export a board.

    SIZE is beginner, intermediate, expert, or rows x columns / mines as in 16x30/99, or @ density as in 16x30@0.2. FILE
    is a board as text (`*` is a mine, `.` none), as .mbf or as .json, or a folder of such files; URL an address with a
    board: of JSMinesweeper (?analysis=), PTTACG or llamasweeper (?b=&m=). The board is the one that a tournament with
    this seed and source plays, for an agent that starts in the cell --start.
    """
    from sweepstakes.cli._board import board as act

    act(**options)
