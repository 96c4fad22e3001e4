"""`sweepstakes run`: play a tournament and print its leaderboard."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

import click

from sweepstakes.cli.options import (
    executor_option,
    isolation_option,
    no_cache_option,
    parse_seed_or_secret,
    plugin_option,
    start_method_option,
    workers_option,
)
from sweepstakes.tournaments.cli.contests import start_server


@click.command("run")
@click.argument("tournament", metavar="FILE|PRESET", required=False)
@click.option("--list", "show_presets", is_flag=True, help="List the presets and exit.")
@click.option("--out", metavar="DIR", show_default="runs/NAME", help="Run directory. An existing run is resumed.")
@workers_option
@plugin_option
@click.option(
    "--agent",
    "agents",
    multiple=True,
    metavar="SPEC",
    help="Add an agent, such as basic, chain(window=6) or FILE.py. May be repeated.",
)
@executor_option
@isolation_option
@start_method_option
@click.option(
    "--games",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Boards for each condition, instead of the number in the tournament file.",
)
@click.option(
    "--keep-boards",
    type=click.IntRange(1),
    metavar="N",
    help="Keep rows and turns of the games on the first N boards of each condition. For all other games, keep only "
    "packed scores and faults.",
)
@click.option(
    "--seed",
    type=parse_seed_or_secret,
    metavar="N|secret",
    help="Seed of the boards, instead of the one in the file. secret draws a random seed, published at the end.",
)
@click.option(
    "--seed-file",
    metavar="FILE",
    help="File with the secret seed, readable only by its owner. It is created if it does not exist.",
)
@click.option(
    "--shard", metavar="I/N", help="Play only shard I of N, as in 3/64. `sweepstakes merge` joins the shards."
)
@click.option(
    "--from",
    "starts",
    multiple=True,
    metavar="DIR",
    help="Import the games of another run or a published leaderboard. May be repeated.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print what is stored, what would be played, and about how long it would take."
)
@click.option(
    "--show-output",
    multiple=True,
    metavar="AGENT",
    help="Print what this agent writes to its standard output and error, after each game. May be repeated.",
)
@no_cache_option
@click.option("--quiet", is_flag=True, help="Print only the table.")
@click.option("--serve", is_flag=True, help="Open the arena in a browser, with live standings. Ctrl-C stops it.")
def run(
    tournament: str | None,
    show_presets: bool,
    agents: tuple[str, ...],
    executor: str | None,
    isolation: str | None,
    start_method: str | None,
    games: int | None,
    keep_boards: int | None,
    seed: int | str | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Play a tournament and print its leaderboard.

    Games are stored in a run directory. Only games that are missing there are played, so an interrupted run resumes.
    """
    if show_presets:
        _list_presets()
        return
    if tournament is None:
        raise click.UsageError("Missing argument 'FILE|PRESET'; --list shows the presets.")
    from sweepstakes.tournaments.config.loading import load  # which does not import numba: most mistakes are found here

    given = {"games": games, "keep_boards": keep_boards, "seed": seed, "executor": executor, "isolation": isolation}
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    config, file = load(tournament, changes, agents)
    if executor is None and start_method is None and not dry_run:
        start_server()
    from sweepstakes.tournaments.cli._run import run as act  # while the fork server starts

    act(config, file, isolation=isolation, start_method=start_method, dry_run=dry_run, **options)


def _list_presets() -> None:
    """Print the presets, each with its question."""
    from sweepstakes.tournaments.config.loading import PRESETS

    files = sorted(PRESETS.glob("*.yaml"))
    width = max(len(file.stem) for file in files)
    for file in files:
        comment = takewhile(lambda line: line.startswith("#"), file.read_text(encoding="utf-8").splitlines())
        words = " ".join(line.lstrip("# ") for line in comment)
        click.echo(f"{file.stem:<{width}}  {re.split(r'(?<=[.?:]) ', words)[0]}")
