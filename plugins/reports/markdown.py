"""`markdown`: tables for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tabulate import tabulate

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Interval, ScoreColumn, Standing, Standings

_HEADS = {"safe-opened": "opened", "detonated": "set off"}
_WIDE = 5
"""How many scores fit into a table of 100 characters."""


class Markdown(Report):
    """One table for each condition, readable at 100 characters."""

    suffix = ".md"

    def text(self, standings: Standings) -> str:
        """Rank, agent, scores (the first with its interval), rating, faults; what was played below."""
        shown = standings.scores[:_WIDE]
        heads = [
            "rank",
            "agent",
            *(_HEADS.get(column.name, column.name) for column in shown),
            "rating",
            "faults",
        ]
        parts = [f"# {standings.name}"]
        for table in standings.tables:
            lines = [self._line(line, shown) for line in table.standings]
            align = ["right", "left", *["right"] * (len(heads) - 2)]
            parts.append(f"## {table.condition}")
            parts.append(tabulate(lines, heads, tablefmt="github", colalign=align, disable_numparse=True))
        parts.append(standings.footnote)
        return "\n\n".join(parts) + "\n"

    def _line(self, line: Standing, shown: tuple[ScoreColumn, ...]) -> list[str]:
        first, *others = (_number(interval, column) for interval, column in zip(line.scores, shown, strict=False))
        ranking = line.scores[0]
        spread = _width(ranking, shown[0])
        rating = f"{line.rating.mean:.0f}"
        return [str(line.rank), line.agent, f"{first} {spread}", *others, rating, str(line.faults)]


def _number(interval: Interval, column: ScoreColumn) -> str:
    if column.proportion:
        return f"{100 * interval.mean:.1f} %"
    return f"{interval.mean + 0.0:.3f}" if abs(interval.mean) < 10 else f"{interval.mean:.1f}"


def _width(interval: Interval, column: ScoreColumn) -> str:
    low, high = interval.low, interval.high
    if column.proportion:
        return f"({100 * low:.1f} to {100 * high:.1f})"
    return f"({low + 0.0:.3f} to {high + 0.0:.3f})"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `markdown`."""
    return {"markdown": Markdown}
