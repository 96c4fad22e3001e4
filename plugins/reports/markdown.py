"""`markdown`: tables for people, readable as they are and as a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import fill

from tabulate import tabulate

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Standings, Table
from sweepstakes.tables import (
    WIDTH,
    Grid,
    conditions_caption,
    conditions_grids,
    pairs_grid,
    standings_grid,
)
from sweepstakes.untrusted.text import clean

_SPECIAL = re.compile(r"[\\`*\[\]<|~$]|&(?=[A-Za-z#])|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""Characters that may be markup within a line; an underscore within a word is not."""


class Markdown(Report):
    """The table over all conditions, then the ranking score under each; within 110 characters."""

    def text(self, standings: Standings) -> str:
        """Rank, agent, the ranking score with its interval, further scores, rating, faults; the footnote below."""
        condition = escape(standings.tables[0].condition)
        parts = [f"# {escape(standings.name)}", f"## {condition}", self.table(standings)]
        if len(standings.tables) > 1:
            parts += ["## by condition", self.conditions(standings)]
        below = [text for text in (standings.footnote, standings.on_seed) if text]
        return "\n\n".join([*parts, *(fill(escape(text, 10_000), WIDTH) for text in below)]) + "\n"

    def table(self, standings: Standings, table: Table | None = None) -> str:
        """One table: by default the first, over all conditions."""
        return _markdown(standings_grid(standings, _escaped(table or standings.tables[0])))

    def conditions(self, standings: Standings) -> str:
        """The ranking score of each agent under each condition."""
        standings = standings._replace(tables=tuple(map(_escaped, standings.tables)))
        return "\n\n".join(
            [conditions_caption(standings) + ":", *(_markdown(grid) for grid in conditions_grids(standings))]
        )

    def head_to_head(self, table: Table) -> str:
        """The share of boards on which the agent of the line did better than that of the column."""
        return _markdown(pairs_grid(_escaped(table)))


def escape(text: str, longest: int = 1000) -> str:
    """The text as Markdown shows it, in one line: nothing in it is markup."""
    return _SPECIAL.sub(lambda found: f"\\{found.group()}", clean(text, longest))


def _escaped(table: Table) -> Table:
    """The table with names that are no markup: before it is laid out, since that makes them longer."""
    return table._replace(
        condition=escape(table.condition),
        standings=tuple(line._replace(agent=escape(line.agent)) for line in table.standings),
        pairs=tuple(pair._replace(first=escape(pair.first), second=escape(pair.second)) for pair in table.pairs),
    )


def _markdown(grid: Grid) -> str:
    rows = [grid.heads, *grid.lines]
    align = ["right", "left"][2 - grid.left :] + ["right"] * (len(grid.heads) - grid.left)
    text: str = tabulate(rows, tablefmt="pipe", colalign=align, disable_numparse=True)
    rule, heads, *lines = text.splitlines()  # heads given as such would be padded
    return "\n".join([heads, rule, *lines])


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `markdown`."""
    return {"markdown": Markdown}
