"""`html`: the leaderboard as one self-contained page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from sweepstakes import hookimpl
from sweepstakes.markup import content_policy, escape_html
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

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1c1e; --soft: #5a5a62; --rule: #c9c9d0; --page: #fff; --band: #f4f4f7; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #ececf1; --soft: #a9a9b4; --rule: #47474f; --page: #17171a; --band: #212126; }
}
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 1rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide:focus-visible, summary:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .4rem; }
th, td { padding: .3rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
thead th { border-bottom: 2px solid var(--soft); }
th.name { text-align: left; }
tbody th { font-weight: 600; }
tbody tr:nth-child(even) { background: var(--band); }
summary { cursor: pointer; padding: .3rem 0; }
footer { color: var(--soft); max-width: 45rem; margin-top: 2rem; }
"""


class Html(Report):
    """One self-contained, accessible page, which follows the reader's dark or light mode."""

    def text(self, standings: Standings) -> str:
        """Return all scores over all conditions, the ranking score by condition, head-to-head, and all tables."""
        return "\n".join(_page(standings)) + "\n"


def _page(standings: Standings) -> Iterator[str]:
    name = escape_html(standings.name)
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield content_policy(_STYLE)
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{name}: leaderboard</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{name}</h1>"
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
        caption = "Head to head: boards of a hundred on which the line's agent did better than the column's, ties half"
        yield from html_table(pairs_grid(first), caption)
    for table in others:
        yield f"<details>\n<summary>{escape_html(table.heading)}</summary>"
        yield from html_table(standings_grid(standings, table, None), f"{table.heading}, {table.boards:,} boards")
        yield "</details>"
    yield f"</main>\n<footer>\n<p>{escape_html(standings.footnote)}</p>"
    if standings.on_seed:
        yield f"<p>{escape_html(standings.on_seed)}</p>"
    yield "</footer>\n</body>\n</html>"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `html`."""
    return {"html": Html}
