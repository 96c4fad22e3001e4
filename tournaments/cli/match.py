"""`sweepstakes match`: two agents play the same boards until a sequential test ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import Decimal, parse_seed_or_secret
from sweepstakes.tournaments.cli.contests import contest_options, lead_options, process_options


@click.command("match")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@contest_options
@lead_options(10_000_000, "Lead that the test should detect.")
@click.option(
    "--seconds",
    type=Decimal(1, 1_000_000),
    default=45,
    show_default=True,
    help="Maximum duration of the match, in seconds.",
)
@click.option(
    "--seed",
    type=parse_seed_or_secret,
    default=0,
    show_default=True,
    metavar="N|secret",
    help="Seed of the boards. secret draws a random seed and prints it after the match.",
)
@click.option(
    "--run",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    show_default="the only run in runs/ that has them",
    help="Run that has the games of the earlier version NAME@2.",
)
@process_options
@click.option("--fail-if-worse", is_flag=True, help="Exit with code 1 if A is worse than B or lost a game to a fault.")
@click.option("--quiet", is_flag=True, help="Print only the verdict.")
def match(**options: Any) -> None:
    """Play two agents on the same boards until a statistical test decides which is better.

    A and B are names or files, with or without parameters, as in 'chain(window=6)'. By default they play the classic
    game: the first click is safe, the first mine ends the game, and wins count.

    Either of them may be an earlier version of an agent, as in 'match luna.py luna@2'. Runs keep the games of earlier
    versions. The other agent then plays the boards of that run, under the rules of its first condition. The options
    --boards, --on-mine, --first-click, --noise and --seed choose another condition.

    If A and B are equally good, A is called better in at most 5 % of all matches, and B in at most 1 %. For scores that
    are adjusted for luck (win-adjusted), this holds only approximately. For scores without bounds, no winner is named.

    Games lost to faults are listed. If an agent finishes no game, the match stops and the exit code is 1. With
    --fail-if-worse, the exit code depends on A only.
    """
    from sweepstakes.tournaments.cli._match import match as act  # while the fork server starts

    act(**options)
