"""Computes the standings: every table is a pure function of the stored games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf, nan

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import RunError
from sweepstakes.game.size import Size
from sweepstakes.registry.parameters import describe_factory
from sweepstakes.score import Bounds, Score, bounds_of
from sweepstakes.standings import (
    COUNT_COLUMNS,
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
from sweepstakes.tournaments.condition_words import noise_words, rules_words
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import head_to_head, ranks, wilson
from sweepstakes.tournaments.statistics.published_tally import read_tally
from sweepstakes.tournaments.statistics.ratings import ratings
from sweepstakes.tournaments.statistics.tally import Tally, merge_faults, read_blocks, sum_counts
from sweepstakes.tournaments.storage.run_reader import RunReader

Array = npt.NDArray[np.float64]
GUESSES = "guesses"
"""The score that counts what an agent calls a guess."""


def standings(run: RunReader) -> Standings:
    """Compute the standings of a run. A board that one agent has not played yet is left out for all agents.

    So is a board on which the ranking score of one agent is missing. Any other missing score is only left out of its
    own column.
    """
    if (published := read_tally(run)) is not None:
        return tabulate(run, published.tallies)
    tallies = {c.label: Tally.joined(map(Tally.of, read_blocks(run, i))) for i, c in enumerate(run.conditions)}
    return tabulate(run, tallies)


def tabulate(run: RunReader, tallies: Mapping[str, Tally]) -> Standings:
    """Return the standings from the tallies of the conditions, by label.

    Conditions without a complete board are left out. Raise `RunError` if no condition has a complete board because the
    ranking score is missing.
    """
    plan = run.plan
    scores: list[Score] = [run.make("score", name) for name in plan.scores]
    columns = tuple(score_column(name, score) for name, score in zip(plan.scores, scores, strict=True))
    counts = sum_counts(tally.counts for tally in tallies.values())
    found = merge_faults(tally.found for tally in tallies.values())
    tallies = {label: tally for label, tally in tallies.items() if tally.boards}
    if not tallies and any(counts["missing"]):
        raise RunError(
            f"no board has the score {plan.scores[0]} for every agent (missing: {_counts(plan, counts['missing'])}): "
            "rank by another score, or leave out the agents that cannot be played a second time"
        )
    conditions = {condition.label: condition for condition in plan.conditions}

    def table(label: str, tally: Tally, labels: Iterable[str]) -> Table:
        sizes = [conditions[each].size for each in labels]
        bounds = [bounds_over(score, name, sizes) for name, score in zip(plan.scores, scores, strict=True)]
        of = conditions.get(label)
        whole = _table(label, tally, plan, columns, bounds, of.fields if of else None)
        return whole._replace(title=of.title if of else label.capitalize())

    tables = [table(label, tally, [label]) for label, tally in tallies.items()]
    if len(tables) > 1:
        tables.insert(0, table("all conditions", Tally.joined(tallies.values()), list(tallies)))
    on_seed = run.secret.sentence if run.secret is not None else ""
    order = [line.agent for line in tables[0].standings] if tables else []
    faults = sorted((line for line in found.values()), key=lambda line: (order.index(line.agent), line.kind))
    below = footnote(plan) + _on_missing(plan, counts["missing"]) + _on_counts(columns, run, faults)
    if GUESSES in plan.scores:
        below += on_understated({e.label: games for e, games in zip(plan.entries, counts["understated"], strict=True)})
    game = rules_words(spec.rules() for spec in plan.config.rules)
    return Standings(plan.config.name, columns, tuple(tables), below, on_seed, tuple(faults), game=game)


def score_column(name: str, score: Score) -> ScoreColumn:
    """Return the column of a score, with everything that tables and pages say about it."""
    about = describe_factory(type(score)).summary
    words = about, score.title, score.unit, score.place, score.adjusts
    return ScoreColumn(name, score.more_is_better, score.proportion, *words)


def on_understated(games: Mapping[str, int]) -> str:
    """Return the sentence on agents whose `guesses` are too low, with the number of such games, or ""."""
    agents = ", ".join(f"{agent} ({count:,} game{'s' * (count != 1)})" for agent, count in games.items() if count)
    if not agents:
        return ""
    return (
        f" {GUESSES} is too low for {agents}: more mines were hit than guesses made. The command review lists the "
        "wrong proofs."
    )


def _on_counts(columns: Sequence[ScoreColumn], run: RunReader, faults: Sequence[FaultLine]) -> str:
    """Return the sentence of the footnote on columns that leave out games with a fault, or ""."""
    counts = [column.name for column in columns[1:] if run.make("score", column.name).count]
    if not faults or not counts:
        return ""
    return f" Means of {', '.join(counts)} are over games without a fault."


def bounds_over(score: Score, label: str, sizes: Iterable[Size]) -> Bounds:
    """Return the lowest and the highest value that a game on boards of these sizes can have."""
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
            *(tally.counts[name][i] for name in COUNT_COLUMNS),
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
    """Return the mean of a score with its interval: Wilson's for a rate, else Student's, cut at the bounds.

    Both are NaN without values.
    """
    if not moments.n:
        return Interval(nan, nan, nan)
    return wilson(int(moments.total), moments.n) if column.proportion else moments.interval.within(*bounds)


def difference_within(difference: Interval, sign: int, bounds: Bounds) -> Interval:
    """Return the difference of two means with the sign of the score. The bounds of the score limit its interval."""
    reach = bounds[1] - bounds[0]
    return turned(difference.within(-reach, reach), sign)


def turned(interval: Interval, sign: int) -> Interval:
    """Return the interval with its sign changed back if `sign` is -1, for scores of which less is better."""
    mean, low, high = interval
    return Interval(mean, low, high) if sign > 0 else Interval(-mean, -high, -low)


def _on_missing(plan: Plan, missing: Sequence[int]) -> str:
    """Return the sentence of the footnote on games whose measured scores are missing, or ""."""
    if not any(missing):
        return ""
    measures = ", ".join(plan.measures)
    where = f"boards without {plan.scores[0]} are left out for all" if plan.scores[0] in plan.measures else ""
    where = where or f"they are left out of {'those columns' if len(plan.measures) > 1 else 'that column'}"
    return (
        f" Missing in {sum(missing):,} games, in which the agent failed when it played again: {measures} "
        f"({_counts(plan, missing)}); {where}."
    )


def _counts(plan: Plan, missing: Sequence[int]) -> str:
    return ", ".join(f"{entry.label} {count:,}" for entry, count in zip(plan.entries, missing, strict=True) if count)


def footnote(plan: Plan) -> str:
    """Return the sentences below a table: boards, seed, rules and noise."""
    config = plan.config
    seed = f"seed {config.seed}" if isinstance(config.seed, int) else "a secret seed"
    rules = rules_words(spec.rules() for spec in config.rules)
    clues = noise_words(c.noise for c in plan.conditions)
    text = (
        f"{config.games:,} boards for each condition, the same for every agent, from {seed}. "
        f"Rules: {rules}. {clues[0].upper()}{clues[1:]}. Intervals are 95 %; agents share a rank unless one is "
        "significantly better on the same boards (Holm over all pairs)."
    )
    if any(spec.first_click != "any" and spec.start is None for spec in config.rules):
        text += (
            " Where the first click is protected, mines move away from it: agents that start in different cells play "
            "boards that differ in these mines."
        )
    strangers = [entry.label for entry in plan.entries if not entry.built_in]
    if strangers:
        where = {"none": "in the process of the referee", "process": "in processes of their own"}
        played = where.get(config.isolation, "sealed off")
        text += f" Not built in, and played {played}: {', '.join(strangers)}."
    once = [entry.label for entry in plan.entries if not entry.repeatable]
    if once:
        text += f" Not repeatable: {', '.join(once)}. If these agents play a game again, it may end differently."
    return text
