"""`sweepstakes solve`: the mine probability of every covered cell of a position."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import parse_cell, plugin_option
from sweepstakes.errors import ParameterError, PositionError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from sweepstakes.game.view import View
    from sweepstakes.registry.registry import Registry

_MOST_BYTES = 5_000_000
"""Bytes that a position may have: the largest board has a million cells."""


@click.command("solve")
@click.argument("position", metavar="FILE|-")
@click.option(
    "--mines", type=click.IntRange(0, 10**6), metavar="N", help="The mine count, if the position does not state it."
)
@click.option("--noise", metavar="SPEC", help="Clue noise, as in hidden(rate=0.25).")
@click.option("--why", "why_cell", metavar="R,C", help="Print the clues that prove the cell in that row and column.")
@click.option(
    "--agent",
    metavar="SPEC",
    help="Show beside them the probabilities that this built-in agent computes, as in probabilistic.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugin_option
def solve_position(
    position: str,
    mines: int | None,
    noise: str | None,
    why_cell: str | None,
    agent: str | None,
    as_json: bool,
    plugins: tuple[str, ...],
) -> None:
    """Print the mine probability of every covered cell, the certain cells, and the best cell to open.

    A position is a line `rows cols mines` and the rows of the board: `.` covered, a digit a clue, `F` a known mine,
    `*` a mine that went off, `?` open with its clue withheld.
    """
    from sweepstakes.compiling.warm_up import warm_up
    from sweepstakes.game.view import View
    from sweepstakes.inference import is_first_click_safe
    from sweepstakes.inference.solving import (
        FIRST_CLICK,
        heat_map,
        layouts_in_words,
        side_by_side,
        solve,
        stated_map,
        why,
    )
    from sweepstakes.registry.registry import Registry

    text = _text_of(position)
    model = Registry(plugins).noise(noise) if noise is not None else None
    view = View.parse(text, mines=mines, noise=model)
    warm_up()
    solution = solve(view)
    if why_cell is not None:
        click.echo(why(solution, parse_cell(why_cell, "--why")))
        return
    stated = _stated(agent, view, Registry(plugins)) if agent is not None else None
    if as_json:
        numbers = None if stated is None else [[None if math.isnan(p) else p for p in row] for row in stated.tolist()]
        click.echo(json.dumps(solution.plain() | ({"agent": agent, "stated": numbers} if agent is not None else {})))
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


def _stated(spec: str, view: View, registry: Registry) -> npt.NDArray[np.float64]:
    """The probabilities that a built-in agent computes; `ParameterError` if it computes none."""
    from sweepstakes.agent import start_agent
    from sweepstakes.registry.spec import Spec

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
