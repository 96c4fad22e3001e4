"""`sweepstakes board`: print, convert and export boards."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import (
    number_option,
    plugin_option,
    seed_option,
    source_options,
    svg_option,
    theme_option,
)
from sweepstakes.cli.rule_options import rule_options
from sweepstakes.game.rules import Rules


@click.command("board")
@click.argument("what", metavar="SIZE|FILE|URL")
@seed_option
@number_option
@click.option(
    "--count",
    type=click.IntRange(1, 10_000_000),
    help="Number of boards, beginning with --number. --out is then a folder.",
)
@source_options
@rule_options(Rules(), only=("first_click", "start"))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "mbf", "json", "clues", "pttacg", "llamasweeper", "jsminesweeper"]),
    help="Output format. By default it follows from the suffix of --out, or is text. The last three are URLs.",
)
@click.option("--out", type=click.Path(), metavar="FILE", help="Write to a file (.txt, .mbf, .json) or a folder.")
@click.option(
    "--stats", is_flag=True, help="Print 3BV, openings, islands, and whether a game from --start needs a guess."
)
@svg_option
@theme_option
@plugin_option
def board(**options: Any) -> None:
    """Print, convert or export a board.

    SIZE is beginner, intermediate, expert, rows x columns / mines (16x30/99) or rows x columns @ density (16x30@0.2).
    The output is the board that an agent starting at --start gets in a tournament with this seed and board source.

    FILE is a board as text (`*` is a mine, `.` is not), .mbf or .json, or a folder of such files. URL is a link to a
    board of JSMinesweeper (?analysis=), PTTACG or llamasweeper (?b=&m=).
    """
    from sweepstakes.cli._board import board as act

    act(**options)
