"""`sweepstakes plugins`: list the plugins, where they come from, and their errors."""

from __future__ import annotations

import sys

import click

from sweepstakes.cli.options import plugin_option
from sweepstakes.errors import ExitCode
from sweepstakes.untrusted.text import clean


@click.command("plugins")
@plugin_option
@click.option("--strict", is_flag=True, help="Exit with code 1 if a plugin failed to load.")
def show_plugins(plugins: tuple[str, ...], strict: bool) -> None:
    """List the plugins: where each comes from, what it provides, and whether it failed to load."""
    from sweepstakes.registry.registry import Registry

    loaded = Registry(plugins).plugins
    for plugin in loaded:
        version = f", {clean(plugin.version)}" if plugin.version else ""
        click.echo(f"{clean(plugin.name)}  ({plugin.origin}{version})")
        click.echo(f"    {clean(plugin.file, 1000)}")
        for kind, names in plugin.offers.items():
            click.echo(f"    {kind}: {', '.join(sorted(names))}")
        if plugin.error:
            click.secho(f"    error: {clean(plugin.error, 1000)}", fg="red")
    broken = sum(bool(plugin.error) for plugin in loaded)
    click.echo(f"{len(loaded)} plugins, {broken} with errors")
    if strict and broken:
        sys.exit(ExitCode.FAILED)
