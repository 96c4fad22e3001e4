"""Two agents compared board by board: of one run, of two runs, or two versions of one agent.

Only boards that both have played count, so that easy and hard boards cancel. Boards of two runs are the same if their
conditions are: board source, size, rules, noise and seed.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ConfigError, RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import Ending
from sweepstakes.game.result_columns import ENDINGS_BY_NUMBER
from sweepstakes.markup import escape_html
from sweepstakes.score import Bounds, Score, rate
from sweepstakes.standings import HeadToHead, Interval, ScoreColumn
from sweepstakes.tables import WIDTH, Grid, decimals, estimate, html_table, markdown_table, number, signed
from sweepstakes.tournaments.game_counts import understates_guesses
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import EQUAL, SIGNIFICANT, head_to_head, holm
from sweepstakes.tournaments.statistics.published_tally import read_tally
from sweepstakes.tournaments.statistics.standings import (
    GUESSES,
    bounds_over,
    difference_within,
    estimate_of,
    on_understated,
    score_column,
)
from sweepstakes.tournaments.storage.game_columns import read_columns
from sweepstakes.tournaments.storage.opening import open_reader
from sweepstakes.tournaments.storage.packed import read_portions
from sweepstakes.tournaments.storage.run_reader import RunReader

Array = npt.NDArray[Any]
ALL = "all conditions"
LISTED = 5
"""Boards that a printed comparison lists."""
MIN_P = 0.0001
"""The smallest p-value that is printed as a number."""
NOTE = (
    "Only boards that both have played count. Intervals are 95 %; p is the probability of so large a mean difference "
    "by chance (a paired test; for single conditions with Holm's correction over all of them)."
)
PROTECTED = (
    " Where the first click is protected, agents that start in different cells play boards that differ in as few mines "
    "as that protection needs."
)


class PairedMeans(NamedTuple):
    """The two agents on the boards of one condition, or of all conditions."""

    condition: str
    boards: int
    first: Interval
    """The mean score of the first agent."""
    second: Interval
    pair: HeadToHead
    """The paired difference, first minus second. `p_sign` and `p_mean` have Holm's correction over the conditions."""


class DecidingBoard(NamedTuple):
    """A board on which the two agents differ."""

    condition: str
    number: int
    first: float
    """The score of the first agent."""
    second: float
    endings: tuple[str, str]
    games: tuple[str, str]
    """The names of the two games: AGENT/CONDITION/NUMBER."""
    commands: tuple[str, str]
    """The commands that show the two games, turn by turn."""


class Comparison(NamedTuple):
    """Two agents on the boards that both have played."""

    first: str
    second: str
    score: ScoreColumn
    overall: PairedMeans
    conditions: tuple[PairedMeans, ...]
    deciding: tuple[DecidingBoard, ...]
    """The boards with the largest differences, largest first."""
    boards: dict[str, Array]
    """Every board: `condition`, `number`, the scores `first` and `second`, and their `difference`."""
    note: str

    def headline(self) -> str:
        """Return one sentence: who is better, by how much, and how certain that is."""
        pair = self.overall.pair
        better = pair.difference.mean > 0 if self.score.more_is_better else pair.difference.mean < 0
        names = (self.first, self.second) if better else (self.second, self.first)
        verdict = f"{names[0]} is better than {names[1]}" if pair.p_mean < SIGNIFICANT else "no significant difference"
        direction = "more" if self.score.more_is_better else "less"
        difference = _difference(pair.difference, self.score)
        p = f"p {'' if pair.p_mean < MIN_P else '= '}{_p(pair.p_mean)}"
        return (
            f"{self.first} - {self.second}, {self.score.head} ({direction} is better): {difference} on "
            f"{self.overall.boards:,} boards, {p}: {verdict}"
        )

    def __str__(self) -> str:
        parts = [self.headline(), *(markdown_table(grid) for grid in self._grids())]
        if self.deciding:
            parts[2:2] = ["The boards on which they differ most:"]
            lines = [f"{line}" for board in self.deciding for line in board.commands]
            parts.append("\n".join(["To see these games:", "", *(f"    {line}" for line in lines)]))
        return "\n\n".join([*parts, fill(self.note, WIDTH)])

    def __repr__(self) -> str:
        return f"<Comparison {self.headline()}>"

    def _repr_html_(self) -> str:
        captions = self.headline(), "The boards on which they differ most"
        tables = ["\n".join(html_table(grid, text)) for grid, text in zip(self._grids(), captions, strict=False)]
        return "\n".join([*tables, f"<p>{escape_html(self.note)}</p>"])

    def _grids(self) -> Iterator[Grid]:
        lines = [self.overall, *(self.conditions if len(self.conditions) > 1 else ())]
        digits = decimals(mean for line in lines for mean in (line.first.mean, line.second.mean))
        yield Grid(
            ["condition", "boards", self.first, self.second, "difference", "better", "equal", "worse", "p"],
            [
                [
                    line.condition,
                    f"{line.boards:,}",
                    estimate(line.first, self.score, digits),
                    estimate(line.second, self.score, digits),
                    _difference(line.pair.difference, self.score),
                    *(f"{count:,}" for count in (line.pair.better, line.pair.equal, line.pair.worse)),
                    _p(line.pair.p_mean),
                ]
                for line in lines
            ],
            1,
        )
        if self.deciding:
            plain = self.score._replace(proportion=False, unit="" if self.score.proportion else self.score.unit)
            digits = decimals(score for board in self.deciding for score in (board.first, board.second))
            yield Grid(
                ["condition", "board", self.first, self.second, "endings"],
                [
                    [
                        board.condition,
                        str(board.number),
                        number(board.first, plain, digits),
                        number(board.second, plain, digits),
                        " / ".join(board.endings),
                    ]
                    for board in self.deciding
                ],
                1,
            )


