"""Computes the standings: every table is a pure function of the stored games.

The games are read in portions of some thousand boards. Of each portion only a `Tally` is kept: sixteen bytes for each
game, and sums. The size of the portions changes no digit (see `moments`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import inf, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.setup import EXACT_CLUES
from sweepstakes.game.size import Size
from sweepstakes.registry.parameters import describe_factory
from sweepstakes.score import Bounds, MeasuredScore, Score, bounds_of, rate_columns
from sweepstakes.spec import Spec
from sweepstakes.standings import (
    ConditionFields,
    FaultLine,
    HeadToHead,
    Interval,
    ScoreColumn,
    Standing,
    Standings,
    Table,
    Timing,
)
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import head_to_head, ranks, wilson
from sweepstakes.tournaments.statistics.ratings import ratings
from sweepstakes.tournaments.storage.stored_run import StoredRun
from sweepstakes.tournaments.time_outs import KIND as FORFEIT
from sweepstakes.tournaments.time_outs import is_forfeit

Array = npt.NDArray[np.float64]
Faults = Mapping[tuple[str, str], FaultLine]
"""Faults by agent and kind."""

GUESSES = "guesses"
"""The score that counts what an agent calls a guess."""
PORTION = 8192
"""The number of boards in a portion."""


class Block(NamedTuple):
    """The games on some boards of a condition that every agent has played, and for which the ranking score is known."""

    numbers: npt.NDArray[np.int64]
    """The boards' numbers."""
    values: list[Array]
    """For each score, in the order of the plan, boards x agents; NaN where it is missing, which the first never is."""
    seconds: Array
    """Boards x agents; NaN for imported games."""
    faults: list[int]
    """Games of each agent that ended by a fault, on incomplete boards too."""
    fallbacks: list[int]
    """Turns of each agent that a fallback decided, on incomplete boards too."""
    missing: list[int]
    """Games of each agent whose measured scores are missing, on incomplete boards too."""
    understated: list[int]
    """Games of each agent with too few guesses (`understates_guesses`), on incomplete boards too."""
    found: Faults
    """The faults of the agents, on incomplete boards too."""

    @classmethod
    def read(cls, run: StoredRun, condition: int, scores: Sequence[Score], boards: range) -> Block:
        """Read the boards of this range that every agent has played and for which the first score is known."""
        shape = (len(boards), len(run.agents))
        values = [np.full(shape, np.nan) for _ in scores]
        seconds = np.full(shape, np.nan)
        measured = [score for score in scores if isinstance(score, MeasuredScore)]
        faults, fallbacks, missing, understated = [], [], [], []
        noise = run.conditions[condition].noise
        found: Faults = {}
        games = run.columns([condition], boards=boards)
        ends = np.searchsorted(games.agent, np.arange(shape[1] + 1))
        for agent, chosen in enumerate(map(slice, ends, ends[1:])):
            results, numbers = games.results[chosen], games.number[chosen]
            places = numbers - boards.start
            faulty = np.flatnonzero(results.is_fault)
            faults.append(len(faulty))
            if len(faulty):
                lines = _faults_in(run.plan, agent, condition, numbers[faulty].tolist(), [*results[faulty]])
                found = merge_faults([found, lines])
            fallbacks.append(int(results.fallbacks.sum()))
            missing.append(sum(any(s.missing(result) for s in measured) for result in results) if measured else 0)
            understated.append(int((results.detonated > results.guesses).sum()) if noise == EXACT_CLUES else 0)
            seconds[places, agent] = games.seconds[chosen]

            def name(place: int, agent: int = agent, numbers: npt.NDArray[np.int64] = numbers) -> str:
                return run.name(Fixture(agent, condition, int(numbers[place])))

            for column, score, label in zip(values, scores, run.plan.scores, strict=True):
                column[places, agent] = rate_columns(score, label, results, name)
                if score.count and column is not values[0]:
                    column[places[faulty], agent] = np.nan
        complete = np.flatnonzero(~np.isnan(values[0]).any(axis=1))
        if len(complete) < len(boards):
            values = [column[complete] for column in values]
            seconds = seconds[complete]
        return cls(complete + boards.start, values, seconds, faults, fallbacks, missing, understated, found)

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """Several blocks, their boards one below the other."""
        return cls(
            np.concatenate([block.numbers for block in blocks]),
            [np.concatenate(columns) for columns in zip(*(block.values for block in blocks), strict=True)],
            np.concatenate([block.seconds for block in blocks]),
            [sum(counts) for counts in zip(*(block.faults for block in blocks), strict=True)],
            [sum(counts) for counts in zip(*(block.fallbacks for block in blocks), strict=True)],
            [sum(counts) for counts in zip(*(block.missing for block in blocks), strict=True)],
            [sum(counts) for counts in zip(*(block.understated for block in blocks), strict=True)],
            merge_faults(block.found for block in blocks),
        )


