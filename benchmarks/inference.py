"""Measures how fast the exact engine is: on positions of games, next to ms_toollib, in whole games, and to compile.

    python benchmarks/inference.py [--games N] [--quick]

Everything that is compared is measured in the same run on the same positions. Boards come from numpy's
generator with fixed seeds; the small game in this file only produces positions and does not use the
project's referee.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import kernel
from sweepstakes.inference import decide, posterior, warm_up

Shown = npt.NDArray[np.int8]


class Level(NamedTuple):
    """A board size."""

    name: str
    rows: int
    cols: int
    mines: int


BEGINNER = Level("Beginner", 9, 9, 10)
INTERMEDIATE = Level("Intermediate", 16, 16, 40)
EXPERT = Level("Expert", 16, 30, 99)
LARGE = Level("30x30 at 20 %", 30, 30, 180)
WIDE = Level("50x50 at 20 %", 50, 50, 500)
HUGE = Level("100x100 at 20 %", 100, 100, 2000)


@kernel(allocates=False)
def uncover(
    mine: npt.NDArray[np.bool_], shown: Shown, cells: npt.NDArray[np.int64], stack: npt.NDArray[np.int32]
) -> int:
    """Open cells, flooding from zeros; return how many safe cells were opened, or -1 after a mine."""
    rows, cols = shown.shape
    opened = 0
    for start in cells:
        if shown[start // cols, start % cols] >= 0:
            continue
        top = 1
        stack[0] = start
        while top > 0:
            top -= 1
            r, c = stack[top] // cols, stack[top] % cols
            if shown[r, c] >= 0:
                continue
            if mine[r, c]:
                return -1
            around = 0
            for i in range(max(0, r - 1), min(rows, r + 2)):
                for j in range(max(0, c - 1), min(cols, c + 2)):
                    around += mine[i, j]
            shown[r, c] = around
            opened += 1
            if around == 0:
                for i in range(max(0, r - 1), min(rows, r + 2)):
                    for j in range(max(0, c - 1), min(cols, c + 2)):
                        if shown[i, j] < 0:
                            stack[top] = i * cols + j
                            top += 1
    return opened


class Game:
    """One board with a safe corner, and what is shown of it."""

    def __init__(self, level: Level, rng: np.random.Generator) -> None:
        cells = level.rows * level.cols
        mine = np.zeros(cells, dtype=np.bool_)
        mine[1 + rng.permutation(cells - 1)[: level.mines]] = True
        self.mine = mine.reshape(level.rows, level.cols)
        self.buffer = np.full((level.rows, level.cols), -1, dtype=np.int8)
        self.shown = self.buffer.view()
        self.shown.flags.writeable = False
        self.flat = self.buffer.reshape(-1)
        self.stack = np.empty(8 * cells, dtype=np.int32)
        self.left = cells - level.mines
        self.open(np.zeros(1, dtype=np.int64))

    def open(self, cells: npt.NDArray[np.int64]) -> bool:
        """Return whether none of the cells was a mine."""
        opened = uncover(self.mine, self.buffer, cells, self.stack)
        self.left -= opened
        return bool(opened >= 0)


class Result(NamedTuple):
    """How a game went, and the seconds of each turn in `decide`."""

    won: bool
    turns: list[float]


def play(level: Level, rng: np.random.Generator) -> Result:
    """Play one game by certainty and least probability."""
    game = Game(level, rng)
    turns: list[float] = []
    while game.left:
        start = time.perf_counter()
        decision = decide(game.shown, level.mines)
        turns.append(time.perf_counter() - start)
        game.flat[decision.mines] = -2
        if len(decision.safe):
            game.open(decision.safe)
        elif not game.open(np.array([decision.guess])):
            return Result(False, turns)
    return Result(True, turns)


def stuck_positions(level: Level, number: int, seed: int) -> list[Shown]:
    """Return positions in which a guess is needed, without flags. If a guess would lose, a safe cell is opened."""
    rng = np.random.default_rng(seed)
    found: list[Shown] = []
    while len(found) < number:
        game = Game(level, rng)
        here: list[Shown] = []
        while game.left:
            decision = decide(game.shown, level.mines)
            if len(decision.safe):
                game.open(decision.safe)
                continue
            if (game.buffer >= 0).mean() > 0.02:
                here.append(game.shown.copy())
            if not game.open(np.array([decision.guess])):
                rest = np.flatnonzero((game.flat < 0) & ~game.mine.reshape(-1))
                game.left = len(rest)
                game.open(rest[:1])
        # A few of each game, spread over its course, so that no board dominates.
        found += here[:: max(1, len(here) // 3)][: number - len(found)]
    for shown in found:
        shown.flags.writeable = False
    return found


def timings(call: Callable[[Shown], object], positions: list[Shown], repeat: int) -> npt.NDArray[np.float64]:
    """Return the microseconds per position, in the fastest of a few repetitions."""
    times = np.empty(len(positions))
    for i, shown in enumerate(positions):
        best = float("inf")
        for _ in range(repeat):
            start = time.perf_counter()
            call(shown)
            best = min(best, time.perf_counter() - start)
        times[i] = best * 1e6
    return times


def line(name: str, times: npt.NDArray[np.float64]) -> None:
    median, high, top = np.percentile(times, [50, 99, 100])
    print(f"  {name:34} median {median:10.1f} us   p99 {high:11.1f} us   max {top:11.1f} us")


def compare(level: Level, number: int) -> None:
    """Our engine and ms_toollib on the same stuck positions."""
    positions = stuck_positions(level, number, seed=1)
    print(f"{level.name}: {len(positions)} stuck positions")
    ours = timings(lambda shown: posterior(shown, level.mines), positions, 7)
    quick = timings(lambda shown: decide(shown, level.mines, stop_at_first_safe=False), positions, 7)
    line("posterior", ours)
    line("decide", quick)
    try:
        import ms_toollib
    except ImportError:
        print("  ms_toollib is not installed (pip install ms_toollib): no comparison")
        return
    lists = {id(s): np.where(s < 0, 10, s).astype(int).tolist() for s in positions}

    def theirs(shown: Shown) -> object:
        return ms_toollib.cal_probability_onboard(lists[id(shown)], level.mines)

    other = timings(theirs, positions, 2)
    line("ms_toollib cal_probability_onboard", other)
    worst = max(
        np.nanmax(np.abs(posterior(s, level.mines).probability - np.array(theirs(s)[0])))  # type: ignore[index]
        for s in positions
    )
    print(
        f"  ratio of medians: posterior {np.median(other) / np.median(ours):.1f}x, "
        f"decide {np.median(other) / np.median(quick):.1f}x; largest difference {worst:.1e}"
    )


def games(level: Level, number: int) -> None:
    rng = np.random.default_rng(2)
    play(level, rng)
    # Processor time: other work on the machine must not count.
    start = time.process_time()
    results = [play(level, rng) for _ in range(number)]
    took = time.process_time() - start
    won = np.mean([result.won for result in results])
    turns = np.array([spent for result in results for spent in result.turns])
    margin = 1.96 * np.sqrt(won * (1 - won) / number)
    print(
        f"  {level.name:14} {number / took:8.0f} games/s   won {100 * won:.2f} +- {100 * margin:.2f} %   "
        f"{len(turns) / number:.1f} turns of {1e6 * np.median(turns):.1f} us (median) in `decide`"
    )


def cold_compile() -> None:
    code = (
        "import time; a = time.perf_counter()\n"
        "from sweepstakes.inference import warm_up; b = time.perf_counter()\n"
        "warm_up(); print(f'{b - a:.1f} {time.perf_counter() - b:.1f} {time.process_time():.1f}')"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in ("empty cache", "warm cache"):
            done = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
                capture_output=True,
                text=True,
                check=True,
            )
            imported, warm, processor = done.stdout.split()
            print(f"  {name}: import {imported} s, warm_up {warm} s ({processor} s of processor time in all)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4000, help="whole games per level")
    parser.add_argument("--quick", action="store_true", help="fewer positions and games, no compile time")
    options = parser.parse_args()
    share = 5 if options.quick else 1
    warm_up()
    for level, number in ((EXPERT, 300), (LARGE, 100), (WIDE, 40), (HUGE, 15)):
        compare(level, number // share)
    print("Whole games in a bare loop, safe corner start, classic rule")
    for level in (BEGINNER, INTERMEDIATE, EXPERT):
        games(level, options.games // share)
    if not options.quick:
        print("Compiling")
        cold_compile()


if __name__ == "__main__":
    main()
