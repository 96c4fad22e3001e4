"""Checks the stored rows of a run or of a publication against their games.

Every game that kept its moves is set up again, and the referee repeats its turns. A sample of all games is played again
by their agents, in worker processes and under the limits of the run; then the referee of this process repeats the turns
that the workers report. This process loads no code of an agent, so an agent that alters the referee of its own process
cannot alter the result of the check.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from math import ceil, isclose
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.errors import RunError
from sweepstakes.executor import Chunk, Executor, Fixture, Row
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.replay.replay import find_mismatch
from sweepstakes.tournaments.running.chunking import ChunkSizer
from sweepstakes.tournaments.running.playable_agents import find_playable
from sweepstakes.tournaments.running.runner import LOCAL, pick_executor, run_executor
from sweepstakes.tournaments.statistics.published_tally import FILE as TALLY
from sweepstakes.tournaments.statistics.published_tally import PublishedTally, kept_boards, read_tally
from sweepstakes.tournaments.storage.stored_run import StoredRun


class VerificationReport(NamedTuple):
    """What was checked, and how many rows differ."""

    games: int
    """Rows that were read, and games of which a publication tells only who won."""
    repeated: int
    """Games that kept their moves: the referee has repeated their turns."""
    played_again: int
    """Games that their agents have played again."""
    differing: int
    """Rows that differ from their game."""
    unrepeatable: int
    """Games that ended by a limit or a crash: they may end otherwise on another machine, and were not played again."""
    stopped: int
    """Games that ended by a limit or a crash when they were played again: they were not compared."""
    unverifiable: Mapping[str, str]
    """Why an agent, or a condition, cannot be verified, by label."""


def verify(
    run: StoredRun,
    *,
    sample: float,
    seed: int,
    workers: int | None,
    on_difference: Callable[[str], None],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> VerificationReport:
    """Check every row, and play a sample of the games again.

    `on_difference` is called with a line for each row that differs; `on_progress` with the number of games that have
    just been played again, and the number of games in the sample.
    """
    plan = run.plan
    changed = "its board source or its noise has changed since"
    unverifiable = {plan.conditions[i].label: changed for i in sorted(run.changed)}
    differing: set[Fixture] = set()

    def differs(fixture: Fixture, how: str) -> None:
        if fixture not in differing:
            differing.add(fixture)
            on_difference(f"{run.name(fixture)}: {how}")

    stored = _check_stored(run, differs)
    tallied = read_tally(run)
    tallied_games = plan.games - stored.rows if tallied else 0
    played_again = stopped = 0
    if sample > 0 and stored.repeatable:
        playable = find_playable(run, plan.entries, plan.scores)
        unverifiable |= playable.missing
        agents = {i for i, entry in enumerate(plan.entries) if entry.label not in playable.missing}
        drawn = _draw_sample(run, agents, sample, seed)
        for row in play_again(playable.plan, drawn, pick_executor(run.registry, LOCAL, workers)):
            on_progress(1, len(drawn))
            if row.moves is None or not row.result.ending.repeatable:
                stopped += 1
                continue
            played_again += 1
            if how := _difference(plan, run.registry, drawn[row.fixture], row):
                differs(row.fixture, how)
        if tallied:
            known = _draw_tallied(run, tallied, agents, sample, seed)
            for row in play_again(playable.plan, known, pick_executor(run.registry, LOCAL, workers)):
                on_progress(1, len(known))
                played_again += 1
                if row.result.won != known[row.fixture]:
                    differs(row.fixture, f"{TALLY} says {_won(known[row.fixture])}; played again it is otherwise")
    counts = stored.rows + tallied_games, stored.repeated, played_again, len(differing), stored.unrepeatable, stopped
    return VerificationReport(*counts, unverifiable)


class _StoredCounts(NamedTuple):
    """How many rows were read, how many games the referee has repeated, and how many games can be repeated or not."""

    rows: int
    repeated: int
    repeatable: int
    unrepeatable: int


def _check_stored(run: StoredRun, differs: Callable[[Fixture, str], None]) -> _StoredCounts:
    """Read every row, and repeat the turns of every game that kept its moves."""
    rows = repeated = repeatable = unrepeatable = 0
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
            if how := _row_mismatch(run.plan, run.registry, row.fixture, result, row.moves, result):
                differs(row.fixture, how)
        repeatable += result.ending.repeatable
        unrepeatable += not result.ending.repeatable
    return _StoredCounts(rows, repeated, repeatable, unrepeatable)


def _draw_sample(run: StoredRun, agents: set[int], sample: float, seed: int) -> dict[Fixture, GameResult]:
    """A random sample of the games that can be played again, each with the same probability."""

    def repeatable() -> Iterator[tuple[Fixture, GameResult]]:
        for row in run.stored():
            if row.fixture.agent in agents and row.fixture.condition not in run.changed:
                try:
                    result = run.read(row)
                except ValueError:
                    continue
                if result.ending.repeatable:
                    yield row.fixture, result

    total = sum(1 for _ in repeatable())
    chosen = set(Random(seed).sample(range(total), ceil(sample * total)))
    return {fixture: result for place, (fixture, result) in enumerate(repeatable()) if place in chosen}


def _draw_tallied(
    run: StoredRun, published: PublishedTally, agents: set[int], sample: float, seed: int
) -> dict[Fixture, bool]:
    """A random sample of the games that are published as a bit alone, and whether they are said to be won."""
    plan = run.plan
    kept = kept_boards(plan, published.keep)
    boards = range(kept, plan.config.games)
    drawn = {}
    for condition, each in enumerate(plan.conditions):
        won = np.concatenate(published.tallies[each.label].ranking)
        for agent in sorted(agents) if condition not in run.changed else ():
            for number in Random(f"{seed}/{condition}/{agent}").sample(boards, ceil(sample * len(boards))):
                drawn[Fixture(agent, condition, number)] = bool(won[number, agent])
    return drawn


def _won(won: bool) -> str:
    return "it was won" if won else "it was not won"


def play_again(plan: Plan, fixtures: Collection[Fixture], executor: Executor) -> Iterator[Row]:
    """Have games played again by their agents, under the limits of the plan; the rows carry all moves.

    Only the agents of these games are loaded: the plugins of other agents of the plan may be missing.
    """
    agents = sorted({fixture.agent for fixture in fixtures})
    chunks: list[Chunk] = []
    for agent, condition, number in sorted(fixtures):
        place = agents.index(agent)
        if chunks and (chunks[-1].agent, chunks[-1].condition, chunks[-1].last) == (place, condition, number):
            chunks[-1] = chunks[-1]._replace(last=number + 1)
        else:
            chunks.append(Chunk(place, condition, number, number + 1))
    playing = plan._replace(
        config=plan.config.model_copy(update={"moves": "all"}),
        entries=tuple(plan.entries[agent] for agent in agents),
    )
    sizer = ChunkSizer()
    with run_executor(executor, playing, sizer.split(chunks)) as batches:
        for rows in batches:
            sizer.add(rows)
            for row in rows:
                yield row._replace(fixture=row.fixture._replace(agent=agents[row.fixture.agent]))


def check_sample(
    plan: Plan, registry: Registry, executor: Executor, start: Path, games: Mapping[Fixture, GameResult]
) -> None:
    """Play a sample of the games to import again; `RunError` names the first whose row differs."""
    for row in play_again(plan, games, executor):
        if row.moves is None or not row.result.ending.repeatable:
            continue
        if how := _difference(plan, registry, games[row.fixture], row):
            name = plan.title(row.fixture)
            raise RunError(f"{start}: no games are imported: game {name}: {how}")


def _row_mismatch(
    plan: Plan, registry: Registry, fixture: Fixture, stored: GameResult, moves: Any, stated: GameResult
) -> str:
    """How a stored row differs from the game of these packed moves; empty if it does not.

    `stated` is the result that was reported with the moves.
    """
    try:
        turns = read_turns(moves)
    except ValueError as error:
        return str(error)
    return find_mismatch(plan.game(fixture, registry), turns, stated, stored)


def _difference(plan: Plan, registry: Registry, stored: GameResult, again: Row) -> str:
    """How a stored row differs from the game as it was played again; empty if it does not."""
    if how := _row_mismatch(plan, registry, again.fixture, stored, again.moves, again.result):
        return how
    for name, then in stored.measures.items():
        now = again.result.measures.get(name)
        if then is not None and now is not None and not isclose(then, now, rel_tol=1e-9, abs_tol=1e-9):
            return f"the row says {name} {then:g}; played again it is {now:g}"
    return ""
