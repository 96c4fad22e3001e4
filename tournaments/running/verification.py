"""Checks the stored rows of a run or of a publication against their games.

Every game that kept its moves is set up again, and the referee repeats its turns. A sample of all games is played again
by their agents, in worker processes and under the limits of the run; then the referee of this process repeats the turns
that the workers report. This process loads no code of an agent, so an agent that alters the referee of its own process
cannot alter the result of the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import ceil, isclose
from random import Random
from typing import NamedTuple

import numpy as np

from sweepstakes.executor import Fixture, Row
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.score import Score, rate_games
from sweepstakes.spec import Spec
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.agents import make_entries
from sweepstakes.tournaments.resolve.known_files import with_known_files
from sweepstakes.tournaments.resolve.playable import FORFEITS, Playable, find_playable
from sweepstakes.tournaments.running.again import difference, play_again, row_difference
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.shard import WHOLE
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.published_tally import FILE as TALLY
from sweepstakes.tournaments.statistics.published_tally import PublishedTally, kept_boards, read_tally
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.time_outs import Streak, is_forfeit

SAMPLE = 0.05
"""The share of the games that is played again by default."""
MIN_SAMPLE = 100
"""By default at least as many games are played again: of a small run all."""


class Unverified(NamedTuple):
    """Something that could not be compared."""

    about: str
    """The label of an agent or a condition, or the name of a file."""
    why: str
    agent: str = ""
    """The label of the agent; empty if it is about something else."""


class VerificationReport(NamedTuple):
    """What was checked, and how many rows differ."""

    games: int
    """Rows that were read, and games of which a publication tells only who won."""
    repeated: int
    """Games that kept their moves: the referee has repeated their turns."""
    played_again: int
    """Games that their agents have played again."""
    differing: int
    """Rows that differ from their game, games that are missing or that the tournament does not have, and agents that
    are not those of the tournament file."""
    unverified: tuple[Unverified, ...]
    """What could not be compared."""


def verify(
    run: RunReader,
    *,
    sample: float | None = None,
    seed: int,
    workers: int | None,
    on_difference: Callable[[str], None],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> VerificationReport:
    """Check every row, and play a sample of the games again.

    The games of built-in agents that ended by a limit are all played again: these agents limit their searches by
    counting, so that only a slow machine can stop them. `sample` is a share; by default it is `SAMPLE`, and at least
    `MIN_SAMPLE` games are played. `on_difference` is called with a line for each difference; `on_progress` with the
    number of games that have just been played again, and the number of games in the sample.
    """
    plan = run.plan
    changed = "cannot be verified: its board source or its noise has changed since"
    unverified = [Unverified(plan.conditions[i].label, changed) for i in sorted(run.changed)]
    differing: set[object] = set()

    def differs(about: object, how: str) -> None:
        if about not in differing:
            differing.add(about)
            on_difference(f"{run.name(about) if isinstance(about, Fixture) else about}: {how}")

    tallied = read_tally(run)
    for about, how in games_not_in_plan(run) if run.published else ():
        differs(about, how)
    for about, how in missing_games(run, tallied) if run.complete else ():
        differs(about, how)
    rows, repeated = _check_stored(run, differs)
    playable = find_playable(run, plan.entries, plan.scores)
    named = check_named(run, playable, differs)
    forfeits = {label for label, why in named.items() if why.startswith(FORFEITS)}
    _check_forfeits(run, forfeits, differs)
    unverified += [
        Unverified(label, f"cannot be verified: {why}", label) for label, why in named.items() if label not in forfeits
    ]
    agents = {i for i, entry in enumerate(plan.entries) if entry.label not in named}
    drawn = _draw(run, agents, sample, seed, _check_time_outs(run, differs))
    known = _draw_tallied(run, tallied, agents, sample, seed) if tallied else {}
    limited: Counter[str] = Counter()
    for fixture in drawn.not_played:
        limited[run.plan.name(fixture)] += 1
    unverified += [
        Unverified(label, f"{count:,} games ended {LIMIT}: they are not played again", label)
        for label, count in limited.items()
    ]
    executor = pick_executor(run.registry, LOCAL, workers)
    stopped_again: Counter[str] = Counter()
    measured_once: Counter[str] = Counter()
    played_again = 0
    total = len(drawn.games) + len(known)
    for row in play_again(playable.plan, drawn.games, executor):
        on_progress(1, total)
        then = drawn.games[row.fixture]
        if how := _limit_difference(then, row.result):
            differs(row.fixture, how)
        elif not row.result.ending.repeatable or row.moves is None:
            if row.result.ending != then.ending:
                stopped_again[plan.name(row.fixture)] += 1
                continue
        elif how := difference(plan, run.registry, then, row):
            differs(row.fixture, how)
        elif run.complete and (how := _measured_once(plan, then, row.result)):
            if plan.entries[row.fixture.agent].built_in:
                differs(row.fixture, how)
            else:  # a second playing that comes to nothing may depend on the machine
                measured_once[plan.name(row.fixture)] += 1
        played_again += 1
    scores = _TalliedScores(run, tallied) if tallied else None
    for row in play_again(playable.plan, known, executor):
        on_progress(1, total)
        if not row.result.ending.repeatable:
            stopped_again[plan.name(row.fixture)] += 1
            continue
        played_again += 1
        if scores is not None:
            scores.add(row)
        if row.result.won != known[row.fixture]:
            differs(row.fixture, f"{TALLY} says {_won(known[row.fixture])}; played again it is otherwise")
    if scores is not None:
        unverified += scores.compare(differs)
    unverified += [
        Unverified(label, f"{count:,} games ended {LIMIT} when they were played again: these are not compared", label)
        for label, count in stopped_again.items()
    ]
    unverified += [
        Unverified(
            label,
            f"{count:,} game{'s were' if count > 1 else ' was'} measured only once of two times: this is not compared",
            label,
        )
        for label, count in measured_once.items()
    ]
    games = plan.games if tallied else rows
    return VerificationReport(games, repeated, played_again, len(differing), tuple(unverified))


LIMIT = "by a time-out, a crash or lack of memory"


def _limit_difference(then: GameResult, now: GameResult) -> str:
    """How a game that ended by a limit ends now; empty if it ends so again, or did not end so."""
    if then.ending.repeatable or not now.ending.repeatable:
        return ""
    return f"the row says {then.ending}; played again it is {now.ending} after {now.turns} turns"


def missing_games(run: RunReader, tallied: PublishedTally | None = None) -> Iterator[tuple[str, str]]:
    """The games of the plan that are not stored: for each agent and condition a name, and which boards are missing."""
    plan, shard = run.plan, run.shard
    games = plan.config.games if tallied is None else kept_boards(plan, tallied.keep)
    for place, condition in enumerate(plan.conditions):
        boards = range(games) if shard is None else shard.boards(condition, games)
        for agent, entry in enumerate(plan.entries):
            missing = sorted(set(boards) - run.numbers(place, agent))
            if missing:
                name = f"{entry.label}/{place + 1}"
                what = "game is" if len(missing) == 1 else "games are"
                yield name, f"{len(missing):,} {what} missing: board{'s' * (len(missing) > 1)} {_ranges(missing)}"


def _ranges(numbers: Sequence[int], most: int = 12) -> str:
    """Numbers as a text, neighbours as ranges: 3, 7 to 9."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in ranges[:most]]
    return ", ".join(words) + (" and more" if len(ranges) > most else "")


