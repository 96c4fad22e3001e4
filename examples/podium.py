"""A report, `podium`, that lists the top three. Hook: `sweepstakes_reports`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Standings


class Podium(Report):
    """Lists the top three of every table, one line per table."""

    def text(self, standings: Standings) -> str:
        """Return the text of the report."""
        lines = [
            f"{table.condition}: " + ", ".join(f"{line.rank}. {line.agent}" for line in table.standings[:3])
            for table in standings.tables
        ]
        return "\n".join(lines) + "\n"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Register `podium`."""
    return {"podium": Podium}
