"""What `sweepstakes solve` does."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt
from rich.console import Console

from sweepstakes.agent import start_agent
from sweepstakes.cli.rule_options import read_cell
from sweepstakes.cli.setups import write_svg
from sweepstakes.compiling.announcement import announced
from sweepstakes.drawing.svg import Theme
from sweepstakes.errors import ParameterError, PositionError, located
from sweepstakes.game.board_urls import view_from_url
from sweepstakes.game.size import Size
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
from sweepstakes.noise import Noise
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.untrusted.files import is_url, read_file

_MAX_BYTES = 5_000_000
"""Maximum size of a position in bytes. The largest board has a million cells."""


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
    """Print the solution of a position, or the requested part of it."""
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
        cell = read_cell(why_cell, "--why") if why_cell is not None else None
        write_svg(svg_file, solution, theme=theme, proof=proof(solution, cell) if cell is not None else None)
    if why_cell is not None:
        with announced():
            reasons = why(solution, read_cell(why_cell, "--why"))
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
    """Return the position in an address, with another number of mines or clue noise where these are given."""
    view = view_from_url(text)
    size = Size.of(view.rows, view.cols, mines=view.mines if mines is None else mines)
    return view._replace(mines=size.mines, noise=noise or view.noise)


def _stated(spec: str, view: View, registry: Registry) -> npt.NDArray[np.float64]:
    """Return the probabilities that a built-in agent computes. Raise `ParameterError` if it computes none."""
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
    """Return the text of a file, or of the standard input."""
    if position == "-":
        data = sys.stdin.buffer.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise PositionError(f"the standard input has more than {_MAX_BYTES:,} bytes: expected a position")
    else:
        data = read_file(Path(position), _MAX_BYTES, PositionError)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        what = "the standard input" if position == "-" else located(position)
        raise PositionError(f"{what}: not a text: expected the rows of a position in UTF-8") from None
