"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sweepstakes.errors import ParameterError, PositionError

if TYPE_CHECKING:
    from sweepstakes.cell import Cell
    from sweepstakes.deal import BoardSource, Deal
    from sweepstakes.registry import Registry
    from sweepstakes.size import Size

F = TypeVar("F", bound=Callable[..., Any])

plugin_option = click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="FILE",
    help="Load a plugin from a file; may be given again.",
)
seed_option = click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Decides every board.")
number_option = click.option(
    "--number", type=click.IntRange(0), default=0, show_default=True, help="Which board of that seed."
)
start_option = click.option("--start", metavar="ROW,COL", help="A cell that is opened before the first turn.")


def source_options(command: F) -> F:
    """`--source NAME` and `--param KEY=VALUE`."""
    param = click.option(
        "--param", "params", multiple=True, metavar="KEY=VALUE", help="A parameter of the source, as in group=4."
    )
    source = click.option("--source", default="uniform", show_default=True, help="Who makes the boards.")
    return source(param(command))


def first_click_option(default: str) -> Callable[[F], F]:
    """`--first-click`."""
    return click.option(
        "--first-click", type=click.Choice(["any", "safe", "opening"]), default=default, show_default=True
    )


def parse_cell(text: str | None) -> Cell | None:
    """The cell of an option such as `3,4`."""
    from sweepstakes.cell import Cell

    if text is None:
        return None
    row, _, col = text.partition(",")
    if not (row.strip().isdecimal() and col.strip().isdecimal()):
        raise PositionError(f"start {text!r}: expected ROW,COL")
    return Cell(int(row), int(col))


def parse_source(text: str, params: tuple[str, ...]) -> tuple[str, Mapping[str, Any]]:
    """Name and parameters of `--source`: `clustered`, or `clustered(group=4)`, and what `--param` adds."""
    import yaml

    from sweepstakes.parameters import parse_call

    name, given = parse_call(text)
    for param in params:
        key, equals, value = param.partition("=")
        if not equals:
            raise ParameterError(f"--param {param!r}: expected KEY=VALUE")
        try:
            given[key.strip()] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise ParameterError(f"--param {param!r}: {value!r} is no value") from None
    return name, given


def find_deal(
    registry: Registry, what: str, source: str, params: tuple[str, ...], seed: int, number: int
) -> tuple[BoardSource, str, Size]:
    """The source, its label and the size that `what` names: a size, a file of a board, or a folder of them."""
    from sweepstakes.board_file import FORMATS, board_files, read_board
    from sweepstakes.deal import Given
    from sweepstakes.parameters import label
    from sweepstakes.size import Size

    path = Path(what)
    if path.exists() or path.suffix.lower() in FORMATS.values():
        files = board_files(path)
        if number >= len(files):
            raise PositionError(f"{what}: there is no board number {number}, it has {len(files)}, counted from 0")
        board = read_board(files[number])
        return Given(board), "given", board.size
    name, given = parse_source(source, params)
    size = Size.parse(what)
    return registry.make("board source", name, given), label(name, given), size


def make_deal(registry: Registry, what: str, source: str, params: tuple[str, ...], seed: int, number: int) -> Deal:
    """The very deal that a tournament of this seed and source plays as its board `number`."""
    from sweepstakes.deal import Deal

    made, label, size = find_deal(registry, what, source, params, seed, number)
    return Deal.of(made, label, size, seed, number)
