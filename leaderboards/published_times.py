"""The times of a publication, read from their own files.

Its games contain no times, so that they are the same in every run."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

from sweepstakes.errors import RunError
from sweepstakes.standings import Interval, Standings, Timing, interval_columns
from sweepstakes.tournaments.storage.database import run_errors

TIMINGS = "timings.csv"
VERSIONS = "versions.json"
_SECONDS = (*interval_columns("seconds"), "median", "p90", "p99", "slowest")


def with_published_times(standings: Standings, directory: Path) -> Standings:
    """Return the standings with the times in the files of a publication; unchanged if it has no times."""
    path = directory / TIMINGS
    if not path.is_file():
        return standings
    agents = {line.agent for line in standings.tables[0].standings}
    times: dict[str, list[Timing]] = {}
    try:
        with run_errors(path):
            lines = csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))
        for line in lines:
            if line["agent"] in agents:
                mean, low, high, *others = (float(line[key]) for key in _SECONDS)
                timing = Timing(line["agent"], int(line["games"]), Interval(mean, low, high), *others)
                times.setdefault(line["condition"], []).append(timing)
    except (csv.Error, KeyError, TypeError, ValueError):
        raise RunError(f"{path}: not a table of times; publish the run again") from None
    tables = (table._replace(timings=tuple(times.get(table.condition, ()))) for table in standings.tables)
    return standings._replace(tables=tuple(tables))


def published_versions(directory: Path) -> Mapping[str, str]:
    """Return the versions with which the games of a publication were played; empty if they are not known."""
    path = directory / VERSIONS
    if not path.is_file():
        return {}
    try:
        with run_errors(path):
            return {str(name): str(version) for name, version in json.loads(path.read_text(encoding="utf-8")).items()}
    except (AttributeError, ValueError, RecursionError):
        raise RunError(f"{path}: not an object with versions; publish the run again") from None
