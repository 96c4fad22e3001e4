"""`my-thing`: the standings as plain text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Standings


class MyThing(Report):
    """Prints one line per agent: its rank, name and score."""

    def text(self, standings: Standings) -> str:
        """Return the text of the report. The same standings must give the same text."""
        lines = [standings.name]
        for table in standings.tables:
            lines.append(f"{table.condition}, {table.boards} boards")
            lines += [f"{line.rank:>3} {line.agent:<24} {line.scores[0].mean:.3f}" for line in table.standings]
        return "\n".join(lines) + "\n"


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Register `my-thing`."""
    return {"my-thing": MyThing}
