"""`sweepstakes merge`: make one run of the runs that played shares of a tournament."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from sweepstakes.cli.options import plugin_option


@click.command("merge")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--out", metavar="DIR", required=True, help="The run directory to make, or to add to.")
@click.option("--quiet", is_flag=True, help="Print only the table, or what is missing.")
@plugin_option
def merge(runs: tuple[str, ...], out: str, quiet: bool, plugins: tuple[str, ...]) -> None:
    """Make one run of runs that played shares of one tournament, and print its leaderboard.

    The runs must be of the same tournament, and a game that two of them have must have the same result. The tables are
    those of a single run. If games are missing, the command says which, and exits with code 1; it can be repeated.
    """
    from sweepstakes.registry.registry import Registry
    from sweepstakes.tournaments.running.merging import merge_runs

    merged = merge_runs([Path(run) for run in runs], Path(out), plugins)
    if not quiet:
        click.echo(f"{merged.games:,} games of {len(runs)} runs in {out}", err=True)
    if merged.standings is None:
        for line in merged.missing:
            click.echo(line, err=True)
        here = shlex.join(["sweepstakes", "run", str(Path(out) / "tournament.yaml"), "--out", out])
        click.echo(f"resume the shards and merge again, or play the rest here: {here}", err=True)
        sys.exit(1)
    click.echo(Registry.built_in().make("report", "markdown").text(merged.standings), nl=False)
