"""From rows to standings: every table is a pure function of the games played.

The games are read some thousand boards at a time, and of each portion only a `Tally` is kept: eight bytes of each game,
and sums. The size of the portions changes no digit (see `moments`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.registry import Registry
from sweepstakes.score import Score
from sweepstakes.standings import HeadToHead, Interval, ScoreColumn, Standing, Standings, Table, Timing
from sweepstakes.tournaments.games import Games
from sweepstakes.tournaments.moments import Moments
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.rating import ratings
from sweepstakes.tournaments.statistics import head_to_head, ranks, wilson

Array = npt.NDArray[np.float64]

PORTION = 8192
"""Boards that are read at a time."""


class Block(NamedTuple):
    """The games on some boards of a condition that every agent has played."""

    numbers: npt.NDArray[np.int64]
    """The boards' numbers."""
    values: list[Array]
    """For each score, in the order of the plan, boards x agents."""
    seconds: Array
    """Boards x agents; NaN for games that were taken over."""
    faults: list[int]
    """Games broken off by each agent, on incomplete boards too."""
    fallbacks: list[int]
    """Turns of each agent that a weaker reasoning decided, on incomplete boards too."""

    @classmethod
    def read(cls, games: Games, condition: int, scores: Sequence[Score], boards: range) -> Block:
        """Those of these boards that every agent has played."""
        shape = (len(boards), len(games.plan.entries))
        values = [np.full(shape, np.nan) for _ in scores]
        seconds = np.full(shape, np.nan)
        faults, fallbacks = [], []
        for agent in range(shape[1]):
            numbers, spent, results = games.results(condition, agent, boards)
            faults.append(sum(result.ending.is_fault for result in results))
            fallbacks.append(sum(result.fallbacks for result in results))
            places = np.array(numbers, np.int64) - boards.start
            seconds[places, agent] = spent
            for column, score in zip(values, scores, strict=True):
                # `score` asks each game for its fault, which takes time; here is no agent that has one.
                column[places, agent] = [*map(score if faults[agent] else score.of, results)]
        complete = np.flatnonzero(~np.isnan(values[0]).any(axis=1))
        if len(complete) < len(boards):
            values = [column[complete] for column in values]
            seconds = seconds[complete]
        return cls(complete + boards.start, values, seconds, faults, fallbacks)

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """Several blocks, their boards one below the other."""
        return cls(
            np.concatenate([block.numbers for block in blocks]),
            [np.concatenate(columns) for columns in zip(*(block.values for block in blocks), strict=True)],
            np.concatenate([block.seconds for block in blocks]),
            [sum(counts) for counts in zip(*(block.faults for block in blocks), strict=True)],
            [sum(counts) for counts in zip(*(block.fallbacks for block in blocks), strict=True)],
        )


def read_blocks(games: Games, registry: Registry, condition: int) -> Iterator[Block]:
    """The games under a condition, a portion at a time."""
    plan = games.plan
    scores: list[Score] = [registry.make("score", name, {}) for name in plan.scores]
    for start in range(0, plan.config.games, PORTION):
        yield Block.read(games, condition, scores, range(start, min(start + PORTION, plan.config.games)))


class Tally(NamedTuple):
    """What a table needs of the games. Agents and scores are in the order of the plan."""

    ranking: list[Array]
    """The score that ranks, boards x agents, in portions: pairs and ratings look at single boards."""
    scores: list[list[Moments]]
    """For each score those of each agent."""
    seconds: list[Moments]
    """For each agent, of the games that were played here."""
    slowest: list[float]
    faults: list[int]
    fallbacks: list[int]

    @property
    def boards(self) -> int:
        """Boards that every agent has played."""
        return sum(map(len, self.ranking))

    @classmethod
    def of(cls, block: Block) -> Tally:
        """What is kept of a block."""
        known = [column[~np.isnan(column)] for column in block.seconds.T]
        return cls(
            [block.values[0]],
            [[Moments.of(column) for column in values.T] for values in block.values],
            [Moments.of(column) for column in known],
            [float(column.max(initial=0.0)) for column in known],
            block.faults,
            block.fallbacks,
        )

    @classmethod
    def joined(cls, tallies: Iterable[Tally]) -> Tally:
        """Several tallies together, their boards one below the other."""
        ranking, scores, seconds, slowest, faults, fallbacks = zip(*tallies, strict=True)
        return cls(
            [portion for portions in ranking for portion in portions],
            [
                [sum(parts, Moments()) for parts in zip(*by_tally, strict=True)]
                for by_tally in zip(*scores, strict=True)
            ],
            [sum(parts, Moments()) for parts in zip(*seconds, strict=True)],
            [max(parts) for parts in zip(*slowest, strict=True)],
            [sum(parts) for parts in zip(*faults, strict=True)],
            [sum(parts) for parts in zip(*fallbacks, strict=True)],
        )


