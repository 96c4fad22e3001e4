"""How long evidence takes: compared with the turn's own inference on Expert, and in the worst turn of large games.

    python benchmarks/evidence.py [--games N] [--quick]

Evidence is computed for the cells that `decide` found certain, as in the agent `exact`. Both are measured in the same
run on the same positions, alternately. Each time is the lowest of a few, in processor time, so that other work on the
machine does not matter.
"""

import argparse
import time
from collections.abc import Iterator

import numpy as np
from inference import EXPERT, Game, Level, Shown, stuck_positions

from sweepstakes.inference import decide, evidence, warm_up


def turns(level: Level, seed: int, number: int) -> Iterator[Shown]:
    """The position before every turn of `number` games, known mines flagged."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        game = Game(level, rng)
        while game.left:
            shown = game.shown.copy()
            shown.flags.writeable = False
            yield shown
            decision = decide(game.shown, level.mines)
            game.flat[decision.mines] = -2
            if len(decision.safe):
                game.open(decision.safe)
            elif not game.open(np.array([decision.guess])):
                break


def measure(shown: Shown, mines: int, stop_at_first_safe: bool, repeat: int) -> tuple[float, float, int, int]:
    """(seconds in `decide`, seconds in `evidence`, cells proven, most clues of a proof)."""
    inference = reasons = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        found = decide(shown, mines, stop_at_first_safe=stop_at_first_safe)
        between = time.process_time()
        proofs = evidence(shown, mines, found.safe, found.mines)
        end = time.process_time()
        inference, reasons = min(inference, between - start), min(reasons, end - between)
    return inference, reasons, len(proofs), max(map(len, proofs.values()), default=0)


def compare(name: str, positions: list[Shown], mines: int, stop_at_first_safe: bool) -> None:
    rows = np.array([measure(shown, mines, stop_at_first_safe, 7) for shown in positions])
    ratio = rows[:, 1] / rows[:, 0]
    own, reasons = rows[:, 0].mean(), rows[:, 1].mean()
    print(
        f"  {name}, {len(rows)} positions, {rows[:, 2].mean():.1f} cells each: evidence / decide median "
        f"{np.median(ratio):.2f}, mean {ratio.mean():.2f}, p99 {np.percentile(ratio, 99):.1f}; "
        f"of the mean times {reasons / own:.2f} ({1e6 * reasons:.1f} / {1e6 * own:.1f} us)"
    )


def worst(level: Level, number: int) -> None:
    """The slowest turn and the slowest game."""
    slowest, most, total, count = (0.0, 0, 0), 0, 0.0, 0
    for shown in turns(level, 4, number):
        _, reasons, cells, clues = measure(shown, level.mines, True, 3)
        slowest = max(slowest, (reasons, cells, clues))
        most = max(most, cells)
        total += reasons
        count += 1
    print(
        f"  {level.name:15} worst turn {1e3 * slowest[0]:6.2f} ms ({slowest[1]} cells, up to {slowest[2]} clues each), "
        f"a game {1e3 * total / number:6.2f} ms; {count} turns, up to {most} cells in one"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="whole games on Expert")
    parser.add_argument("--quick", action="store_true", help="fewer positions and games")
    options = parser.parse_args()
    share = 5 if options.quick else 1
    warm_up()
    print("Expert")
    compare("every turn", list(turns(EXPERT, 3, options.games // share)), EXPERT.mines, True)
    compare("stuck", stuck_positions(EXPERT, 300 // share, seed=1), EXPERT.mines, False)
    print("Whole games")
    for side, number in ((30, 50), (50, 25), (100, 10)):
        for density in (0.15, 0.2):
            mines = round(density * side * side)
            worst(Level(f"{side}x{side} at {density}", side, side, mines), max(1, number // share))


if __name__ == "__main__":
    main()