def read_blocks(run: StoredRun, condition: int) -> Iterator[Block]:
    """The games under a condition, a portion at a time."""
    plan = run.plan
    scores: list[Score] = [run.make("score", name) for name in plan.scores]
    for start in range(0, plan.config.games, PORTION):
        yield Block.read(run, condition, scores, range(start, min(start + PORTION, plan.config.games)))


class Tally(NamedTuple):
    """The sums and scores from which a table is computed. Agents and scores are in the order of the plan."""

    ranking: list[Array]
    """The ranking score, boards x agents, in portions: paired tests and ratings need single boards."""
    scores: list[list[Moments]]
    """For each score the moments of each agent, without missing values."""
    seconds: list[list[Array]]
    """For each agent the seconds of the games that were not imported, in portions: quantiles need single games."""
    faults: list[int]
    fallbacks: list[int]
    missing: list[int]
    understated: list[int]
    found: Faults

    @property
    def boards(self) -> int:
        """Boards that every agent has played."""
        return sum(map(len, self.ranking))

    @classmethod
    def of(cls, block: Block) -> Tally:
        """The tally of a block."""
        return cls(
            [block.values[0]],
            [[Moments.of(column[~np.isnan(column)]) for column in values.T] for values in block.values],
            [[column[~np.isnan(column)]] for column in block.seconds.T],
            block.faults,
            block.fallbacks,
            block.missing,
            block.understated,
            block.found,
        )

    @classmethod
    def joined(cls, tallies: Iterable[Tally]) -> Tally:
        """Several tallies together, their boards one below the other."""
        ranking, scores, seconds, faults, fallbacks, missing, understated, found = zip(*tallies, strict=True)
        return cls(
            [portion for portions in ranking for portion in portions],
            [
                [sum(parts, Moments()) for parts in zip(*by_tally, strict=True)]
                for by_tally in zip(*scores, strict=True)
            ],
            [[portion for portions in parts for portion in portions] for parts in zip(*seconds, strict=True)],
            [sum(parts) for parts in zip(*faults, strict=True)],
            [sum(parts) for parts in zip(*fallbacks, strict=True)],
            [sum(parts) for parts in zip(*missing, strict=True)],
            [sum(parts) for parts in zip(*understated, strict=True)],
            merge_faults(found),
        )


def standings(run: StoredRun) -> Standings:
    """Compute the standings of a run. A board that one agent has not played yet is left out for all agents.

    So is a board on which the ranking score of one agent is missing; another missing score is left out of its own
    column only.
    """
    from sweepstakes.tournaments.statistics.published_tally import read_tally  # which imports this module

    if (published := read_tally(run)) is not None:
        return tabulate(run, published.tallies)
    tallies = {c.label: Tally.joined(map(Tally.of, read_blocks(run, i))) for i, c in enumerate(run.conditions)}
    return tabulate(run, tallies)


