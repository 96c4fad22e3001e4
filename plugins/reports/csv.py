"""`csv`: every number of every table, for programs.

Every line begins with the condition's label and its fields: rows, cols, mines, density, rules, noise, source. The
fields are empty in lines for all conditions together.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from math import isnan

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import ConditionFields, Standings, Table, interval_columns

_CONDITION = ["condition", *ConditionFields._fields]
"""The first columns of every file."""


class Csv(Report):
    """One line for each condition and agent, with six digits."""

    def text(self, standings: Standings) -> str:
        """Return the columns condition, rank, agent, games, the scores with their intervals, rating and faults.

        The columns of scores have the scores' names; the first score decides the rank. If measured scores are missing
        in some games, the last column counts these games.
        """
        names = [column.name for column in standings.scores]
        counts = standings.shown_counts
        head = [*_CONDITION, "rank", "agent", "games", *interval_columns(*names, "rating"), *counts]
        rows = [
            [*_condition(table), line.rank, line.agent, line.games]
            + [number for score in line.scores for number in _digits(score)]
            + [*_digits(line.rating), *(getattr(line, count) for count in counts)]
            for table in standings.tables
            for line in table.standings
        ]
        return _lines([head, *rows])


class HeadToHeadCsv(Report):
    """One line for each pair of agents on identical boards."""

    def text(self, standings: Standings) -> str:
        """Return the columns condition, first, second, better, equal, worse, difference, its interval and p-values."""
        head = [*_CONDITION, "first", "second", "better", "equal", "worse"]
        head += [*interval_columns("difference"), "p_sign", "p_mean"]
        rows = [
            [*_condition(table), pair.first, pair.second, pair.better, pair.equal, pair.worse]
            + [*_digits(pair.difference), f"{pair.p_sign:.6f}", f"{pair.p_mean:.6f}"]
            for table in standings.tables
            for pair in table.pairs
        ]
        return _lines([head, *rows])


class TimingsCsv(Report):
    """One line for each condition and agent: the agent's own processor time per game."""

    def text(self, standings: Standings) -> str:
        """Return the columns condition, agent, games, mean seconds per game, their interval, quantiles and slowest."""
        head = [*_CONDITION, "agent", "games", *interval_columns("seconds"), "median", "p90", "p99", "slowest"]
        rows = [
            [*_condition(table), timing.agent, timing.games, *_digits((*timing.seconds, *timing[3:]))]
            for table in standings.tables
            for timing in table.timings
        ]
        return _lines([head, *rows])


def _condition(table: Table) -> list[object]:
    """Return the label and the fields of the table's condition; the fields are empty over all conditions."""
    return [table.condition, *(table.fields or [""] * len(ConditionFields._fields))]


def _digits(numbers: Iterable[float]) -> list[str]:
    return ["" if isnan(number) else f"{number + 0.0:.6f}" for number in numbers]


def _lines(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer the leaderboard, the head-to-head comparison and the timings as csv."""
    return {"csv": Csv, "head-to-head": HeadToHeadCsv, "timings": TimingsCsv}
