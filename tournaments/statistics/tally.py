"""Scores of boards and their sums, from which the tables are computed.

The games are read in portions of a few thousand boards. Only a `Tally` of each portion is kept: sixteen bytes per
game, and sums. The size of the portions changes no digit (see `moments`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.executor import Fixture
from sweepstakes.game.faults import stored_kind
from sweepstakes.score import Score, rate
from sweepstakes.standings import FaultLine
from sweepstakes.tournaments.game_counts import COUNTS, count_games
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.storage.game_columns import read_columns
from sweepstakes.tournaments.storage.packed import PackedGames, read_packed
from sweepstakes.tournaments.storage.run_reader import RunReader

Array = npt.NDArray[np.float64]
Faults = Mapping[tuple[str, str], FaultLine]
"""Faults by agent and kind."""
Counts = dict[str, list[int]]
"""`faults`, and each of `game_counts.COUNTS`, with a number for each agent. Games on incomplete boards count too."""

PORTION = 8192
"""The number of boards in a portion."""


class Block(NamedTuple):
    """The games on some boards of a condition that every agent has played, and for which the ranking score is known."""

    numbers: npt.NDArray[np.int64]
    """The boards' numbers."""
    values: list[Array]
    """An array [board, agent] for each score, in the order of the plan. NaN is missing; the first score has no NaN."""
    seconds: Array
    """An array [board, agent]; NaN for imported games."""
    counts: Counts
    found: Faults
    """The faults of the agents, on incomplete boards too."""

    @classmethod
    def read(cls, run: RunReader, condition: int, scores: Sequence[Score], boards: range) -> Block:
        """Read the boards of this range that every agent has played and for which the first score is known."""
        shape = (len(boards), len(run.agents))
        values = [np.full(shape, np.nan) for _ in scores]
        seconds = np.full(shape, np.nan)
        counts: Counts = {name: [] for name in ("faults", *COUNTS)}
        noise = run.conditions[condition].noise
        found: Faults = {}
        games = read_columns(run, [condition], boards=boards)
        ends = np.searchsorted(games.agent, np.arange(shape[1] + 1))
        for agent, chosen in enumerate(map(slice, ends, ends[1:])):
            results, numbers = games.results[chosen], games.number[chosen]
            places = numbers - boards.start
            faulty = np.flatnonzero(results.is_fault)
            kinds = [
                (number, stored_kind(result), result.fault)
                for number, result in zip(numbers[faulty].tolist(), results[faulty], strict=True)
            ]
            for count, column in count_games(results, scores, noise).items():
                counts[count].append(int(column.sum()))
            seconds[places, agent] = games.seconds[chosen]

            def name(place: int, agent: int = agent, numbers: npt.NDArray[np.int64] = numbers) -> str:
                return run.name(Fixture(agent, condition, int(numbers[place])))

            for column, score, label in zip(values, scores, run.plan.scores, strict=True):
                column[places, agent] = rate(score, label, results, name, ranks=column is values[0])
            packed = read_packed(run, condition, agent, boards)
            if packed is not None and len(packed.numbers):
                _add_packed(run, packed, agent, values, scores, boards.start)
                kinds = sorted([*kinds, *((number, *fault) for number, fault in packed.faults.items())])
                for count in COUNTS:
                    counts[count][-1] += int(packed.columns[f".{count}"].sum())
            counts["faults"].append(len(kinds))
            found = merge_faults([found, _fault_lines(run.plan, agent, condition, kinds)])
        complete = np.flatnonzero(~np.isnan(values[0]).any(axis=1))
        if len(complete) < len(boards):
            values = [column[complete] for column in values]
            seconds = seconds[complete]
        return cls(complete + boards.start, values, seconds, counts, found)

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        """Concatenate the boards of several blocks."""
        return cls(
            np.concatenate([block.numbers for block in blocks]),
            [np.concatenate(columns) for columns in zip(*(block.values for block in blocks), strict=True)],
            np.concatenate([block.seconds for block in blocks]),
            sum_counts(block.counts for block in blocks),
            merge_faults(block.found for block in blocks),
        )


