"""`html`: the leaderboard as one self-contained page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sweepstakes import hookimpl
from sweepstakes.html_page import html_page
from sweepstakes.markup import escape_html
from sweepstakes.report import Report
from sweepstakes.standings import Standings
from sweepstakes.tables import (
    Grid,
    conditions_caption,
    conditions_grids,
    game_line,
    html_table,
    pairs_grid,
    standings_grid,
)


class Html(Report):
    """One self-contained, accessible page, which follows the reader's dark or light mode."""

    def text(self, standings: Standings) -> str:
        """Return all scores over all conditions, the ranking score by condition, head-to-head, and all tables."""
        return html_page(f"{standings.name}: leaderboard", _body(standings))


def _body(standings: Standings) -> Iterator[str]:
    yield f"<h1>{escape_html(standings.name)}</h1>"
    if line := game_line(standings):
        yield f"<p>{escape_html(line)}</p>"
    first, *others = standings.tables
    yield from html_table(standings_grid(standings, first, None), f"{first.heading}, {first.boards:,} boards")
    if others:
        caption = conditions_caption(standings)
        for grid in conditions_grids(standings, None):
            yield from html_table(grid, caption)
    if standings.faults:
        lines = [
            [line.agent, line.kind, f"{line.games:,}", line.message, standings.show_command(line.game)]
            for line in standings.faults
        ]
        heads = ["agent", "fault", "games", "the first", "the command that shows it"]
        yield from html_table(Grid(heads, lines, 1), "Games that agents lost by a fault")
    if len(first.standings) > 1:
        caption = (
            "Head to head: boards of a hundred on which the line's agent did better than the column's, ties count half"
        )
        yield from html_table(pairs_grid(first), caption)
    for table in others:
        yield f"<details>\n<summary>{escape_html(table.heading)}</summary>"
        yield from html_table(standings_grid(standings, table, None), f"{table.heading}, {table.boards:,} boards")
        yield "</details>"
    yield f"<footer>\n<p>{escape_html(standings.footnote)}</p>"
    if standings.on_seed:
        yield f"<p>{escape_html(standings.on_seed)}</p>"
    yield "</footer>"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `html`."""
    return {"html": Html}
