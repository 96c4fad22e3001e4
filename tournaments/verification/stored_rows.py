"""Check the stored rows without playing games again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress

from sweepstakes.executor import Fixture
from sweepstakes.game.faults import is_forfeit
from sweepstakes.game.result import Ending
from sweepstakes.tournaments.resolve.agents import make_entries
from sweepstakes.tournaments.resolve.known_files import with_known_files
from sweepstakes.tournaments.resolve.playable import Playable
from sweepstakes.tournaments.running.again import row_difference
from sweepstakes.tournaments.shard import WHOLE
from sweepstakes.tournaments.statistics.published_tally import PublishedTally, kept_boards
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.time_outs import Streak

Differs = Callable[[object, str], None]
"""Is called with a game, or the name of something else, and how it differs."""


def missing_games(run: RunReader, tallied: PublishedTally | None = None) -> Iterator[tuple[str, str]]:
    """Yield the games of the plan that are not stored: for each agent and condition a name and the missing boards."""
    plan, shard = run.plan, run.shard
    games = plan.config.games if tallied is None else kept_boards(plan, tallied.keep)
    for place, condition in enumerate(plan.conditions):
        boards = range(games) if shard is None else shard.boards(condition, games)
        for agent, entry in enumerate(plan.entries):
            played = run.played(place, agent)
            missing = [number for number in boards if not played[number]]
            if missing:
                name = f"{entry.label}/{place + 1}"
                what = "game is" if len(missing) == 1 else "games are"
                yield name, f"{len(missing):,} {what} missing: board{'s' * (len(missing) > 1)} {_ranges(missing)}"


def _ranges(numbers: Sequence[int], most: int = 12) -> str:
    """Format numbers as a text, with ranges, as in 3, 7 to 9."""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    words = [str(first) if first == last else f"{first} to {last}" for first, last in ranges[:most]]
    return ", ".join(words) + (" and more" if len(ranges) > most else "")


def games_not_in_plan(run: RunReader) -> Iterator[tuple[str, str]]:
    """Yield the stored games that the tournament file does not have, by agent and condition."""
    for agent, condition, count, first, last in run.beyond_plan():
        boards = f"board {first}" if first == last else f"boards {first} to {last}"
        yield f"{agent}, {condition}", f"{count:,} games that the tournament file does not have: {boards}"


def check_named(run: RunReader, playable: Playable, differs: Differs) -> dict[str, str]:
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


def check_forfeits(run: RunReader, labels: Collection[str], differs: Differs) -> None:
    """Report the games of agents that cannot play which are not stored as lost by an error."""
    for place, agent in ((c, i) for c in range(len(run.conditions)) for i in range(len(run.agents))):
        if run.agents[agent].label in labels:
            numbers, _, results = run.results(place, agent)
            for number, result in zip(numbers, results, strict=True):
                if result.ending is not Ending.ERROR:
                    how = f"the row says {result.ending}; the agent forfeits its games"
                    differs(Fixture(agent, place, number), how)


def check_stored(run: RunReader, differs: Differs) -> tuple[int, int]:
    """Read every row, and repeat the turns of every game that kept its moves. Return the numbers of both."""
    rows = repeated = 0
    for row in run.stored():
        rows += 1
        try:
            result = run.read(row)
        except ValueError as error:
            differs(row.fixture, f"the row says {error}: no finished game can have this result")
            continue
        if row.fixture.condition in run.changed:
            continue
        if row.moves is not None:
            repeated += 1
            if how := row_difference(run.plan, run.registry, row.fixture, result, row.moves, result):
                differs(row.fixture, how)
    return rows, repeated


def check_time_outs(run: RunReader, differs: Differs) -> set[Fixture]:
    """Return the games forfeited after time-outs. Report those without five time-outs in a row before them."""
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
        streak.add(range(number, number + 1), [number] * timed_out)
    return forfeits
