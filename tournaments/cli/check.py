"""`sweepstakes check`: test an agent, step by step, as a tournament will use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import Decimal, plugin_option


@click.command("check")
@click.argument("target", metavar="AGENT|FOLDER", required=False)
@click.option(
    "--limit",
    type=Decimal(1, 1_000_000),
    default=60,
    show_default=True,
    help="Seconds that all steps of an agent may take.",
)
@click.option("-x", "--exit-first", is_flag=True, help="Stop at the first step that fails.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome of every step as JSON.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write the outcome as JUnit XML.")
@click.option(
    "--sealed", is_flag=True, help="Test whether this machine can seal processes, and check AGENT in a sealed one."
)
@click.option("--noise", is_flag=True, help="Require legal play under clue noise too.")
@click.option(
    "--tournament", metavar="FILE|PRESET", help="Play only with the rules, clue noises and limits of this tournament."
)
@plugin_option
def check(**options: Any) -> None:
    """Check whether an agent is ready for a tournament.

    AGENT is a file, a name or command:PROGRAM, with or without parameters. In a FOLDER, every Python file is checked
    unless its name begins with _ or test_.

    Time and memory are limited as in a tournament. For each failure, the report suggests a fix and prints the command
    that shows the game. Steps that would fail for the same reason are not tried. A fault under clue noise is only a
    note, unless --noise is used or the tournament has noise. The exit code is 1 if any step failed.
    """
    from sweepstakes.tournaments.cli._check import check as act

    act(**options)
