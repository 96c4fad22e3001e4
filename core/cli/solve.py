"""`sweepstakes solve`: the mine probability of every covered cell of a position."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import parse_cell, plugin_option, svg_option, theme_option, write_svg
from sweepstakes.errors import ParameterError, PositionError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sweepstakes.drawing.svg import Theme
    from sweepstakes.game.view import View
    from sweepstakes.noise import Noise
    from sweepstakes.registry.registry import Registry

_MOST_BYTES = 5_000_000
"""Bytes that a position may have: the largest board has a million cells."""


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
def solve_position(
    position: str,
    mines: int | None,
    noise: str | None,
    why_cell: str | None,
    layouts: bool,
    best: bool,
    agent: str | None,
    as_json: bool,
    svg_file: str | None,
    theme: Theme,
    plugins: tuple[str, ...],
) -> None:
    """Print the mine probability of every covered cell, the certain cells, and the best cell to open.

    A position is a line `rows cols mines` and the rows of the board: `.` covered, a digit a clue, `F` a known mine,
    `*` a mine that went off, `?` open with its clue withheld. URL is an address of JSMinesweeper with a position
    (?analysis=).

    With --best the first mine is taken to lose the game, whatever the position's rules say, and clues must be exact.
    """
    from sweepstakes.compiling.announcement import announced
    from sweepstakes.game.view import View
    from sweepstakes.inference import advise, count_layouts, is_first_click_safe
    from sweepstakes.inference.solving import (
        FIRST_CLICK,
        heat_map,
        layouts_in_words,
        proof,
        side_by_side,
        solve,
        stated_map,
        why,
    )
    from sweepstakes.registry.registry import Registry
    from sweepstakes.untrusted.files import is_url

    text = position if is_url(position) else _text_of(position)
    model = Registry(plugins).noise(noise) if noise is not None else None
    view = _from_url(text, mines, model) if is_url(text) else View.parse(text, mines=mines, noise=model)
    if layouts:
        with announced():
            count = count_layouts(view)
        click.echo(count)
        return
    with announced():
        solution = solve(view)
    if svg_file is not None:
        cell = parse_cell(why_cell, "--why") if why_cell is not None else None
        write_svg(svg_file, solution, theme=theme, proof=proof(solution, cell) if cell is not None else None)
    if why_cell is not None:
        with announced():
            reasons = why(solution, parse_cell(why_cell, "--why"))
        click.echo(reasons)
        return
    with announced():
        advice = advise(view) if best else None
        stated = _stated(agent, view, Registry(plugins)) if agent is not None else None
    if as_json:
        plain = solution.plain()
        if advice is not None:
            plain["advice"] = advice.plain()
        if stated is not None:
            numbers = [[None if math.isnan(p) else p for p in row] for row in stated.tolist()]
            plain |= {"agent": agent, "stated": numbers}
        click.echo(json.dumps(plain))
        return
    if advice is not None:
        click.echo(advice)
        return
    from rich.console import Console

    board = heat_map(solution)
    if stated is not None and agent is not None:
        board = side_by_side(board, stated_map(view, stated), ("exact", agent))
    Console(soft_wrap=True, highlight=False).print(board, end="")
    if is_first_click_safe(view):
        click.echo(f"safe: whichever cell is opened first: {FIRST_CLICK}")
        return
    for name, cells in (("safe", solution.safe), ("mines", solution.mines)):
        click.echo(f"{name}: {' '.join(map(str, cells)) or 'none is certain'}")
    if solution.best is not None:
        chance = solution.probability[solution.best]
        click.echo(f"best: {solution.best}, {'safe' if solution.safe else f'a mine with probability {chance:.6f}'}")
    click.echo(layouts_in_words(solution))
    if solution.status != "ok":
        click.echo("too hard to be exact: probabilities are estimates; safe cells and mines are certain")


def _from_url(text: str, mines: int | None, noise: Noise | None) -> View:
    """The position in an address, with another number of mines or clue noise where these are given."""
    from sweepstakes.game.board_urls import view_from_url
    from sweepstakes.game.size import Size

    view = view_from_url(text)
    size = Size.of(view.rows, view.cols, mines=view.mines if mines is None else mines)
    return view._replace(mines=size.mines, noise=noise or view.noise)


def _stated(spec: str, view: View, registry: Registry) -> npt.NDArray[np.float64]:
    """The probabilities that a built-in agent computes; `ParameterError` if it computes none."""
    from sweepstakes.agent import start_agent
    from sweepstakes.spec import Spec

    named = Spec.parse(spec)
    if not named.file and not named.words and registry.find("agent", named.name).plugin.origin == "built in":
        stated = start_agent(registry.agent(named), 0).probabilities(view)
        if stated is not None:
            return stated
        why = "computes no probabilities for this position"
    else:
        why = "is not built in"
    ours = "exact, improved-probabilistic, probabilistic, chain, local-probability"
    raise ParameterError(f"--agent: '{spec}' {why}: expected an agent that computes them, such as {ours}")


def _text_of(position: str) -> str:
    """The text of a file, or of the standard input."""
    from pathlib import Path

    from sweepstakes.errors import located
    from sweepstakes.untrusted.files import read_file

    if position == "-":
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise PositionError(f"the standard input has more than {_MOST_BYTES:,} bytes: expected a position")
    else:
        data = read_file(Path(position), _MOST_BYTES, PositionError)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        what = "the standard input" if position == "-" else located(position)
        raise PositionError(f"{what}: not a text: expected the rows of a position in UTF-8") from None