class _Side(NamedTuple):
    """An agent of a run."""

    run: RunReader
    agent: int

    @property
    def label(self) -> str:
        return self.run.agents[self.agent].label

    @property
    def version(self) -> str:
        return self.run.agents[self.agent].version

    def game(self, condition: int, board: int) -> tuple[str, str]:
        """Return the name of a game, and the command that shows it."""
        name = self.run.name(Fixture(self.agent, condition, board))
        return name, shlex.join(["sweepstakes", "replay", str(self.run.directory), name])


class _Games(NamedTuple):
    """The games of one agent on the common boards; both agents have the same conditions and numbers in each place."""

    condition: Array
    """The place of the condition in the plan of the agent's run."""
    number: Array
    scores: Array
    ending: Array
    """Index of the ending in `ENDINGS_BY_NUMBER`; -1 if it is unknown, because the game keeps no row."""
    has_row: Array
    """Whether the game keeps a row, without which it cannot be replayed."""

    def board_keys(self, conditions: list[int]) -> Array:
        """Return a number for each board, the same for both agents. It orders boards by condition, then by number."""
        order = np.argsort(conditions)
        place = order[np.searchsorted(np.array(conditions)[order], self.condition)]
        keys: Array = (place << 32) + self.number
        return keys

    def at(self, chosen: Array) -> _Games:
        """Return some of the games."""
        return _Games(*(column[chosen] for column in self))


def compare(
    run: RunReader | str | Path,
    first: str,
    second: str | None = None,
    *,
    other: RunReader | str | Path | None = None,
    score: str | Score | None = None,
    condition: str | int | None = None,
    most: int = LISTED,
) -> Comparison:
    """Compare two agents, by their labels, on the boards that both have played.

    `run` is a run or a published leaderboard, or its directory. `other` is the run of the second agent, by default the
    same run. If it is another run, `second` defaults to the label of the first agent. `score` is by default the ranking
    score of the run. `condition` is a number from 1 on, a label, or a part of several labels; by default all conditions
    that both runs have. At most `most` boards are listed as `deciding`.
    """
    with ExitStack() as opened:

        def stored(where: RunReader | str | Path) -> RunReader:
            return where if isinstance(where, RunReader) else opened.enter_context(open_reader(where))

        one = stored(run)
        two = one if other is None else stored(other)
        if second is None and other is None:
            raise ConfigError(
                f"{one.directory}: '{first}' alone cannot be compared: expected a second agent, or another run"
            )
        named = first if second is None else second
        one, two = (run.including(first, named) if run is one else run.including(named) for run in (one, two))
        sides = _Side(one, one.agent_place(first)), _Side(two, two.agent_place(named))
        if other is None:
            sides = sides[0], sides[1]._replace(run=one)
        if sides[0] == sides[1]:
            raise ConfigError(f"{one.directory}: '{first}' cannot be compared with itself: expected another agent")
        chosen = [one.condition_place(condition)] if isinstance(condition, int) else one.find_conditions(condition)
        return _compare(sides, chosen, one.plan.scores[0] if score is None else score, most)


