"""What `sweepstakes check` does."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from sweepstakes.errors import ExitCode, PluginError, located
from sweepstakes.hosting import sealing
from sweepstakes.hosting.sealing import probes
from sweepstakes.limits import DEFAULT_LIMITS
from sweepstakes.testing.scenarios import EVERYTHING
from sweepstakes.testing.step_report import StepReport, as_junit
from sweepstakes.testing.step_report import as_json as json_of
from sweepstakes.testing.step_runner import run_steps
from sweepstakes.tournaments.checked_games import CheckedGames, games_of_tournament
from sweepstakes.untrusted.files import write_file
from sweepstakes.untrusted.text import clean, clean_lines, quoted
from sweepstakes.warm_up import warm_up

_MAX_LINES = 60
"""Maximum number of lines shown of a message, traceback or output."""
MAX_FILES = 20
"""Maximum number of data files of an agent that are listed."""
_WORDS = {"passed": ("ok", "green"), "note": ("note", "yellow"), "failed": ("FAIL", "red")}


def check(
    target: str | None,
    limit: float,
    exit_first: bool,
    as_json: bool,
    junit: Path | None,
    sealed: bool,
    noise: bool,
    tournament: str | None,
    plugins: tuple[str, ...],
) -> None:
    """Run every step of the check for each target, print the reports, and exit with 1 if a step failed."""
    if sealed and not _check_sealing():
        sys.exit(ExitCode.FAILED)
    if target is None:
        if sealed:
            return
        raise click.UsageError("Missing argument 'AGENT'.")
    targets = _targets(target)
    chosen = CheckedGames(EVERYTHING, DEFAULT_LIMITS) if tournament is None else games_of_tournament(tournament)
    if chosen.isolation == "none" and not as_json:
        click.echo(
            "note: the tournament has `isolation: none`, so a crash or a hang of the agent stops the run, memory is not"
            " limited, and time is checked only after each turn; this check uses a separate process"
        )
    outcomes: list[tuple[str, StepReport]] = []
    for one in targets:
        progress = _Progress(quiet=as_json)
        steps = run_steps(
            one,
            plugins,
            limit,
            warm_up,
            "sealed" if sealed else "process",
            exit_first=exit_first,
            on_step=progress.begin,
            limits=chosen.limits,
            games=chosen.games,
            noise=noise or tournament is not None,
            on_files=progress.note_files,
        )
        if len(targets) > 1 and not as_json:
            click.echo(f"file {located(one)}")
        reports = []
        for report in steps:
            reports.append(report)
            progress.end(report)
        outcomes += [(one, report) for report in reports]
        if not as_json:
            progress.close()
            progress.print_files()
            click.echo(_summary(reports))
    if as_json:
        click.echo(json_of(outcomes))
    elif len(targets) > 1:
        good = [one for one in targets if all(report.passed for at, report in outcomes if at == one)]
        click.echo(f"{len(good)} of {len(targets)} files passed every step")
    if junit is not None:
        write_file(junit, as_junit(outcomes).encode(), PluginError)
    if not all(report.passed for _, report in outcomes):
        sys.exit(ExitCode.FAILED)


def _targets(target: str) -> list[str]:
    """Return the files of a folder; otherwise the target itself."""
    if not Path(target).is_dir():
        return [target]
    files = [path for path in sorted(Path(target).glob("*.py")) if not path.name.startswith(("_", "test_"))]
    if not files:
        raise PluginError(f"{located(target)}: there is no agent in this folder: expected *.py files")
    return [str(path) for path in files]


def _summary(reports: Iterable[StepReport]) -> str:
    states = [report.status for report in reports]
    passed, skipped = len(states) - states.count("failed") - states.count("not tried"), states.count("not tried")
    return f"{passed} of {len(states)} steps passed" + (f", {skipped} not tried" if skipped else "")


class _Progress:
    """Prints the steps: the running one if this is a terminal, and each when it has ended."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._count = 0
        self._owner = ""
        self._traces: set[str] = set()
        self._printed: set[str] = set()
        """The agents whose output was shown."""
        self._not_tried: list[int] = []
        self._cause = ("", "")
        """The agent and the step whose failure caused the last steps to be skipped."""
        self._files: dict[str, list[str]] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        """The number of each step that was tried, by its agent and its name."""

    def note_files(self, owner: str, files: list[str]) -> None:
        """Remember the data files of an agent."""
        if files:
            self._files[owner] = files

    def print_files(self) -> None:
        """Print the data files of the agents. If one changes, its agent gets another version."""
        for owner, files in self._files.items():
            shown = ", ".join(clean(file, 80) for file in files[:MAX_FILES])
            more = f" and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else ""
            of = f" of {owner}" if len(self._files) > 1 else ""
            click.echo(f"data files{of}, part of its identity: {shown}{more}")

    def begin(self, name: str) -> None:
        if not self._quiet and sys.stdout.isatty():
            click.echo(f"{self._count + 1:>3} ...   {name}", nl=False)
            sys.stdout.flush()

    def end(self, report: StepReport) -> None:
        self._count += 1
        if self._quiet:
            return
        if report.status == "not tried":
            cause = (report.owner, report.cause)
            if cause != self._cause:
                self.close()
            self._cause = cause
            self._not_tried.append(self._count)
            return
        self._numbers[report.owner, report.name] = self._count
        if sys.stdout.isatty():
            click.echo("\r\x1b[K", nl=False)
        self.close()
        if report.owner != self._owner:
            self._owner = report.owner
            click.echo(f"{report.kind} {self._owner}")
        word, colour = _WORDS[report.status]
        remark = f" ({clean(report.message, 500)})" if report.passed and report.message else ""
        styled = click.style(f"{word:<4}", fg=colour, bold=not report.passed)
        click.echo(f"{self._count:>3} {styled}  {report.name}{remark}")
        if report.passed:
            if report.command:
                _block(f"to see the game: {report.command}")
            if report.printed and report.owner not in self._printed:  # it prints nearly the same in every step
                self._printed.add(report.owner)
                _block("it printed:\n" + quoted(report.printed))
            return
        _block(report.message)
        if report.fix:
            _block(f"to do: {report.fix}")
        if report.command:
            _block(f"to see the game: {report.command}")
        if report.trace and report.trace not in self._traces:
            self._traces.add(report.trace)
            _block(report.trace.rstrip())
        if report.printed:
            _block("it printed:\n" + quoted(report.printed))

    def close(self) -> None:
        """Print which steps were not tried."""
        if not self._not_tried:
            return
        first, last = self._not_tried[0], self._not_tried[-1]
        steps = f"step {first}" if first == last else f"steps {first} to {last}"
        click.echo(f"    {steps} not tried: fix {self._numbers[self._cause]} first")
        self._not_tried = []


def _check_sealing() -> bool:
    """Print what this machine offers for sealing and what each probe found. Return True if nothing is missing."""
    for what, there in probes.offered():
        click.echo(f"{what}: {there}")
    if sealing.missing():
        return False
    click.echo("A sealed process that tries to:")
    wrong = done = 0
    for done, outcome in enumerate(probes.try_all(), 1):
        right = outcome.worked == outcome.must_work
        wrong += not right
        word = (
            ("works" if outcome.worked else "FAILS")
            if outcome.must_work
            else "ALLOWED"
            if outcome.worked
            else "refused"
        )
        styled = click.style(f"{word:<7}", fg="green") if right else click.style(f"{word:<7}", fg="red", bold=True)
        click.echo(f"{done:>3} {styled}  {outcome.name}")
        if not right and outcome.why:
            _block(outcome.why)
    click.echo(f"{done - wrong} of {done} probes ended as expected")
    return not wrong


def _block(text: str) -> None:
    """Print a text, indented; only its last lines if there are too many."""
    for line in clean_lines(text, _MAX_LINES).splitlines():
        click.echo(" " * 10 + line)
