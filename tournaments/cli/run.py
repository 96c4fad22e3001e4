"""`sweepstakes run`: play a tournament and print its leaderboard."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import takewhile
from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import (
    executor_option,
    isolation_option,
    parse_seed_or_secret,
    plugin_option,
    start_method_option,
)
from sweepstakes.hosting.early_process import end_early, start_early


@click.command("run")
@click.argument("tournament", metavar="FILE|PRESET", required=False)
@click.option("--list", "show_presets", is_flag=True, help="List the presets, and play nothing.")
@click.option("--out", metavar="DIR", help="The run directory; by default runs/<name>. An existing run resumes.")
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    metavar="N",
    help="Number of worker processes; by default one for each core that this process may use.",
)
@plugin_option
@click.option("--agent", "agents", multiple=True, metavar="SPEC", help="Add an agent: basic, chain(window=6), FILE.py.")
@executor_option
@isolation_option
@start_method_option
@click.option(
    "--games",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Boards for each condition, instead of the number in the file.",
)
@click.option(
    "--seed",
    type=parse_seed_or_secret,
    metavar="N|secret",
    help="The seed of the boards, instead of the seed in the file; secret draws one that is published after the run.",
)
@click.option(
    "--seed-file",
    metavar="FILE",
    help="With a secret seed: the file that has it, which only its owner may read; if there is none, it is made.",
)
@click.option("--shard", metavar="I/N", help="Play share I of N only, as in 3/64; `sweepstakes merge` joins the runs.")
@click.option(
    "--from",
    "starts",
    multiple=True,
    metavar="DIR",
    help="Import the games of another run or a published leaderboard; repeatable.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print what is stored, what would be played, and about how long it takes."
)
@click.option(
    "--show-output",
    multiple=True,
    metavar="AGENT",
    help="Print what this agent writes to its standard output and error, after each of its games; repeatable.",
)
@click.option("--quiet", is_flag=True, help="Print only the table, no progress.")
@click.option("--serve", is_flag=True, help="Open the arena in a browser, with the standings so far; Ctrl-C ends it.")
def run(
    tournament: str | None,
    show_presets: bool,
    out: str | None,
    workers: int | None,
    plugins: tuple[str, ...],
    agents: tuple[str, ...],
    executor: str | None,
    isolation: str | None,
    start_method: str | None,
    games: int | None,
    seed: int | str | None,
    seed_file: str | None,
    shard: str | None,
    starts: tuple[str, ...],
    dry_run: bool,
    show_output: tuple[str, ...],
    quiet: bool,
    serve: bool,
) -> None:
    """Play a tournament and print its leaderboard.

    The games are stored in a run directory. Only games that are missing there are played.
    """
    if show_presets:
        _list_presets()
        return
    if tournament is None:
        raise click.UsageError("Missing argument 'FILE|PRESET'; --list shows the presets.")
    from sweepstakes.errors import ConfigError
    from sweepstakes.tournaments.config.loading import load  # which does not import numba: most mistakes are found here

    options = {"games": games, "seed": seed, "executor": executor, "isolation": isolation}
    changes: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    config, file = load(tournament, changes, agents)
    if executor is None and start_method is None and not dry_run:
        start_early("sweepstakes.plugins.executors.local.forkserver")
        click.get_current_context().call_on_close(end_early)
    from sweepstakes.tournaments.plan import SECRET
    from sweepstakes.tournaments.planning import make_plan
    from sweepstakes.tournaments.running.runner import play_plan, play_shard
    from sweepstakes.tournaments.shard import Shard
    from sweepstakes.tournaments.storage.secret_seed import read_seed_file
    from sweepstakes.tournaments.storage.stored_run import tournament_file

    share = Shard.parse(shard) if shard is not None else None
    if seed_file is not None and config.seed != SECRET:
        raise ConfigError(f"--seed-file: the seed is {config.seed}: expected `seed: secret`, or --seed secret")
    if share is not None and seed_file is None and config.seed == SECRET:
        raise ConfigError("--shard: all shards need the same secret seed: expected --seed-file FILE too")
    plan, registry = make_plan(config, file, plugins)
    for plugin in registry.plugins:
        if plugin.error and not quiet:
            click.echo(f"sweepstakes: plugin {plugin.name} is not loaded: {plugin.error}", err=True)
    name = config.name if share is None else f"{config.name}.{share.number}"
    directory = Path(out) if out is not None else Path("runs") / name
    imported = [Path(start) for start in starts]
    for start in imported:
        tournament_file(start)  # an error before anything is printed or written
    if dry_run:
        from sweepstakes.tournaments.planning import usable_cores
        from sweepstakes.tournaments.running.dry_run import dry_run as lines

        for line in lines(plan, registry, directory, imported, workers or config.workers or usable_cores()):
            click.echo(line)
        return
    given: dict[str, Any] = {
        "workers": workers,
        "start_method": start_method,
        "quiet": quiet,
        "show_output": show_output,
        "start": imported,
        "seed": read_seed_file(Path(seed_file)) if seed_file is not None else None,
    }
    with _serving(directory, plugins, isolation) if serve else nullcontext():
        try:
            if share is not None:
                played = play_shard(plan, registry, directory, share, **given)
                if not quiet:
                    what = f"shard {share}: {played:,} games in {directory}"
                    click.echo(f"{what}; `sweepstakes merge` joins the shards", err=True)
                return
            standings = play_plan(plan, registry, directory, **given)
        except KeyboardInterrupt:
            click.echo(f"\nstopped; to resume: {shlex.join(['sweepstakes', *sys.argv[1:]])}", err=True)
            sys.exit(130)
        click.echo(registry.make("report", "markdown").text(standings._replace(place=str(directory))), nl=False)
        if not quiet:
            click.echo(f"\nwritten to {directory}", err=True)


@contextmanager
def _serving(directory: Path, plugins: tuple[str, ...], isolation: str | None) -> Iterator[None]:
    """Serve the run in a process of its own; at the end, wait until the person ends the server."""
    command = [sys.executable, "-P", "-m", "sweepstakes", "serve", str(directory), "--wait", "--open", "--port", "0"]
    command += [word for plugin in plugins for word in ("--plugin", plugin)]
    command += ["--isolation", isolation] if isolation not in (None, "none") else []
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stderr)  # stdout is for the table
    try:
        yield
        server.wait()
    except KeyboardInterrupt:
        pass  # the server got it too
    finally:
        server.terminate()
        server.wait()


def _list_presets() -> None:
    """Print the presets, each with what it asks."""
    from sweepstakes.tournaments.config.loading import PRESETS

    files = sorted(PRESETS.glob("*.yaml"))
    width = max(len(file.stem) for file in files)
    for file in files:
        comment = takewhile(lambda line: line.startswith("#"), file.read_text(encoding="utf-8").splitlines())
        words = " ".join(line.lstrip("# ") for line in comment)
        click.echo(f"{file.stem:<{width}}  {re.split(r'(?<=[.?:]) ', words)[0]}")
