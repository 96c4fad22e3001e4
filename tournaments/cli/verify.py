"""`sweepstakes verify`: whether the rows of a run or of a publication are what their games give."""

from __future__ import annotations

import os
import sys

import click

from sweepstakes.cli.options import plugin_option


@click.command("verify")
@click.argument("run", metavar="RUN|PUBLISHED")
@click.option(
    "--sample",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="Which share of the games is played again; 1 is all, 0 none.",
)
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), metavar="N", help="Decides which; by default others each time."
)
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Processes; by default one for each core.")
@click.option("--quiet", is_flag=True, help="No progress, only what was found.")
@plugin_option
def verify(
    run: str, sample: float, seed: int | None, workers: int | None, quiet: bool, plugins: tuple[str, ...]
) -> None:
    """Play games of a run, or of a published leaderboard, again and say whether every row agrees.

    Every game that kept its moves is taken through the referee again, and a sample of all games is played again by
    their agents. Rows that differ are named, and the exit code is 1.
    """
    from sweepstakes.errors import RunError
    from sweepstakes.tournaments.plan import describe_rules
    from sweepstakes.tournaments.running.progress import Progress
    from sweepstakes.tournaments.running.verification import verify as look
    from sweepstakes.tournaments.storage.stored_run import open_run
    from sweepstakes.warm_up import warm_up

    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    bar: list[Progress] = []

    def advance(done: int, total: int) -> None:
        if not bar:
            bar.append(Progress(total, 0, quiet=quiet))
        bar[0].advance(done)

    with open_run(run, plugins) as opened:
        if not quiet and opened.conditions:
            click.echo(f"{opened.directory}: {describe_rules(opened.conditions)}", err=True)
        warm_up(quiet=quiet)
        try:
            found = look(
                opened,
                sample=sample,
                seed=seed,
                workers=workers,
                say=click.echo,
                advance=advance,
            )
        finally:
            for each in bar:
                each.close()
    for label, why in found.without.items():
        click.echo(f"{label}: cannot be verified: {why}")
    so = "by a time-out, a crash or want of memory"
    if found.unrepeatable:
        click.echo(f"{found.unrepeatable:,} games ended {so}: they are not played again")
    if found.stopped:
        click.echo(f"{found.stopped:,} games ended {so} when they were played again: nothing is said of these")
    if not found.differing and not found.kept and not found.again:
        raise RunError(f"{run}: nothing could be verified: no moves were kept, and no game was played again")
    looked = f"{found.again:,} of {found.games:,} games played again"
    if 0 < sample < 1:
        looked += f" (--seed {seed})"
    if found.kept:
        looked = f"the turns of {found.kept:,} games taken again, {looked}"
    if found.differing:
        click.echo(f"{looked}: {found.differing:,} rows are not what their games give")
        sys.exit(1)
    click.echo(f"{looked}: all agree")
