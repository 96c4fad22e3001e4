"""`sweepstakes verify`: checks the stored rows of a run or of a publication against their games."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import plugin_option, workers_option

if TYPE_CHECKING:
    from sweepstakes.tournaments.running.verification import VerificationReport as Report


@click.command("verify")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.option(
    "--sample",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    metavar="SHARE",
    help="The share of the games to play again: 0 is no game, 1 is all games.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="The seed of the random sample; by default another each time.",
)
@workers_option
@click.option("--quiet", is_flag=True, help="Print only the findings, no progress.")
@plugin_option
def verify(
    directory: str, sample: float, seed: int | None, workers: int | None, quiet: bool, plugins: tuple[str, ...]
) -> None:
    """Check the rows of a run or of a published leaderboard by playing games again.

    For every game that kept its moves, the referee repeats the turns. A random sample of all games is played again by
    their agents. If a row differs from its game, the command names it and exits with code 1. A seed that was secret is
    compared with its commitment.
    """
    from sweepstakes.compiling.warm_up import warm_up
    from sweepstakes.tournaments.plan import describe_rules
    from sweepstakes.tournaments.running.progress import Progress
    from sweepstakes.tournaments.running.verification import verify as verify_run
    from sweepstakes.tournaments.storage.stored_run import open_run

    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    bars: list[Progress] = []

    def show_progress(done: int, total: int) -> None:
        if not bars:
            bars.append(Progress(total, 0, quiet=quiet))
        bars[0].advance(done)

    with open_run(directory, plugins) as run:
        if not quiet and run.conditions:
            click.echo(f"{run.directory}: {describe_rules(run.conditions)}", err=True)
        if run.secret is not None and run.secret.revealed:  # `open_run` has compared them
            click.echo(f"the seed {run.secret.seed} agrees with its commitment: SHA-256 {run.secret.sha256}")
        warm_up(quiet=quiet)
        try:
            report = verify_run(
                run, sample=sample, seed=seed, workers=workers, on_difference=click.echo, on_progress=show_progress
            )
        finally:
            for bar in bars:
                bar.close()
    _print_report(report, directory, f" (--seed {seed})" if 0 < sample < 1 else "")
    if report.differing:
        sys.exit(1)


def _print_report(report: Report, directory: str, sampling: str) -> None:
    """Print what `verify` found; `RunError` if no row could be checked."""
    from sweepstakes.errors import RunError

    for label, why in report.unverifiable.items():
        click.echo(f"{label}: cannot be verified: {why}")
    fault = "by a time-out, a crash or lack of memory"
    if report.unrepeatable:
        click.echo(f"{report.unrepeatable:,} games ended {fault}: they are not played again")
    if report.stopped:
        click.echo(f"{report.stopped:,} games ended {fault} when they were played again: these are not compared")
    if not report.differing and not report.repeated and not report.played_again:
        raise RunError(f"{directory}: nothing could be verified: no moves were kept, and no game was played again")
    checked = f"{report.played_again:,} of {report.games:,} games played again{sampling}"
    if report.repeated:
        checked = f"the turns of {report.repeated:,} games repeated, {checked}"
    if report.differing:
        click.echo(f"{checked}: {report.differing:,} rows differ from their games")
    else:
        click.echo(f"{checked}: all rows agree")
