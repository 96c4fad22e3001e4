"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from sweepstakes.errors import brief
from sweepstakes.game.rng import LARGEST_SEED

F = TypeVar("F", bound=Callable[..., Any])


def parse_seed(text: str | int) -> int:
    """Read the seed of a tournament from an option. Raise a usage error if it is not valid."""
    return _seed(text, "")


def parse_seed_or_secret(text: str | int) -> int | str:
    """Read a seed, or the word `secret`, from an option. Raise a usage error if it is neither."""
    return text if text == "secret" else _seed(text, ", or the word secret")


def _seed(text: str | int, alternative: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= LARGEST_SEED:
        raise click.BadParameter(f"{brief(text)}: expected a whole number from 0 to 2^128 - 1{alternative}.")
    return number


class Decimal(click.FloatRange):
    """A number in a range; `nan` is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number. Raise a usage error if the value is not a number or is outside the range."""
        number = super().convert(value, param, ctx)
        if number != number:
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


plugin_option = click.option(
    "--plugin",
    "plugins",
    multiple=True,
    metavar="FILE",
    help="Load a plugin from FILE. May be repeated.",
)
executor_option = click.option(
    "--executor", metavar="SPEC", help="Executor that plays the games: local, serial, or one from a plugin."
)
isolation_option = click.option(
    "--isolation",
    type=click.Choice(["none", "process", "sealed", "sealed-if-possible"]),
    help="How to isolate agents that are not built in. Overrides the tournament file. See SECURITY.md.",
)
start_method_option = click.option(
    "--start-method",
    type=click.Choice(["fork", "spawn"]),
    help="How to start processes: fork (the default), or spawn, which takes seconds longer.",
)
workers_option = click.option(
    "--workers",
    type=click.IntRange(1, 256),
    metavar="N",
    show_default="one per available core",
    help="Number of worker processes.",
)
noise_option = click.option(
    "--noise",
    default="exact-clues",
    show_default=True,
    metavar="SPEC",
    help="Clue noise, such as hidden(rate=0.25).",
)
seed_option = click.option(
    "--seed", type=parse_seed, default=0, show_default=True, metavar="N", help="Seed of the boards, below 2^128."
)
number_option = click.option(
    "--number", type=click.IntRange(0, 2**63 - 2), default=0, show_default=True, help="Number of the board, from 0."
)
svg_option = click.option("--svg", "svg_file", type=click.Path(), metavar="FILE", help="Write a picture as SVG.")
theme_option = click.option(
    "--theme",
    type=click.Choice(["auto", "light", "dark"]),
    default="auto",
    show_default=True,
    help="Colours of the picture. auto follows the viewer's system.",
)
no_cache_option = click.option(
    "--no-cache",
    is_flag=True,
    expose_value=False,
    callback=lambda context, option, given: os.environ.update(SWEEPSTAKES_LLM_CACHE="off") if given else None,
    help="Ask language models again instead of using cached answers.",
)


def source_options(command: F) -> F:
    """Add `--source NAME` and `--param KEY=VALUE`."""
    param = click.option(
        "--param", "params", multiple=True, metavar="KEY=VALUE", help="Parameter of the board source, such as group=4."
    )
    source = click.option(
        "--source",
        default="uniform",
        show_default=True,
        metavar="SPEC",
        help="Board source, such as clustered(group=4).",
    )
    return source(param(command))


def chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the options that were given on the command line."""
    source = click.get_current_context().get_parameter_source
    return {name: value for name, value in options.items() if source(name) is not ParameterSource.DEFAULT}
