"""`sweepstakes match`: two agents play the same boards until a sequential test ends."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import (
    Decimal,
    executor_option,
    isolation_option,
    noise_option,
    on_mine_option,
    parse_seed_or_secret,
    plugin_option,
    start_method_option,
    workers_option,
)
from sweepstakes.hosting.forked import end_early, start_early


@click.command("match")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--boards",
    default="intermediate",
    show_default=True,
    metavar="SIZE",
    help="The size of the boards, as in 16x30/99.",
)
@on_mine_option("end")
@click.option(
    "--first-click",
    type=click.Choice(["any", "safe", "opening"]),
    default="safe",
    show_default=True,
    help="Whether the first cell may be a mine (any), is safe, or has no mine around it (opening).",
)
@noise_option
@click.option("--score", help="The score to compare; by default win, or identified if the game continues.")
@click.option(
    "--delta",
    type=Decimal(1e-6, 1e6),
    help="The lead that the test looks for; by default 0.02 of a share, or a tenth of the standard deviation.",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 10_000_000),
    default=30_000,
    show_default=True,
    help="The maximum number of boards.",
)
@click.option(
    "--seconds",
    type=Decimal(1, 1_000_000),
    default=45,
    show_default=True,
    help="The maximum time of the match in seconds.",
)
@click.option(
    "--seed",
    type=parse_seed_or_secret,
    default=0,
    show_default=True,
    metavar="N|secret",
    help="The seed of the boards; secret draws one that is printed after the match.",
)
@click.option(
    "--run",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The run with the games of an earlier version, as NAME@2; by default the only one in runs/ that has them.",
)
@workers_option
@executor_option
@isolation_option
@start_method_option
@plugin_option
@click.option("--fail-if-worse", is_flag=True, help="Exit with 1 if A is worse than B or has lost a game by a fault.")
@click.option("--quiet", is_flag=True, help="Print only the verdict, no progress.")
def match(executor: str | None, start_method: str | None, **options: Any) -> None:
    """Play agent A against agent B on the same boards until a test decides which is better.

    A and B are names or files, with or without parameters, as in 'chain(window=6)'. The boards are those of the classic
    game unless you say otherwise: the first click is safe, a mine ends the game, and wins count.

    One of them may be an earlier version of an agent, as in 'match luna.py luna@2'. A run keeps the games of earlier
    versions, so the other agent plays the boards of that run, under its rules: those of its first condition, unless
    --boards, --on-mine, --first-click, --noise or --seed choose another.

    Of two equal agents A is named better in at most 5 % and B in at most 1 % of all matches. For scores without luck
    (win-adjusted) this is asymptotic: it holds approximately. By other scores without bounds no winner is named.

    Games lost by faults are listed. If an agent finishes no game, the match stops and the exit code is 1. With
    --fail-if-worse the exit code is about A only.
    """
    if executor is None and start_method is None:
        start_early("sweepstakes.plugins.executors.local.worker:warm_up_early")
        click.get_current_context().call_on_close(end_early)
    from sweepstakes.tournaments.cli._match import match as act  # while the fork server starts

    act(executor=executor, start_method=start_method, **options)
