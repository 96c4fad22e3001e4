"""What `sweepstakes merge` does."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from sweepstakes.errors import ExitCode
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.running.merging import merge_runs


def merge(runs: tuple[str, ...], out: str, quiet: bool, plugins: tuple[str, ...]) -> None:
    """Merge runs, and print the leaderboard or what is missing."""
    merged = merge_runs([Path(run) for run in runs], Path(out), plugins)
    if not quiet:
        click.echo(f"{merged.games:,} games of {len(runs)} runs in {out}", err=True)
    if merged.standings is None:
        for line in merged.missing:
            click.echo(line, err=True)
        here = shlex.join(["sweepstakes", "run", str(Path(out) / "tournament.yaml"), "--out", out])
        click.echo(f"resume the shards and merge again, or play the rest here: {here}", err=True)
        sys.exit(ExitCode.FAILED)
    click.echo(Registry.built_in().make("report", "markdown").text(merged.standings), nl=False)
