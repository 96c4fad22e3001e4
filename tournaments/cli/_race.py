"""What `sweepstakes race` does."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any

import click

from sweepstakes.errors import ConfigError, ExitCode
from sweepstakes.standings import FaultLine
from sweepstakes.tournaments.cli._contests import condition_text, executor_of, tournament_of
from sweepstakes.tournaments.cli.contests import Contest
from sweepstakes.tournaments.config.loading import as_yaml, resolve
from sweepstakes.tournaments.config.ranges import expand_ranges
from sweepstakes.tournaments.match_text import fault_lines
from sweepstakes.tournaments.race import RacePlayer, make_race
from sweepstakes.tournaments.race_report import progress_line, race_lines, write_race
from sweepstakes.tournaments.resolve.classes import beside
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import warm_up_for
from sweepstakes.tournaments.statistics.sequential_race import SequentialRace
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.run_writer import RunWriter


def race(
    agents: tuple[str, ...],
    contest: Contest,
    delta: float | None,
    most: int,
    fresh: int,
    seconds: float | None,
    out: Path,
    quiet: bool,
) -> None:
    """Play a race in its run directory, and print its progress and its result."""
    specs = [spec for text in agents for spec in expand_ranges(text)]
    plugins = list(contest.plugins) or None
    config = tournament_of(contest, out.resolve().name, specs, most + fresh, plugins=plugins)
    tournament = resolve(config, Path.cwd(), Path.cwd())
    plan, registry = make_plan(tournament, None, ())
    if len(plan.entries) < 2:
        raise ConfigError(f"a race needs at least two agents, not only {plan.entries[0].label}")
    make_race(plan, registry, delta, most)  # an error before anything is written
    game_executor = executor_of(contest, tournament, registry)
    with closing(RunWriter(out, plan, registry)) as run:
        write_text(out / "tournament.yaml", as_yaml(beside(out, tournament)))
        player = RacePlayer(run, game_executor, delta, fresh)
        if not quiet:
            click.echo(f"a race of {len(plan.entries)} agents {condition_text(contest, plan)}", err=True)
            if player.stored:
                click.echo(f"{player.stored:,} games were already stored", err=True)
        warm_up_for(run.plan, registry, quiet=quiet)
        started = monotonic()

        def print_round(state: SequentialRace) -> None:
            if not quiet and state.boards:
                click.echo(progress_line(player, monotonic() - started), err=True)

        try:
            result = player.play(seconds, print_round)
        except KeyboardInterrupt:
            click.echo(f"\nstopped; to resume: {shlex.join(['sweepstakes', *sys.argv[1:]])}", err=True)
            sys.exit(ExitCode.INTERRUPTED)
        files = write_race(result, out)
    for line in race_lines(result):
        click.echo(line)
    for line in fault_lines(result.games.fault_lines(result.boards), lambda fault: _replay_command(out, fault)):
        click.echo(line)
    if not quiet:
        click.echo(f"written to {out}: {', '.join(file.name for file in files)}", err=True)
    if result.broken:
        click.get_current_context().exit(ExitCode.FAILED)


def _replay_command(directory: Path, fault: FaultLine) -> str:
    """Return the command that shows a game of the race."""
    words: list[Any] = ["sweepstakes", "replay", str(directory), fault.game]
    return shlex.join(words)
