"""The commands that need no tournament: what is there, and boards."""

from __future__ import annotations

import sys

import click

from sweepstakes.board_command import board
from sweepstakes.options import plugin_option


@click.command("plugins")
@plugin_option
@click.option("--strict", is_flag=True, help="Exit with 1 if a plugin has an error.")
def show_plugins(plugins: tuple[str, ...], strict: bool) -> None:
    """List every plugin with its version, its file, what it offers and what is wrong with it."""
    from sweepstakes.registry import Registry

    loaded = Registry(plugins).plugins
    for plugin in loaded:
        click.echo(f"{plugin.name}  ({plugin.origin}{', ' + plugin.version if plugin.version else ''})")
        click.echo(f"    {plugin.file}")
        for kind, names in plugin.offers.items():
            click.echo(f"    {kind}: {', '.join(sorted(names))}")
        if plugin.error:
            click.secho(f"    error: {plugin.error}", fg="red")
    broken = sum(bool(plugin.error) for plugin in loaded)
    click.echo(f"{len(loaded)} plugins, {broken} with errors")
    if strict and broken:
        sys.exit(1)


def _listing(name: str, kind: str, text: str) -> click.Command:
    @click.command(name, help=text)
    @plugin_option
    def show(plugins: tuple[str, ...]) -> None:
        from sweepstakes.parameters import describe_parameters
        from sweepstakes.registry import Registry

        registry = Registry(plugins)
        offers = registry.offers(kind)
        width = max((len(offer) for offer in offers), default=0)
        for offer in offers.values():
            takes = describe_parameters(offer.factory)
            click.echo(f"{offer.name:{width}}  {offer.summary}{f'  [{takes}]' if takes else ''}")
        if kind == "board source":
            from sweepstakes.size import PRESETS

            click.echo("sizes: " + ", ".join(f"{name} {size}" for name, size in PRESETS.items()))
        registry.check()

    return show


COMMANDS = [
    _listing("agents", "agent", "List the agents, each with a sentence and its parameters."),
    _listing("boards", "board source", "List the board sources and the standard sizes."),
    _listing("noise", "clue noise", "List the clue noises."),
    _listing("scores", "score", "List the scores."),
    board,
    show_plugins,
]
