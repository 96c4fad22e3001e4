"""`sweepstakes agents`, `boards`, `noise`, `scores`: list the names that a tournament file can use."""

from __future__ import annotations

import click

from sweepstakes.cli.options import plugin_option
from sweepstakes.game.size import PRESETS


def _listing(name: str, kind: str, text: str) -> click.Command:
    @click.command(name, help=text)
    @plugin_option
    def show(plugins: tuple[str, ...]) -> None:
        from sweepstakes.registry.registry import Registry

        registry = Registry(plugins)
        offers = registry.offers(kind)
        width = max((len(offer) for offer in offers), default=0)
        for offer in offers.values():
            parameters = offer.description.parameters
            click.echo(f"{offer.name:{width}}  {offer.summary}{f'  [{parameters}]' if parameters else ''}")
        if kind == "board source":
            click.echo("sizes: " + ", ".join(f"{name} {size}" for name, size in PRESETS.items()))
        registry.check()

    return show


agents = _listing("agents", "agent", "List the agents, with a description and the parameters of each.")
boards = _listing("boards", "board source", "List the board sources and the standard board sizes.")
noise = _listing("noise", "clue noise", "List the clue noises.")
scores = _listing("scores", "score", "List the scores.")
