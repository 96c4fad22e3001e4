"""A leaderboard as a value: a pure function of the games played, and the input of reports."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """An estimate and the ends of its 95 % interval: finite, with low <= mean <= high; all NaN if it is unknown."""

    mean: float
    low: float
    high: float


class Standing(NamedTuple):
    """The line of one agent in a table."""

    rank: int
    """1 + the number of agents that are significantly better, so that ties share a rank."""
    agent: str
    games: int
    scores: tuple[Interval, ...]
    """One for each score of the tournament, in its order; the first decides the rank. NaN if missing in every game."""
    rating: Interval
    faults: int
    """Games that ended by a fault of the agent."""
    fallbacks: int
    """Turns decided by a weaker method because the agent's own would have taken too long."""
    missing: int = 0
    """Games whose second playing failed, so that their measured scores are missing."""


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
    """How long an agent took. It differs from run to run, and is reported apart from the results."""

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
    """As the tournament file writes it; mines / cells with six digits if the file writes a number of mines."""
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


class ScoreColumn(NamedTuple):
    """The score that a column holds."""

    name: str
    more_is_better: bool
    proportion: bool


class Standings(NamedTuple):
    """All tables of a tournament; with several conditions the first table is over all of them."""

    name: str
    scores: tuple[ScoreColumn, ...]
    tables: tuple[Table, ...]
    footnote: str
    """The boards, seed, rules and noise that were played."""
    on_seed: str = ""
    """The sentence on a seed that is or was secret, with its SHA-256; empty for any other seed."""
