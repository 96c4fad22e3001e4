"""The published files of a leaderboard, read back as numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from sweepstakes.errors import RunError
from sweepstakes.standings import Interval
from sweepstakes.text import clean
from sweepstakes.tournaments.database import told

ALL = "all conditions"
_AGAIN = "publish the run again"
_ENDS = ("", "_low", "_high")
_Columns = Mapping[str, Callable[[str], object]]
_COLUMNS: dict[str, _Columns] = {
    "leaderboard.csv": {"condition": str, "agent": str, "rank": int, **{f"score{end}": float for end in _ENDS}},
    "head-to-head.csv": {"condition": str, "first": str, "second": str, **{f"difference{e}": float for e in _ENDS}},
    "timings.csv": {"condition": str, "agent": str, "seconds": float},
}
"""What is read of each file, and as what."""


class Published:
    """A directory that `publish` wrote; `RunError` for what is not in its files."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @property
    def is_there(self) -> bool:
        """Whether anything has been published here."""
        return (self.directory / "leaderboard.csv").is_file()

    @cached_property
    def conditions(self) -> list[str]:
        """The single conditions, in the order of the tournament."""
        labels = list(dict.fromkeys(line["condition"] for line in self._lines("leaderboard.csv")))
        return [label for label in labels if label != ALL] if len(labels) > 1 else labels

    @cached_property
    def agents(self) -> list[str]:
        """The agents, best first."""
        return list(dict.fromkeys(line["agent"] for line in self._lines("leaderboard.csv")))

    @property
    def whole(self) -> str:
        """The condition that stands for all of them."""
        return ALL if len(self.conditions) > 1 else self.conditions[0]

    def at(self, density: float) -> str:
        """The condition of that density; it must be the only one."""
        found = [label for label in self.conditions if self.density(label) == density]
        if len(found) != 1:
            raise RunError(f"{self.directory}: {len(found)} conditions have the density {density}")
        return found[0]

    @staticmethod
    def density(condition: str) -> float | None:
        """The density that a condition's name says."""
        _, at, density = condition.partition(",")[0].partition(" at ")
        return float(density) if at else None

    def score(self, agent: str, condition: str, name: str = "score") -> Interval:
        """The mean of a score with its interval; `score` is the one that ranks."""
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

    def _lines(self, name: str) -> list[dict[str, str]]:
        if name not in self._read:
            path = self.directory / name
            try:
                with told(path):
                    lines = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))
            except (csv.Error, ValueError) as error:
                raise RunError(f"{path}: not a table: {clean(str(error), 100)}; {_AGAIN}") from None
            for number, line in enumerate(lines, 2):
                self._check(path, line, _COLUMNS[name], f"line {number}: ")
            self._read[name] = lines
        return self._read[name]

    @staticmethod
    def _check(path: Path, line: dict[str, str], columns: _Columns, where: str = "") -> None:
        """`RunError` for a line that lacks a column, or has words where numbers are read."""
        for column, kind in columns.items():
            try:
                kind(line[column])
            except (KeyError, TypeError, ValueError):
                found = clean(str(line.get(column)), 40)
                raise RunError(f"{path}: {where}the column '{column}' has {found!r}; {_AGAIN}") from None

    @cached_property
    def _read(self) -> dict[str, list[dict[str, str]]]:
        return {}
