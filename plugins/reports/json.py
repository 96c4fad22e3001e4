"""`json`: the whole leaderboard as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Interval, Standings


class Json(Report):
    """Everything that the other reports show but the timings, as one object."""

    suffix = ".json"

    def text(self, standings: Standings) -> str:
        """Tables with their standings and head-to-head comparisons; numbers with six digits."""
        names = [column.name for column in standings.scores]
        data = {
            "name": standings.name,
            "footnote": standings.footnote,
            "scores": [column._asdict() for column in standings.scores],
            "tables": [
                {
                    "condition": table.condition,
                    "boards": table.boards,
                    "standings": [
                        _plain(line._asdict()) | {"scores": _plain(dict(zip(names, line.scores, strict=True)))}
                        for line in table.standings
                    ],
                    "pairs": [_plain(pair._asdict()) for pair in table.pairs],
                }
                for table in standings.tables
            ],
        }
        return json.dumps(data, indent=1) + "\n"


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _plain(value._asdict())
        if isinstance(value, Interval)
        else round(value, 6) + 0.0
        if isinstance(value, float)
        else value
        for key, value in values.items()
    }


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `json`."""
    return {"json": Json}
