"""What tables, plots and pages are made of: the standings of a run, and the scores behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.standings import Standings
from sweepstakes.tournaments.opened import OpenedRun
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.standings import Block, Tally, read_blocks, tabulate


class Results(NamedTuple):
    """The results of a run."""

    plan: Plan
    standings: Standings
    blocks: Mapping[str, Block]
    """The scores under each condition, by its label: boards x agents, in the order of the plan."""
    missing: int
    """Games of the plan that are still to be played."""


def read_results(run: OpenedRun, condition: str | None = None) -> Results:
    """The results, all or those under the conditions that contain some words.

    `RunError` if there are none: no board has been played by every agent, or no condition has these words.
    """
    plan = run.plan
    missing = plan.games - run.games.finished()
    chosen = [i for i, c in enumerate(plan.conditions) if condition is None or condition.lower() in c.label.lower()]
    exact = [i for i in chosen if plan.conditions[i].label == condition]
    if not chosen:
        labels = "; ".join(c.label for c in plan.conditions)
        raise RunError(f"{run.directory}: no condition contains '{condition}' (there are: {labels})")
    blocks = {
        plan.conditions[i].label: Block.joined(list(read_blocks(run.games, run.registry, i))) for i in exact or chosen
    }
    tallies = {label: Tally.of(block) for label, block in blocks.items() if len(block.numbers)}
    if not tallies:
        raise RunError(f"{run.directory}: no board has been played by every agent yet")
    return Results(plan, tabulate(plan, run.registry, tallies), {label: blocks[label] for label in tallies}, missing)
