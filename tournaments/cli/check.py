"""`sweepstakes check`: test an agent, step by step, as a tournament will use it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import Decimal, plugin_option


@click.command("check")
@click.argument("target", metavar="AGENT|FOLDER", required=False)
@click.option(
    "--limit", type=Decimal(1, 1_000_000), default=60, show_default=True, help="Seconds the steps of an agent may take."
)
@click.option("-x", "--exit-first", is_flag=True, help="Try no other step after the first that fails.")
@click.option("--json", "as_json", is_flag=True, help="Print the outcome of every step as JSON.")
@click.option("--junit", type=click.Path(path_type=Path), metavar="FILE", help="Write the outcome as JUnit's XML.")
@click.option("--sealed", is_flag=True, help="Try what a sealed process is refused; check AGENT in sealed hosts.")
@click.option("--noise", is_flag=True, help="Demand legal play under clue noise, too: the agent claims it.")
@click.option(
    "--tournament", metavar="FILE|PRESET", help="Play only under the rules, clue noises and limits of this tournament."
)
@plugin_option
def check(**options: Any) -> None:
    """Check an agent (a file, a name, command:PROGRAM, each with or without parameters) as a tournament will use it.

    Of a FOLDER every file is checked whose name does not begin with _ or test_. Time and memory are limited as in a
    tournament. For each failure the report suggests a fix and prints the command that shows the game. Steps that would
    fail for the same reason are not tried. A fault under clue noise is only noted, unless --noise is given or the
    tournament has noise. The exit code is 1 if any step failed.
    """
    from sweepstakes.tournaments.cli._check import check as act

    act(**options)
