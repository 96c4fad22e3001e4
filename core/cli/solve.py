"""`sweepstakes solve`: the mine probability of every covered cell of a position."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import plugin_option, svg_option, theme_option


@click.command("solve")
@click.argument("position", metavar="FILE|URL|-")
@click.option(
    "--mines", type=click.IntRange(0, 10**6), metavar="N", help="The mine count, if the position does not state it."
)
@click.option("--noise", metavar="SPEC", help="Clue noise, as in hidden(rate=0.25).")
@click.option("--why", "why_cell", metavar="R,C", help="Print the clues that prove the cell in that row and column.")
@click.option("--layouts", is_flag=True, help="Print how many layouts agree with the position, with all digits.")
@click.option("--best", is_flag=True, help="Print what `champion` would open, why, and the cells it considered.")
@click.option(
    "--agent",
    metavar="SPEC",
    help="Show beside them the probabilities that this built-in agent computes, as in probabilistic.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@svg_option
@theme_option
@plugin_option
def solve_position(**options: Any) -> None:
    """Print the mine probability of every covered cell, the certain cells, and the best cell to open.

    A position is a line `rows cols mines` and the rows of the board: `.` covered, a digit a clue, `F` a known mine,
    `*` a mine that went off, `?` open with its clue withheld. URL is an address of JSMinesweeper with a position
    (?analysis=).

    With --best the first mine is taken to lose the game, whatever the position's rules say, and clues must be exact.
    """
    from sweepstakes.cli._solve import solve_position as act

    act(**options)
