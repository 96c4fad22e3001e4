"""`sweepstakes watch`: an agent plays one game, shown turn by turn with its reasons."""

from __future__ import annotations

from typing import Any

import click

from sweepstakes.cli.options import (
    Decimal,
    F,
    isolation_option,
    noise_option,
    number_option,
    plugin_option,
    seed_option,
    source_options,
    svg_option,
    theme_option,
)
from sweepstakes.cli.rule_options import rule_options
from sweepstakes.game.rules import Rules

plain_option = click.option("--plain", is_flag=True, help="Print plain lines, as if the output were not a terminal.")
delay_option = click.option(
    "--delay", type=Decimal(0.01, 3600), default=0.5, show_default=True, help="Seconds between turns."
)

_FILE = click.Path()


def picture_options(command: F) -> F:
    """Add `--svg FILE`, `--turn N`, `--gif FILE` and `--theme`."""
    gif = click.option("--gif", "gif_file", type=_FILE, metavar="FILE", help="Write all turns as an animated GIF.")
    turn = click.option(
        "--turn", type=click.IntRange(0), metavar="N", show_default="the last", help="Turn that --svg draws."
    )
    return svg_option(turn(gif(theme_option(command))))


@click.command("watch")
@click.argument("agent", metavar="AGENT")
@click.option(
    "--board",
    "what",
    default="beginner",
    show_default=True,
    metavar="SIZE|FILE|URL",
    help="Size of the board, or a file or URL with a board.",
)
@seed_option
@number_option
@source_options
@rule_options(Rules())
@noise_option
@plain_option
@click.option("--cells", is_flag=True, help="Print one line for each flagged or opened cell.")
@delay_option
@picture_options
@isolation_option
@plugin_option
def watch(**options: Any) -> None:
    """Watch an agent play one game.

    AGENT is a name or a file, with or without parameters, as in 'chain(window=6)'.
    """
    from sweepstakes.tournaments.cli._watch import watch as act

    act(**options)