def tabulate(run: StoredRun, tallies: Mapping[str, Tally]) -> Standings:
    """The standings from the tallies of the conditions, by label; those without a complete board are left out.

    `RunError` if no condition has one because the ranking score is missing.
    """
    plan = run.plan
    scores: list[Score] = [run.make("score", name) for name in plan.scores]
    columns = tuple(
        ScoreColumn(name, score.more_is_better, score.proportion, describe_factory(type(score)).summary)
        for name, score in zip(plan.scores, scores, strict=True)
    )
    missing = [sum(counts) for counts in zip(*(tally.missing for tally in tallies.values()), strict=True)]
    understated = [sum(counts) for counts in zip(*(tally.understated for tally in tallies.values()), strict=True)]
    found = merge_faults(tally.found for tally in tallies.values())
    tallies = {label: tally for label, tally in tallies.items() if tally.boards}
    if not tallies and any(missing):
        raise RunError(
            f"no board has the score {plan.scores[0]} for every agent (missing: {_counts(plan, missing)}): "
            "rank by another score, or leave out the agents that cannot be played a second time"
        )
    conditions = {condition.label: condition for condition in plan.conditions}

    def table(label: str, tally: Tally, labels: Iterable[str]) -> Table:
        sizes = [conditions[each].size for each in labels]
        bounds = [bounds_over(score, name, sizes) for name, score in zip(plan.scores, scores, strict=True)]
        return _table(label, tally, plan, columns, bounds, conditions[label].fields if label in conditions else None)

    tables = [table(label, tally, [label]) for label, tally in tallies.items()]
    if len(tables) > 1:
        tables.insert(0, table("all conditions", Tally.joined(tallies.values()), list(tallies)))
    on_seed = run.secret.sentence if run.secret is not None else ""
    order = [line.agent for line in tables[0].standings] if tables else []
    faults = sorted((line for line in found.values()), key=lambda line: (order.index(line.agent), line.kind))
    below = footnote(plan) + _on_missing(plan, missing) + _on_counts(columns, run, faults)
    if GUESSES in plan.scores:
        below += on_understated({e.label: games for e, games in zip(plan.entries, understated, strict=True)})
    game = "; or ".join(dict.fromkeys(spec.rules().words for spec in plan.config.rules))
    return Standings(plan.config.name, columns, tuple(tables), below, on_seed, tuple(faults), game=game)


def understates_guesses(result: GameResult, noise: Spec) -> bool:
    """Whether the score `guesses` of the game is too low: with true clues, more mines were hit than guesses made.

    A proof cannot hit a mine then, so the agent called a guess a proof, or opened several cells by one guess.
    """
    return result.detonated > result.guesses and noise == EXACT_CLUES


def on_understated(games: Mapping[str, int]) -> str:
    """The sentence on agents whose `guesses` are too low, with the number of such games; empty if there are none."""
    agents = ", ".join(f"{agent} ({count:,} game{'s' * (count != 1)})" for agent, count in games.items() if count)
    if not agents:
        return ""
    return (
        f" {GUESSES} is too low for {agents}: more mines were hit than guesses made. The command review lists the "
        "proofs that were none."
    )


def _on_counts(columns: Sequence[ScoreColumn], run: StoredRun, faults: Sequence[FaultLine]) -> str:
    """The sentence of the footnote on columns that leave out games with a fault; empty if there are none."""
    counts = [column.name for column in columns[1:] if run.make("score", column.name).count]
    if not faults or not counts:
        return ""
    return f" Means of {', '.join(counts)} are over games without a fault."


def _faults_in(plan: Plan, agent: int, condition: int, numbers: Sequence[int], results: Sequence[GameResult]) -> Faults:
    """The faults of an agent in some games."""
    found: dict[tuple[str, str], FaultLine] = {}
    label = plan.entries[agent].label
    for number, result in zip(numbers, results, strict=True):
        if result.ending.is_fault:
            key = label, FORFEIT if is_forfeit(result) else str(result.ending)
            first = found.get(key)
            if first is None:
                game = plan.title(Fixture(agent, condition, number))
                found[key] = FaultLine(*key, 1, result.fault, game)
            else:
                found[key] = first._replace(games=first.games + 1)
    return found


def merge_faults(parts: Iterable[Faults]) -> Faults:
    """The faults of several parts of the games; the first message and game are those of the first part that has any."""
    merged: dict[tuple[str, str], FaultLine] = {}
    for part in parts:
        for key, line in part.items():
            merged[key] = merged[key]._replace(games=merged[key].games + line.games) if key in merged else line
    return merged


