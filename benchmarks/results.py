"""Measures how long it takes to read the games of a run in Python.

python benchmarks/results.py [--games N]   seconds to read a million games as columns, to make data frames of them, and
                                           to compute the standings

Some thousand games are played; their rows are stored again under other board numbers until there are enough.
"""

from __future__ import annotations

import argparse
import importlib
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import yaml

from sweepstakes import open_run
from sweepstakes.game.result import COLUMNS
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.stored_run import StoredRun

ROUNDS = 5
PLAYED = 500
"""Boards of each condition that are played."""
TOURNAMENT = {
    "name": "results",
    "seed": 2026,
    "boards": [{"rows": 16, "cols": 16, "density": [0.1, 0.15, 0.2, 0.25]}, "expert"],
    "agents": ["basic", "random"],
    "games": PLAYED,
}
BLOCKS = 10
"""Conditions x agents."""


def make_run(directory: Path, games: int) -> None:
    """Return a run with `games` games, in blocks with the same number of boards."""
    run_tournament(TOURNAMENT, out=directory)
    boards = max(games // BLOCKS, PLAYED)
    names = ", ".join(COLUMNS)
    with closing(sqlite3.connect(directory / "games.sqlite")) as db, db:
        for first in range(PLAYED, boards, PLAYED):
            db.execute(
                f"insert into games (condition, agent, number, {names}, seconds) select condition, agent, number + ?, "
                f"{names}, seconds from games where number < ?",
                [first, min(PLAYED, boards - first)],
            )
    file = directory / "tournament.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | {"games": boards}, sort_keys=False))


def measure(directory: Path, what: str, read: Callable[[StoredRun], Any], target: float) -> Any:
    """Print the time and the processor time of reading a run that has just been opened; return what was read."""
    seconds, busy = [], []
    for _ in range(ROUNDS):
        begun, cpu = perf_counter(), process_time()
        with open_run(directory) as run:
            found = read(run)
        seconds.append(perf_counter() - begun)
        busy.append(process_time() - cpu)
    print(f"open_run(...).{what}: {median(seconds):.2f} s (target: {target}), ", end="")
    print(f"{min(seconds):.2f} to {max(seconds):.2f} in {ROUNDS} rounds; {median(busy):.2f} s of a core")
    return found


def main(games: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        make_run(directory, games)
        table = measure(directory, "games", lambda run: run.games, 2)
        measure(directory, "standings()", lambda run: run.standings(), 4)
        print(f"{len(table['number']):,} games, {len(table)} columns")
        for name in ("pandas", "polars"):
            try:
                frames = importlib.import_module(name)
            except ImportError:
                print(f"{name} is not installed")
                continue
            begun = perf_counter()
            frame = frames.DataFrame(table)
            print(f"{name}.DataFrame of it: {perf_counter() - begun:.2f} s, {frame.shape[0]:,} rows")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1_000_000)
    arguments = parser.parse_args()
    if arguments.games < BLOCKS * PLAYED:
        parser.error(f"--games {arguments.games}: expected at least {BLOCKS * PLAYED}")
    main(arguments.games)