def games_not_in_plan(run: RunReader) -> Iterator[tuple[str, str]]:
    """The stored games that the tournament file does not have, by agent and condition."""
    for agent, condition, count, first, last in run.beyond_plan():
        boards = f"board {first}" if first == last else f"boards {first} to {last}"
        yield f"{agent}, {condition}", f"{count:,} games that the tournament file does not have: {boards}"


def check_named(run: RunReader, playable: Playable, differs: Callable[[object, str], None]) -> dict[str, str]:
    """Compare the agents that are stored with those that the tournament file names; why an agent cannot be verified.

    In a publication, whose files are its own, an agent that has changed differs; in a run it cannot be verified.
    """
    missing = dict(playable.missing)
    failed: list[str] = []
    found = make_entries(run.config, playable.registry, on_error=lambda item, error: failed.append(str(error)))
    lists = run.file_lists
    now = {entry.label: with_known_files(entry, lists) for entry in found}
    for entry in run.plan.entries:
        named = now.pop(entry.label, None)
        if named is None:
            if not failed:
                differs(f"agent {entry.label}", "the tournament file does not name it")
                missing.setdefault(entry.label, "the tournament file does not name it")
        elif (named.spec.name, named.spec.portable.parameters) != (entry.spec.name, entry.spec.portable.parameters):
            other = f"{entry.spec.portable} played, the tournament file names {named.spec.portable}"
            differs(f"agent {entry.label}", other)
            missing.setdefault(entry.label, other)
        elif named.version != entry.version and run.published and not (named.built_in and entry.built_in):
            versions = f"version {entry.version}, now {named.version}"
            differs(f"agent {entry.label}", f"its files are not those that played: {versions}")
    for label in now:
        differs(f"agent {label}", "the tournament file names it, and it has no games")
    return missing


