"""`sweepstakes race`: find the best of many agents with as few games as possible."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import Decimal
from sweepstakes.tournaments.cli.contests import contest_options, lead_options, process_options


@click.command("race")
@click.argument("agents", metavar="AGENT...", nargs=-1, required=True)
@contest_options
@lead_options(5_000_000, "Differences smaller than this do not matter.")
@click.option(
    "--fresh",
    type=click.IntRange(1, 1_000_000),
    default=1000,
    show_default=True,
    help="Number of new boards that the winner and the runner-up play after the race, for unbiased intervals.",
)
@click.option("--seconds", type=Decimal(1, 1_000_000), help="Stop after this time. The same command resumes the race.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Seed of the boards.")
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("runs/race"),
    show_default=True,
    help="Run directory. Games stored there are not played again.",
)
@process_options
@click.option("--quiet", is_flag=True, help="Print only the result.")
def race(**options: Any) -> None:
    """Find the best of many agents with as few games as possible.

    All agents play the same boards. After every 100 boards, agents that are significantly worse than another agent drop
    out. A parameter range, as in "chain(window=2..8)", stands for one agent per value.

    The race ends when one agent is left, when no agent that is left differs from the leader by --delta, or after --max
    boards. The best agent drops out in at most 5 % of all races. For scores that are adjusted for luck (win-adjusted),
    this holds only approximately. Scores without bounds cannot be raced.

    Games are stored in a run directory. To resume a race that was stopped or killed, repeat the command. The directory
    also contains the table (race.md, race.csv) and a plot (race.svg, race.png).
    """
    from sweepstakes.tournaments.cli._race import race as act  # while the fork server starts

    act(**options)
