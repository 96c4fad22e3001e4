"""`sweepstakes solve`: the mine probability of every covered cell of a position."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option, svg_option, theme_option


@click.command("solve")
@click.argument("position", metavar="FILE|URL|-")
@click.option(
    "--mines", type=click.IntRange(0, 10**6), metavar="N", help="Number of mines, if the position does not say."
)
@click.option("--noise", metavar="SPEC", help="Clue noise, such as hidden(rate=0.25).")
@click.option("--why", "why_cell", metavar="R,C", help="Print the clues that prove the cell in row R, column C.")
@click.option("--layouts", is_flag=True, help="Print the exact number of layouts that agree with the position.")
@click.option("--best", is_flag=True, help="Print what `champion` would open and why, and the cells it considered.")
@click.option(
    "--agent",
    metavar="SPEC",
    help="Also show the probabilities computed by this built-in agent, such as probabilistic.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@svg_option
@theme_option
@plugin_option
def solve_position(**options: Any) -> None:
    """Print the mine probability of every covered cell, the certain cells, and the best cell to open.

    A position begins with a line `rows cols mines`. The rows of the board follow: `.` is a covered cell, a digit is a
    clue, `F` is a known mine, `*` is a detonated mine, and `?` is an open cell whose clue is withheld. `-` reads the
    standard input. URL is a JSMinesweeper link to a position (?analysis=).

    --best assumes that the first mine loses the game, whatever the rules of the position are. Clues must be exact.
    """
    from sweepstakes.cli._solve import solve_position as act

    act(**options)
