"""Packed runs: bytes per game, and the time and memory that the tables of ten million games take.

    .venv/bin/python benchmarks/packed.py

The games are made up; 0.2 % of them end by a fault. Their blocks are stored as a run stores the blocks of its workers.
Then a new process divides them into blocks of equal size and computes all tables, as at the end of a run.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from time import process_time

import numpy as np

from sweepstakes.executor import Chunk, PackedRows
from sweepstakes.tournaments.config.loading import as_yaml, parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import write_tables
from sweepstakes.tournaments.storage.packed import COUNTS, PackedGames, encode
from sweepstakes.tournaments.storage.run_writer import RunWriter

CHUNK = 500
AGENTS = ["exact", "champion", "basic", "random"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000_000, help="games in all")
    parser.add_argument("--agents", type=int, default=2, choices=range(1, 5), help="agents that share them")
    parser.add_argument("--tables", metavar="DIR", help=argparse.SUPPRESS)
    options = parser.parse_args()
    config = parse(
        {
            "boards": "5x5/5",
            "agents": AGENTS[: options.agents],
            "games": options.games // options.agents,
            "scores": ["win", "win-adjusted"],
            "rules": {"on_mine": "end", "first_click": "safe"},
            "keep_boards": 1000,
        }
    )
    plan, registry = make_plan(config)
    if options.tables is not None:
        with closing(RunWriter(Path(options.tables), plan, registry)) as run:
            before = process_time()
            write_tables(run)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"even blocks and all tables: {process_time() - before:.0f} s of processor time, {memory:.0f} MB at most")
        return
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "run"
        random = np.random.default_rng(1)
        games = 0
        with closing(RunWriter(directory, plan, registry)) as run:
            (directory / "tournament.yaml").write_text(as_yaml(config))
            before, storing = process_time(), 0.0
            for first in range(0, config.games, CHUNK):
                blocks = []
                for agent in range(options.agents):
                    last = min(first + CHUNK, config.games)
                    won = (random.random(last - first) < 0.6 - 0.01 * agent).astype(np.float64)
                    luck = np.round(random.normal(0, 0.3, last - first), 6)
                    columns = {"win": won, "win-adjusted": won - luck} | {name: np.zeros(len(won)) for name in COUNTS}
                    faults = {first + 1: ("error", "agent 'invented' raised an error")}
                    games_here = PackedGames(np.arange(first, last), columns | {".won": won}, faults)
                    block = encode(games_here, range(first, last))
                    chunk = Chunk(agent, 0, first, last)
                    blocks.append(PackedRows(chunk, block.head, block.data, 0.002 * CHUNK, CHUNK, float(won.sum())))
                    games += last - first
                begun = process_time()
                run.add(blocks)
                storing += process_time() - begun
        print(f"{games:,} games, {CHUNK} in a block; storing one: {1e6 * storing / games:.2f} us of processor time")
        size = (directory / "games.sqlite").stat().st_size
        print(f"as workers send them: {size / games:.2f} bytes a game")
        words = ["--games", str(options.games), "--agents", str(options.agents), "--tables", str(directory)]
        subprocess.run([sys.executable, __file__, *words], check=True)
        size = (directory / "games.sqlite").stat().st_size
        print(f"in even blocks: {size / games:.2f} bytes a game")


if __name__ == "__main__":
    main()