def _compare(sides: tuple[_Side, _Side], chosen: list[int], named: str | Score, most: int) -> Comparison:
    one, two = (side.run for side in sides)
    score: Score = one.make("score", named) if isinstance(named, str) else named
    name = named if isinstance(named, str) else type(named).__name__
    column = score_column(name, score)
    places = {c.key: i for i, c in enumerate(two.conditions)}
    common = [(i, places[one.conditions[i].key]) for i in chosen if one.conditions[i].key in places]
    if not common:
        why = "another size, seed, board source, noise or other rules"
        raise RunError(f"{two.directory}: no condition of {one.directory} is in this run: all have {why}")
    games, missing = _common_games(sides, common, score, name)
    if not len(games[0].number):
        why = f"the score {name} is missing on all of them" if missing else "they have played no board in common"
        raise RunError(f"{one.directory}: nothing to compare: {sides[0].label} and {sides[1].label}: {why}")
    labels = _labels(sides)
    sizes = [one.conditions[i].size for i, _ in common]
    named_overall = ALL if len(common) > 1 else one.conditions[common[0][0]].title
    overall = _paired(named_overall, labels, games, column, bounds_over(score, name, sizes))
    conditions = [
        _paired(
            one.conditions[i].title,
            labels,
            [each.at(games[0].condition == i) for each in games],
            column,
            bounds_over(score, name, [size]),
        )
        for (i, _), size in zip(common, sizes, strict=True)
        if (games[0].condition == i).any()
    ]
    note = NOTE + (f" {missing:,} boards without {name} are left out." if missing else "")
    if name == GUESSES:
        note += on_understated(
            {
                side.label: _understated(side, places)
                for side, places in zip(sides, zip(*common, strict=True), strict=True)
            }
        )
    for run in {side.run.directory: side.run for side in sides}.values():
        if name != run.plan.scores[0] and read_tally(run) is not None:
            note += f" {run.directory} keeps {name} of the first boards only; {run.plan.scores[0]} it has of all."
    if any(one.conditions[i].rules.first_click != "any" and one.conditions[i].rules.start is None for i, _ in common):
        note += PROTECTED
    if not all(each.has_row.all() for each in games):
        note += " Boards whose games are packed or summed cannot be replayed and are not listed."
    texts = np.empty(len(one.conditions), np.object_)
    texts[:] = [c.label for c in one.conditions]
    boards = {
        "condition": texts[games[0].condition],
        "number": games[0].number,
        "first": games[0].scores,
        "second": games[1].scores,
        "difference": games[0].scores - games[1].scores,
    }
    deciding = tuple(_deciding(sides, games, most))
    return Comparison(*labels, column, overall, _corrected(conditions), deciding, boards, note)


def _common_games(
    sides: tuple[_Side, _Side], common: list[tuple[int, int]], score: Score, name: str
) -> tuple[tuple[_Games, _Games], int]:
    """Return the games of both agents on the boards that both have played, and how many more lack the score."""
    places = [pair[0] for pair in common], [pair[1] for pair in common]
    one, two = (_games(side, conditions, score, name) for side, conditions in zip(sides, places, strict=True))
    keys = one.board_keys(places[0]), two.board_keys(places[1])
    _, in_one, in_two = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    one, two = one.at(in_one), two.at(in_two)
    known = ~np.isnan(one.scores + two.scores)
    return (one.at(known), two.at(known)), int(np.count_nonzero(~known))


