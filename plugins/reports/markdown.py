"""`markdown`: tables for people, readable as they are and as a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import fill

from sweepstakes import hookimpl
from sweepstakes.markup import escape_markdown as escape
from sweepstakes.report import Report
from sweepstakes.standings import Standings, Table
from sweepstakes.tables import (
    WIDTH,
    conditions_caption,
    conditions_grids,
    game_line,
    legend,
    markdown_table,
    pairs_grid,
    standings_grid,
)
from sweepstakes.untrusted.text import clean


class Markdown(Report):
    """The table over all conditions, then the ranking score under each; within 110 characters."""

    def text(self, standings: Standings) -> str:
        """Rank, agent, the ranking score with its interval, further scores, rating, faults; the footnote below."""
        condition = escape(standings.tables[0].heading)
        parts = [f"# {escape(standings.name)}"]
        if line := game_line(standings):
            parts.append(fill(escape(line), WIDTH))
        parts += [f"## {condition}", self.table(standings), self.legend(standings)]
        if len(standings.tables) > 1:
            parts += ["## By condition", self.conditions(standings)]
        if standings.faults:
            parts += ["## Faults", self.faults(standings)]
        below = [text for text in (standings.footnote, standings.on_seed) if text]
        return "\n\n".join([*parts, *map(paragraph, below)]) + "\n"

    def table(self, standings: Standings, table: Table | None = None) -> str:
        """One table: by default the first, over all conditions."""
        return markdown_table(standings_grid(escaped(standings), _escaped(table or standings.tables[0])))

    def legend(self, standings: Standings) -> str:
        """A list: what each column of the first table is, and how many boards would tell agents of one rank apart."""
        sentences = legend(standings, standings_grid(standings, standings.tables[0]))
        lines = (f"- {escape(text, 500)}" for text in sentences)
        return "\n".join(fill(line, WIDTH, subsequent_indent="  ", break_long_words=False) for line in lines)

    def conditions(self, standings: Standings) -> str:
        """The ranking score of each agent under each condition."""
        standings = escaped(standings)
        return "\n\n".join(
            [conditions_caption(standings) + ":", *(markdown_table(grid) for grid in conditions_grids(standings))]
        )

    def faults(self, standings: Standings) -> str:
        """For each agent and kind of fault: how many games it cost, the first message, the command that shows it."""
        return "\n\n".join(
            f"{escape(line.agent)}: {line.kind} in {line.games:,} game{'s' * (line.games != 1)}, the first being\n\n"
            f"    {clean(line.message, 300)}\n    {clean(standings.show_command(line.game), 1000)}"
            for line in standings.faults
        )

    def head_to_head(self, table: Table) -> str:
        """The share of boards on which the agent of the line did better than that of the column."""
        return markdown_table(pairs_grid(_escaped(table)))


def paragraph(text: str, width: int = WIDTH) -> str:
    """A text without markup as a paragraph. Long words stay whole: a line must not end in the backslash of a mark."""
    return fill(escape(text, 10_000), width, break_long_words=False)


def escaped(standings: Standings) -> Standings:
    """The standings with names of scores, agents and conditions that are no markup."""
    return standings._replace(
        scores=tuple(column._replace(name=escape(column.name)) for column in standings.scores),
        tables=tuple(map(_escaped, standings.tables)),
    )


def _escaped(table: Table) -> Table:
    """The table with names that are no markup: before it is laid out, since that makes them longer."""
    return table._replace(
        condition=escape(table.condition),
        title=escape(table.title),
        standings=tuple(line._replace(agent=escape(line.agent)) for line in table.standings),
        pairs=tuple(pair._replace(first=escape(pair.first), second=escape(pair.second)) for pair in table.pairs),
    )


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `markdown`."""
    return {"markdown": Markdown}