def read_blocks(run: RunReader, condition: int) -> Iterator[Block]:
    """Yield the games under a condition, a portion at a time."""
    plan = run.plan
    scores: list[Score] = [run.make("score", name) for name in plan.scores]
    for start in range(0, plan.config.games, PORTION):
        yield Block.read(run, condition, scores, range(start, min(start + PORTION, plan.config.games)))


class Tally(NamedTuple):
    """The sums and scores from which a table is computed. Agents and scores are in the order of the plan."""

    ranking: list[Array]
    """The ranking score [board, agent], in portions. Paired tests and ratings need single boards."""
    scores: list[list[Moments]]
    """The moments of each agent for each score, without missing values."""
    seconds: list[list[Array]]
    """The seconds of each agent's games that were not imported, in portions. Quantiles need single games."""
    counts: Counts
    found: Faults

    @property
    def boards(self) -> int:
        """Boards that every agent has played."""
        return sum(map(len, self.ranking))

    @classmethod
    def of(cls, block: Block) -> Tally:
        """Return the tally of a block."""
        return cls(
            [_narrow(block.values[0])],
            [[Moments.of(column[~np.isnan(column)]) for column in values.T] for values in block.values],
            [[column[~np.isnan(column)]] for column in block.seconds.T],
            block.counts,
            block.found,
        )

    @classmethod
    def joined(cls, tallies: Iterable[Tally]) -> Tally:
        """Concatenate the boards of several tallies."""
        ranking, scores, seconds, counts, found = zip(*tallies, strict=True)
        return cls(
            [portion for portions in ranking for portion in portions],
            [
                [sum(parts, Moments()) for parts in zip(*by_tally, strict=True)]
                for by_tally in zip(*scores, strict=True)
            ],
            [[portion for portions in parts for portion in portions] for parts in zip(*seconds, strict=True)],
            sum_counts(counts),
            merge_faults(found),
        )


def sum_counts(parts: Iterable[Counts]) -> Counts:
    """Add the counts of several parts of the games."""
    every = list(parts)
    return {name: [sum(of) for of in zip(*(counts[name] for counts in every), strict=True)] for name in every[0]}


def _narrow(values: Array) -> Array:
    """Return the numbers in half the bytes if that loses nothing, as for wins and counts."""
    with np.errstate(over="ignore"):  # an overflow gives an infinity, which the comparison detects
        halved = values.astype(np.float32)
    return halved if np.array_equal(halved, values) else values  # type: ignore[return-value]


def _add_packed(
    run: RunReader, packed: PackedGames, agent: int, values: list[Array], scores: Sequence[Score], first: int
) -> None:
    """Write the scores of packed games into `values`, at the places of their boards."""
    faulty = np.array(list(packed.faults), np.int64)
    for column, score, name in zip(values, scores, run.plan.scores, strict=True):
        column[packed.numbers - first, agent] = packed.score(run, name)
        if score.count and column is not values[0]:
            column[faulty - first, agent] = np.nan


def _fault_lines(plan: Plan, agent: int, condition: int, faults: Iterable[tuple[int, str, str]]) -> Faults:
    """Return the fault lines of an agent. `faults` has the number of the board, the kind and the message of each."""
    found: dict[tuple[str, str], FaultLine] = {}
    label = plan.entries[agent].label
    for number, kind, message in faults:
        key = label, kind
        first = found.get(key)
        if first is None:
            found[key] = FaultLine(*key, 1, message, plan.title(Fixture(agent, condition, number)))
        else:
            found[key] = first._replace(games=first.games + 1)
    return found


def merge_faults(parts: Iterable[Faults]) -> Faults:
    """Merge the faults of several parts of the games. The first part with a fault gives its message and game."""
    merged: dict[tuple[str, str], FaultLine] = {}
    for part in parts:
        for key, line in part.items():
            merged[key] = merged[key]._replace(games=merged[key].games + line.games) if key in merged else line
    return merged
