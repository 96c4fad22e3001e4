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
)
from sweepstakes.errors import PositionError, SweepstakesError
from sweepstakes.untrusted.files import write_file

if TYPE_CHECKING:
    from sweepstakes.game.board import Board


@click.command("board")
@click.argument("what", metavar="SIZE|FILE")
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
@click.option("--format", "form", type=click.Choice(["text", "mbf", "json", "clues"]), help="Default: that of --out.")
@click.option("--out", type=click.Path(), metavar="FILE", help="Write to a file (.txt, .mbf, .json).")
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
    plugins: tuple[str, ...],
) -> None:
    """Print, convert or export a board.

    SIZE is beginner, intermediate, expert, or rows x columns / mines as in 16x30/99, or @ density as in 16x30@0.2. FILE
    is a board as text (`*` is a mine, `.` none), as .mbf or as .json, or a folder of such files. The board is the one
    that a tournament with this seed and source plays, for an agent that starts in the cell --start.
    """
    from sweepstakes.game.board_formats import FORMATS, format_of
    from sweepstakes.game.rules import Rules
    from sweepstakes.registry.registry import Registry

    registry = Registry(plugins)
    registry.check()
    first = parse_cell(start, "--start") if start is not None else None
    rules = Rules(first_click=first_click, start=first)  # type: ignore[arg-type]  # click has checked the word
    many = count is not None and out is not None
    form = form or ("text" if out is None or many else format_of(Path(out)))
    if form == "mbf" and out is None and (sys.stdout.isatty() or count is not None):
        raise PositionError("an .mbf board is bytes, not text: write it with --out FILE")
    for k in range(number, number + (count or 1)):
        setup = make_setup(what, source, params, seed, k)._replace(rules=rules)
        setup.check(registry)
        if first is None and first_click != "any":
            raise PositionError(f"--first-click {first_click} depends on where the game starts: give --start ROW,COL")
        one = setup.board_ref(registry).board(rules.protected(setup.size, first) if first is not None else ())
        data = _with_clues(one) if form == "clues" else _encode(one, form)
        if out is None:
            click.echo(data + (b"\n" if count is not None and k + 1 < number + count else b""), nl=False)
        else:
            path = Path(out) / f"{k:06}{FORMATS.get(form, '.txt')}" if many else Path(out)
            write_file(path, data, SweepstakesError)
    if out is not None:
        click.echo(f"{count or 1} board{'s' if many else ''} of {setup.size} written to {out}", err=True)


def _encode(one: Board, form: str) -> bytes:
    from sweepstakes.game.board_formats import encode

    return encode(one, form)


def _with_clues(one: Board) -> bytes:
    """The board as a solved game shows it: mines and clues, blanks as dots."""
    marks = ["*" if clue < 0 else "." if clue == 0 else str(clue) for clue in one.clues.reshape(-1).tolist()]
    rows = ["".join(marks[i : i + one.cols]) for i in range(0, len(marks), one.cols)]
    return ("\n".join(rows) + "\n").encode()
