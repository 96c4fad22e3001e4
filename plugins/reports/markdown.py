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
    """The table over all conditions, then the ranking score under each; lines have at most 110 characters."""

    def text(self, standings: Standings) -> str:
        """Return rank, agent, the ranking score with its interval, further scores, rating, faults, and the footnote."""
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
        """Return one table: by default the first, over all conditions."""
        return markdown_table(standings_grid(escaped(standings), _escaped(table or standings.tables[0])))

    def legend(self, standings: Standings) -> str:
        """List the columns of the first table, and how many boards would distinguish agents of the same rank."""
        sentences = legend(standings, standings_grid(standings, standings.tables[0]))
        lines = (f"- {escape(text, 500)}" for text in sentences)
        return "\n".join(fill(line, WIDTH, subsequent_indent="  ", break_long_words=False) for line in lines)

    def conditions(self, standings: Standings) -> str:
        """Return the ranking score of each agent under each condition."""
        standings = escaped(standings)
        return "\n\n".join(
            [conditions_caption(standings) + ":", *(markdown_table(grid) for grid in conditions_grids(standings))]
        )

    def faults(self, standings: Standings) -> str:
        """List for each agent and kind of fault the number of games, the first message and the command to show it."""
        return "\n\n".join(
            f"{escape(line.agent)}: {line.kind} in {line.games:,} game{'s' * (line.games != 1)}, the first being\n\n"
            f"    {clean(line.message, 300)}\n    {clean(standings.show_command(line.game), 1000)}"
            for line in standings.faults
        )

    def head_to_head(self, table: Table) -> str:
        """Return the share of boards on which the line's agent did better than the column's agent."""
        return markdown_table(pairs_grid(_escaped(table)))


def paragraph(text: str, width: int = WIDTH) -> str:
    """Escape and wrap a text. Long words stay whole, since a line must not end in the backslash of an escape."""
    return fill(escape(text, 10_000), width, break_long_words=False)


def escaped(standings: Standings) -> Standings:
    """Return the standings with the names of scores, agents and conditions escaped."""
    return standings._replace(
        scores=tuple(column._replace(name=escape(column.name)) for column in standings.scores),
        tables=tuple(map(_escaped, standings.tables)),
    )


def _escaped(table: Table) -> Table:
    """Return the table with names escaped, which must precede the layout because it makes them longer."""
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
