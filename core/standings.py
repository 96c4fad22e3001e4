"""A leaderboard as a value: a pure function of the games played, and all that reports are made of."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """An estimate and the ends of its 95 % interval: finite, with low <= mean <= high; NaN where nothing is known."""

    mean: float
    low: float
    high: float


class Standing(NamedTuple):
    """One agent's line in a table."""

    rank: int
    """1 + the number of agents that are significantly better, so that ties share a rank."""
    agent: str
    games: int
    scores: tuple[Interval, ...]
    """One for each score of the tournament, in its order; the first one ranks. NaN where all of it is missing."""
    rating: Interval
    faults: int
    """Games that the agent broke off."""
    fallbacks: int
    """Turns decided by a weaker reasoning because the agent's own was too hard."""
    missing: int = 0
    """Games whose second playing came to nothing, so that what is measured by it is missing."""


class HeadToHead(NamedTuple):
    """Two agents on identical boards, by the ranking score, from the first one's point of view."""

    first: str
    second: str
    better: int
    equal: int
    worse: int
    difference: Interval
    p_sign: float
    """The exact sign test, corrected by Holm over all pairs of the table."""
    p_mean: float
    """The test of the mean difference that ranks are made of, corrected likewise."""


class Timing(NamedTuple):
    """How long an agent took: reported apart, since it differs from run to run."""

    agent: str
    games: int
    seconds: Interval
    """The agent's own processor time per game, on average."""
    median: float
    p90: float
    """Nine of ten games took no longer."""
    p99: float
    slowest: float


class ConditionFields(NamedTuple):
    """What a condition is made of: columns for programs, which so need not take its label apart."""

    rows: int
    cols: int
    mines: int
    density: float
    """As it is written in the tournament; where the number of mines is written, mines / cells with six digits."""
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
    """What the condition is made of; None over all conditions."""


class ScoreColumn(NamedTuple):
    """What a score column holds."""

    name: str
    more_is_better: bool
    proportion: bool


class Standings(NamedTuple):
    """All tables of a tournament; with several conditions the first table is over all of them."""

    name: str
    scores: tuple[ScoreColumn, ...]
    tables: tuple[Table, ...]
    footnote: str
    """Which boards, seed, rules and noise."""
