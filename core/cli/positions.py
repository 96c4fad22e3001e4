"""`sweepstakes positions`: write positions with exact probabilities, for supervised learning."""

from __future__ import annotations

import click

from sweepstakes.cli.options import first_click_option, parse_source, plugin_option, seed_option, source_options


@click.command("positions")
@click.argument("size")
@click.option("--out", required=True, type=click.Path(), metavar="FILE.npz", help="File to write.")
@click.option(
    "--count", type=click.IntRange(1, 10_000_000), default=10_000, show_default=True, help="How many positions."
)
@seed_option
@click.option("--agent", default="exact", show_default=True, metavar="SPEC", help="The built-in agent that plays.")
@click.option(
    "--on-mine", type=click.Choice(["continue", "end"]), default="end", show_default=True, help="What a mine does."
)
@first_click_option("safe")
@source_options
@click.option("--noise", default="exact-clues", show_default=True, metavar="SPEC", help="Clue noise.")
@plugin_option
def write_positions(
    size: str,
    out: str,
    count: int,
    seed: int,
    agent: str,
    on_mine: str,
    first_click: str,
    source: str,
    params: tuple[str, ...],
    noise: str,
    plugins: tuple[str, ...],
) -> None:
    """Write positions that an agent meets, with the exact mine probability of every cell.

    The file is numpy's .npz with the arrays shown, probability, certain, exact, game, turn, won and mines, which
    docs/learning.md describes. The boards are those of no tournament.
    """
    from sweepstakes.compiling.warm_up import warm_up
    from sweepstakes.game.rules import Rules
    from sweepstakes.learning.supervised import positions
    from sweepstakes.registry.registry import Registry

    registry = Registry(plugins)
    registry.check()
    rules = Rules(on_mine, first_click)  # type: ignore[arg-type]  # click has checked the words
    warm_up()
    found = positions(
        count,
        size,
        seed,
        agent=agent,
        rules=rules,
        source=parse_source(source, params),
        noise=noise,
        registry=registry,
    )
    found.save(out)
    games = int(found.game[-1]) + 1
    click.echo(f"{count} positions of {size} from {games} games written to {out}", err=True)
