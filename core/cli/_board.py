"""What `sweepstakes board` does."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from sweepstakes.cli.setups import make_setup, write_svg
from sweepstakes.drawing.svg import Theme
from sweepstakes.errors import PositionError, SweepstakesError
from sweepstakes.game.board import Board
from sweepstakes.game.board_formats import FORMATS, encode, format_of
from sweepstakes.game.board_statistics import board_statistics
from sweepstakes.game.cell import Cell
from sweepstakes.game.rules import Rules
from sweepstakes.inference import needs_guess
from sweepstakes.registry.registry import Registry
from sweepstakes.untrusted.files import write_file


def board(
    what: str,
    seed: int,
    number: int,
    count: int | None,
    source: str,
    params: tuple[str, ...],
    rules: Rules,
    form: str | None,
    out: str | None,
    stats: bool,
    svg_file: str | None,
    theme: Theme,
    plugins: tuple[str, ...],
) -> None:
    """Print, convert or export the boards that the options name."""
    registry = Registry(plugins)
    registry.check()
    first = rules.start
    if svg_file is not None and count is not None:
        raise PositionError("--svg draws one board: omit --count")
    many = count is not None and out is not None
    printed = out is None and (form is not None or (svg_file is None and not stats))
    form = form or ("text" if out is None or many else format_of(Path(out)))
    if form == "mbf" and out is None and (sys.stdout.isatty() or count is not None):
        raise PositionError("an .mbf board is bytes, not text: write it with --out FILE")
    for k in range(number, number + (count or 1)):
        setup = make_setup(what, source, params, seed, k)._replace(rules=rules)
        setup.check(registry)
        if first is None and rules.first_click != "any":
            raise PositionError(
                f"--first-click {rules.first_click} depends on where the game starts: give --start ROW,COL"
            )
        one = setup.board_ref(registry).board(rules.protected(setup.size, first) if first is not None else ())
        if svg_file is not None:
            write_svg(svg_file, one, theme=theme)
        if stats:
            _print_statistics(one, first, k if count is not None else None, first_line=k == number)
        if not printed and out is None:
            continue
        data = _with_clues(one) if form == "clues" else encode(one, form)
        if out is None:
            click.echo(data + (b"\n" if count is not None and k + 1 < number + count else b""), nl=False)
        else:
            path = Path(out) / f"{k:06}{FORMATS.get(form, '.txt')}" if many else Path(out)
            write_file(path, data, SweepstakesError)
    if out is not None:
        click.echo(f"{count or 1} board{'s' if many else ''} of {setup.size} written to {out}", err=True)


def _print_statistics(one: Board, start: Cell | None, number: int | None, *, first_line: bool) -> None:
    """Print the statistics of a board: lines, or of several boards a line of csv each."""
    found = board_statistics(one)
    guess = ""
    if start is not None:
        guess = "start is a mine" if one.is_mine(start) else "yes" if needs_guess(one, start) else "no"
    if number is not None:
        if first_line:
            click.echo("board,3bv,openings,islands,needs_guess")
        click.echo(f"{number},{found.three_bv},{found.openings},{found.islands},{guess}")
        return
    rows, cols, mines = one.size
    click.echo(f"size: {rows} x {cols}, {mines} mines ({mines / one.size.cells:.1%})")
    click.echo(f"3BV: {found.three_bv}")
    click.echo(f"openings: {found.openings}")
    click.echo(f"islands: {found.islands}")
    click.echo("clues: " + ", ".join(f"{count} x {clue}" for clue, count in enumerate(found.clues) if count))
    click.echo(f"needs a guess: {f'{guess}, from {start}' if guess else 'depends on --start ROW,COL'}")


def _with_clues(one: Board) -> bytes:
    """Return the board as a solved game shows it: mines and clues, blanks as dots."""
    marks = ["*" if clue < 0 else "." if clue == 0 else str(clue) for clue in one.clues.reshape(-1).tolist()]
    rows = ["".join(marks[i : i + one.cols]) for i in range(0, len(marks), one.cols)]
    return ("\n".join(rows) + "\n").encode()
