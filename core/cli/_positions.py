"""What `sweepstakes positions` does."""

from __future__ import annotations

import click

from sweepstakes.cli.setups import parse_source
from sweepstakes.game.rules import Rules
from sweepstakes.learning.supervised import positions
from sweepstakes.registry.registry import Registry
from sweepstakes.warm_up import warm_up


def write_positions(
    size: str,
    out: str,
    count: int,
    seed: int,
    agent: str,
    rules: Rules,
    source: str,
    params: tuple[str, ...],
    noise: str,
    plugins: tuple[str, ...],
) -> None:
    """Write positions that an agent meets, with their exact probabilities."""
    registry = Registry(plugins)
    registry.check()
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
