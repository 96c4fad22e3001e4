"""From rows to standings: every table is a pure function of the games played."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.registry import Registry
from sweepstakes.score import Score
from sweepstakes.standings import HeadToHead, Interval, ScoreColumn, Standing, Standings, Table, Timing
from sweepstakes.tournaments.moments import Moments
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.rating import ratings
from sweepstakes.tournaments.statistics import head_to_head, ranks, wilson
from sweepstakes.tournaments.store import Store

Array = npt.NDArray[np.float64]


class _Block:
    """The scores of complete boards: `values[score]` is boards x agents."""

    def __init__(self, values: list[Array], seconds: Array, faults: list[int], fallbacks: list[int]) -> None:
        self.values = values
        self.seconds = seconds
        self.faults = faults
        self.fallbacks = fallbacks

    @property
    def boards(self) -> int:
        return len(self.seconds)

    @classmethod
    def read(cls, store: Store, condition: int, scores: list[Score]) -> _Block:
        """The boards of a condition that every agent has played."""
        agents = len(store.plan.entries)
        games = store.plan.config.games
        values = [np.full((games, agents), np.nan) for _ in scores]
        seconds = np.full((games, agents), np.nan)
        faults, fallbacks = [0] * agents, [0] * agents
        for agent, number, result, spent in store.results(condition):
            for score, column in zip(scores, values, strict=True):
                column[number, agent] = score(result)
            if spent is not None:
                seconds[number, agent] = spent
            faults[agent] += result.ending.is_fault
            fallbacks[agent] += result.fallbacks
        complete = ~np.isnan(values[0]).any(axis=1)
        if not complete.all():
            values = [column[complete] for column in values]
            seconds = seconds[complete]
        return cls(values, seconds, faults, fallbacks)

    @classmethod
    def together(cls, blocks: list[_Block]) -> _Block:
        """Several conditions, their boards one below the other."""
        return cls(
            [np.concatenate(columns) for columns in zip(*(block.values for block in blocks), strict=True)],
            np.concatenate([block.seconds for block in blocks]),
            [sum(counts) for counts in zip(*(block.faults for block in blocks), strict=True)],
            [sum(counts) for counts in zip(*(block.fallbacks for block in blocks), strict=True)],
        )


def standings(store: Store, registry: Registry) -> Standings:
    """The standings of the games in the store. Boards that an agent has not played yet are left out for all."""
    plan = store.plan
    scores: list[Score] = [registry.make("score", name, {}) for name in plan.scores]
    columns = tuple(
        ScoreColumn(name, score.more_is_better, score.proportion)
        for name, score in zip(plan.scores, scores, strict=True)
    )
    blocks = {c.label: _Block.read(store, i, scores) for i, c in enumerate(plan.conditions)}
    blocks = {label: block for label, block in blocks.items() if block.boards}
    tables = [_table(label, block, plan, columns) for label, block in blocks.items()]
    if len(tables) > 1:
        tables.insert(0, _table("all conditions", _Block.together(list(blocks.values())), plan, columns))
    return Standings(plan.config.name, columns, tuple(tables), footnote(plan))


def _table(label: str, block: _Block, plan: Plan, columns: tuple[ScoreColumn, ...]) -> Table:
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
