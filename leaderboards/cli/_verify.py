"""What `sweepstakes verify` does."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from sweepstakes.errors import ExitCode, PluginError, RunError
from sweepstakes.leaderboards.publish import has_agent_pages
from sweepstakes.leaderboards.published_files import check_agent_pages, check_tables
from sweepstakes.leaderboards.results import read_results
from sweepstakes.tournaments.plan import describe_rules
from sweepstakes.tournaments.running.progress import Progress
from sweepstakes.tournaments.storage.opening import open_reader
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.verification.verify import VerificationReport as Report
from sweepstakes.tournaments.verification.verify import verify as verify_run
from sweepstakes.warm_up import warm_up


def verify(
    directory: str,
    sample: float | None,
    seed: int | None,
    allowed: tuple[str, ...],
    workers: int | None,
    quiet: bool,
    plugins: tuple[str, ...],
) -> None:
    """Verify rows and tables, print the results, and exit with the matching code."""
    seed = int.from_bytes(os.urandom(4), "big") if seed is None else seed
    bars: list[Progress] = []

    def show_progress(done: int, total: int) -> None:
        if not bars:
            bars.append(Progress(total, 0, quiet=quiet))
        bars[0].advance(done)

    with open_reader(directory, plugins) as run:
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
    """The differences between the tables and the games, line by line, with their number and what was not compared."""

    def __init__(self, run: RunReader, *, sound: bool, all_games: bool) -> None:
        self._run, self._sound, self._all_games = run, sound, all_games
        self.differing = 0
        self.unverified: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
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


def _print_report(report: Report, tables: _Tables, allowed: tuple[str, ...], sampling: str) -> ExitCode:
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
        return ExitCode.FAILED
    rest = dict.fromkeys(each.about for each in report.unverified if each.agent not in allowed)
    what = ", ".join([*rest, *tables.unverified])
    if not report.repeated and not report.played_again and report.games:
        what = "no moves were kept, and no game was played again"
    if what:
        click.echo(f"{checked}: nothing differs, but not everything could be verified: {what}")
        return ExitCode.UNVERIFIED
    click.echo(f"{checked}: all rows and tables agree")
    return ExitCode.SUCCESS
