"""A report: `podium` names the best three. Hook: `sweepstakes_reports`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Standings


class Podium(Report):
    """The best three of every table, in a line."""

    def text(self, standings: Standings) -> str:
        """One line for each table."""
        lines = [
            f"{table.condition}: " + ", ".join(f"{line.rank}. {line.agent}" for line in table.standings[:3])
            for table in standings.tables
        ]
        return "\n".join(lines) + "\n"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `podium`."""
    return {"podium": Podium}
