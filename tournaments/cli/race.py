"""`sweepstakes race`: find the best of many agents with as few games as possible."""

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
    plugin_option,
    start_method_option,
    workers_option,
)
from sweepstakes.hosting.forked import end_early, start_early


@click.command("race")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
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
    help="Smaller differences do not matter; by default 0.02 of a share, or a tenth of the standard deviation.",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 5_000_000),
    default=30_000,
    show_default=True,
    help="The maximum number of boards of the race.",
)
@click.option(
    "--fresh",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Boards after the race, on which the winner and the next agent play for the winner's interval.",
)
@click.option("--seconds", type=Decimal(1, 1_000_000), help="Stop after this time; the same command resumes.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="The seed of the boards.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("runs/race"),
    show_default=True,
    help="The run directory. Games that are there are not played again.",
)
@workers_option
@executor_option
@isolation_option
@start_method_option
@plugin_option
@click.option("--quiet", is_flag=True, help="Print only the result, no progress.")
def race(executor: str | None, start_method: str | None, **options: Any) -> None:
    """Find the best of many agents with as few games as possible.

    All agents play the same boards. After every 100 boards, those leave of which another agent is better. A range of a
    parameter, as in "chain(window=2..8)", is one agent for each value.

    The race ends when one agent is left, when no agent left differs from the leader by --delta, or after --max boards.
    The best agent is dropped in at most 5 % of all races. For scores without luck (win-adjusted) this is asymptotic: it
    holds approximately. Scores without bounds cannot be raced.

    The games are stored in a run directory. A race that was stopped or killed resumes with the same command. The
    directory also gets the table (race.md, race.csv) and a plot (race.svg, race.png).
    """
    if executor is None and start_method is None:
        start_early("sweepstakes.plugins.executors.local.worker:warm_up_early")
        click.get_current_context().call_on_close(end_early)
    from sweepstakes.tournaments.cli._race import race as act  # while the fork server starts

    act(executor=executor, start_method=start_method, **options)
