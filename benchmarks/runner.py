"""What the runner costs: workers, storage and memory.

python benchmarks/runner.py speed [--games N]      games per second on 1 and 2 workers, preset `classic`
python benchmarks/runner.py overhead [--games N]   time outside the agent per Expert game, storage included
python benchmarks/runner.py memory [--games N]     the main process's memory after a million tiny games
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from sweepstakes.tournaments.config import Tournament, load, parse
from sweepstakes.tournaments.plan import make_plan
from sweepstakes.tournaments.runner import play_plan


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
    rules = {"on_mine": "end", "first_click": "safe"}
    data: dict[str, Any] = {"boards": "expert", "agents": ["basic"], "rules": rules, "games": games or 20_000}
    for moves in ("none", "all"):
        config = parse(data | {"moves": moves})
        with tempfile.TemporaryDirectory() as directory:
            timed(parse(data | {"games": 10}), 1, Path(directory) / "warm")
            start = timed(parse(data | {"games": 10}), 1, Path(directory) / "start")  # processes, plugins, tables
            cpu = os.times()
            wall = timed(config, 1, Path(directory) / "run") - start
            used = os.times()
            db = sqlite3.connect(Path(directory) / "run" / "games.sqlite")
            ((agent, turns),) = db.execute("select avg(seconds), avg(turns) from games")
        each = 1e6 / config.games
        parent = (used.user + used.system - cpu.user - cpu.system) * each
        print(f"expert, on_mine=end, first_click=safe, basic, 1 worker, moves: {moves}; {turns:.1f} turns per game")
        print(f"  wall {wall * each:7.1f} us per game, of it the agent {1e6 * agent:7.1f} us")
        print(f"  outside the agent {wall * each - 1e6 * agent:7.1f} us (target: 150)")
        print(f"  the main process, beside the worker: {parent:7.1f} us of CPU")


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
