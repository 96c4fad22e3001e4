"""From rows to standings: every table is a pure function of the games played."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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


class Block:
    """The scores of complete boards: `values[score]` is boards x agents, as are the seconds."""

    def __init__(self, values: list[Array], seconds: Array, faults: list[int], fallbacks: list[int]) -> None:
        self.values = values
        self.seconds = seconds
        self.faults = faults
        self.fallbacks = fallbacks

    @property
    def boards(self) -> int:
        """Boards that every agent has played."""
        return len(self.seconds)

    @classmethod
    def read(cls, games: Games, condition: int, scores: list[Score]) -> Block:
        """The boards of a condition that every agent has played."""
        agents = len(games.plan.entries)
        found: list[list[float]] = []
        places: list[int] = []
        seconds = np.full((games.plan.config.games, agents), np.nan)
        faults, fallbacks = [0] * agents, [0] * agents
        for agent, number, result, spent in games.results(condition):
            fault = result.ending.is_fault  # asked once: this loop runs over every game that there is
            found.append([score.worst(result) if fault else score.of(result) for score in scores])
            places.append(number * agents + agent)
            if spent is not None:
                seconds[number, agent] = spent
            faults[agent] += fault
            fallbacks[agent] += result.fallbacks
        values = [np.full(seconds.shape, np.nan) for _ in scores]
        for column, numbers in zip(values, zip(*found, strict=True), strict=bool(found)):
            column.reshape(-1)[places] = numbers
        complete = ~np.isnan(values[0]).any(axis=1)
        if not complete.all():
            values = [column[complete] for column in values]
            seconds = seconds[complete]
        return cls(values, seconds, faults, fallbacks)

    @classmethod
    def together(cls, blocks: list[Block]) -> Block:
        """Several conditions, their boards one below the other."""
        return cls(
            [np.concatenate(columns) for columns in zip(*(block.values for block in blocks), strict=True)],
            np.concatenate([block.seconds for block in blocks]),
            [sum(counts) for counts in zip(*(block.faults for block in blocks), strict=True)],
            [sum(counts) for counts in zip(*(block.fallbacks for block in blocks), strict=True)],
        )


def read_blocks(games: Games, registry: Registry, conditions: Iterable[int] | None = None) -> dict[str, Block]:
    """The scores under each condition, or some, by label; conditions without a complete board are left out."""
    plan = games.plan
    scores: list[Score] = [registry.make("score", name, {}) for name in plan.scores]
    numbers = range(len(plan.conditions)) if conditions is None else conditions
    blocks = {plan.conditions[i].label: Block.read(games, i, scores) for i in numbers}
    return {label: block for label, block in blocks.items() if block.boards}


def standings(games: Games, registry: Registry, blocks: Mapping[str, Block] | None = None) -> Standings:
    """The standings of the games. Boards that an agent has not played yet are left out for all.

    `blocks` are what `read_blocks` gives, or some of them, if they have been read already.
    """
    plan = games.plan
    columns = tuple(
        ScoreColumn(name, score.more_is_better, score.proportion)
        for name in plan.scores
        for score in [registry.make("score", name, {})]
    )
    blocks = read_blocks(games, registry) if blocks is None else blocks
    tables = [_table(label, block, plan, columns) for label, block in blocks.items()]
    if len(tables) > 1:
        tables.insert(0, _table("all conditions", Block.together(list(blocks.values())), plan, columns))
    return Standings(plan.config.name, columns, tuple(tables), footnote(plan))


def _table(label: str, block: Block, plan: Plan, columns: tuple[ScoreColumn, ...]) -> Table:
    agents = [entry.label for entry in plan.entries]
    oriented = block.values[0] if columns[0].more_is_better else -block.values[0]
    pairs = head_to_head(oriented)
    means = [Moments.of(oriented[:, i]).mean for i in range(len(agents))]
    lines = [
        Standing(
            rank,
            agent,
            block.boards,
            tuple(_interval(v[:, i], c) for v, c in zip(block.values, columns, strict=True)),
            rating,
            block.faults[i],
            block.fallbacks[i],
        )
        for i, (agent, rank, rating) in enumerate(zip(agents, ranks(means, pairs), ratings(oriented), strict=True))
    ]
    order = sorted(range(len(agents)), key=lambda i: (lines[i].rank, -means[i], agents[i]))
    sign = 1 if columns[0].more_is_better else -1
    return Table(
        label,
        block.boards,
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
        tuple(timing for i in order if (timing := _timing(agents[i], block.seconds[:, i])) is not None),
    )


def _timing(agent: str, seconds: Array) -> Timing | None:
    """The times of the games that were played here; None if all were taken over."""
    known = seconds[~np.isnan(seconds)]
    return Timing(agent, len(known), Moments.of(known).interval, float(known.max())) if len(known) else None


def _interval(values: Array, column: ScoreColumn) -> Interval:
    if column.proportion:
        return wilson(int(values.sum()), len(values))
    return Moments.of(values).interval


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
