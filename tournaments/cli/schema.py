"""`sweepstakes schema`: the JSON Schema of tournament files."""

from __future__ import annotations

import json

import click


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema of tournament files, for completion and validation in editors."""
    from sweepstakes.tournaments.config.json_schema import json_schema

    click.echo(json.dumps(json_schema(), indent=1))
