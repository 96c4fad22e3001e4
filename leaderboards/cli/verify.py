"""`sweepstakes verify`: checks the rows and tables of a run or of a publication against their games."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import plugin_option, workers_option

if TYPE_CHECKING:
    from sweepstakes.tournaments.running.verification import VerificationReport as Report
    from sweepstakes.tournaments.storage.stored_run import StoredRun

DIFFERS, NOT_VERIFIED = 1, 3
"""Exit codes."""


@click.command("verify")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.option(
    "--sample",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help="The share of the games to play again: 0 is no game, 1 is all games.  [default: 0.05, at least 100 games]",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    metavar="N",
    help="The seed of the random sample; by default another each time.",
)
@click.option(
    "--allow-unverified",
    "allowed",
    multiple=True,
    metavar="NAME",
    help="Accept that this agent cannot be verified; may be repeated.",
)
@workers_option
@click.option("--quiet", is_flag=True, help="Print only the findings, no progress.")
@plugin_option
def verify(
    directory: str,
    sample: float | None,
    seed: int | None,
    allowed: tuple[str, ...],
    workers: int | None,
    quiet: bool,
    plugins: tuple[str, ...],
) -> None:
    """Check the rows and tables of a run or of a published leaderboard by playing games again.

    For every game that kept its moves, the referee repeats the turns. A random sample of all games is played again by
    their agents, and so is every game of a built-in agent that ended by a limit. Standings, pairs, ratings and faults
    are computed again from the rows, and compared with every value in the tables. Missing games are named. Prose,
    pictures and times are not compared. A seed that was secret is compared with its commitment.

    Exit code 1: something differs. 3: nothing differs, but something could not be verified. The last line says which.
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
        for label in allowed:
            run.agent_place(label)
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
        tables = _Tables(run, sound=not report.differing, all_games=sample == 1 or report.played_again == report.games)
        for line in tables:
            click.echo(line)
    drawn = report.played_again and sample != 1
    sys.exit(_print_report(report, tables, allowed, f" (--seed {seed})" if drawn else ""))


class _Tables:
    """The differences between the tables and the games, line by line; counts them, and says what was not compared."""

    def __init__(self, run: StoredRun, *, sound: bool, all_games: bool) -> None:
        self._run, self._sound, self._all_games = run, sound, all_games
        self.differing = 0
        self.unverified: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
        from sweepstakes.errors import PluginError, RunError
        from sweepstakes.leaderboards.publish import has_agent_pages
        from sweepstakes.leaderboards.published_files import check_agent_pages, check_tables
        from sweepstakes.leaderboards.results import read_results

        if not self._run.complete:
            return
        try:
            results = read_results(self._run)
        except (PluginError, RunError) as error:
            if self._sound and isinstance(error, RunError):
                raise
            self.unverified = {"the tables": str(error)}
            return
        for line in check_tables(self._run, results):
            self.differing += 1
            yield line
        if not self._run.published or not has_agent_pages(self._run, results):
            return
        if not self._all_games:
            self.unverified = {"the pages of the agents": "compared only if every game is reviewed: --sample 1"}
            return
        for line in check_agent_pages(self._run, results):
            self.differing += 1
            yield line


def _print_report(report: Report, tables: _Tables, allowed: tuple[str, ...], sampling: str) -> int:
    """Print what could not be verified and what was found; return the exit code."""
    for each in report.unverified:
        click.echo(f"{each.about}: {each.why}{' (allowed)' if each.agent in allowed else ''}")
    for about, why in tables.unverified.items():
        click.echo(f"{about}: {why}")
    checked = f"{report.played_again:,} of {report.games:,} games played again{sampling}"
    if report.repeated:
        checked = f"the turns of {report.repeated:,} games repeated, {checked}"
    if report.differing or tables.differing:
        rows = f"{report.differing:,} games or agents differ" if report.differing else "no game differs"
        values = f"{tables.differing:,} values of the tables differ" if tables.differing else ""
        click.echo(f"{checked}: {' and '.join(filter(None, [rows, values]))}")
        return DIFFERS
    rest = dict.fromkeys(each.about for each in report.unverified if each.agent not in allowed)
    what = ", ".join([*rest, *tables.unverified])
    if not report.repeated and not report.played_again and report.games:
        what = "no moves were kept, and no game was played again"
    if what:
        click.echo(f"{checked}: nothing differs, but not everything could be verified: {what}")
        return NOT_VERIFIED
    click.echo(f"{checked}: all rows and tables agree")
    return 0
