"""Have stored games played again by their agents, and compare the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import isclose
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.executor import Chunk, Executor, Fixture, Row
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.running.chunking import ChunkSizer
from sweepstakes.tournaments.running.executors import run_executor
from sweepstakes.tournaments.running.repeating import find_mismatch
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.storage.packed import PackedGames
from sweepstakes.tournaments.storage.packed_joining import difference as packed_difference
from sweepstakes.tournaments.storage.packed_joining import pack_result
from sweepstakes.tournaments.storage.run_reader import RunReader


def play_again(plan: Plan, fixtures: Collection[Fixture], executor: Executor) -> Iterator[Row]:
    """Have games played again by their agents, under the limits of the plan. The rows contain all moves.

    Only the agents of these games are loaded: the plugins of other agents of the plan may be missing.
    """
    if not fixtures:
        return
    agents = sorted({fixture.agent for fixture in fixtures})
    chunks: list[Chunk] = []
    for agent, condition, number in sorted(fixtures):
        place = agents.index(agent)
        if chunks and (chunks[-1].agent, chunks[-1].condition, chunks[-1].last) == (place, condition, number):
            chunks[-1] = chunks[-1]._replace(last=number + 1)
        else:
            chunks.append(Chunk(place, condition, number, number + 1))
    playing = plan._replace(
        config=plan.config.model_copy(update={"moves": "all", "keep_boards": None}),
        entries=tuple(plan.entries[agent] for agent in agents),
    )
    sizer = ChunkSizer()
    with run_executor(executor, PlanWorkload(playing), sizer.split(chunks)) as batches:
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
        if how := difference(plan, registry, games[row.fixture], row):
            name = plan.title(row.fixture)
            raise RunError(f"{start}: no games are imported: game {name}: {how}")


def check_packed(
    plan: Plan, run: RunReader, executor: Executor, start: Path, games: Mapping[Fixture, PackedGames]
) -> None:
    """Do what `check_sample` does, for packed games; `run` is the run of the plan."""
    for row in play_again(plan, games, executor):
        if row.result.ending.repeatable and (
            how := packed_difference(games[row.fixture], pack_result(run, row.fixture, row.result))
        ):
            raise RunError(f"{start}: no games are imported: game {plan.title(row.fixture)}: {how} as played again")


def row_difference(
    plan: Plan, registry: Registry, fixture: Fixture, stored: GameResult, moves: Any, stated: GameResult
) -> str:
    """Say how a stored row differs from the game of these packed moves; "" if it does not.

    `stated` is the result that was reported with the moves.
    """
    try:
        turns = read_turns(moves)
    except ValueError as error:
        return str(error)
    return find_mismatch(plan.game(fixture, registry), turns, stated, stored)


def difference(plan: Plan, registry: Registry, stored: GameResult, again: Row) -> str:
    """Say how a stored row differs from the game as it was played again; "" if it does not."""
    if how := row_difference(plan, registry, again.fixture, stored, again.moves, again.result):
        return how
    for name, then in stored.measures.items():
        now = again.result.measures.get(name)
        if then is not None and now is not None and not isclose(then, now, rel_tol=1e-9, abs_tol=1e-9):
            return f"the row says {name} {then:g}; played again it is {now:g}"
    return ""
