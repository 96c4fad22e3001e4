"""Boards, cells and pictures that options of several commands name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.drawing.drawing import Drawable
from sweepstakes.drawing.svg import svg
from sweepstakes.errors import ParameterError, PositionError, SweepstakesError, brief, located
from sweepstakes.game.board_formats import FORMATS, board_files, read_board
from sweepstakes.game.board_urls import board_from_url
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.spec import Spec, parse_value
from sweepstakes.untrusted.files import exists, is_url, write_file


def write_svg(file: str, position: Drawable, **options: Any) -> None:
    """Write the picture of a position to a file; `-` is the standard output."""
    text = svg(position, **options)
    if file == "-":
        click.echo(text, nl=False)
        return
    write_file(Path(file), text.encode(), SweepstakesError)
    click.echo(f"picture written to {file}", err=True)


def parse_source(text: str, params: tuple[str, ...]) -> Spec:
    """Return the spec of `--source`, as in `clustered(group=4)`, with the parameters of `--param`."""
    spec = Spec.parse(text)
    for param in params:
        key, equals, value = param.partition("=")
        if not equals:
            raise ParameterError(f"--param {brief(param)}: expected KEY=VALUE")
        spec = spec.adding({key.strip(): parse_value(value)})
    return spec


def make_setup(what: str, source: str, params: tuple[str, ...], seed: int, number: int) -> GameSetup:
    """Return the setup of board `number` of a tournament with this seed; `what` is a size, a file, a folder or an
    address."""
    if is_url(what):
        if number:
            raise PositionError(f"there is no board number {number}: an address has one board, number 0")
        return GameSetup(board_from_url(what).size, seed, number, source=Spec("file", {"path": what}))
    path = Path(what)
    if not exists(path) and path.suffix.lower() not in FORMATS.values():
        return GameSetup(Size.parse(what), seed, number, source=parse_source(source, params))
    files = board_files(path)
    if number >= len(files):
        raise PositionError(f"{located(path)}: there is no board number {number}, it has {len(files)}, counted from 0")
    return GameSetup(read_board(files[number]).size, seed, number, source=Spec("file", {"path": what}))
