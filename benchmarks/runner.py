"""What the runner costs: workers, storage and memory.

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
from typing import Any

from sweepstakes.tournaments.config import Tournament, load, parse
from sweepstakes.tournaments.pace import Pace
from sweepstakes.tournaments.plan import make_plan
from sweepstakes.tournaments.runner import pick_executor, play_plan, stopping, warm_up_for
from sweepstakes.tournaments.standings import standings
from sweepstakes.tournaments.store import Store

ROUNDS = 5


def timed(config: Tournament, workers: int, directory: Path) -> float:
    """Seconds from the first game to the last table."""
    plan, registry = make_plan(config)
    begun = perf_counter()
    play_plan(plan, registry, directory, workers=workers, quiet=True)
    return perf_counter() - begun


def speed(games: int | None) -> None:
    config, _ = load("classic", {"games": games or 200, "moves": "none"})
    short, _ = load("classic", {"games": 1, "moves": "none"})
    plan, _ = make_plan(config)
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(3):
        for workers, found in rates.items():
            with tempfile.TemporaryDirectory() as directory:
                start = timed(short, workers, Path(directory) / "start")  # processes, plugins, a game of each kind
                found.append(plan.games / (timed(config, workers, Path(directory) / "run") - start))
    print(f"preset classic, {plan.games} games, without starting up, on {os.cpu_count()} cores")
    for workers, found in rates.items():
        print(f"{workers} workers: {median(found):8.0f} games/s")
    print(f"ratio: {median(two / one for one, two in zip(rates[1], rates[2], strict=True)):.2f} (target: 1.8)")


def overhead(games: int | None) -> None:
    """From the first message with games to the last one stored; the median of some rounds, for machines have moods."""
    rules = {"on_mine": "end", "first_click": "safe"}
    for moves in ("none", "sample", "all"):
        data: dict[str, Any] = {"boards": "expert", "agents": ["basic"], "rules": rules, "games": games or 5_000}
        plan, registry = make_plan(parse(data | {"moves": moves}))
        warm_up_for(plan, registry, quiet=True)
        rounds = []
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory() as directory, closing(Store(Path(directory), plan)) as store:
                stored: list[tuple[float, int]] = []
                spent = turns = 0.0
                pace = Pace()
                with stopping(pick_executor(registry, 1), plan, pace.cut(store.missing())) as batches:
                    for rows in batches:
                        store.add(rows)
                        pace.add(rows)
                        stored.append((perf_counter(), len(rows)))
                        if len(stored) > 1:
                            spent += sum(row.seconds for row in rows)
                            turns += sum(row.result.turns for row in rows)
                played = sum(count for _, count in stored[1:])
                begun = perf_counter()
                standings(store, registry)
                tables = (perf_counter() - begun) / plan.games
                wall = (stored[-1][0] - stored[0][0]) / played
                rounds.append((spent / played, wall - spent / played, tables))
        agent, outside, tables = (1e6 * median(column) for column in zip(*rounds, strict=True))
        low, high = (1e6 * pick(each[1] for each in rounds) for pick in (min, max))
        print(f"expert, on_mine=end, first_click=safe, basic, 1 worker, moves: {moves}; {turns / played:.1f} turns")
        print(f"  the agent                            {agent:7.1f} us per game")
        print(f"  outside the agent, storage included  {outside:7.1f} us, {low:.1f} to {high:.1f} (target: 150)")
        print(f"  the tables at the end                {tables:7.1f} us")


def memory(games: int | None) -> None:
    config = parse(
        {
            "boards": {"rows": 2, "cols": 2, "mines": 1},
            "agents": ["random", "basic"],
            "games": (games or 1_000_000) // 2,
        }
        | {"moves": "none"}
    )
    with tempfile.TemporaryDirectory() as directory:
        seconds = timed(config, os.cpu_count() or 1, Path(directory))
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
    PARTS[arguments.part](arguments.games)
