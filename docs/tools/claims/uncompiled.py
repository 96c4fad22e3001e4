"""Measures the processor time of agents without compilation, for the claims about time.

    NUMBA_DISABLE_JIT=1 PYTHONPATH=docs/tools python -m claims.uncompiled

The reports' programs are plain Python, and ours compile their inner loops. Without the compiler our agents run as plain
Python too. Each agent plays the first boards of a published leaderboard; the processor time of its turns, game by game,
is written to uncompiled.csv next to this file.
"""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import NamedTuple

from sweepstakes import BoardRef, Game, Registry, Rules, Size
from sweepstakes.agent import start_agent

FILE = Path(__file__).with_name("uncompiled.csv")
BOARDS = 30
CASES = {
    "report-b-sizes": (("basic", "knowledge-base"), tuple((side, 0.4) for side in (10, 15, 20))),
    "report-b": (("basic", "knowledge-base", "probabilistic"), tuple((12, d / 10) for d in range(1, 8))),
    "density-16x16": (("basic", "ibm"), tuple((16, d / 10) for d in range(1, 7))),
}
"""For each leaderboard the agents and the sides and densities of its boards that are played."""


class Uncompiled(NamedTuple):
    """The processor time of one game without compilation."""

    leaderboard: str
    side: int
    density: float
    agent: str
    board: int
    seconds: float


def measured() -> Iterator[Uncompiled]:
    """Yield the times of all cases, one after the other."""
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    for leaderboard, (agents, boards) in CASES.items():
        for side, density in boards:
            size = Size(side, side, round(side * side * density))
            for board in range(BOARDS):
                for agent in agents:
                    game = Game(BoardRef.of(source, "uniform", size, 2026, board), Rules())
                    player = start_agent(registry.agent(agent), game.agent_seed)
                    seconds = 0.0
                    while not game.over:
                        view = game.view()
                        begun = process_time()
                        turn = player.act(view)
                        seconds += process_time() - begun
                        game.take(turn)
                    yield Uncompiled(leaderboard, side, density, agent, board, seconds)


def read() -> list[Uncompiled]:
    """Return the times that were written last."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [
            Uncompiled(
                line["leaderboard"],
                int(line["side"]),
                float(line["density"]),
                line["agent"],
                int(line["board"]),
                float(line["seconds"]),
            )
            for line in csv.DictReader(file)
        ]


def main() -> int:
    """Measure and write the file; return the exit code."""
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        print("set NUMBA_DISABLE_JIT=1: these are the times without the compiler", file=sys.stderr)
        return 1
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Uncompiled._fields)
        for time in measured():
            writer.writerow([f"{value:.4g}" if isinstance(value, float) else value for value in time])
    return 0


if __name__ == "__main__":
    sys.exit(main())
