"""Reads the numbers of a published leaderboard: tables and times from its csv files, single games from games.csv.gz."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import RunError
from sweepstakes.game.result import COLUMNS, GameResult
from sweepstakes.score import Score
from sweepstakes.standings import ConditionFields, Interval
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.stored_run import open_run
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
    "timings.csv": {"condition": str, "agent": str, **{f"seconds{end}": float for end in _ENDS}},
}
"""The columns that are read from each file, and their types."""


class Published:
    """A directory that `publish` wrote; its methods raise `RunError` for a number that the files lack."""

    def __init__(self, directory: Path, others: dict[str, Published] | None = None) -> None:
        self.directory = directory
        self._others: dict[str, Published] = {} if others is None else others

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
        """The only condition with this density. Raise `RunError` unless there is exactly one."""
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

    def seconds(self, agent: str, condition: str) -> Interval:
        """The agent's processor time per game."""
        for line in self._lines("timings.csv"):
            if (line["condition"], line["agent"]) == (condition, agent):
                return Interval(*(float(line[f"seconds{end}"]) for end in _ENDS))
        raise RunError(f"{self.directory}: no time of '{agent}' under '{condition}'")

    def beside(self, name: str) -> Published:
        """Another publication in the same folder."""
        return self._others.setdefault(name, Published(self.directory.parent / name, self._others))

    def values(self, agent: str, condition: str, name: str = "") -> npt.NDArray[np.float64]:
        """A score of the agent's single games, board by board; without a name, the ranking score.

        A name that is no score of the tournament is a column of the results, as `wrong_flags`.
        """
        name = name or self.ranking_score
        if (agent, condition, name) not in self._values:
            games = self._games.get((agent, condition))
            if games is None:
                raise RunError(f"{self.directory}: no games of '{agent}' under '{condition}'")
            found = self._scored(name, games)
            if np.isnan(found).any():
                raise RunError(f"{self.directory}: '{name}' of '{agent}' is missing in some games; {_ADVICE}")
            self._values[agent, condition, name] = found
        return self._values[agent, condition, name]

    def _scored(self, name: str, games: list[GameResult]) -> npt.NDArray[np.float64]:
        if name in COLUMNS:
            return np.array([getattr(game, name) for game in games], np.float64)
        if name not in self._scores:
            raise RunError(f"{self.directory}: no score '{name}'")
        return np.array([self._scores[name](game) for game in games])

    @cached_property
    def _read_games(self) -> tuple[dict[tuple[str, str], list[GameResult]], dict[str, Score]]:
        """The games of each agent under each condition, by the number of the board, and the scores by name."""
        games = {}
        with open_run(self.directory) as run:
            scores = {name: run.make("score", name) for name in run.plan.scores}
            for i, condition in enumerate(run.plan.conditions):
                for k, entry in enumerate(run.plan.entries):
                    games[entry.label, condition.label] = run.results(i, k)[2]
        return games, scores

    @property
    def _games(self) -> dict[tuple[str, str], list[GameResult]]:
        return self._read_games[0]

    @property
    def _scores(self) -> dict[str, Score]:
        return self._read_games[1]

    @cached_property
    def _values(self) -> dict[tuple[str, str, str], npt.NDArray[np.float64]]:
        return {}

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
