"""`sweepstakes schema`: the JSON Schema of tournament files."""

from __future__ import annotations

import json

import click


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema of tournament files, which editors use to complete and check them."""
    from sweepstakes.tournaments.config.json_schema import json_schema

    click.echo(json.dumps(json_schema(), indent=1))
