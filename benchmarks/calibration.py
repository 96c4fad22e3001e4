"""Measures the calibration of `exact`: of the cells to which it gives mine probability p, a share p should be mines.

    python benchmarks/calibration.py [--guesses N] [--plot FILE.svg]

Games on 16x16 boards with density 0.15 under every clue noise; guesses decided by an approximation are left out. For
each bin of probabilities: the guesses, the mines expected and found, and z, which is a standard normal number if the
probabilities are right.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sweepstakes import BoardRef, Cell, Game, Registry, Rules, Size
from sweepstakes.agent import start_agent

NOISES = [
    "exact-clues",
    "hidden(rate=0.25)",
    "hidden(rate=0.25,blanks=true)",
    "optimistic(rate=0.25)",
    "cautious(rate=0.25)",
    "liar(rate=0.25)",
    "liar(rate=0.25,blanks=true)",
]
BINS = 12
Sample = npt.NDArray[np.float64]


def guesses(noise: str, wanted: int, seed: int = 1) -> Sample:
    """Pairs (probability, mine or not) of the guesses."""
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    model = registry.noise(noise)
    factory = registry.agent("exact")
    size = Size.of(16, 16, density=0.15)
    found: list[tuple[float, bool]] = []
    number = 0
    while len(found) < wanted:
        game = Game(BoardRef.of(source, "uniform", size, seed, number), Rules(), model)
        agent = start_agent(factory, game.agent_seed)
        number += 1
        while not game.over:
            turn = agent.act(game.view())
            game.take(turn)
            if turn.why == "guess" and turn.probability is not None and len(turn.open) and not turn.fallback:
                cell = Cell(*divmod(int(np.asarray(turn.open)[0]), size.cols))
                found.append((turn.probability, game.board.is_mine(cell)))
    return np.array(found[:wanted], np.float64)


def bins(sample: Sample) -> list[tuple[float, float, int, float]]:
    """Mean probability, share of mines, guesses and z of each bin; bins hold about the same number of guesses."""
    order = sample[np.argsort(sample[:, 0], kind="stable")]
    rows = []
    for part in np.array_split(order, BINS):
        p, mine = part[:, 0], part[:, 1]
        spread = float(np.sqrt((p * (1 - p)).sum()))
        z = float((mine.sum() - p.sum()) / spread) if spread > 0 else 0.0
        rows.append((float(p.mean()), float(mine.mean()), len(part), z))
    return rows


def plot(samples: dict[str, list[tuple[float, float, int, float]]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "sweepstakes"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 4, figsize=(12, 6.4), sharex=True, sharey=True)
    for axis, (name, rows) in zip(axes.flat, samples.items(), strict=False):
        p, share, count, _ = (np.array(column) for column in zip(*rows, strict=True))
        error = 1.96 * np.sqrt(np.maximum(share * (1 - share), 1e-9) / count)
        axis.plot([0, 1], [0, 1], color="0.7", linewidth=1)
        axis.errorbar(p, share, error, fmt="o", color="#0072B2", markersize=4, capsize=2)
        axis.set_title(name, fontsize=10)
        axis.set_xlim(-0.02, 0.62)
        axis.set_ylim(-0.02, 0.62)
    for axis in list(axes.flat)[len(samples) :]:
        axis.axis("off")
    figure.supxlabel("mine probability that exact gives its guess")
    figure.supylabel("share that were mines, 95 % interval")
    figure.tight_layout()
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--guesses", type=int, default=50_000)
    parser.add_argument("--plot", type=Path)
    arguments = parser.parse_args()
    samples = {}
    for noise in NOISES:
        samples[noise] = rows = bins(guesses(noise, arguments.guesses))
        print(f"{noise}: largest |z| of {BINS} bins {max(abs(row[3]) for row in rows):.2f}")
        for p, share, count, z in rows:
            print(f"  {count:6d} guesses at {p:.4f}: {share:.4f} were mines, z {z:+.2f}")
    if arguments.plot:
        plot(samples, arguments.plot)


if __name__ == "__main__":
    main()
