"""`json`: the whole leaderboard as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isnan
from typing import Any

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import COUNT_COLUMNS, ConditionFields, Interval, Standings

_SCORE_KEYS = ("name", "more_is_better", "proportion")


class Json(Report):
    """Everything that the other reports show except the timings, as one object."""

    def text(self, standings: Standings) -> str:
        """Return tables with standings and head-to-head comparisons; numbers have six digits, or null if not known.

        As well as its condition, a table has rows, cols, mines, density, rules, noise and source; they are null over
        all conditions. Standings have the key `missing` if measured scores are missing in some games. The object has
        `on_seed` if the seed is or was secret, and `faults` if there were any.
        """
        names = [column.name for column in standings.scores]
        left_out = set(COUNT_COLUMNS) - set(standings.shown_counts)
        data = {
            "name": standings.name,
            "footnote": standings.footnote,
            **({"on_seed": standings.on_seed} if standings.on_seed else {}),
            "scores": [dict(zip(_SCORE_KEYS, column, strict=False)) for column in standings.scores],
            **({"faults": [line._asdict() for line in standings.faults]} if standings.faults else {}),
            "tables": [
                {
                    "condition": table.condition,
                    **(table.fields._asdict() if table.fields else dict.fromkeys(ConditionFields._fields)),
                    "boards": table.boards,
                    "standings": [
                        {key: value for key, value in _plain(line._asdict()).items() if key not in left_out}
                        | {"scores": _plain(dict(zip(names, line.scores, strict=True)))}
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
        else (None if isnan(value) else round(value, 6) + 0.0)
        if isinstance(value, float)
        else value
        for key, value in values.items()
    }


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `json`."""
    return {"json": Json}