def _games(side: _Side, conditions: list[int], score: Score, name: str) -> _Games:
    """Return the games of an agent under some conditions, for the ranking score including those in a tally."""
    columns = read_columns(side.run, conditions, [side.agent])

    def game(place: int) -> str:
        return side.run.name(Fixture(side.agent, int(columns.condition[place]), int(columns.number[place])))

    scores = rate(score, name, columns.results, game)
    rows = np.ones(len(scores), np.bool_)
    parts = [_Games(columns.condition, columns.number, scores, columns.results.ending, rows)]
    for place in conditions:
        for packed in read_portions(side.run, place, side.agent):
            here, won = np.full(len(packed.numbers), place), packed.columns[".won"] == 1
            endings = np.where(won, Ending.WON.number, -1)
            parts.append(_Games(here, packed.numbers, packed.score(side.run, name), endings, np.zeros_like(won)))
    kept = _Games(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    tally = read_tally(side.run) if name == side.run.plan.scores[0] else None
    if tally is None:
        return kept
    boards = side.run.plan.config.games
    ranking = [np.concatenate(tally.tallies[side.run.conditions[i].label].ranking) for i in conditions]
    games = _Games(
        np.repeat(conditions, boards),
        np.tile(np.arange(boards), len(conditions)),
        np.concatenate([scores[:, side.agent] for scores in ranking]),
        np.full(boards * len(conditions), -1),
        np.zeros(boards * len(conditions), np.bool_),
    )
    _, here, there = np.intersect1d(
        games.board_keys(conditions), kept.board_keys(conditions), assume_unique=True, return_indices=True
    )
    games.ending[here], games.has_row[here] = kept.ending[there], kept.has_row[there]
    return games


def _paired(condition: str, labels: tuple[str, str], games: Any, column: ScoreColumn, bounds: Bounds) -> PairedMeans:
    sign = 1 if column.more_is_better else -1
    scores = np.stack([games[0].scores, games[1].scores], axis=1)
    (pair,) = head_to_head(sign * scores)
    first, second = (estimate_of(Moments.of(each), column, bounds) for each in scores.T)
    difference = difference_within(pair.difference, sign, bounds)
    counts = pair.better, pair.equal, pair.worse
    return PairedMeans(
        condition, len(scores), first, second, HeadToHead(*labels, *counts, difference, pair.sign_p, pair.mean_p)
    )


def _corrected(lines: list[PairedMeans]) -> tuple[PairedMeans, ...]:
    """Return the lines with Holm's correction of their p-values over all of them."""
    sign, mean = (holm([getattr(line.pair, name) for line in lines]).tolist() for name in ("p_sign", "p_mean"))
    return tuple(line._replace(pair=line.pair._replace(p_sign=sign[i], p_mean=mean[i])) for i, line in enumerate(lines))


def _deciding(sides: tuple[_Side, _Side], games: tuple[_Games, _Games], most: int) -> Iterator[DecidingBoard]:
    """Yield the boards with the largest differences, of those whose games can be replayed.

    Ties go to the lowest numbers, whose moves may be kept.
    """
    has_rows = games[0].has_row & games[1].has_row
    first, second = (each.at(has_rows) for each in games)
    size = np.abs(first.scores - second.scores)
    order = np.lexsort((first.condition, first.number, -size))
    for i in order[: max(most, 0)].tolist():
        if size[i] <= EQUAL:
            return
        shown = [
            side.game(int(each.condition[i]), int(each.number[i]))
            for side, each in zip(sides, (first, second), strict=True)
        ]
        yield DecidingBoard(
            sides[0].run.conditions[int(first.condition[i])].title,
            int(first.number[i]),
            float(first.scores[i]),
            float(second.scores[i]),
            (_ending(first.ending[i]), _ending(second.ending[i])),
            (shown[0][0], shown[1][0]),
            (shown[0][1], shown[1][1]),
        )


def _understated(side: _Side, conditions: Sequence[int]) -> int:
    """Return how many games of an agent have too few guesses."""
    run = side.run
    packed = (games.columns[".understated"].sum() for i in conditions for games in read_portions(run, i, side.agent))
    return int(sum(packed)) + sum(
        bool(understates_guesses(result, run.conditions[i].noise))
        for i in conditions
        for result in run.results(i, side.agent)[2]
    )


def _ending(place: int) -> str:
    return ENDINGS_BY_NUMBER[place].value if place >= 0 else "not kept"


def _labels(sides: tuple[_Side, _Side]) -> tuple[str, str]:
    """Return labels that distinguish the agents. If the labels are equal, add the version or the run."""
    first, second = sides
    if first.label != second.label:
        return first.label, second.label
    if first.version != second.version:
        return f"{first.label} {first.version}", f"{second.label} {second.version}"
    return f"{first.label} ({first.run.directory})", f"{second.label} ({second.run.directory})"


def _difference(interval: Interval, column: ScoreColumn) -> str:
    """Format the difference with its sign and its interval, in percentage points for a rate or a share."""
    digits = 1 if column.percent else 3 if abs(interval.mean) < 10 else 2
    mean, low, high = (signed(column.scale * each, digits) for each in interval)
    return f"{mean} ({low} to {high})"


def _p(p: float) -> str:
    return f"< {MIN_P}" if p < MIN_P else f"{p:.4f}"
