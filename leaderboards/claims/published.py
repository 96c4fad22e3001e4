"""Reads the numbers of a published leaderboard from its csv files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from sweepstakes.errors import RunError
from sweepstakes.standings import ConditionFields, Interval
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.text import clean

_ADVICE = "publish the run again"
_ENDS = ("", "_low", "_high")
_Columns = Mapping[str, Callable[[str], object]]
_FIELDS: _Columns = {
    "rows": int,
    "cols": int,
    "mines": int,
    "density": float,
    "rules": str,
    "noise": str,
    "source": str,
}
"""The columns of a condition; empty in the table over all conditions."""
_COLUMNS: dict[str, _Columns] = {
    "leaderboard.csv": {
        "condition": str,
        **dict.fromkeys(_FIELDS, str),
        "agent": str,
        "rank": int,
        "games": int,
    },
    "head-to-head.csv": {"condition": str, "first": str, "second": str, **{f"difference{e}": float for e in _ENDS}},
    "timings.csv": {"condition": str, "agent": str, "seconds": float},
}
"""The columns that are read from each file, and their types."""


class Published:
    """A directory that `publish` wrote; its methods raise `RunError` for a number that the files lack."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @property
    def exists(self) -> bool:
        """Whether anything has been published here."""
        return (self.directory / "leaderboard.csv").is_file()

    @cached_property
    def conditions(self) -> dict[str, ConditionFields]:
        """The single conditions by their labels, in the order of the tournament."""
        found = {label: fields for label, fields in self._tables.items() if fields is not None}
        if not found:
            raise RunError(f"{self.directory / 'leaderboard.csv'}: no conditions; {_ADVICE}")
        return found

    @cached_property
    def agents(self) -> list[str]:
        """The agents, best first."""
        return list(dict.fromkeys(line["agent"] for line in self._lines("leaderboard.csv")))

    @property
    def overall(self) -> str:
        """The label of the table over all conditions, or of the only condition."""
        return next((label for label, fields in self._tables.items() if fields is None), next(iter(self.conditions)))

    def at(self, density: float) -> str:
        """The only condition with this density; `RunError` unless there is exactly one."""
        found = [label for label, fields in self.conditions.items() if fields.density == density]
        if len(found) != 1:
            raise RunError(f"{self.directory}: {len(found)} conditions have the density {density}")
        return found[0]

    @cached_property
    def ranking_score(self) -> str:
        """The name of the ranking score: the column after `games`."""
        columns = list(next(iter(self._lines("leaderboard.csv")), {}))
        place = columns.index("games") + 1 if "games" in columns else 0
        if not 0 < place < len(columns):
            raise RunError(f"{self.directory / 'leaderboard.csv'}: no scores; {_ADVICE}")
        return columns[place]

    def score(self, agent: str, condition: str, name: str = "") -> Interval:
        """The mean of a score with its interval; without a name, of the ranking score."""
        name = name or self.ranking_score
        for line in self._lines("leaderboard.csv"):
            if (line["condition"], line["agent"]) == (condition, agent) and line.get(name):
                self._check(self.directory / "leaderboard.csv", line, {name + end: float for end in _ENDS})
                return Interval(*(float(line[name + end]) for end in _ENDS))
        raise RunError(f"{self.directory}: no {name} of '{agent}' under '{condition}'")

    def rank(self, agent: str, condition: str) -> int:
        """The agent's rank."""
        for line in self._lines("leaderboard.csv"):
            if (line["condition"], line["agent"]) == (condition, agent):
                return int(line["rank"])
        raise RunError(f"{self.directory}: no rank of '{agent}' under '{condition}'")

    def difference(self, first: str, second: str, condition: str) -> Interval:
        """The mean difference on the same boards, first less second, with its interval."""
        for line in self._lines("head-to-head.csv"):
            if line["condition"] == condition and {line["first"], line["second"]} == {first, second}:
                mean, low, high = (float(line[f"difference{end}"]) for end in ("", "_low", "_high"))
                return Interval(mean, low, high) if line["first"] == first else Interval(-mean, -high, -low)
        raise RunError(f"{self.directory}: '{first}' and '{second}' have not met under '{condition}'")

    def seconds(self, agent: str, condition: str) -> float:
        """The agent's processor time per game."""
        for line in self._lines("timings.csv"):
            if (line["condition"], line["agent"]) == (condition, agent):
                return float(line["seconds"])
        raise RunError(f"{self.directory}: no time of '{agent}' under '{condition}'")

    @cached_property
    def _tables(self) -> dict[str, ConditionFields | None]:
        """The tables by the labels of their conditions; None is the one over all conditions."""
        lines: dict[str, dict[str, str]] = {}
        for line in self._lines("leaderboard.csv"):
            lines.setdefault(line["condition"], line)
        return {label: self._fields(line) for label, line in lines.items()}

    def _fields(self, line: dict[str, str]) -> ConditionFields | None:
        if not any(line[name] for name in _FIELDS):
            return None
        self._check(self.directory / "leaderboard.csv", line, _FIELDS, f"condition '{clean(line['condition'], 60)}': ")
        size = int(line["rows"]), int(line["cols"]), int(line["mines"])
        return ConditionFields(*size, float(line["density"]), line["rules"], line["noise"], line["source"])

    def _lines(self, name: str) -> list[dict[str, str]]:
        if name not in self._read:
            path = self.directory / name
            try:
                with run_errors(path):
                    lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
            except (csv.Error, ValueError) as error:
                raise RunError(f"{path}: not a table: {clean(str(error), 100)}; {_ADVICE}") from None
            for number, line in enumerate(lines, 2):
                self._check(path, line, _COLUMNS[name], f"line {number}: ")
            self._read[name] = lines
        return self._read[name]

    @staticmethod
    def _check(path: Path, line: dict[str, str], columns: _Columns, where: str = "") -> None:
        """Raise `RunError` for a line that lacks a column, or has a text in a column of numbers."""
        for column, kind in columns.items():
            try:
                kind(line[column])
            except (KeyError, TypeError, ValueError):
                found = clean(str(line.get(column)), 40)
                raise RunError(f"{path}: {where}the column '{column}' has {found!r}; {_ADVICE}") from None

    @cached_property
    def _read(self) -> dict[str, list[dict[str, str]]]:
        return {}
