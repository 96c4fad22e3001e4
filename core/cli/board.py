"""`sweepstakes board`: print, convert and export boards."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import (
    first_click_option,
    make_setup,
    number_option,
    parse_cell,
    plugin_option,
    seed_option,
    source_options,
    start_option,
    svg_option,
    theme_option,
    write_svg,
)
from sweepstakes.errors import PositionError, SweepstakesError
from sweepstakes.untrusted.files import write_file

if TYPE_CHECKING:
    from sweepstakes.drawing.svg import Theme
    from sweepstakes.game.board import Board
    from sweepstakes.game.cell import Cell


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
def board(
    what: str,
    seed: int,
    number: int,
    count: int | None,
    source: str,
    params: tuple[str, ...],
    first_click: str,
    start: str | None,
    form: str | None,
    out: str | None,
    stats: bool,
    svg_file: str | None,
    theme: Theme,
    plugins: tuple[str, ...],
) -> None:
    """Print, convert or export a board.

    SIZE is beginner, intermediate, expert, or rows x columns / mines as in 16x30/99, or @ density as in 16x30@0.2. FILE
    is a board as text (`*` is a mine, `.` none), as .mbf or as .json, or a folder of such files; URL an address with a
    board: of JSMinesweeper (?analysis=), PTTACG or llamasweeper (?b=&m=). The board is the one that a tournament with
    this seed and source plays, for an agent that starts in the cell --start.
    """
    from sweepstakes.game.board_formats import FORMATS, encode, format_of
    from sweepstakes.game.rules import Rules
    from sweepstakes.registry.registry import Registry

    registry = Registry(plugins)
    registry.check()
    first = parse_cell(start, "--start") if start is not None else None
    rules = Rules(first_click=first_click, start=first)  # type: ignore[arg-type]  # click has checked the word
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
        if first is None and first_click != "any":
            raise PositionError(f"--first-click {first_click} depends on where the game starts: give --start ROW,COL")
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
    from sweepstakes.game.board_statistics import board_statistics
    from sweepstakes.inference import needs_guess

    found = board_statistics(one)
    guess = "" if start is None else "yes" if needs_guess(one, start) else "no"
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
    """The board as a solved game shows it: mines and clues, blanks as dots."""
    marks = ["*" if clue < 0 else "." if clue == 0 else str(clue) for clue in one.clues.reshape(-1).tolist()]
    rows = ["".join(marks[i : i + one.cols]) for i in range(0, len(marks), one.cols)]
    return ("\n".join(rows) + "\n").encode()
