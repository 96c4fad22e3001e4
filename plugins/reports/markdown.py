"""`markdown`: tables for people, readable as they are and as a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import fill

from tabulate import tabulate

from sweepstakes import hookimpl
from sweepstakes.plugins.reports._cells import (
    WIDTH,
    Grid,
    conditions_caption,
    conditions_grids,
    pairs_grid,
    standings_grid,
)
from sweepstakes.report import Report
from sweepstakes.standings import Standings, Table


class Markdown(Report):
    """The table over all conditions, then the ranking score under each; within 100 characters."""

    suffix = ".md"

    def text(self, standings: Standings) -> str:
        """Rank, agent, the ranking score with its interval, further scores, rating, faults; what was played below."""
        parts = [f"# {standings.name}", f"## {standings.tables[0].condition}", self.table(standings)]
        if len(standings.tables) > 1:
            parts += ["## by condition", self.conditions(standings)]
        return "\n\n".join([*parts, fill(standings.footnote, WIDTH)]) + "\n"

    def table(self, standings: Standings, table: Table | None = None) -> str:
        """One table: by default the first, over all conditions."""
        return _markdown(standings_grid(standings, table or standings.tables[0]))

    def conditions(self, standings: Standings) -> str:
        """The ranking score of each agent under each condition."""
        return "\n\n".join(
            [conditions_caption(standings) + ":", *(_markdown(grid) for grid in conditions_grids(standings))]
        )

    def head_to_head(self, table: Table) -> str:
        """The share of boards on which the agent of the line did better than that of the column."""
        return _markdown(pairs_grid(table))


def _markdown(grid: Grid) -> str:
    rows = [[cell.replace("|", "\\|") for cell in line] for line in (grid.heads, *grid.lines)]
    align = ["right", "left"][2 - grid.left :] + ["right"] * (len(grid.heads) - grid.left)
    text: str = tabulate(rows, tablefmt="pipe", colalign=align, disable_numparse=True)
    rule, heads, *lines = text.splitlines()  # heads given as such would be padded
    return "\n".join([heads, rule, *lines])


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `markdown`."""
    return {"markdown": Markdown}
