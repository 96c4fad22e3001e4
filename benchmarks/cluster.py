"""Measures how many cores a client can feed: the time of a lease, and of a row in the client, on a local Dask cluster.

    .venv/bin/python benchmarks/cluster.py

In the second part, a node makes up rows instead of playing, so that only the client takes time: it fetches, checks and
stores them like the rows of real games. If a game takes 2 ms, the rows per second that the client can take show how
many cores it can feed.
"""

from __future__ import annotations

import argparse
import logging
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from distributed import Client, LocalCluster

from sweepstakes.executor import Chunk, Limits
from sweepstakes.plugins.executors.dask import Dask
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import play_shard
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.shard import WHOLE

GAME_SECONDS = 0.002
TARGET = 100
PACKED_TARGET = 1000
"""With `keep_boards`: 2 us per game."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows that the client takes")
    parser.add_argument("--leases", type=int, default=200, help="leases of one game")
    options = parser.parse_args()
    settings: dict[str, Any] = {"dashboard_address": ":0", "memory_limit": 0, "silence_logs": logging.CRITICAL}
    with LocalCluster(n_workers=1, threads_per_worker=1, **settings) as cluster:
        address = cluster.scheduler_address
        seconds = lease_seconds(address, options.leases)
        print(f"a lease of one game: {1000 * seconds:.1f} ms, {100 * seconds / 20:.2f} % of a lease of 20 s")
        with Client(address, set_as_default=False) as client:
            client.run(invent_rows)
        take_rows(address, 1000)  # imports and compiles
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        cpu, wall = take_rows(address, options.rows)
        packed, _ = take_rows(address, options.rows, keep_boards=1)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"a row costs the client {1e6 * cpu / options.rows:.1f} us, over {options.rows:,} rows in {wall:.0f} s")
        print(f"the client grew by {grown / 1024:.0f} MB, to {(before + grown) / 1024:.0f} MB")
        cores = GAME_SECONDS * options.rows / cpu
        print(f"one client feeds {cores:.0f} cores at {1000 * GAME_SECONDS:g} ms per game (target {TARGET})")
        print(f"a packed game costs the client {1e6 * packed / options.rows:.2f} us", end=": ")
        print(f"one client feeds {GAME_SECONDS * options.rows / packed:.0f} cores (target {PACKED_TARGET})")


def lease_seconds(address: str, leases: int) -> float:
    """Return the time of a lease of one game while another lease waits on the node."""
    plan, _ = make_plan(parse({"boards": "2x2/1", "agents": ["random"], "games": leases + 20}))
    chunks = (Chunk(0, 0, number, number + 1) for number in range(leases + 20))
    batches: Iterator[Any] = Dask(address, processes=1, lease_seconds=1e-6).run(PlanWorkload(plan), chunks, Limits())
    for _ in range(20):  # starts the processes
        next(batches)
    started = perf_counter()
    for _ in batches:
        pass
    return (perf_counter() - started) / leases


def take_rows(address: str, rows: int, **keys: Any) -> tuple[float, float]:
    """Measure the processor time of the client and the elapsed time for a run of `rows` made-up rows.

    The run is played as a shard, so that no tables are made at its end.
    """
    executor = {"dask": {"address": address, "processes": 64}}
    config = parse(
        {"boards": "2x2/1", "agents": ["random"], "games": rows, "executor": executor, "moves": "none", **keys}
    )
    plan, registry = make_plan(config)
    with tempfile.TemporaryDirectory() as folder:
        started, cpu = perf_counter(), process_time()
        play_shard(plan, registry, Path(folder) / "run", WHOLE, quiet=True)
        return process_time() - cpu, perf_counter() - started


def invent_rows() -> None:
    """Make this node return made-up rows, each for a game that takes 2 ms."""
    from functools import partial

    from sweepstakes import Ending, GameResult
    from sweepstakes.executor import Row
    from sweepstakes.plugins.executors.dask import node
    from sweepstakes.registry.registry import Registry
    from sweepstakes.tournaments.storage.packed import Packer

    result = GameResult(2, 2, 1, Ending.FINISHED, 3, 0, 0, 1, 4, 4, 4)

    def play(run: Any, chunks: list[Any], _: Any) -> list[Any]:
        packer = Packer(run._workload.plan, partial(Registry.built_in().make, "score"))
        played = ([Row(fixture, result, 0.001, None, 0.002) for fixture in chunk.fixtures()] for chunk in chunks)
        return [each for rows in played for each in packer.pack(rows)]

    node._NodeRun.play = play  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    main()
