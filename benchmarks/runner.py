"""Measures the overhead of the runner: workers, storage and memory.

python benchmarks/runner.py speed [--games N]      games per second on 1 and 2 workers, preset `classic`
python benchmarks/runner.py overhead [--games N]   time outside the agent per Expert game, storage included
python benchmarks/runner.py memory [--games N]     the main process's memory after a million tiny games
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.config.loading import load, parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.chunking import ChunkSizer
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor, run_executor
from sweepstakes.tournaments.running.runner import play_plan
from sweepstakes.tournaments.running.workload import PlanWorkload, warm_up_for
from sweepstakes.tournaments.statistics.standings import standings
from sweepstakes.tournaments.storage.run_writer import RunWriter

ROUNDS = 5
LEAST = 200


class Round(NamedTuple):
    """The times of one run, per game."""

    wall: float
    """Seconds from the first message with games to the last one stored."""
    agent: float
    """The agents' own seconds of processor time."""
    turns: float
    tables: float
    """Seconds for the tables at the end."""


def play(plan: Plan, registry: Registry, workers: int) -> Round:
    """Play a plan as `sweepstakes run` does, and measure the times."""
    with tempfile.TemporaryDirectory() as directory, closing(RunWriter(Path(directory), plan, registry)) as store:
        stored: list[tuple[float, int]] = []
        spent = turns = 0.0
        sizer = ChunkSizer()
        executor = pick_executor(registry, LOCAL, workers)
        with run_executor(executor, PlanWorkload(plan), sizer.split(store.missing())) as batches:
            for rows in batches:
                store.add(rows)
                sizer.add(rows)
                stored.append((perf_counter(), len(rows)))
                if len(stored) > 1:
                    spent += sum(row.seconds for row in rows)
                    turns += sum(row.result.turns for row in rows)
        games = sum(count for _, count in stored[1:])
        begun = perf_counter()
        standings(store)
        tables = perf_counter() - begun
    return Round((stored[-1][0] - stored[0][0]) / games, spent / games, turns / games, tables / plan.games)


def speed(games: int | None) -> None:
    config, _ = load("classic", {"games": games or 400, "moves": "none"})
    plan, registry = make_plan(config)
    warm_up_for(plan, registry, quiet=True)
    rates = [tuple(1 / play(plan, registry, workers).wall for workers in (1, 2)) for _ in range(ROUNDS)]
    print(f"preset classic, {plan.games} games, from the first message to the last, on {os.cpu_count()} cores")
    for workers, found in zip((1, 2), zip(*rates, strict=True), strict=True):
        print(f"{workers} workers: {median(found):8.0f} games/s")
    ratios = sorted(two / one for one, two in rates)
    print(f"ratio: {median(ratios):.2f}, {ratios[0]:.2f} to {ratios[-1]:.2f} in {ROUNDS} rounds (target: 1.8)")


def overhead(games: int | None) -> None:
    rules = {"on_mine": "end", "first_click": "safe"}
    for moves in ("none", "sample", "all"):
        data: dict[str, Any] = {"boards": "expert", "agents": ["basic"], "rules": rules, "games": games or 5_000}
        plan, registry = make_plan(parse(data | {"moves": moves}))
        warm_up_for(plan, registry, quiet=True)
        rounds = [play(plan, registry, 1) for _ in range(ROUNDS)]
        outside = sorted(1e6 * (each.wall - each.agent) for each in rounds)
        agent, tables = (1e6 * median(column) for column in zip(*((r.agent, r.tables) for r in rounds), strict=True))
        print(f"expert, on_mine=end, first_click=safe, basic, moves: {moves}; {rounds[0].turns:.1f} turns per game")
        print(f"  the agent                            {agent:7.1f} us per game")
        print(f"  outside the agent, storage included  {median(outside):7.1f} us (target: 150),", end="")
        print(f" {outside[0]:.1f} to {outside[-1]:.1f} in {ROUNDS} rounds")
        print(f"  the tables at the end                {tables:7.1f} us")


def memory(games: int | None) -> None:
    config = parse(
        {
            "boards": {"rows": 2, "cols": 2, "mines": 1},
            "agents": ["random", "basic"],
            "games": (games or 1_000_000) // 2,
            "moves": "none",
        }
    )
    plan, registry = make_plan(config)
    with tempfile.TemporaryDirectory() as directory:
        begun = perf_counter()
        play_plan(plan, registry, Path(directory), quiet=True)
        seconds = perf_counter() - begun
        size = sum(path.stat().st_size for path in Path(directory).iterdir()) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{2 * config.games:,} games in {seconds:.0f} s; run directory {size:.0f} MB")
    print(f"peak memory of the main process: {peak:.0f} MB (target: 500)")


PARTS = {"speed": speed, "overhead": overhead, "memory": memory}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--games", type=int)
    arguments = parser.parse_args()
    if arguments.games is not None and arguments.games < LEAST:
        parser.error(f"--games {arguments.games}: expected at least {LEAST}, or there is nothing to measure")
    PARTS[arguments.part](arguments.games)
