"""Options that several commands share, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sweepstakes.errors import ParameterError, PositionError, brief, located

if TYPE_CHECKING:
    from sweepstakes.cell import Cell
    from sweepstakes.deal import BoardSource, Deal
    from sweepstakes.registry import Registry
    from sweepstakes.size import Size

F = TypeVar("F", bound=Callable[..., Any])

SEED = click.IntRange(0, 2**63 - 1)
"""Seeds of tournaments: what a database can store."""


class Decimal(click.FloatRange):
    """A number in a range; `nan` is in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; an error of the option if it is none, or outside the range."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


plugin_option = click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="FILE",
    help="Load a plugin from a file; may be given again.",
)
seed_option = click.option("--seed", type=SEED, default=0, show_default=True, help="Decides every board.")
number_option = click.option(
    "--number", type=click.IntRange(0, 2**63 - 2), default=0, show_default=True, help="Which board of that seed."
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


def parse_cell(text: str, owner: str) -> Cell:
    """The cell of an option such as `3,4`; the owner is the option."""
    from sweepstakes.cell import Cell

    row, _, col = (word.strip() for word in text.partition(","))
    if not (row.isdecimal() and col.isdecimal() and max(len(row), len(col)) < 9):
        raise PositionError(f"{owner} {brief(text)}: expected ROW,COL, counted from 0")
    return Cell(int(row), int(col))


def parse_source(text: str, params: tuple[str, ...]) -> tuple[str, Mapping[str, Any]]:
    """Name and parameters of `--source`: `clustered`, or `clustered(group=4)`, and what `--param` adds."""
    from sweepstakes.parameters import parse_call, parse_value

    name, given = parse_call(text)
    for param in params:
        key, equals, value = param.partition("=")
        if not equals:
            raise ParameterError(f"--param {brief(param)}: expected KEY=VALUE")
        given[key.strip()] = parse_value(value, f"--param {brief(param)}")
    return name, given


def find_deal(
    registry: Registry, what: str, source: str, params: tuple[str, ...], seed: int, number: int
) -> tuple[BoardSource, str, Size]:
    """The source, its label and the size that `what` names: a size, a file of a board, or a folder of them."""
    from sweepstakes.board_file import FORMATS, board_files, read_board
    from sweepstakes.deal import Given
    from sweepstakes.files import exists
    from sweepstakes.parameters import label
    from sweepstakes.size import Size

    path = Path(what)
    if exists(path) or path.suffix.lower() in FORMATS.values():
        files = board_files(path)
        if number >= len(files):
            raise PositionError(
                f"{located(path)}: there is no board number {number}, it has {len(files)}, counted from 0"
            )
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