def bounds_over(score: Score, label: str, sizes: Iterable[Size]) -> Bounds:
    """The lowest and the highest value that a game on boards of these sizes can have."""
    lows, highs = zip(*(bounds_of(score, label, size) for size in sizes), strict=True)
    return min(lows), max(highs)


def _table(
    label: str,
    tally: Tally,
    plan: Plan,
    columns: tuple[ScoreColumn, ...],
    bounds: Sequence[Bounds],
    fields: ConditionFields | None,
) -> Table:
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
            tuple(estimate_of(m[i], c, ends) for m, c, ends in zip(tally.scores, columns, bounds, strict=True)),
            rating,
            tally.faults[i],
            tally.fallbacks[i],
            tally.missing[i],
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
                difference_within(p.difference, sign, bounds[0]),
                p.sign_holm,
                p.mean_holm,
            )
            for p in pairs
        ),
        tuple(
            _timing(agents[i], seconds)
            for i in order
            if len(seconds := np.concatenate(tally.seconds[i]))  # none if all games were imported
        ),
        fields,
    )


def _timing(agent: str, seconds: Array) -> Timing:
    median, p90, p99 = np.quantile(seconds, [0.5, 0.9, 0.99]).tolist()
    mean = Moments.of(seconds).interval.within(0.0, inf)
    return Timing(agent, len(seconds), mean, median, p90, p99, float(seconds.max()))


def estimate_of(moments: Moments, column: ScoreColumn, bounds: Bounds) -> Interval:
    """The mean of a score with its interval: Wilson's for a rate, else Student's in bounds; NaN without values."""
    if not moments.n:
        return Interval(nan, nan, nan)
    return wilson(int(moments.total), moments.n) if column.proportion else moments.interval.within(*bounds)


def difference_within(difference: Interval, sign: int, bounds: Bounds) -> Interval:
    """The difference of two means with the sign of the score, its interval within what the bounds allow."""
    reach = bounds[1] - bounds[0]
    return turned(difference.within(-reach, reach), sign)


def turned(interval: Interval, sign: int) -> Interval:
    """The interval with the sign of the score itself, where less is better."""
    mean, low, high = interval
    return Interval(mean, low, high) if sign > 0 else Interval(-mean, -high, -low)


def _on_missing(plan: Plan, missing: Sequence[int]) -> str:
    """The sentence of the footnote on games whose measured scores are missing; empty if there are none."""
    if not any(missing):
        return ""
    measures = ", ".join(plan.measures)
    where = f"boards without {plan.scores[0]} are left out for all" if plan.scores[0] in plan.measures else ""
    where = where or f"they are left out of {'those columns' if len(plan.measures) > 1 else 'that column'}"
    return (
        f" Missing in {sum(missing):,} games, whose second playing came to nothing: {measures} "
        f"({_counts(plan, missing)}); {where}."
    )


def _counts(plan: Plan, missing: Sequence[int]) -> str:
    return ", ".join(f"{entry.label} {count:,}" for entry, count in zip(plan.entries, missing, strict=True) if count)


def footnote(plan: Plan) -> str:
    """The sentences below a table: boards, seed, rules and noise."""
    config = plan.config
    seed = f"seed {config.seed}" if isinstance(config.seed, int) else "a secret seed"
    rules = " or ".join(dict.fromkeys(str(spec.rules()) for spec in config.rules))
    noise = " or ".join(dict.fromkeys(str(c.noise.portable) for c in plan.conditions))
    text = (
        f"{config.games:,} boards for each condition, the same for every agent, from {seed}. "
        f"Rules: {rules}. Noise: {noise}. Intervals are 95 %; agents share a rank unless one is significantly "
        "better on the same boards (Holm over all pairs)."
    )
    if any(spec.first_click != "any" and spec.start is None for spec in config.rules):
        text += (
            " Where the first click is protected, agents that start in different cells play boards that differ in as "
            "few mines as that protection needs."
        )
    strangers = [entry.label for entry in plan.entries if not entry.built_in]
    if strangers:
        where = {"none": "in the process of the referee", "process": "in processes of their own"}
        played = where.get(config.isolation, "sealed off")
        text += f" Not built in ({', '.join(strangers)}): played {played} (isolation {config.isolation})."
    return text
