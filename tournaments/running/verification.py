"""Whether the games of a run, or of a publication, are what their rows say.

Every game that kept its moves is set up again, and the referee takes its turns. And a sample of all games is played
again by their agents, in processes of their own and under the limits of the run; the referee of this process then takes
the turns that they report. It loads no code of an agent: what an agent does to the referee of its own process does not
count here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from math import ceil, isclose
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

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
from sweepstakes.tournaments.storage.stored_run import StoredRun


class Verdict(NamedTuple):
    """What was found."""

    games: int
    """Rows that were looked at."""
    kept: int
    """Games whose own moves were taken again."""
    again: int
    """Games that were played again."""
    differing: int
    """Rows that are not what their game gives."""
    unrepeatable: int
    """Rows that a limit or a crash ended: they may end otherwise on another machine, and were not played again."""
    stopped: int
    """Games that a limit or a crash ended when they were played again: nothing can be said of these."""
    without: Mapping[str, str]
    """Why an agent, or a condition, cannot be verified, by label."""


def verify(
    run: StoredRun,
    *,
    sample: float,
    seed: int,
    workers: int | None,
    say: Callable[[str], None],
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> Verdict:
    """Look at every row, and play the sample again.

    `say` is given a line for each row that differs; `advance` how many games have been played again, of how many.
    """
    plan, moved = run.plan, run.changed
    without = {plan.conditions[i].label: "its board source or its noise has changed since" for i in sorted(moved)}
    rows = kept = unrepeatable = 0
    differing: set[Fixture] = set()
    candidates = 0

    def differs(fixture: Fixture, how: str) -> None:
        if fixture not in differing:
            differing.add(fixture)
            say(f"{run.name(fixture)}: {how}")

    for row in run.stored():
        rows += 1
        try:
            result = run.read(row)
        except ValueError as error:
            differs(row.fixture, f"the row says {error}: no game ends so")
            continue
        if row.fixture.condition in moved:
            continue
        if row.moves is not None:
            kept += 1
            if how := _row_mismatch(plan, run.registry, row.fixture, result, row.moves, result):
                differs(row.fixture, how)
        unrepeatable += not result.ending.repeatable
        candidates += result.ending.repeatable
    again = stopped = 0
    if sample > 0 and candidates:
        can = find_playable(run, plan.entries, plan.scores)
        without |= can.missing
        able = {i for i, entry in enumerate(plan.entries) if entry.label not in can.missing}
        wanted = _drawn(run, able, sample, seed)
        playing = plan._replace(measures=can.measures, files=can.files)
        for row_again in play_again(playing, wanted, pick_executor(run.registry, LOCAL, workers)):
            fixture = row_again.fixture
            advance(1, len(wanted))
            if row_again.moves is None or not row_again.result.ending.repeatable:
                stopped += 1
                continue
            again += 1
            if how := _difference(plan, run.registry, wanted[fixture], row_again):
                differs(fixture, how)
    return Verdict(rows, kept, again, len(differing), unrepeatable, stopped, without)


def _drawn(run: StoredRun, able: set[int], sample: float, seed: int) -> dict[Fixture, GameResult]:
    """A share of the games that can be played again, each as likely as any other."""

    def each() -> Iterator[tuple[Fixture, GameResult]]:
        for row in run.stored():
            if row.fixture.agent in able and row.fixture.condition not in run.changed:
                try:
                    result = run.read(row)
                except ValueError:
                    continue
                if result.ending.repeatable:
                    yield row.fixture, result

    total = sum(1 for _ in each())
    chosen = set(Random(seed).sample(range(total), ceil(sample * total)))
    return {fixture: result for place, (fixture, result) in enumerate(each()) if place in chosen}


def play_again(plan: Plan, wanted: Collection[Fixture], executor: Executor) -> Iterator[Row]:
    """The rows of games that their agents play again, under the limits of the plan, with all their moves.

    Only agents that are asked for are made: others of the plan may not be here.
    """
    agents = sorted({fixture.agent for fixture in wanted})
    chunks: list[Chunk] = []
    for agent, condition, number in sorted(wanted):
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
    """Play games again that are to be taken over; `RunError` names the first that differs."""
    for row in play_again(plan, games, executor):
        if row.moves is None or not row.result.ending.repeatable:
            continue
        if how := _difference(plan, registry, games[row.fixture], row):
            name = plan.title(row.fixture)
            raise RunError(f"{start}: nothing is taken over: game {name} is not what it says: {how}")


def _row_mismatch(
    plan: Plan, registry: Registry, fixture: Fixture, stored: GameResult, moves: Any, stated: GameResult
) -> str:
    """In which way a stored row is not what packed turns give, of which `stated` was said; nothing if it is."""
    try:
        turns = read_turns(moves)
    except ValueError as error:
        return str(error)
    return find_mismatch(plan.game(fixture, registry), turns, stated, stored)


def _difference(plan: Plan, registry: Registry, stored: GameResult, again: Row) -> str:
    """In which way a stored row differs from the game as it was played again; nothing if it does not."""
    if how := _row_mismatch(plan, registry, again.fixture, stored, again.moves, again.result):
        return how
    for name, then in stored.measures.items():
        now = again.result.measures.get(name)
        if then is not None and now is not None and not isclose(then, now, rel_tol=1e-9, abs_tol=1e-9):
            return f"the row says {name} {then:g}; played again it is {now:g}"
    return ""