class _TalliedScores:
    """Adds up the scores of games of which only sums are published, and compares the sums once all were played."""

    def __init__(self, run: RunReader, published: PublishedTally) -> None:
        self._run, self._published = run, published
        self._scores: list[Score] = [run.make("score", name) for name in run.plan.scores]
        self._results: dict[tuple[int, int], dict[int, GameResult]] = {}

    def add(self, row: Row) -> None:
        """Add a game that was played again."""
        block = self._results.setdefault((row.fixture.condition, row.fixture.agent), {})
        block[row.fixture.number] = row.result

    def compare(self, differs: Callable[[object, str], None]) -> list[Unverified]:
        """Compare the sums of the agents and conditions all of whose games are known; what could not be compared."""
        plan, rest = self._run.plan, 0
        for place, condition in enumerate(plan.conditions):
            tally = self._published.tallies[condition.label]
            for agent, entry in enumerate(plan.entries):
                numbers, _, results = self._run.results(place, agent)
                games = {**dict(zip(numbers, results, strict=True)), **self._results.get((place, agent), {})}
                if len(games) < plan.config.games:
                    rest += 1
                    continue
                ordered = [games[number] for number in sorted(games)]
                for name, score, published in zip(plan.scores, self._scores, tally.scores, strict=True):
                    values = rate_games(score, name, ordered, lambda number: str(number), faults=True)
                    if score.count and score is not self._scores[0]:
                        values = values[[not result.ending.is_fault for result in ordered]]
                    if not close_moments(Moments.of(values[~np.isnan(values)]), published[agent]):
                        differs(f"{TALLY}: {entry.label}/{place + 1}", f"the sum of {name} is not that of its games")
                for what, then, now in (
                    ("fallbacks", tally.fallbacks[agent], sum(result.fallbacks for result in ordered)),
                    ("faults", tally.faults[agent], sum(result.ending.is_fault for result in ordered)),
                ):
                    if then != now:
                        differs(f"{TALLY}: {entry.label}/{place + 1}", f"{then} {what}; the games have {now}")
        if not rest:
            return []
        others = ", ".join(plan.scores[1:]) or "faults"
        return [Unverified(TALLY, f"the sums of {others} are compared only if every game is played again: --sample 1")]


def _check_forfeits(run: RunReader, labels: set[str], differs: Callable[[object, str], None]) -> None:
    """Report the games of agents that cannot play which are not stored as lost by an error."""
    for place, agent in ((c, i) for c in range(len(run.conditions)) for i in range(len(run.agents))):
        if run.agents[agent].label in labels:
            numbers, _, results = run.results(place, agent)
            for number, result in zip(numbers, results, strict=True):
                if result.ending is not Ending.ERROR:
                    how = f"the row says {result.ending}; the agent forfeits its games"
                    differs(Fixture(agent, place, number), how)


def close_moments(one: Moments, other: Moments) -> bool:
    """Whether two sums are equal but for the rounding of measured scores."""
    return one.n == other.n and all(
        isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-6)
        for a, b in ((one.total, other.total), (one.squares, other.squares))
    )