def standings(games: Games, registry: Registry) -> Standings:
    """The standings of the games. Boards that an agent has not played yet are left out for all."""
    plan = games.plan
    return tabulate(
        plan,
        registry,
        {c.label: Tally.joined(map(Tally.of, read_blocks(games, registry, i))) for i, c in enumerate(plan.conditions)},
    )


def tabulate(plan: Plan, registry: Registry, tallies: Mapping[str, Tally]) -> Standings:
    """The standings from the tallies of the conditions, by label; those without a complete board are left out."""
    columns = tuple(
        ScoreColumn(name, score.more_is_better, score.proportion)
        for name in plan.scores
        for score in [registry.make("score", name, {})]
    )
    tallies = {label: tally for label, tally in tallies.items() if tally.boards}
    tables = [_table(label, tally, plan, columns) for label, tally in tallies.items()]
    if len(tables) > 1:
        tables.insert(0, _table("all conditions", Tally.joined(tallies.values()), plan, columns))
    return Standings(plan.config.name, columns, tuple(tables), footnote(plan))


def _table(label: str, tally: Tally, plan: Plan, columns: tuple[ScoreColumn, ...]) -> Table:
    agents = [entry.label for entry in plan.entries]
    sign = 1 if columns[0].more_is_better else -1
    oriented = np.concatenate(tally.ranking)
    oriented *= sign
    pairs = head_to_head(oriented)
    means = [sign * moments.mean for moments in tally.scores[0]]
    lines = [
        Standing(
            rank,
            agent,
            tally.boards,
            tuple(_interval(moments[i], c) for moments, c in zip(tally.scores, columns, strict=True)),
            rating,
            tally.faults[i],
            tally.fallbacks[i],
        )
        for i, (agent, rank, rating) in enumerate(zip(agents, ranks(means, pairs), ratings(oriented), strict=True))
    ]
    order = sorted(range(len(agents)), key=lambda i: (lines[i].rank, -means[i], agents[i]))
    return Table(
        label,
        tally.boards,
        tuple(lines[i] for i in order),
        tuple(
            HeadToHead(
                agents[p.first],
                agents[p.second],
                p.better,
                p.equal,
                p.worse,
                _turned(p.difference, sign),
                p.sign_holm,
                p.mean_holm,
            )
            for p in pairs
        ),
        tuple(
            Timing(agents[i], seconds.n, seconds.interval, tally.slowest[i])
            for i in order
            if (seconds := tally.seconds[i]).n  # none if all games were taken over
        ),
    )


def _interval(moments: Moments, column: ScoreColumn) -> Interval:
    return wilson(int(moments.total), moments.n) if column.proportion else moments.interval


def _turned(interval: Interval, sign: int) -> Interval:
    """The interval of the score itself, where less is better."""
    mean, low, high = interval
    return Interval(mean, low, high) if sign > 0 else Interval(-mean, -high, -low)


def footnote(plan: Plan) -> str:
    """Which boards, seed, rules and noise, in a few sentences."""
    config = plan.config
    rules = " or ".join(dict.fromkeys(str(spec.rules()) for spec in config.rules))
    noise = " or ".join(dict.fromkeys(c.noise.label for c in plan.conditions))
    text = (
        f"{config.games:,} boards for each condition, the same for every agent, from seed {config.seed}. "
        f"Rules: {rules}. Noise: {noise}. Intervals are 95 %; agents share a rank unless one is significantly "
        "better on the same boards (Holm over all pairs)."
    )
    if any(spec.first_click != "any" and spec.start is None for spec in config.rules):
        text += (
            " Where the first click is protected, agents that start in different cells play boards that differ in as "
            "few mines as that protection needs."
        )
    return text
