"""What `sweepstakes run` does once the tournament file has been read."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from sweepstakes.errors import ConfigError, ExitCode
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.tournaments.plan import SECRET
from sweepstakes.tournaments.resolve.machine import usable_cores
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.dry_run import dry_run as dry_run_lines
from sweepstakes.tournaments.running.runner import play_plan, play_shard
from sweepstakes.tournaments.shard import Shard
from sweepstakes.tournaments.storage.opening import tournament_file
from sweepstakes.tournaments.storage.secret_seed import read_seed_file


def run(
    config: Tournament,
    file: YamlFile,
    *,
    out: str | None,
    workers: int | None,
    plugins: tuple[str, ...],
    isolation: str | None,
    start_method: str | None,
    seed_file: str | None,
    shard: str | None,
    starts: tuple[str, ...],
    dry_run: bool,
    show_output: tuple[str, ...],
    quiet: bool,
    serve: bool,
) -> None:
    """Play a tournament, or a shard of it, and print its leaderboard; with `dry_run` print what would be played."""
    share = Shard.parse(shard) if shard is not None else None
    if seed_file is not None and config.seed != SECRET:
        raise ConfigError(
            f"--seed-file: the seed is {config.seed}, not secret: expected `seed: secret`, or --seed secret"
        )
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
        for line in dry_run_lines(plan, registry, directory, imported, workers or config.workers or usable_cores()):
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
            sys.exit(ExitCode.INTERRUPTED)
        click.echo(registry.make("report", "markdown").text(standings._replace(place=str(directory))), nl=False)
        if not quiet:
            click.echo(f"\nwritten to {directory}", err=True)


@contextmanager
def _serving(directory: Path, plugins: tuple[str, ...], isolation: str | None) -> Iterator[None]:
    """Serve the run in another process. At the end, wait until the user stops the server."""
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
