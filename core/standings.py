"""A leaderboard as a value. It is a pure function of the games played, and the input of reports."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes import wiring
from sweepstakes.markup import escape_html
from sweepstakes.score import SHARE
from sweepstakes.tables import conditions_caption, conditions_grids, html_table, markdown_table, standings_grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Interval(NamedTuple):
    """An estimate and the ends of its 95 % interval: finite with low <= mean <= high, or all NaN if unknown."""

    mean: float
    low: float
    high: float

    def within(self, low: float, high: float) -> Interval:
        """Return the interval cut at `low` and `high`. The mean stays the same."""
        return Interval(self.mean, min(max(self.low, low), self.mean), max(min(self.high, high), self.mean))


class Standing(NamedTuple):
    """The line of one agent in a table."""

    rank: int
    """1 + the number of agents that are significantly better, so that ties share a rank."""
    agent: str
    games: int
    scores: tuple[Interval, ...]
    """The scores in the order of the tournament. The first decides the rank. NaN for a score missing in every game."""
    rating: Interval
    faults: int
    """Games that ended by a fault of the agent."""
    fallbacks: int
    """Turns decided by a weaker method because the agent's own would have taken too long."""
    missing: int = 0
    """Games whose second playing failed, so that their measured scores are missing."""


COUNT_COLUMNS = Standing._fields[Standing._fields.index("rating") + 1 :]
"""The columns that count something in all games of an agent. Reports omit a column with a default if it is 0."""


class HeadToHead(NamedTuple):
    """Two agents on identical boards, compared by the ranking score from the point of view of the first."""

    first: str
    second: str
    better: int
    equal: int
    worse: int
    difference: Interval
    p_sign: float
    """p-value of the exact sign test, with Holm's correction over all pairs of the table."""
    p_mean: float
    """p-value of the test of the mean difference, which decides the ranks, with the same correction."""


class Timing(NamedTuple):
    """The time that an agent took. It differs from run to run and is reported apart from the results."""

    agent: str
    games: int
    seconds: Interval
    """Mean processor time of the agent per game."""
    median: float
    p90: float
    """90 % of the games took no longer."""
    p99: float
    slowest: float


class ConditionFields(NamedTuple):
    """The parts of a condition as columns, so that programs need not parse its label."""

    rows: int
    cols: int
    mines: int
    density: float
    """The density in the tournament file, or mines / cells with six digits if the file has a number of mines."""
    rules: str
    noise: str
    source: str


class Table(NamedTuple):
    """The standings under one condition, or over all of them."""

    condition: str
    boards: int
    standings: tuple[Standing, ...]
    """By rank, then by mean score."""
    pairs: tuple[HeadToHead, ...]
    timings: tuple[Timing, ...]
    fields: ConditionFields | None = None
    """The parts of the condition; None in the table over all conditions."""
    title: str = ""
    """The condition in words, as in "Expert, safe first click"; empty if only its label is known."""

    @property
    def heading(self) -> str:
        """The condition as a heading for people."""
        return self.title or self.condition


class FaultLine(NamedTuple):
    """The games that an agent lost to one kind of fault."""

    agent: str
    kind: str
    """The ending of the games, as in "time-out"."""
    games: int
    message: str
    """The fault of the first of these games."""
    game: str
    """The first of these games, as `replay` names it: AGENT/CONDITION/NUMBER."""


class ScoreColumn(NamedTuple):
    """A column of scores, with the attributes of a `Score` that tables, pages and the browser show."""

    name: str
    more_is_better: bool
    proportion: bool
    about: str = ""
    """A sentence that describes the score."""
    title: str = ""
    """The name for people; "" if it is the same as `name`."""
    unit: str = ""
    """The unit of its numbers, such as "turns"; may be ""."""
    place: int = 9
    """The order of the column in a table, lowest first. A negative place puts it before the rating."""
    adjusts: str = ""
    """The name of the score with the same mean and a wider interval, if any."""

    @property
    def head(self) -> str:
        """The head of its column in a table."""
        return f"{self.name} %" if self.percent else self.name

    @property
    def axis(self) -> str:
        """The label of an axis of a plot."""
        name = self.title or self.name
        unit = "%" if self.percent else self.unit
        return f"{name} ({unit})" if unit and unit.lower() not in name.lower() else name

    @property
    def percent(self) -> bool:
        """Whether people read it in percent: every rate and every share, so that a table never has both forms."""
        return self.proportion or self.unit.startswith(SHARE)

    @property
    def scale(self) -> int:
        """The factor between the score and the number that people read."""
        return 100 if self.percent else 1

    @property
    def sentence(self) -> str:
        """What the score is and which direction is better, without a capital and a full stop."""
        words = self.about.rstrip(".")
        return f"{words[:1].lower()}{words[1:]}{'' if self.more_is_better else '; less is better'}"