def _check_stored(run: RunReader, differs: Callable[[object, str], None]) -> tuple[int, int]:
    """Read every row, and repeat the turns of every game that kept its moves; how many rows and games those were."""
    rows = repeated = 0
    for row in run.stored():
        rows += 1
        try:
            result = run.read(row)
        except ValueError as error:
            differs(row.fixture, f"the row says {error}: no game ends so")
            continue
        if row.fixture.condition in run.changed:
            continue
        if row.moves is not None:
            repeated += 1
            if how := row_difference(run.plan, run.registry, row.fixture, result, row.moves, result):
                differs(row.fixture, how)
    return rows, repeated


class _Drawn(NamedTuple):
    """The games to play again, and those that ended by a limit and are not played again."""

    games: dict[Fixture, GameResult]
    not_played: list[Fixture]


def _check_time_outs(run: RunReader, differs: Callable[[object, str], None]) -> set[Fixture]:
    """The games that were forfeited after time-outs. Those without five time-outs in a row before them are reported."""
    forfeits: set[Fixture] = set()
    streaks: dict[tuple[int, int], Streak] = {}
    shard = run.shard or WHOLE
    for row in run.stored():
        agent, condition, number = row.fixture
        if (agent, condition) not in streaks:
            streaks[agent, condition] = Streak(shard.boards(run.conditions[condition], run.config.games))
        streak = streaks[agent, condition]
        timed_out = row.columns[0] == Ending.TIME_OUT
        with suppress(ValueError):  # a row that no game can have is reported elsewhere
            if timed_out and is_forfeit(run.read(row)):
                if streak.rest is None:
                    differs(
                        row.fixture, "the row says that it was forfeited, without five time-outs in a row before it"
                    )
                forfeits.add(row.fixture)
        streak.add(number, timed_out=timed_out)
    return forfeits


def _draw(run: RunReader, agents: set[int], sample: float | None, seed: int, forfeits: set[Fixture]) -> _Drawn:
    """A random sample of the games that no limit ended, and all games of built-in agents that one did.

    Of `forfeits` none is played again: they follow from the games before them.
    """

    def readable() -> Iterator[tuple[Fixture, GameResult]]:
        for row in run.stored():
            if row.fixture.agent in agents and row.fixture.condition not in run.changed:
                try:
                    yield row.fixture, run.read(row)
                except ValueError:
                    continue

    total = sum(1 for _, result in readable() if result.ending.repeatable)
    size = ceil(sample * total) if sample is not None else min(total, max(ceil(SAMPLE * total), MIN_SAMPLE))
    chosen = set(Random(seed).sample(range(total), size))
    games: dict[Fixture, GameResult] = {}
    not_played: list[Fixture] = []
    place = 0
    for fixture, result in readable():
        if not result.ending.repeatable:
            if run.plan.entries[fixture.agent].built_in and sample != 0:
                if fixture not in forfeits:
                    games[fixture] = result
            else:
                not_played.append(fixture)
            continue
        if place in chosen:
            games[fixture] = result
        place += 1
    return _Drawn(games, not_played)


def _draw_tallied(
    run: RunReader, published: PublishedTally, agents: set[int], sample: float | None, seed: int
) -> dict[Fixture, bool]:
    """A random sample of the games that are published as a bit alone, and whether they are said to be won."""
    plan = run.plan
    kept = kept_boards(plan, published.keep)
    boards = range(kept, plan.config.games)
    drawn = {}
    share = SAMPLE if sample is None else sample
    for condition, each in enumerate(plan.conditions):
        won = np.concatenate(published.tallies[each.label].ranking)
        for agent in sorted(agents) if condition not in run.changed else ():
            for number in Random(f"{seed}/{condition}/{agent}").sample(boards, ceil(share * len(boards))):
                drawn[Fixture(agent, condition, number)] = bool(won[number, agent])
    return drawn


def _won(won: bool) -> str:
    return "it was won" if won else "it was not won"


def _measured_once(plan: Plan, stored: GameResult, again: GameResult) -> str:
    """Which measure of the plan only the row or only the game played again has; empty if there is none."""
    for name in (Spec.parse(measure).name for measure in plan.measures):
        then, now = stored.measures.get(name), again.measures.get(name)
        if (then is None) != (now is None):
            return f"the row says {_measured(name, then)}; played again it is {_measured(name, now)}"
    return ""


def _measured(name: str, value: float | None) -> str:
    return f"no {name}" if value is None else f"{name} {value:g}"
