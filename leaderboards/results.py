"""The results of a run, from which tables, plots and pages are made: its standings and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.standings import Standings
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.standings import Block, Tally, read_blocks, tabulate
from sweepstakes.tournaments.storage.stored_run import StoredRun


class Results(NamedTuple):
    """The results of a run."""

    run: StoredRun
    standings: Standings
    blocks: Mapping[str, Block]
    """The games under each condition, by its label."""
    missing: int
    """Games of the plan that are still to be played."""

    @property
    def plan(self) -> Plan:
        """The plan of the run."""
        return self.run.plan


def read_results(run: StoredRun, condition: str | None = None) -> Results:
    """Read the results, of all conditions or of those whose label contains the text `condition`.

    `RunError` if there are none: no board has been played by every agent, or no label contains the text.
    """
    plan = run.plan
    missing = plan.games - run.finished()
    read = {c: Block.joined(list(read_blocks(run, c))) for c in run.find_conditions(condition)}
    blocks = {plan.conditions[c].label: block for c, block in read.items() if len(block.numbers)}
    if not blocks:
        raise RunError(f"{run.directory}: no board has been played by every agent yet")
    tallies = {label: Tally.of(block) for label, block in blocks.items()}
    return Results(run, tabulate(run, tallies), blocks, missing)