class Standings(NamedTuple):
    """All tables of a tournament. If there are several conditions, the first table covers all of them."""

    name: str
    scores: tuple[ScoreColumn, ...]
    tables: tuple[Table, ...]
    footnote: str
    """The boards, seed, rules and noise that were played."""
    on_seed: str = ""
    """A sentence with the SHA-256 of a seed that is or was secret; "" for any other seed."""
    faults: tuple[FaultLine, ...] = ()
    """The faults by agent, in the order of the first table, and by kind."""
    place: str = ""
    """The directory of the games, for commands; runs/<name> if it is empty."""
    game: str = ""
    """The rules in words, as in "safe first click, first mine ends the game"."""

    @property
    def shown_counts(self) -> list[str]:
        """Those of `COUNT_COLUMNS` that reports have."""
        lines = [line for table in self.tables for line in table.standings]
        optional = Standing._field_defaults
        return [name for name in COUNT_COLUMNS if name not in optional or any(getattr(line, name) for line in lines)]

    def show_command(self, game: str) -> str:
        """Return the command that shows `game`, which is named as in `FaultLine.game`."""
        return shlex.join(["sweepstakes", "replay", self.place or f"runs/{self.name}", game])

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Return the lines of all tables, one array for each column: `pandas.DataFrame(standings.columns())`.

        The columns are those of `leaderboard.csv`, with all digits. In the table over all conditions, the fields of the
        condition are NaN or empty texts.
        """
        names = [column.name for column in self.scores]
        heads = ["rank", "agent", "games", *interval_columns(*names, "rating"), *COUNT_COLUMNS]
        rows = [
            [
                *_condition(table),
                *(line.rank, line.agent, line.games),
                *(number for interval in (*line.scores, line.rating) for number in interval),
                *(getattr(line, name) for name in COUNT_COLUMNS),
            ]
            for table in self.tables
            for line in table.standings
        ]
        return _columns(heads, rows)

    def pairs(self) -> dict[str, npt.NDArray[Any]]:
        """Return every pair of agents under every condition, one array for each column, as in `head-to-head.csv`."""
        heads = ["first", "second", "better", "equal", "worse", *interval_columns("difference"), "p_sign", "p_mean"]
        rows = [
            [*_condition(table), *pair[:5], *pair.difference, pair.p_sign, pair.p_mean]
            for table in self.tables
            for pair in table.pairs
        ]
        return _columns(heads, rows)

    def plot(self, name: str = "ranking") -> Figure:
        """Return a figure of matplotlib: `ranking`, `head-to-head` or, with several conditions, `by-condition`."""
        return wiring.figure(self, name)

    def __repr__(self) -> str:
        if not self.tables:
            return f"<Standings of {self.name}: no board has been played by every agent>"
        first, *conditions = self.tables
        leader = first.standings[0]
        games = f"{len(first.standings)} agents, {max(len(conditions), 1)} conditions, {first.boards:,} boards"
        return f"<Standings of {self.name}: {games}; {leader.agent} leads with {leader.scores[0].mean:.3f}>"

    def __str__(self) -> str:
        return markdown_table(standings_grid(self, self.tables[0])) if self.tables else repr(self)

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks: the table over all conditions, and the ranking score under each condition."""
        if not self.tables:
            return escape_html(repr(self))
        first, *conditions = self.tables
        caption = f"{self.name}: {first.heading}, {first.boards:,} boards"
        lines = [*html_table(standings_grid(self, first, None), caption)]
        for grid in conditions_grids(self, None) if conditions else ():
            lines += html_table(grid, conditions_caption(self))
        return "\n".join([*lines, f"<p>{escape_html(self.footnote)}</p>"])


def _condition(table: Table) -> list[Any]:
    """Return the label and the fields of the table's condition. The table over all conditions has no fields."""
    kinds = ConditionFields.__annotations__.values()
    return [table.condition, *(table.fields or ("" if kind == "str" else np.nan for kind in kinds))]


def interval_columns(*names: str) -> list[str]:
    """Return the names of the columns of estimates: the mean and both ends of its interval."""
    return [text for name in names for text in (name, f"{name}_low", f"{name}_high")]


def _columns(heads: Sequence[str], rows: Sequence[Iterable[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return the rows, which begin with a condition, as one array for each column. Texts stay Python strings."""
    names = ["condition", *ConditionFields._fields, *heads]
    columns = zip(*rows, strict=True) if rows else [()] * len(names)
    return {
        name: np.array(column, np.object_ if column and isinstance(column[0], str) else None)
        for name, column in zip(names, columns, strict=True)
    }
