"""The options of all rules of the game, made from their declaration."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import click

from sweepstakes.cli.options import F
from sweepstakes.errors import PositionError, brief
from sweepstakes.game.cell import Cell, parse_cell
from sweepstakes.game.rules import RULES, Rules


def rule_options(default: Rules, only: Sequence[str] = Rules._fields) -> Callable[[F], F]:
    """Add an option for each rule, or for each in `only`. The command gets one argument, `rules`, a `Rules`."""

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def gathered(**options: Any) -> Any:
            values = {name: options.pop(name) for name in only}
            return command(rules=default._replace(**values), **options)

        for name in reversed(only):
            _option(name, getattr(default, name))(gathered)
        return gathered  # type: ignore[return-value]  # as click's own decorators, it takes the place of the command

    return decorate


def read_cell(text: str, option: str) -> Cell:
    """Return the cell in the value of an option. Raise `PositionError` if it is not one."""
    cell = parse_cell(text)
    if cell is None:
        raise PositionError(f"{option} {brief(text)}: expected ROW,COL, counted from 0")
    return cell


def _option(name: str, default: Any) -> Callable[[Any], Any]:
    rule, word = RULES[name], name.replace("_", "-")
    if rule.kind == "flag":
        return click.option(f"--no-{word}", name, is_flag=True, callback=lambda *given: not given[2], help=rule.help)
    if rule.kind == "cell":
        return click.option(f"--{word}", name, metavar="ROW,COL", callback=_cell_of, help=rule.help)
    words = click.Choice(rule.words)
    return click.option(f"--{word}", name, type=words, default=default, show_default=True, help=rule.help)


def _cell_of(_: click.Context, option: click.Parameter, text: str | None) -> Cell | None:
    return None if text is None else read_cell(text, option.opts[0])
