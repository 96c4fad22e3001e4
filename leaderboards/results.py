"""The results of a run, from which tables, plots and pages are made: its standings and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from sweepstakes.errors import RunError
from sweepstakes.standings import Standings
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.published_tally import kept_boards, read_tally
from sweepstakes.tournaments.statistics.standings import tabulate
from sweepstakes.tournaments.statistics.tally import Block, Tally, read_blocks
from sweepstakes.tournaments.storage.run_reader import RunReader


class Results(NamedTuple):
    """The results of a run."""

    run: RunReader
    standings: Standings
    blocks: Mapping[str, Block]
    """The games under each condition, by its label; of a publication that keeps only some games, these."""
    missing: int
    """Games of the plan that are still to be played."""
    tallies: Mapping[str, Tally]
    """The data from which the tables are computed, by the label of the condition."""
    keep: int | None = None
    """The number of first boards of each condition whose games are published line by line; None: all."""
    sums: bool = False
    """Whether the publication has sums in place of the other games."""

    @property
    def plan(self) -> Plan:
        """The plan of the run."""
        return self.run.plan

    def labelled(self) -> Results:
        """Return the same results with the labels of conditions in place of their titles."""
        tables = tuple(table._replace(title="") for table in self.standings.tables)
        return self._replace(standings=self.standings._replace(tables=tables))


def read_results(run: RunReader, condition: str | None = None) -> Results:
    """Read the results, of all conditions or of those whose label contains the text `condition`.

    Raises `RunError` if no board has been played by every agent, or if no label contains the text.
    """
    plan = run.plan
    missing = plan.games - run.finished()
    chosen = run.find_conditions(condition)
    read = {c: Block.joined(list(read_blocks(run, c))) for c in chosen}
    blocks = {plan.conditions[c].label: block for c, block in read.items() if len(block.numbers)}
    if not blocks:
        raise RunError(f"{run.directory}: no board has been played by every agent yet")
    published = read_tally(run)
    if published is None:
        tallies = {label: Tally.of(block) for label, block in blocks.items()}
        return Results(run, tabulate(run, tallies), blocks, missing, tallies, run.kept_boards)
    tallies = {plan.conditions[c].label: published.tallies[plan.conditions[c].label] for c in chosen}
    for label, block in blocks.items():
        if not np.array_equal(block.values[0], np.concatenate(tallies[label].ranking)[block.numbers]):
            raise RunError(f"{run.directory}: damaged: games.csv.gz and tally.json do not agree under {label}")
    return Results(run, tabulate(run, tallies), blocks, 0, tallies, kept_boards(plan, published.keep), sums=True)
